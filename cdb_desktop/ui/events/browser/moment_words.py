"""Says what a typed time means, or why it means none, in the user's language."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.events.time_input import MAX_YEAR, MIN_YEAR, TimeFault
from cdb_desktop.vocabulary.times import exact_time, in_zone

translate = QCoreApplication.translate
_FORMAT = QLocale.FormatType.ShortFormat


def fault_words(fault: TimeFault) -> str:
    """Why a text is no time, and what would be one."""
    years = translate("Moments", "Years must be between %1 and %2.")
    return {
        TimeFault.NONSENSE: translate("Moments", "No time. Try 2026-11-20 14:02, or 2h for two hours ago."),
        TimeFault.NO_SUCH_DAY: translate("Moments", "This day does not exist."),
        TimeFault.NO_SUCH_TIME: translate("Moments", "This time does not exist."),
        TimeFault.YEAR: years.replace("%1", str(MIN_YEAR)).replace("%2", str(MAX_YEAR)),
    }[fault]


def moment_words(moment: datetime, now: datetime) -> str:
    """The time in full with its weekday, and whether it is still to come."""
    day = QLocale().dayName(in_zone(moment).isoweekday(), _FORMAT)
    told = f"{day} {exact_time(moment)}"
    coming = translate("Moments", "%1, in the future").replace("%1", told)
    return coming if moment > now else told
