"""A reference server with demo events, its file opened by the driver, and its memory."""

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
    """The server at `base` and its file; `seconds` from process start until it listened, including the
    creation of the file.
    """

    base: str
    wire: ThinWire
    bare: sqlite3.Connection
    memory: Memory
    seconds: float


@lru_cache(maxsize=1)
def stage(context: Context) -> Stage:
    """The server that all rows of this run share, with root signed in."""
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
