"""A mock in a container: `docker build --target mockserver -t mockserver .` makes the image."""

import json
import urllib.request

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy


@pytest.fixture
def mock_url():
    mock = DockerContainer("mockserver").with_command("--http 0.0.0.0:8931 --world small").with_exposed_ports(8931)
    with mock.waiting_for(HttpWaitStrategy(8931, "/healthz").for_status_code(200)):
        yield f"http://{mock.get_container_host_ip()}:{mock.get_exposed_port(8931)}/mcp"


def test_reads(mock_url):
    """In the place of your client."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note:hello", "_meta": meta}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "note:hello"}
    with urllib.request.urlopen(urllib.request.Request(mock_url, json.dumps(body).encode(), headers), timeout=30) as answer:
        assert json.load(answer)["result"]["contents"][0]["text"] == "Hello, world!\n"
