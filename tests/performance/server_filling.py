"""How long the demo's events take to make, and how much memory the server had for all that was measured."""

from __future__ import annotations

from tests.performance.rows import Context, Measured, Row
from tests.performance.server_stage import stage


def seed(context: Context) -> Row:
    """Process start until the server listens, the demo house made with all its events; the goal is for a
    million of them.
    """
    return Row("server.seed_s", round(stage(context).seconds, 1), "s", goal=20)


def memory(context: Context) -> Row:
    """The most memory of its own that the server ever had, from its start until here."""
    return Row("server.memory_mb", round(stage(context).memory.most, 1), "MB", goal=150)


MEASUREMENTS = (Measured("server.seed_s", seed), Measured("server.memory_mb", memory))
