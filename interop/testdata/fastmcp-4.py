# An ordinary server with FastMCP, at a port.
import sys

from fastmcp import FastMCP

server = FastMCP("ordinary")


@server.resource("ordinary://readme", mime_type="text/plain")
def readme() -> str:
    return "hello"


@server.resource("ordinary://users/{name}", mime_type="text/plain")
def user(name: str) -> str:
    return "user " + name


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
