"""The settings as an INI file that may be damaged, or lie where nothing can be written."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QLockFile, QSettings, QTimer

from cdb_desktop.files import DAMAGE, report_unwritten, report_written, set_aside

_STALE = 5_000  # milliseconds after which a lock was left behind; writing takes a few
_PATIENCE = 1_000  # milliseconds for another program to write, where there is no later
_AGAIN = 250  # milliseconds until a writing that was put off is tried again


class SettingsFile(QSettings):
    """Settings that report, through `cdb_desktop.files`, when they cannot be written and when they can again.

    A file that cannot be read is set aside before, and one with unreadable values is kept beside the new one,
    which goes on with all other values.

    To write, Qt makes a lock file beside the settings. A program that was killed may leave it behind, and Qt
    then waits until it is 30 s old, in the window's thread. Here writing is put off while there is a lock.
    """

    def __init__(self, path: Path) -> None:
        _repair(path)
        super().__init__(str(path), QSettings.Format.IniFormat)
        self._path = path
        self._has_failed = False
        self._again = QTimer(self, singleShot=True, interval=_AGAIN)
        self._again.timeout.connect(self._write_again)

    def event(self, event: QEvent) -> bool:
        """Qt writes what was changed when the loop comes to it, with an event to itself."""
        if event.type() == QEvent.Type.UpdateRequest and not _is_free(self._path):
            self._again.start()
            return True
        done = super().event(event)
        self.check()
        return done

    def sync(self) -> None:
        """Writes at once what was changed, after a second at most."""
        _free(self._path)
        super().sync()
        self.check()

    def _write_again(self) -> None:
        # Qt asks for one such event until it has written, and this one was not let through.
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def check(self) -> None:
        """Reports whether the last attempt to write has failed."""
        status = self.status()
        if self._has_failed:
            if not _is_free(self._path):
                return
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


def _is_free(path: Path, patience: int = 0, stale: int = _STALE) -> bool:
    """Whether nobody holds the lock of the settings; one that was left behind is removed."""
    lock = QLockFile(f"{path}.lock")
    lock.setStaleLockTime(stale)
    # Where no lock can be made at all, Qt reports that nothing can be written.
    return lock.tryLock(patience) or lock.error() != QLockFile.LockError.LockFailedError


def _free(path: Path) -> None:
    """Waits a moment for another program to write, and then takes its lock for left behind.

    Settings are replaced as a whole, so that no more than a change of the other program can be lost.
    """
    if not _is_free(path, _PATIENCE):
        _is_free(path, stale=1)


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
    _free(path)
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
