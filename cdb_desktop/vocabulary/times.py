"""Times as text, in the chosen zone: local time or UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from cdb_desktop.foundation.i18n import tr

Zone = Literal["local", "utc"]

_DAY_AND_TIME = len("2026-11-20 14:02:11")

# Like the language, one for the whole program.
_chosen: list[Zone] = ["local"]


def choose_zone(zone: Zone) -> None:
    """Uses ``zone`` from now on; texts that are shown already do not change."""
    _chosen[0] = zone


def chosen_zone() -> Zone:
    """The zone in use."""
    return _chosen[0]


def in_zone(moment: datetime, zone: Zone | None = None) -> datetime:
    """``moment`` with the offset of ``zone``, by default the chosen one.

    Where there is no local time, at both ends of the calendar and on Windows before 1970, ``moment`` is
    returned unchanged.
    """
    try:
        return moment.astimezone(UTC if (zone or chosen_zone()) == "utc" else None)
    except (OverflowError, OSError):
        return moment


def midnight(moment: datetime) -> datetime:
    """The start of the day in the chosen zone, at which the offset may differ."""
    return from_clock(in_zone(moment).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None))


def from_clock(bare: datetime) -> datetime:
    """The moment for ``bare``, which has no offset, in the chosen zone.

    It is in UTC where `in_zone` knows no local time either: Windows has none before 1970.
    """
    if chosen_zone() == "utc":
        return bare.replace(tzinfo=UTC)
    try:
        return bare.astimezone()
    except OSError:
        return bare.replace(tzinfo=UTC)


def day_and_time(moment: datetime | None) -> str:
    """``2026-11-20 14:02:11``, empty for None."""
    # Called for every painted row; twice as fast as strftime.
    return in_zone(moment).isoformat(" ", "seconds")[:_DAY_AND_TIME] if moment else ""


def clock_time(moment: datetime | None) -> str:
    """``14:02:11``, empty for None."""
    return in_zone(moment).strftime("%H:%M:%S") if moment else ""


def exact_time(moment: datetime | None) -> str:
    """Date and time with the offset from UTC; empty for None."""
    return in_zone(moment).strftime("%Y-%m-%d %H:%M:%S %z") if moment else ""


def offset(moment: datetime) -> str:
    """The offset of the chosen zone at ``moment``: ``UTC+01:00``, or ``UTC``."""
    text = in_zone(moment).strftime("%z")
    return "UTC" if chosen_zone() == "utc" else f"UTC{text[:3]}:{text[3:5]}"


def zone_name() -> str:
    """The name of the chosen zone, in the language in use."""
    return "UTC" if chosen_zone() == "utc" else tr("local time")


def zone_with_offset() -> str:
    """The name of the chosen zone with its present offset: ``local time (UTC+01:00)``."""
    present = offset(datetime.now(UTC))
    return zone_name() if present == zone_name() else f"{zone_name()} ({present})"
