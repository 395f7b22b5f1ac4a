"""Tests of settings whose file is damaged or cannot be written."""

import os
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication, QLockFile, QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.settings_file import SettingsFile
from cdb_desktop.foundation.files import Report

_STALE_FOR_QT = 25  # seconds; Qt waits for 30 before it treats a lock as stale


def _written(file: Path) -> bytes:
    settings = SettingsFile(file)
    settings.setValue("appearance", "dark")
    settings.setValue("events/queries", '{"root@museum": [1, 2, "ä, ö"]}')
    settings.setValue("window/geometry", QByteArray(b"\x00\x01\xff geometry"))
    settings.setValue("palette/recent", ["demo", "quit"])
    settings.setValue("live/adaptive", False)
    settings.setValue("empty", "")
    settings.sync()
    return file.read_bytes()


def test_a_valid_file_is_unchanged(tmp_path: Path, reports: list[Report]) -> None:
    """Nothing is reported, and no byte of the file changes."""
    file = tmp_path / "cdb-desktop.ini"
    before = _written(file)
    settings = SettingsFile(file)
    assert settings.value("appearance") == "dark"
    assert settings.value("events/queries") == '{"root@museum": [1, 2, "ä, ö"]}'
    assert file.read_bytes() == before
    assert reports == []


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", b"[half", bytes(range(256)) * 4])
def test_an_invalid_file_is_set_aside(tmp_path: Path, content: bytes, reports: list[Report]) -> None:
    """It is renamed with its content unchanged, and new settings are written in its place."""
    file = tmp_path / "cdb-desktop.ini"
    file.write_bytes(content)
    settings = SettingsFile(file)
    (found,) = reports
    assert found.trouble == "damaged"
    assert found.kept is not None
    assert found.kept.read_bytes() == content
    settings.setValue("appearance", "dark")
    settings.sync()
    assert SettingsFile(file).value("appearance") == "dark"
    assert len(reports) == 1


def test_a_truncated_file_keeps_its_complete_values(tmp_path: Path, reports: list[Report]) -> None:
    """Only the truncated value is lost, and a copy of the damaged file is kept."""
    file = tmp_path / "cdb-desktop.ini"
    whole = _written(file)
    cut = whole[: whole.index(b"root@museum")]
    file.write_bytes(cut)
    settings = SettingsFile(file)
    (found,) = reports
    assert found.kept is not None
    assert found.kept.read_bytes() == cut
    assert settings.value("appearance") == "dark"
    assert not settings.contains("events/queries")
    assert SettingsFile(file).value("appearance") == "dark"
    assert len(reports) == 1


def test_no_content_prevents_the_start(tmp_path: Path, reports: list[Report]) -> None:
    """Files that are truncated anywhere or have random bytes are loaded; all values can be read."""
    chance = random.Random(7)
    whole = _written(tmp_path / "whole.ini")
    for number in range(150):
        damaged = bytearray(whole[: chance.randrange(len(whole))] if number % 2 else whole)
        for _ in range(chance.randrange(1, 6) if damaged else 0):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        file = tmp_path / f"{number}.ini"
        file.write_bytes(damaged)
        settings = SettingsFile(file)
        for key in settings.allKeys():
            assert settings.value(key) is not None
        copies = [one.kept for one in reports if one.path == file]
        assert len(copies) <= 1
        assert all(one is not None and one.read_bytes() == damaged for one in copies)
    assert reports


@contextmanager
def _full_disk(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_reported_once(qtbot: QtBot, tmp_path: Path, reports: list[Report]) -> None:
    """It does not matter whether the settings are written by the loop or at once; the old file stays."""
    file = tmp_path / "cdb-desktop.ini"
    before = _written(file)
    settings = SettingsFile(file)
    with _full_disk(len(before) + 100):
        settings.setValue("large", "x" * 5_000)
        for _ in range(20):
            QCoreApplication.processEvents()
        assert len(reports) == 1
        settings.setValue("more", "x")
        settings.sync()
    assert [(one.trouble, one.path) for one in reports] == [("unwritten", file)]
    assert file.read_bytes() == before


def test_the_lock_of_a_killed_program_does_not_block(
    qtbot: QtBot, qapp: QCoreApplication, tmp_path: Path
) -> None:
    """The program was killed before it wrote its lock; Qt alone would block the window for 30 s."""
    path, lock = tmp_path / "s.ini", tmp_path / "s.ini.lock"
    lock.touch()
    settings = SettingsFile(path)
    settings.setValue("a", "kept")
    qtbot.wait(1)
    qapp.processEvents()
    # The lock may be that of a program that is writing, and its age does not tell yet. Nothing waits for it.
    assert lock.exists()
    assert not path.exists()
    old = time.time() - 20
    os.utime(lock, (old, old))
    qtbot.waitUntil(lambda: path.exists() and "a=kept" in path.read_text())
    assert not lock.exists()


def test_changes_during_another_programs_write_are_written_afterwards(
    qtbot: QtBot, qapp: QCoreApplication, tmp_path: Path
) -> None:
    """The event loop continues meanwhile."""
    path = tmp_path / "s.ini"
    held = QLockFile(str(tmp_path / "s.ini.lock"))
    assert held.lock()
    settings = SettingsFile(path)
    settings.setValue("a", 1)
    qtbot.wait(1)
    qapp.processEvents()
    settings.setValue("b", 2)
    assert not path.exists()
    held.unlock()
    qtbot.waitUntil(lambda: path.exists() and "b=2" in path.read_text())
    assert "a=1" in path.read_text()


def test_exiting_does_not_wait_for_a_stale_lock(tmp_path: Path) -> None:
    """The settings are written, and the lock is removed."""
    path, lock = tmp_path / "s.ini", tmp_path / "s.ini.lock"
    began = time.monotonic()
    lock.touch()
    settings = SettingsFile(path)
    settings.setValue("a", 1)
    settings.sync()
    assert not lock.exists()
    assert "a=1" in path.read_text()
    assert time.monotonic() - began < _STALE_FOR_QT


def test_a_stale_lock_does_not_block_repairs(tmp_path: Path) -> None:
    """Nor does it block the start, which repairs the file before there is a window."""
    path = tmp_path / "s.ini"
    path.write_text('[General]\ngood=1\nbad="{\\"cut"\n')
    began = time.monotonic()
    (tmp_path / "s.ini.lock").touch()
    settings = SettingsFile(path)
    assert settings.allKeys() == ["good"]
    assert not (tmp_path / "s.ini.lock").exists()
    assert time.monotonic() - began < _STALE_FOR_QT


def test_a_disk_that_is_full_again_is_reported_again(tmp_path: Path, reports: list[Report]) -> None:
    """A full disk is reported each time; the values are written as soon as there is space."""
    file = tmp_path / "cdb-desktop.ini"
    before = _written(file)
    settings = SettingsFile(file)
    for round_ in range(1, 4):
        with _full_disk(len(before) + 100):
            for number in range(3):
                settings.setValue("large", f"{round_} {number} " + "x" * 5_000)
                settings.sync()
        settings.setValue("small", round_)
        settings.sync()
        assert [one.trouble for one in reports] == ["unwritten", "written"] * round_
        found = QSettings(str(file), QSettings.Format.IniFormat)
        assert str(found.value("large")).startswith(f"{round_} 2 ")
