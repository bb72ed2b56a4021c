"""A hundred resources change a hundred times per second each: does the client keep up, and read what is last?"""

import asyncio

import pytest
from mcp import Client

WORLD = {
    "resources": [{"uri": f"note:{n}", "name": f"note {n}", "text": "Tick."} for n in range(100)],
    "timeline": [{"after": {"method": "subscriptions/listen"}, "every": "10ms", "times": 200, "touch": f"note:{n}"} for n in range(100)],
}


@pytest.mark.mcp_mock(world=WORLD)
def test_keeps_up(mcp_mock):
    async def use():
        changed = set()
        async with Client(mcp_mock.url) as client:
            async with client.listen(resource_subscriptions=[f"note:{n}" for n in range(100)]) as events:
                async for event in events:
                    changed.add(event.uri)
                    if len(changed) == 100:
                        break
            mcp_mock.admin.patch_resource({"text": "Boom."}, uri="note:99")
            result = await client.read_resource("note:99", cache_mode="refresh")
            return result.contents[0].text

    assert asyncio.run(asyncio.wait_for(use(), 60)) == "Boom."
