"""Tests of modules that are loaded when they are first used."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import cdb_desktop.resources
from cdb_desktop.lazy import lazy, load

NAME = "slow_to_load"
GATE = threading.Event()
SOURCE = "import time\ntime.sleep(0.1)\nanswer = 42\n"


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that takes a while to load and has not been loaded."""
    tmp_path.joinpath(f"{NAME}.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield lazy(NAME)
    del sys.modules[NAME]


def test_it_is_loaded_by_its_first_use(slow: ModuleType) -> None:
    """Until then it is only known; an import elsewhere finds the same one."""
    assert sys.modules[NAME] is slow
    assert type(slow) is not ModuleType
    assert slow.answer == 42
    assert type(slow) is ModuleType
    assert lazy(NAME) is slow


def test_one_that_is_not_there_is_missed_at_once() -> None:
    """Not when somebody wants to use it."""
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        lazy("no_such_module")


def test_two_threads_that_load_it_both_find_it_whole(slow: ModuleType) -> None:
    """By mere use the second one would see what the first has got so far."""
    found: list[object] = []

    def use() -> None:
        load(slow)
        found.append(getattr(slow, "answer", None))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [42] * 4


def test_one_that_is_there_waits_for_no_other(tmp_path: Path, slow: ModuleType) -> None:
    """A connection signs in with what has been loaded for it, while the panes are still being loaded."""
    load(cdb_desktop.resources)
    tmp_path.joinpath(f"{NAME}.py").write_text(f"import {__name__} as test\ntest.GATE.wait(20)\n", "utf-8")
    thread = threading.Thread(target=load, args=(slow,))
    thread.start()
    while type(slow) is not ModuleType:
        time.sleep(0.001)
    assert not load(cdb_desktop.resources)
    assert not GATE.is_set()
    assert thread.is_alive()
    GATE.set()
    thread.join()


def test_one_that_cannot_be_loaded_is_told_each_time(tmp_path: Path, slow: ModuleType) -> None:
    """Not only to the first: to the next it would seem loaded, and without what it should have."""
    tmp_path.joinpath(f"{NAME}.py").write_text("raise AttributeError('no wings')\n", "utf-8")
    for _ in range(2):
        with pytest.raises(AttributeError, match="no wings"):
            load(slow)


def test_whether_there_was_anything_to_load_is_told(slow: ModuleType) -> None:
    """The second time there is not."""
    assert load(slow)
    assert not load(slow)
