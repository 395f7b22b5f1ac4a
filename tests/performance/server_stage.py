"""One reference server full of demo events, its file under the bare driver, and how much memory it takes."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from functools import lru_cache

from tests.performance.memory import Memory
from tests.performance.processes import Wire, announced, server_process
from tests.performance.rows import Context
from tests.performance.server_wire import ThinWire


@dataclass(frozen=True)
class Stage:
    """The server at `base` and its file; `seconds` from the start of its process until it listened, the file
    made.
    """

    base: str
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
    memory = Memory(child.pid)
    base = announced(child)
    seconds = time.perf_counter() - before
    wire = ThinWire(base, Wire(base, "root", "admin").token)
    bare = sqlite3.connect(file)
    bare.execute(f"PRAGMA mmap_size={1 << 30}")
    for close in (bare.close, wire.close, memory.stop):
        context.running.callback(close)
    return Stage(base, wire, bare, memory, seconds)
