# An ordinary server with chuk-mcp-server, over stdio or at a port that is given.
import sys

from chuk_mcp_server import ChukMCPServer

server = ChukMCPServer(name="ordinary", version="1.0.0")


@server.resource("ordinary://readme", mime_type="text/plain")
def readme() -> str:
    """A text"""
    return "hello"


@server.resource_template("ordinary://users/{id}", mime_type="text/plain")
def user(id: str) -> str:
    """A user"""
    return id


if len(sys.argv) > 1:
    server.run(host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run(stdio=True)
