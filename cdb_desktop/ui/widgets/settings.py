"""Values in QSettings that several pages share."""

from __future__ import annotations

import logging
import math
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from cdb_desktop.foundation.files import set_aside, write_whole

_log = logging.getLogger(__name__)

FEED_INTERVALS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # seconds from one poll to the next
FEED_CAPACITIES = (10_000, 50_000, 200_000, 1_000_000)  # events
_INTERVAL, _ADAPTIVE, _CAPACITY = "live/interval", "live/adaptive", "live/capacity"
_DEFAULT_INTERVAL, _DEFAULT_CAPACITY = 1.0, 200_000


def set_value_aside(settings: QSettings, key: str, reason: BaseException | str) -> None:
    """Moves a damaged value to a file beside the settings, and reports it."""
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


class FeedSettings(QObject):
    """How often the live feeds poll and how many events they keep; shared by all users of the same QSettings.

    Signals: ``changed`` after another value was chosen.
    """

    changed = Signal()

    @classmethod
    def of(cls, settings: QSettings) -> FeedSettings:
        """The instance for ``settings``."""
        return settings.findChild(cls) or cls(settings)

    def __init__(self, settings: QSettings) -> None:
        super().__init__(settings)
        self._settings = settings

    @property
    def interval(self) -> float:
        """Seconds from one poll to the next."""
        stored = self._number(_INTERVAL, _DEFAULT_INTERVAL)
        return stored if stored in FEED_INTERVALS else _DEFAULT_INTERVAL

    @property
    def is_adaptive(self) -> bool:
        """Whether the feeds poll more often while there are many events."""
        return self._settings.value(_ADAPTIVE, True, type=bool) is True

    @property
    def capacity(self) -> int:
        """The number of events that each feed keeps."""
        stored = int(self._number(_CAPACITY, _DEFAULT_CAPACITY))
        return stored if stored in FEED_CAPACITIES else _DEFAULT_CAPACITY

    def choose_interval(self, seconds: float) -> None:
        """Sets and stores the interval."""
        self._choose(_INTERVAL, seconds)

    def choose_adaptive(self, is_adaptive: bool) -> None:
        """Sets and stores whether polling is adaptive."""
        self._choose(_ADAPTIVE, is_adaptive)

    def choose_capacity(self, events: int) -> None:
        """Sets and stores the number of events to keep."""
        self._choose(_CAPACITY, events)

    def _choose(self, key: str, value: object) -> None:
        self._settings.setValue(key, value)
        self.changed.emit()

    def _number(self, key: str, default: float) -> float:
        try:
            stored = float(str(self._settings.value(key, default)))
        except ValueError:
            return default
        return stored if math.isfinite(stored) else default
