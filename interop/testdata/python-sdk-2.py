# An ordinary server with the official SDK 2.x: over stdio, or at a port.
import sys

from mcp.server import MCPServer
from mcp_types import Completion

server = MCPServer("ordinary")


@server.resource("ordinary://readme", mime_type="text/plain")
def readme() -> str:
    return "hello"


@server.resource("ordinary://users/{name}", mime_type="text/plain")
def user(name: str) -> str:
    return "user " + name


@server.completion()
async def complete(ref, argument, context):
    return Completion(values=["ann", "bob"], has_more=False)


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
