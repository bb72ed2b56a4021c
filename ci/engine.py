"""Runs what Testcontainers asks a Docker Engine for, without one: the program of the image of the mock, with the
entry point that the Dockerfile gives it and the arguments of the container, as a process on this machine.

    python3 ci/engine.py MOCKSERVER COMMAND [ARGUMENT...]

runs the command with DOCKER_HOST at this engine, and ends with its status. The ports that a container listens on are
replaced by free ones, as the mapping of ports does it. Of the API of Docker there is only what Testcontainers calls.
"""

import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROGRAM = os.path.abspath(sys.argv[1])
DOCKERFILE = os.path.join(os.path.dirname(__file__), "..", "Dockerfile")
STAGE = re.search(r"(?ms)^FROM \S+ AS mockserver\n(.*?)(?:^FROM |\Z)", open(DOCKERFILE).read()).group(1)
ENTRYPOINT, DEFAULT = (json.loads(re.search(rf"(?m)^{word} (.*)$", STAGE).group(1)) for word in ("ENTRYPOINT", "CMD"))
EXPOSED = {f"{port}/tcp": {} for port in re.search(r"(?m)^EXPOSE (.*)$", STAGE).group(1).split()}
assert os.path.basename(ENTRYPOINT[0]) == os.path.basename(PROGRAM), ENTRYPOINT
BRIDGE = {"Name": "bridge", "Id": "0", "Driver": "bridge", "IPAM": {"Config": [{"Subnet": "10.0.0.0/8", "Gateway": "127.0.0.1"}]}}
STARTED = "2025-01-01T00:00:00Z"


class Container:
    def __init__(self, asked):
        self.id, self.asked, self.process = os.urandom(32).hex(), asked, None
        self.ports = {**EXPOSED, **(asked.get("ExposedPorts") or {})}
        self.log = tempfile.TemporaryFile()
        self.bound = {}

    def start(self):
        arguments = ENTRYPOINT[1:] + (self.asked.get("Cmd") or DEFAULT)
        for port in self.ports:
            number = port.split("/")[0]
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                self.bound[port] = str(s.getsockname()[1])
            arguments = [re.sub(rf":{number}$", ":" + self.bound[port], a) for a in arguments]
        variables = dict(v.split("=", 1) for v in self.asked.get("Env") or [])
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env={**os.environ, **variables})

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def inspect(self):
        running = self.process is not None and self.process.poll() is None
        ports = {p: [{"HostIp": "127.0.0.1", "HostPort": n}] for p, n in self.bound.items()}
        state = {"Status": "running" if running else "exited", "Running": running, "ExitCode": (self.process and self.process.returncode) or 0,
                 "StartedAt": STARTED, "FinishedAt": "0001-01-01T00:00:00Z"}
        return {"Id": self.id, "Name": "/" + self.id[:12], "Created": STARTED, "Image": "sha256:" + "0" * 64, "State": state,
                "Config": {"Image": self.asked.get("Image"), "Labels": self.asked.get("Labels") or {}, "ExposedPorts": self.ports, "Env": [], "Cmd": self.asked.get("Cmd"), "Hostname": self.id[:12]},
                "HostConfig": {"NetworkMode": "bridge", "PortBindings": ports}, "Mounts": [],
                "NetworkSettings": {"Ports": ports, "Networks": {"bridge": {"IPAddress": "127.0.0.1", "Gateway": "127.0.0.1", "NetworkID": "0", "Aliases": []}}}}

    def logs(self):
        """What it printed, as one frame of the standard error of a multiplexed stream."""
        text = os.pread(self.log.fileno(), 1 << 20, 0)
        return struct.pack(">BxxxL", 2, len(text)) + text


containers = {}


def answer(method, path, body):
    """The status and the answer: JSON, bytes or nothing."""
    name = path.split("/")[2] if path.count("/") > 1 else ""
    c = next((c for i, c in containers.items() if name and i.startswith(name)), None)
    match method, re.sub(r"^/containers/[0-9a-f]{12,}", "/containers/ID", path):
        case _, "/_ping":
            return 200, b"OK"
        case _, "/version":
            return 200, {"Version": "28.0.0", "ApiVersion": "1.44", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64"}
        case _, "/info":
            return 200, {"ID": "engine", "ServerVersion": "28.0.0", "OperatingSystem": "none", "OSType": "linux", "MemTotal": 1 << 34, "Containers": len(containers), "Labels": [],
                         "RegistryConfig": {"IndexConfigs": {}}, "Plugins": {}}
        case "GET", p if p.startswith("/images/") and p.endswith("/json"):
            return 200, [] if p == "/images/json" else {"Id": "sha256:" + "0" * 64, "RepoTags": [p[8:-5]], "Config": {"ExposedPorts": EXPOSED, "Entrypoint": ENTRYPOINT, "Cmd": DEFAULT}}
        case "GET", "/networks":
            return 200, [BRIDGE]
        case "GET", "/networks/bridge":
            return 200, BRIDGE
        case "POST", p if p.endswith("/prune"):
            return 200, {}
        case "GET", "/containers/json":
            return 200, [{**made.inspect(), "State": "running"} for made in containers.values()]
        case "POST", "/containers/create":
            made = Container(body)
            containers[made.id] = made
            return 201, {"Id": made.id, "Warnings": []}
        case _, p if p.startswith("/containers/ID") and c:
            return operate(method, p.removeprefix("/containers/ID"), c)
    return 404, {"message": f"there is no {method} {path} here"}


def operate(method, what, c):
    match method, what:
        case "POST", "/start":
            c.start()
            return 204, None
        case "GET", "/json":
            return 200, c.inspect()
        case "GET", "/logs":
            return 200, c.logs()
        case "POST", "/stop" | "/kill":
            c.stop()
            return 204, None
        case "POST", "/wait":
            c.process.wait(60)
            return 200, {"StatusCode": c.process.returncode}
        case "DELETE", "":
            c.stop()
            del containers[c.id]
            return 204, None
    return 404, {"message": f"there is no {method} {what} of a container here"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "Origin" in self.headers:  # a page in a browser, which is nobody's test
            self.send_error(403)
            return
        path = re.sub(r"^/v1\.\d+", "", urllib.parse.unquote(urllib.parse.urlsplit(self.path).path))
        status, result = answer(self.command, path, json.loads(data) if data.startswith(b"{") else {})
        if status == 404:
            print("engine:", result["message"], file=sys.stderr)
        raw = result if isinstance(result, bytes) else b"" if result is None else json.dumps(result).encode()
        self.send_response(status)
        kind = "application/json" if not isinstance(result, bytes) else "text/plain" if raw == b"OK" else "application/vnd.docker.multiplexed-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Api-Version", "1.44")
        self.send_header("Ostype", "linux")
        if status != 204:
            self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    do_GET = do_POST = do_DELETE = do_HEAD = do_PUT = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
host = f"tcp://127.0.0.1:{server.server_port}"
try:
    code = subprocess.call(sys.argv[2:], env={**os.environ, "DOCKER_HOST": host, "TESTCONTAINERS_RYUK_DISABLED": "true", "TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1"})
finally:
    for left in list(containers.values()):
        left.stop()
sys.exit(code)
