# An ordinary server with FastMCP, 2 to 4: over stdio, or over a transport (http or sse) at a port.
import sys

from fastmcp import FastMCP

server = FastMCP("ordinary")


@server.resource("ordinary://readme", mime_type="text/plain")
def readme() -> str:
    return "hello"


@server.resource("ordinary://users/{name}", mime_type="text/plain")
def user(name: str) -> str:
    return "user " + name


if len(sys.argv) > 1:
    server.run(transport=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
else:
    server.run(show_banner=False)
