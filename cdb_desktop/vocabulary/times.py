"""Points in time as text in the zone of this machine."""

from __future__ import annotations

from datetime import datetime


def local_time(moment: datetime | None) -> str:
    """``2026-11-20 14:02:11`` in local time, empty for None."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S") if moment else ""


def local_clock(moment: datetime | None) -> str:
    """``14:02:11`` in local time, empty for None."""
    return moment.astimezone().strftime("%H:%M:%S") if moment else ""


def exact_time(moment: datetime | None) -> str:
    """The local time with its offset from UTC, for where there is room; empty for None."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S %z") if moment else ""
