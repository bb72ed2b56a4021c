"""The fixture of pytest. The arguments of start_mock stand in a marker: @pytest.mark.mcp_mock(world="small")."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .mock import Mock, start_mock


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "mcp_mock(world, args, env): how the mock server of the fixture mcp_mock is started")


@pytest.fixture
def mcp_mock(request: pytest.FixtureRequest) -> Iterator[Mock]:
    """A mock server of the test's own, which judges the client when the test has ended."""
    marker = request.node.get_closest_marker("mcp_mock")
    with start_mock(*(marker.args if marker else ()), **(marker.kwargs if marker else {})) as mock:
        yield mock
        mock.verify()
