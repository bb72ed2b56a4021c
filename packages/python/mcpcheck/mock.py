"""A mock server for tests: start_mock starts one, the pytest fixture mcp_mock one for each test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import program
from .admin import Admin

if TYPE_CHECKING:
    from typing_extensions import Self

    from .admin import Entry, Report

PATIENCE = 30.0
"""How long a mock may take to begin, in seconds."""


class Mock:
    """A mock server that runs."""

    url: str
    """The address for Streamable HTTP."""
    sse: str
    """The address for HTTP+SSE."""
    stdio: list[str]
    """The command with which a client starts a server of its own on stdio, in the same world with the same
    flags. Its messages are in no journal of this one."""
    admin: Admin
    """Steers the mock."""

    def __init__(self, path: str, world: str | Mapping[str, Any] | None, args: Iterable[str], env: Mapping[str, str]) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="mcpcheck-mock-")
        if world is not None and not isinstance(world, str):
            file = os.path.join(self._directory.name, "world.json")
            with open(file, "w", encoding="utf-8") as f:
                json.dump(world, f)
            world = file
        served = [*([] if world is None else ["--world", world]), *args]
        self.stdio = [path, "--stdio", *served]
        self._errors = os.path.join(self._directory.name, "stderr")
        try:
            with open(self._errors, "wb") as errors:
                command = [path, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", *served]
                self._process = subprocess.Popen(command, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        except OSError:
            self._directory.cleanup()
            raise
        try:
            self._begin()
        except BaseException:
            self.stop()
            raise

    def _begin(self) -> None:
        """Waits for the lines with the addresses."""
        end = time.monotonic() + PATIENCE
        while True:
            status = self._process.poll()
            with open(self._errors, encoding="utf-8", errors="replace") as f:
                text = f.read().replace(os.path.join(self._directory.name, "world.json:1: "), "")
            listening = re.search(r"listening on (\S+)/mcp ", text)
            admin = re.search(r"admin interface on (\S+)", text)
            if listening and admin:
                self.url, self.sse = f"{listening[1]}/mcp", f"{listening[1]}/sse"
                self.admin = Admin(admin[1])
                return
            if status is not None:
                raise RuntimeError(f"the mock server did not begin: it ended with status {status}\n{text}")
            if time.monotonic() > end:
                raise RuntimeError(f"the mock server did not begin: it did not listen in {PATIENCE} s\n{text}")
            time.sleep(0.02)

    def received(self, method: str, count: int = 1, *, timeout: float | str = 5, **query: Any) -> list[Entry]:
        """Waits until clients have sent so many requests or notifications with a method over HTTP, and returns
        their journal entries. timeout is in seconds, or a text with a unit such as "500ms". The other arguments
        are members of a Query. It blocks: in a coroutine that the client needs to go on, await
        asyncio.to_thread(mock.received, method)."""
        if not isinstance(timeout, str):
            timeout = f"{timeout:f}s"
        wanted: Any = {**query, "kinds": ["request", "notification"], "method": method}
        outcome = self.admin.post_journal_wait({"query": wanted, "count": count, "timeout": timeout})
        if not outcome["met"]:
            raise AssertionError(outcome.get("message"))
        return outcome.get("entries", [])

    def verify(self, **how: Any) -> Report:
        """Judges the clients by what they have sent so far over HTTP; fails if one has broken a requirement.
        The arguments are members of a Verify."""
        report = self.admin.post_verify(how)  # type: ignore[arg-type]
        if report["summary"]["fail"] == 0:
            return report
        lines = [
            f"{r['id']} {r['title']} ({r['revision']}, {r['transport']}): expected {r['expected']}; actual: {r['actual']}. {r.get('hint', '')}\n{r['link']}"
            for r in report["results"]
            if r["verdict"] == "fail"
        ]
        raise AssertionError("the client is not conformant:\n" + "\n".join(lines))

    def stop(self) -> None:
        """Ends the mock server, at once: an orderly end would wait for connections of clients, and it has
        nothing to lose."""
        self._process.kill()
        self._process.wait()
        self._directory.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_mock(
    world: str | Mapping[str, Any] | None = None,
    args: Iterable[str] = (),
    *,
    env: Mapping[str, str] | None = None,
    program_path: str | None = None,
) -> Mock:
    """Starts a mock server on a free port of this machine, and waits until it listens.

    world is the name of a ready world, the path of a world file, or a world as a mapping; args are more flags
    of mockserver, and env environment variables beside those of this process."""
    return Mock(program_path or program("mockserver"), world, list(args), env or {})
