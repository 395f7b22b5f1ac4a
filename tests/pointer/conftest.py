"""A real pointer and keyboard: xdotool on the X server that `packaging/test` starts for this folder.

Events posted by Qt's own test functions skip the window system and hide defects of the pointer, the wheel,
the focus and shortcuts. One server has one pointer and one keyboard: these tests run one after another.
"""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.patience import LONGEST

_SETTLE_MS = 60
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("QT_QPA_PLATFORM") == "xcb":
        return
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="needs an X server: packaging/test --pointer"))


def with_codes(key: str) -> str:
    """The code in place of the name of a function key: xdotool holds Alt for names since xkb-data 2.48."""
    return re.sub(r"\bF([1-9]|10)$", lambda found: str(66 + int(found[1])), key)


class InputWatch(QObject):
    """Knows what has arrived of the presses that the X server sends, however late on a busy machine."""

    _PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.ShortcutOverride)
    _RELEASES = (QEvent.Type.MouseButtonRelease, QEvent.Type.KeyRelease)

    def __init__(self) -> None:
        super().__init__()
        self._pressed = self._released = self._expected = 0
        self._sent = self._pressed_at = 0.0

    def expect(self, count: int) -> None:
        """Begins to wait for presses and releases of keys or buttons, which are sent after this call."""
        self._pressed = self._released = 0
        self._expected = count
        self._sent = time.monotonic()

    def has_arrived(self) -> bool:
        """Whether all were released, or 5 s have passed: a press may close the window before its release."""
        now = time.monotonic()
        if self._released >= self._expected or now - self._sent > 5:
            return True
        return self._pressed >= self._expected and now - self._pressed_at > 0.3

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in self._PRESSES:
            self._pressed += 1
            self._pressed_at = time.monotonic()
        elif event.type() in self._RELEASES and watched.isWindowType():  # and not once more for each widget
            self._released += self._pressed > 0  # or it is the late one of the press before
        return False


class Pointer:
    """The pointer and the keyboard of the X server; positions are logical pixels in a widget."""

    def __init__(self, qtbot: QtBot, watch: InputWatch) -> None:
        self._qtbot = qtbot
        self.watch = watch

    def move(self, widget: QWidget, place: QPoint | QPointF | None = None) -> None:
        """Moves to a position in a widget, by default its center, in steps."""
        target = self._on_screen(widget, place)
        start = last = self._position()
        for step in range(1, 5):
            point = start + (target - start) * step / 4
            if point != last:  # xdotool would wait forever if the pointer is there already
                self._run("mousemove", "--sync", str(point.x()), str(point.y()))
            last = point
        self.settle()

    def click(
        self, widget: QWidget, place: QPoint | QPointF | None = None, *, button: int = 1, keys: str = ""
    ) -> None:
        """Clicks a position in a widget, with modifier keys (``ctrl``, ``shift``)."""
        self.move(widget, place)
        with self.holding(keys):
            self._run("click", str(button), presses=1)
        self.settle()

    def double_click(self, widget: QWidget, place: QPoint | QPointF | None = None) -> None:
        """Double-clicks a position."""
        self.move(widget, place)
        self._run("click", "--repeat", "2", "--delay", "40", "1", presses=2)
        self.settle()

    def drag(self, widget: QWidget, start: QPoint | QPointF, end: QPoint | QPointF) -> None:
        """Drags from one position in a widget to another with the left button."""
        self.hold(widget, start)
        self.move(widget, end)
        self.release()

    def hold(self, widget: QWidget, place: QPoint | QPointF) -> None:
        """Presses the left button at a position, until `release`; `move` drags meanwhile."""
        self.move(widget, place)
        self._run("mousedown", "1")
        self.settle()

    def release(self) -> None:
        """Releases the left button."""
        self._run("mouseup", "1")
        self.settle()

    @contextmanager
    def holding(self, keys: str) -> Iterator[None]:
        """Holds modifier keys (``ctrl``, ``shift``; none if empty)."""
        if keys:
            self._run("keydown", keys)
        yield
        if keys:
            self._run("keyup", keys)

    def drag_and_drop(
        self, widget: QWidget, start: QPoint | QPointF, end: QPoint | QPointF, onto: QWidget | None = None
    ) -> None:
        """Drags data; unlike `drag` it does not wait for the program, which runs a loop of its own."""
        self.move(widget, start)
        first, last = self._on_screen(widget, start), self._on_screen(onto or widget, end)
        steps = ["mousedown", "1", "sleep", "0.1"]
        for step in range(1, 9):
            point = first + (last - first) * step / 8
            steps += ["mousemove", str(point.x()), str(point.y()), "sleep", "0.04"]
        with subprocess.Popen(["xdotool", *steps, "sleep", "0.1", "mouseup", "1"]) as process:
            self._qtbot.waitUntil(lambda: process.poll() is not None, timeout=10_000)
        self.settle()

    def wheel(self, notches: int, *, keys: str = "") -> None:
        """Turns the wheel at the position of the pointer: up for positive numbers."""
        with self.holding(keys):
            for _ in range(abs(notches)):
                self._run("click", "4" if notches > 0 else "5")
                self.settle()
        self.settle()

    def press(self, *keys: str) -> None:
        """Presses keys by their X names, such as ``Return``, ``ctrl+y`` or ``shift+Down``."""
        for key in keys:
            self._run("key", "--clearmodifiers", with_codes(key), presses=1)
            self.settle()

    def press_in_drag(self, key: str) -> None:
        """Presses a key while the button is held, which `press` releases."""
        self._run("key", key)
        self.settle()

    def type(self, text: str) -> None:
        """Types a text."""
        self._run("type", "--delay", "20", text, presses=len(text))
        self.settle()

    def settle(self, milliseconds: int = _SETTLE_MS) -> None:
        """Processes pending events of the window."""
        self._qtbot.wait(milliseconds)

    async def until(self, condition: Callable[[], object], seconds: float = LONGEST) -> None:
        """Returns as soon as ``condition`` holds, which may need Qt's loop, asyncio's, or both.

        Raises TimeoutError. `tests.desktop.patience.until` would not run Qt's loop here, so nothing would be
        animated or painted: asyncio has its own, since `settle` runs Qt's inside of coroutines.
        """
        async with asyncio.timeout(seconds):
            while not condition():
                self.settle(10)
                await asyncio.sleep(0.01)

    def show(self, window: QWidget) -> None:
        """Shows a window and gives it the keyboard focus."""
        window.show()
        self._qtbot.waitExposed(window)
        window.activateWindow()
        self._qtbot.waitUntil(window.isActiveWindow, timeout=5000)
        self.settle()

    def _on_screen(self, widget: QWidget, place: QPoint | QPointF | None) -> QPoint:
        local = QRect(QPoint(), widget.size()).center() if place is None else place
        return widget.mapToGlobal(local.toPoint() if isinstance(local, QPointF) else local)

    def _position(self) -> QPoint:
        command = ["xdotool", "getmouselocation"]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        x, y = (int(part.split(":")[1]) for part in answer.split()[:2])
        return QPoint(x, y)

    def _run(self, *arguments: str, presses: int = 0) -> None:
        self.watch.expect(presses)
        subprocess.run(["xdotool", *arguments], check=True, timeout=10)
        while not self.watch.has_arrived():
            self.settle(10)


@pytest.fixture
def pointer(qtbot: QtBot) -> Iterator[Pointer]:
    """The pointer and keyboard, with no button or key pressed before and after the test."""
    assert QGuiApplication.platformName() == "xcb"
    application = QApplication.instance()
    assert application is not None
    watch = InputWatch()
    application.installEventFilter(watch)
    yield Pointer(qtbot, watch)
    application.removeEventFilter(watch)
    for key in ("ctrl", "shift", "alt"):
        subprocess.run(["xdotool", "keyup", key], check=True, timeout=10)
