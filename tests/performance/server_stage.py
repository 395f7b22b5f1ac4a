"""One reference server full of demo events, its file under the bare driver, and how much memory it takes."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tests.performance.processes import Wire, announced, server_process
from tests.performance.rows import Context
from tests.performance.server_wire import ThinWire

_ANONYMOUS = re.compile(r"^RssAnon:\s+(\d+) kB", re.MULTILINE)
_SAMPLE_SECONDS = 0.1


class Memory:
    """Watches how much memory a process has of its own; pages of files that it maps do not count."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._status = Path(f"/proc/{child.pid}/status")
        self._stopped = threading.Event()
        self.most = 0.0  # MB
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends watching."""
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(_SAMPLE_SECONDS):
            found = _ANONYMOUS.search(self._status.read_text())
            if found:
                self.most = max(self.most, int(found[1]) / 1024)


@dataclass(frozen=True)
class Stage:
    """The server and its file; `seconds` from the start of its process until it listened, the file made."""

    wire: ThinWire
    bare: sqlite3.Connection
    memory: Memory
    seconds: float


@lru_cache(maxsize=1)
def stage(context: Context) -> Stage:
    """The server that all rows of this run share, root signed in; it ends with the run."""
    file = context.folder / f"events-{context.events}.sqlite"
    arguments = ("--database", str(file), "--demo", "--demo-events", str(context.events))
    before = time.perf_counter()
    child = context.running.enter_context(server_process(context.folder, *arguments))
    memory = Memory(child)
    base = announced(child)
    seconds = time.perf_counter() - before
    wire = ThinWire(base, Wire(base, "root", "admin").token)
    bare = sqlite3.connect(file)
    bare.execute(f"PRAGMA mmap_size={1 << 30}")
    for close in (bare.close, wire.close, memory.stop):
        context.running.callback(close)
    return Stage(wire, bare, memory, seconds)
