"""The settings as an INI file that may be damaged, or lie where nothing can be written."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QEvent, QSettings

from cdb_desktop.files import DAMAGE, report_unwritten, report_written, set_aside


class SettingsFile(QSettings):
    """Settings that report, through `cdb_desktop.files`, when they cannot be written and when they can again.

    A file that cannot be read is set aside before, and one with unreadable values is kept beside the new one,
    which goes on with all other values.
    """

    def __init__(self, path: Path) -> None:
        _repair(path)
        super().__init__(str(path), QSettings.Format.IniFormat)
        self._path = path
        self._has_failed = False

    def event(self, event: QEvent) -> bool:
        """Qt writes what was changed when the loop comes to it, with an event to itself."""
        done = super().event(event)
        self.check()
        return done

    def sync(self) -> None:
        """Writes at once what was changed."""
        super().sync()
        self.check()

    def check(self) -> None:
        """Reports whether the last attempt to write has failed."""
        status = self.status()
        if self._has_failed:
            # The status of an object stays what it was at its first error. Another object of the same file
            # shares what is not written yet, and tells how an attempt goes now.
            attempt = QSettings(str(self._path), QSettings.Format.IniFormat)
            attempt.sync()
            status = attempt.status()
        if status == QSettings.Status.NoError:
            report_written(self._path)
        else:
            self._has_failed = True
            report_unwritten(self._path, "")


def _repair(path: Path) -> None:
    try:
        raw = path.read_bytes()
    except OSError:
        return  # there is none yet, or it cannot be read today, which is no damage
    found = QSettings(str(path), QSettings.Format.IniFormat)
    keys = found.allKeys()
    if found.status() == QSettings.Status.FormatError or b"\0" in raw:
        set_aside(path, "no settings")
        return
    # Values from the file alone, before anybody has written to it.
    sound = {key: found.value(key) for key in keys if _is_sound(found.value(key))}
    if len(sound) == len(keys):
        return
    if set_aside(path, ", ".join(key for key in keys if key not in sound)) is None:
        for key in keys:
            if key not in sound:
                found.remove(key)
        found.sync()
        return
    repaired = QSettings(str(path), QSettings.Format.IniFormat)
    # Qt knows the values of the file that has just been renamed.
    repaired.clear()
    for key, value in sound.items():
        repaired.setValue(key, value)
    repaired.sync()


def _is_sound(value: object) -> bool:
    """Whether a value is one that was written: JSON is whole, text is Unicode, and nothing was cut off."""
    if isinstance(value, list):
        return all(_is_sound(part) for part in value)
    if not isinstance(value, str):
        return value is not None
    try:
        value.encode()
        if value.startswith(("{", "[")):
            msgspec.json.decode(value)
    except DAMAGE:
        return False
    return not value.startswith("@") and "\ufffd" not in value
