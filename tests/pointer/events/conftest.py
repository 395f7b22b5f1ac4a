"""The browser of a user on the X server, and a pointer for coroutines."""

import asyncio
import subprocess

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from tests.desktop.conftest import appearance, pytest_asyncio_loop_factories, set_language, settings
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in
from tests.desktop.ui.events.conftest import actions, browse, open_browser
from tests.pointer.conftest import InputWatch, Pointer, with_codes

__all__ = [
    "actions",
    "appearance",
    "browse",
    "open_browser",
    "pytest_asyncio_loop_factories",
    "set_language",
    "settings",
    "sign_in",
]
_SETTLE = 0.08  # seconds


class AsyncPointer:
    """Pointer and keyboard in coroutines, without a nested event loop."""

    def __init__(self, watch: InputWatch) -> None:
        self._watch = watch

    async def click(self, widget: QWidget, place: QPoint | None = None, *, times: int = 1) -> None:
        """Clicks a position in a widget, by default its center."""
        local = QRect(QPoint(), widget.size()).center() if place is None else place
        target = widget.mapToGlobal(local)
        await self._run("mousemove", str(target.x() - 3), str(target.y()))
        await self._run("mousemove", str(target.x()), str(target.y()))
        await self._run("click", "--repeat", str(times), "--delay", "40", "1", presses=times)

    async def press(self, *keys: str) -> None:
        """Presses keys by their X names."""
        for key in keys:
            await self._run("key", "--clearmodifiers", with_codes(key), presses=1)

    async def type(self, text: str) -> None:
        """Types a text."""
        await self._run("type", "--delay", "20", text, presses=len(text))

    async def _run(self, *arguments: str, presses: int = 0) -> None:
        self._watch.expect(presses)
        await asyncio.to_thread(subprocess.run, ["xdotool", *arguments], check=True, timeout=10)
        await until(self._watch.has_arrived)
        await asyncio.sleep(_SETTLE)


@pytest.fixture
def async_pointer(pointer: Pointer) -> AsyncPointer:
    """The pointer and keyboard, with no button or key pressed before and after the test."""
    return AsyncPointer(pointer.watch)
