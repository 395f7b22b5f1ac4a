"""Points in time as text, in the zone that is chosen: this machine's or UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from cdb_desktop.foundation.i18n import tr

Zone = Literal["local", "utc"]

_DAY_AND_TIME = len("2026-11-20 14:02:11")

# One for the whole program, as the language is: whoever tells a time asks for it at that moment.
_chosen: list[Zone] = ["local"]


def choose_zone(zone: Zone) -> None:
    """Tells all times in ``zone`` from now on; what has been told already is not told anew by it."""
    _chosen[0] = zone


def chosen_zone() -> Zone:
    """The zone in which times are told."""
    return _chosen[0]


def in_zone(moment: datetime, zone: Zone | None = None) -> datetime:
    """The same moment with the offset that it has in ``zone``, or in the chosen one.

    At either end of what a calendar can hold there may be no such day there: then it stays as it is.
    """
    try:
        return moment.astimezone(UTC if (zone or chosen_zone()) == "utc" else None)
    except (OverflowError, OSError):
        return moment


def midnight(moment: datetime) -> datetime:
    """The beginning of the day in the chosen zone, which may have another offset that early."""
    return from_clock(in_zone(moment).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None))


def from_clock(bare: datetime) -> datetime:
    """The moment at which clocks in the chosen zone show ``bare``, which has no offset."""
    return bare.replace(tzinfo=UTC) if chosen_zone() == "utc" else bare.astimezone()


def day_and_time(moment: datetime | None) -> str:
    """``2026-11-20 14:02:11``, empty for None."""
    # Asked for with every row that is painted: half the time of strftime.
    return in_zone(moment).isoformat(" ", "seconds")[:_DAY_AND_TIME] if moment else ""


def clock_time(moment: datetime | None) -> str:
    """``14:02:11``, empty for None."""
    return in_zone(moment).strftime("%H:%M:%S") if moment else ""


def exact_time(moment: datetime | None) -> str:
    """The time with its offset from UTC, for where there is room; empty for None."""
    return in_zone(moment).strftime("%Y-%m-%d %H:%M:%S %z") if moment else ""


def offset(moment: datetime) -> str:
    """How far the chosen zone is from UTC at ``moment``: ``UTC+01:00``, or ``UTC`` where it is UTC."""
    told = in_zone(moment).strftime("%z")
    return "UTC" if chosen_zone() == "utc" else f"UTC{told[:3]}:{told[3:5]}"


def zone_name() -> str:
    """The name of the chosen zone, in the language in use."""
    return "UTC" if chosen_zone() == "utc" else tr("local time")


def zone_with_offset() -> str:
    """The name of the chosen zone with its present offset: ``local time (UTC+01:00)``."""
    present = offset(datetime.now(UTC))
    return zone_name() if present == zone_name() else f"{zone_name()} ({present})"
