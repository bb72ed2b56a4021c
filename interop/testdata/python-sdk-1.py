# An ordinary server with the official SDK 1.x: over stdio, or at a port.
import sys

from mcp.server.fastmcp import FastMCP
from mcp.types import Completion

server = FastMCP("ordinary", host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)


@server.resource("ordinary://readme", mime_type="text/plain")
def readme() -> str:
    return "hello"


@server.resource("ordinary://users/{name}", mime_type="text/plain")
def user(name: str) -> str:
    return "user " + name


@server.completion()
async def complete(ref, argument, context):
    return Completion(values=["ann", "bob"], hasMore=False)


server.run("streamable-http" if len(sys.argv) > 1 else "stdio")
