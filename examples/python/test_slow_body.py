"""A body comes at 1 KiB/s: does the client give up in time, and go on with other things?"""

import asyncio

import pytest
from mcp import Client

WORLD = {
    "resources": [
        {"uri": "note:long", "name": "long", "generate": {"bytes": 65536, "line": "All work and no play."}},
        {"uri": "note:short", "name": "short", "text": "Short."},
    ]
}


@pytest.mark.mcp_mock(world=WORLD, args=["--latency", "dribble:1KiB/s:method=resources/read:uri=note:long"])
def test_gives_up_in_time(mcp_mock):
    async def use():
        async with Client(mcp_mock.url) as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.read_resource("note:long"), 1)
            result = await client.read_resource("note:short")
            return result.contents[0].text

    assert asyncio.run(use()) == "Short."
