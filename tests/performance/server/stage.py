"""A reference server with demo events, its file opened by the driver, its memory and its creation."""

import sqlite3
import time
from dataclasses import dataclass
from functools import lru_cache

from tests.performance.memory import Memory
from tests.performance.processes import Wire, announced, server_process
from tests.performance.rows import Context, Measured, Row
from tests.performance.server.thin_wire import ThinWire


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


def seed(context: Context) -> Row:
    """Process start until the server listens, including the creation of the demo; the goal is for a million
    events.
    """
    return Row("server.seed_s", round(stage(context).seconds, 1), "s", goal=20)


def memory(context: Context) -> Row:
    """The maximum of private memory of the server since its start."""
    return Row("server.memory_mb", round(stage(context).memory.most, 1), "MB", goal=150)


MEASUREMENTS = (Measured("server.seed_s", seed), Measured("server.memory_mb", memory))
