"""The whole program in the test's own loop, and a hand that clicks and types in its window."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from PySide6.QtCore import QLocale, QObject, QPoint, Qt, QTranslator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from cdb_desktop.app.application import Application
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.settings.language import use_locale
from cdb_desktop.ui.shell.workspace import SchemaPage
from tests.desktop.patience import until

_Part = TypeVar("_Part", bound=QObject)
_Dialog = TypeVar("_Dialog", bound=QDialog)
_SECONDS = 20.0


class Visit:
    """Somebody in front of the window."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    @property
    def events(self) -> EventsView:
        """The event browser."""
        return self.part(EventsView)

    @property
    def schema(self) -> SchemaView:
        """The schema page, made if nobody has wanted it before."""
        return self.part(SchemaPage).view if self.has(SchemaPage) else self.part(SchemaView)

    @property
    def live(self) -> LiveView:
        """The live feed."""
        return self.part(LiveView)

    def part(self, kind: type[_Part], name: str = "") -> _Part:
        """The part of the window of a kind, by its object name where there are several."""
        found = self.window.findChild(kind, name) if name else self.window.findChild(kind)
        assert isinstance(found, kind)
        return found

    def has(self, kind: type[QObject]) -> bool:
        """Whether the window has such a part."""
        return bool(self.window.findChildren(kind))

    async def opened(self, kind: type[_Dialog]) -> _Dialog:
        """The dialog of a kind, as soon as it is there and takes the keys."""
        await until(lambda: self.has(kind) and self.part(kind).isActiveWindow())
        return self.part(kind)

    async def come_back(self) -> None:
        """Goes back to the window; without a window manager that does not come by itself after a popup."""
        self.window.activateWindow()
        await until(self.window.isActiveWindow)

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Clicks in the middle of something, or ``at`` a place in it."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())

    def press(self, key: Qt.Key) -> None:
        """Presses a key; it goes where keys go."""
        QTest.keyClick(self._focus(), key)

    def type(self, text: str) -> None:
        """Types where keys go."""
        QTest.keyClicks(self._focus(), text)

    def act(self, name: str) -> None:
        """Presses the key of an action."""
        QTest.keySequence(self._focus(), self.window.actions_by_name[name].shortcut())

    def _focus(self) -> QWidget:
        popup, focus = QApplication.activePopupWidget(), QApplication.focusWidget()
        if popup is not None:
            focus = popup.focusWidget()
        return focus or popup or self.window


@asynccontextmanager
async def visiting(
    folders: UserFolders,
    given: Options,
    early: EmbeddedServer | None = None,
    *,
    wanted: type[QObject] = EventsView,
) -> AsyncIterator[Visit]:
    """The program from its start, when it has ``wanted``, to its end, which has to be a clean one."""
    app, before = QApplication.instance(), set(QApplication.topLevelWidgets())
    assert isinstance(app, QApplication)
    # As the program has it: else Qt would end the loop with the window.
    app.setQuitOnLastWindowClosed(False)
    program = Application(app, given, folders, lambda: 0.0)
    (window,) = (
        one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one not in before
    )
    running = asyncio.create_task(program.main(early))
    try:
        visit = Visit(window)
        await until(lambda: visit.has(wanted), _SECONDS)
        await visit.come_back()
        yield visit
        window.close()
        assert await asyncio.wait_for(running, _SECONDS) == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        window.deleteLater()
        # Whatever language was chosen: the next test is about English texts.
        for translator in app.findChildren(QTranslator):
            app.removeTranslator(translator)
        use_locale("en", QLocale(QLocale.Language.English))
        # What the program took for its own modules were other tests' things too.
        gc.unfreeze()
        app.setQuitOnLastWindowClosed(True)
