"""Values in QSettings that several pages share."""

from __future__ import annotations

import logging
import math
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from cdb_desktop.foundation.files import set_aside, write_whole

_log = logging.getLogger(__name__)


def set_value_aside(settings: QSettings, key: str, reason: BaseException | str) -> None:
    """Removes a value and keeps it in a damaged file beside the settings, which is reported."""
    value = settings.value(key)
    content = value.data() if isinstance(value, QByteArray) else str(value).encode("utf-8", "surrogateescape")
    settings_file = Path(settings.fileName())
    path = settings_file.with_name(f"{settings_file.name}.{key.replace('/', '.')}")
    try:
        write_whole(path, bytes(content))
    except OSError as error:
        _log.warning("%s of the settings is damaged and cannot be set aside: %s", key, error)
        return
    set_aside(path, reason)
    settings.remove(key)


FEED_INTERVALS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # seconds from one poll to the next
FEED_CAPACITIES = (10_000, 50_000, 200_000, 1_000_000)  # events
_INTERVAL, _ADAPTIVE, _CAPACITY = "live/interval", "live/adaptive", "live/capacity"
_USUAL_INTERVAL, _USUAL_CAPACITY = 1.0, 200_000


class FeedSettings(QObject):
    """The choice in force; all who share the settings share it.

    Signals: ``changed`` after another choice was made.
    """

    changed = Signal()

    @classmethod
    def of(cls, settings: QSettings) -> FeedSettings:
        """The one of these settings."""
        return settings.findChild(cls) or cls(settings)

    def __init__(self, settings: QSettings) -> None:
        super().__init__(settings)
        self._settings = settings

    @property
    def interval(self) -> float:
        """Seconds from one poll to the next."""
        kept = self._number(_INTERVAL, _USUAL_INTERVAL)
        return kept if kept in FEED_INTERVALS else _USUAL_INTERVAL

    @property
    def is_adaptive(self) -> bool:
        """Whether it is asked sooner while much happens."""
        return self._settings.value(_ADAPTIVE, True, type=bool) is True

    @property
    def capacity(self) -> int:
        """The events that each feed keeps."""
        kept = int(self._number(_CAPACITY, _USUAL_CAPACITY))
        return kept if kept in FEED_CAPACITIES else _USUAL_CAPACITY

    def choose_interval(self, seconds: float) -> None:
        """Asks this often from now on and after the next start."""
        self._choose(_INTERVAL, seconds)

    def choose_adaptive(self, is_adaptive: bool) -> None:
        """Asks sooner while much happens, or not."""
        self._choose(_ADAPTIVE, is_adaptive)

    def choose_capacity(self, events: int) -> None:
        """Keeps so many from now on and after the next start."""
        self._choose(_CAPACITY, events)

    def _choose(self, key: str, value: object) -> None:
        self._settings.setValue(key, value)
        self.changed.emit()

    def _number(self, key: str, otherwise: float) -> float:
        try:
            kept = float(str(self._settings.value(key, otherwise)))
        except ValueError:
            return otherwise
        return kept if math.isfinite(kept) else otherwise
