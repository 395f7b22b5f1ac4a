"""Tests that every exception is reported, and that garbage is collected on the GUI thread."""

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from cdb_desktop.app.process import GarbageCollector, report_unhandled
from tests.desktop.failures import raise_error


@pytest.fixture(autouse=True)
def _hook_of_its_own() -> Iterator[None]:
    before = sys.excepthook
    yield
    sys.excepthook = before


async def test_exceptions_of_slots_and_callbacks_are_reported() -> None:
    """Qt passes a slot's exception to the interpreter's hook, asyncio a callback's to the loop."""
    reported: list[Exception] = []
    report_unhandled(reported.append)
    slot, callback = ValueError("in a slot"), ValueError("in a callback")
    sys.excepthook(ValueError, slot, None)
    asyncio.get_running_loop().call_soon(raise_error, callback)
    await asyncio.sleep(0.01)
    assert reported == [slot, callback]


async def test_an_interrupt_is_not_reported_as_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """It is left to the interpreter."""
    reported: list[Exception] = []
    report_unhandled(reported.append)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert reported == []
    assert "KeyboardInterrupt" in capsys.readouterr().err


@pytest.fixture
def collections_as_before() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.unfreeze()
    yield
    (gc.enable if was_enabled else gc.disable)()
    gc.freeze()


class Circle:
    """Refers to itself, and records the thread on which it is collected."""

    def __init__(self, ended: list[int]) -> None:
        self.itself = self
        self._ended = ended

    def __del__(self) -> None:
        self._ended.append(threading.get_ident())


@pytest.mark.usefixtures("collections_as_before")
def test_a_cycle_is_collected_on_the_gui_thread(qtbot: QtBot) -> None:
    """It does not matter how much another thread allocates meanwhile."""
    gc.enable()
    window, ended = QObject(), list[int]()
    GarbageCollector(window)
    Circle(ended)
    thread = threading.Thread(target=lambda: [Circle([]) for _ in range(20_000)])
    thread.start()
    thread.join()
    assert ended == []
    qtbot.waitUntil(lambda: bool(ended))
    assert ended == [threading.main_thread().ident]


@pytest.mark.usefixtures("collections_as_before")
def test_many_new_objects_do_not_wait_for_the_next_collection(qtbot: QtBot) -> None:
    """Collecting those of half a second at once would be noticed."""
    window, ended = QObject(), list[int]()
    regular, *others = GarbageCollector(window)._timers
    regular.stop()
    gc.collect()
    Circle(ended)
    qtbot.wait(120)
    assert ended == []
    kept = [[number] for number in range(20_000)]
    qtbot.waitUntil(lambda: bool(ended))
    assert kept
    assert all(timer.isActive() for timer in others)


@pytest.mark.usefixtures("collections_as_before")
def test_objects_of_the_start_are_frozen(qtbot: QtBot) -> None:
    """Several hundred thousand objects of modules would slow down every collection."""
    window = QObject()
    assert gc.get_freeze_count() == 0
    GarbageCollector(window)
    assert gc.get_freeze_count() > 10_000
    assert len(gc.get_objects()) < 1000


@pytest.mark.usefixtures("collections_as_before")
def test_nothing_is_collected_after_shutdown(qtbot: QtBot) -> None:
    """Qt deletes the widgets of a window that is being closed."""
    window, ended = QObject(), list[int]()
    garbage = GarbageCollector(window)
    garbage.stop()
    Circle(ended)
    qtbot.wait(700)
    assert ended == []
