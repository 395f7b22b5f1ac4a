"""Tests of settings whose file is damaged or cannot be written."""

from __future__ import annotations

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

_STALE_FOR_QT = 25  # seconds; Qt waits for 30 before it takes a lock for left behind


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


def test_what_is_sound_stays_as_it_is(tmp_path: Path, reports: list[Report]) -> None:
    """Nothing is reported, and not a byte of the file is another."""
    file = tmp_path / "cdb-desktop.ini"
    before = _written(file)
    settings = SettingsFile(file)
    assert settings.value("appearance") == "dark"
    assert settings.value("events/queries") == '{"root@museum": [1, 2, "ä, ö"]}'
    assert file.read_bytes() == before
    assert reports == []


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", b"[half", bytes(range(256)) * 4])
def test_a_file_that_is_none_is_set_aside(tmp_path: Path, content: bytes, reports: list[Report]) -> None:
    """Under another name with all its bytes; new settings are written in its place."""
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


def test_a_file_that_was_cut_off_keeps_its_whole_values(tmp_path: Path, reports: list[Report]) -> None:
    """Only what was cut is gone, and the file is kept as it was found."""
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


def test_no_bytes_whatsoever_keep_anything_from_starting(tmp_path: Path, reports: list[Report]) -> None:
    """Cut at any place, and with random bytes in it; all values can be asked for."""
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
        kept = [one.kept for one in reports if one.path == file]
        assert len(kept) <= 1
        assert all(one is not None and one.read_bytes() == damaged for one in kept)
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
    """Whether the settings are written by the loop or at once; the file of before stays."""
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


def test_the_lock_of_a_killed_program_stops_nothing(
    qtbot: QtBot, qapp: QCoreApplication, tmp_path: Path
) -> None:
    """Killed between making its lock and writing into it; Qt alone would hold up the window for 30 s."""
    path, lock = tmp_path / "s.ini", tmp_path / "s.ini.lock"
    lock.touch()
    settings = SettingsFile(path)
    settings.setValue("a", "kept")
    qtbot.wait(1)
    qapp.processEvents()
    # Its age does not tell yet whether somebody is just writing, and nobody has waited for that.
    assert lock.exists()
    assert not path.exists()
    old = time.time() - 20
    os.utime(lock, (old, old))
    qtbot.waitUntil(lambda: path.exists() and "a=kept" in path.read_text())
    assert not lock.exists()


def test_what_changes_while_another_program_writes_is_written_afterwards(
    qtbot: QtBot, qapp: QCoreApplication, tmp_path: Path
) -> None:
    """The loop goes on meanwhile."""
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


def test_the_end_waits_for_no_lock_of_a_killed_program(tmp_path: Path) -> None:
    """What is written at once is written, and the lock is gone."""
    path, lock = tmp_path / "s.ini", tmp_path / "s.ini.lock"
    began = time.monotonic()
    lock.touch()
    settings = SettingsFile(path)
    settings.setValue("a", 1)
    settings.sync()
    assert not lock.exists()
    assert "a=1" in path.read_text()
    assert time.monotonic() - began < _STALE_FOR_QT


def test_a_lock_left_behind_does_not_hinder_repairs(tmp_path: Path) -> None:
    """Nor the start, which repairs before there is a window."""
    path = tmp_path / "s.ini"
    path.write_text('[General]\ngood=1\nbad="{\\"cut"\n')
    began = time.monotonic()
    (tmp_path / "s.ini.lock").touch()
    settings = SettingsFile(path)
    assert settings.allKeys() == ["good"]
    assert not (tmp_path / "s.ini.lock").exists()
    assert time.monotonic() - began < _STALE_FOR_QT


def test_a_disk_that_is_full_again_is_reported_again(tmp_path: Path, reports: list[Report]) -> None:
    """Once for each time; what could not be written is written as soon as there is room."""
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
