"""The settings as an INI file, which may be damaged or read-only."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QLockFile, QSettings, QTimer

from cdb_desktop.foundation.files import DAMAGE, report_unwritten, report_written, set_aside

_STALE = 5_000  # milliseconds after which a lock is taken for left behind; writing takes a few
_PATIENCE = 1_000  # milliseconds for another program to write, where there is no later
_AGAIN = 250  # milliseconds until a postponed write is tried again


class SettingsFile(QSettings):
    """Settings that report when they cannot be written and when they can again.

    A file that cannot be read is set aside first. A file with unreadable values is kept next to the new one,
    which has all other values.

    Qt creates a lock file next to the settings while it writes. If a killed program leaves one behind, Qt
    waits on the GUI thread until it is 30 s old. This class postpones writing instead while there is a lock.
    """

    def __init__(self, path: Path) -> None:
        _repair(path)
        super().__init__(str(path), QSettings.Format.IniFormat)
        self._path = path
        self._has_failed = False
        self._again = QTimer(self, singleShot=True, interval=_AGAIN)
        self._again.timeout.connect(self._write_again)

    def event(self, event: QEvent) -> bool:
        """Postpones the event with which Qt writes changes while another program holds the lock."""
        if event.type() == QEvent.Type.UpdateRequest and not _is_free(self._path):
            self._again.start()
            return True
        done = super().event(event)
        self.check()
        return done

    def sync(self) -> None:
        """Writes changes at once, after waiting a second at most for the lock."""
        _free(self._path)
        super().sync()
        self.check()

    def _write_again(self) -> None:
        # Qt posts only one such event until it has written, and that one was filtered out.
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.UpdateRequest))

    def check(self) -> None:
        """Reports whether the last write has failed."""
        status = self.status()
        if self._has_failed:
            if not _is_free(self._path):
                return
            # The status of a QSettings object never changes after its first error. Another object of the same
            # file shares what is not written yet, and its status is that of the new attempt.
            attempt = QSettings(str(self._path), QSettings.Format.IniFormat)
            attempt.sync()
            status = attempt.status()
        if status == QSettings.Status.NoError:
            report_written(self._path)
        else:
            self._has_failed = True
            report_unwritten(self._path, "")


def _is_free(path: Path, patience: int = 0, stale: int = _STALE) -> bool:
    """Whether the settings are not locked. Removes a stale lock."""
    lock = QLockFile(f"{path}.lock")
    lock.setStaleLockTime(stale)
    # If no lock can be created at all, Qt reports that nothing can be written.
    return lock.tryLock(patience) or lock.error() != QLockFile.LockError.LockFailedError


def _free(path: Path) -> None:
    """Waits a moment for another program to write, and then removes its lock.

    Settings are replaced as a whole: at most a change of the other program is lost.
    """
    if not _is_free(path, _PATIENCE):
        _is_free(path, stale=1)


def _repair(path: Path) -> None:
    try:
        raw = path.read_bytes()
    except OSError:
        return  # missing or unreadable, which is not damage
    found = QSettings(str(path), QSettings.Format.IniFormat)
    keys = found.allKeys()
    if found.status() == QSettings.Status.FormatError or b"\0" in raw:
        set_aside(path, "no settings")
        return
    # Values of the file alone, before anything is written to it.
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
    # Qt still caches the values of the file that has just been renamed.
    repaired.clear()
    for key, value in sound.items():
        repaired.setValue(key, value)
    repaired.sync()


def _is_sound(value: object) -> bool:
    """Whether a value is intact: complete JSON, valid Unicode, and not truncated."""
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
