"""How the time zone in which times are shown is named."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication

from cdb_desktop.vocabulary.times import chosen_zone, offset


def zone_words() -> str:
    """The chosen zone as it is said beside times."""
    return "UTC" if chosen_zone() == "utc" else QCoreApplication.translate("Zone", "local time")


def zone_with_offset() -> str:
    """The same with how far it is from UTC at present: ``local time (UTC+01:00)``."""
    present = offset(datetime.now(UTC))
    return zone_words() if present == zone_words() else f"{zone_words()} ({present})"
