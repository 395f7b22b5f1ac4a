"""The choice of the zone in which times are told: kept, applied without a restart, and put into words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings

from cdb_desktop.vocabulary.times import Zone, choose_zone, chosen_zone, offset

_KEY = "zone"


class ZoneSetting(QObject):
    """The zone in force; times are texts, so every change reaches the windows as Qt's LanguageChange."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        choose_zone(self.choice)

    @property
    def choice(self) -> Zone:
        """What the user has chosen, ``local`` if nothing."""
        kept = str(self._settings.value(_KEY, "local"))
        return next((known for known in get_args(Zone) if known == kept), "local")

    def choose(self, choice: Zone) -> None:
        """Tells times in this zone from now on and after the next start."""
        self._settings.setValue(_KEY, choice)
        choose_zone(choice)
        QCoreApplication.sendEvent(self._app, QEvent(QEvent.Type.LanguageChange))


def zone_words() -> str:
    """The chosen zone as it is said beside times."""
    return "UTC" if chosen_zone() == "utc" else QCoreApplication.translate("Zone", "local time")


def zone_with_offset() -> str:
    """The same with how far it is from UTC at present: ``local time (UTC+01:00)``."""
    present = offset(datetime.now(UTC))
    return zone_words() if present == zone_words() else f"{zone_words()} ({present})"
