"""Duration of creating the demo events, and the memory of the server over all measurements."""

from __future__ import annotations

from tests.performance.rows import Context, Measured, Row
from tests.performance.server_stage import stage


def seed(context: Context) -> Row:
    """Process start until the server listens, including the creation of the demo; the goal is for a million
    events.
    """
    return Row("server.seed_s", round(stage(context).seconds, 1), "s", goal=20)


def memory(context: Context) -> Row:
    """The maximum of private memory of the server since its start."""
    return Row("server.memory_mb", round(stage(context).memory.most, 1), "MB", goal=150)


MEASUREMENTS = (Measured("server.seed_s", seed), Measured("server.memory_mb", memory))
