"""The complete program in the event loop of the test, with simulated clicks and keys."""

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
    """A user of the window."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    @property
    def events(self) -> EventsView:
        """The event browser."""
        return self.part(EventsView)

    @property
    def schema(self) -> SchemaView:
        """The schema page, created on demand."""
        return self.part(SchemaPage).view if self.has(SchemaPage) else self.part(SchemaView)

    @property
    def live(self) -> LiveView:
        """The live feed."""
        return self.part(LiveView)

    def part(self, kind: type[_Part], name: str = "") -> _Part:
        """A child widget of the window, by class and optional object name."""
        found = self.window.findChild(kind, name) if name else self.window.findChild(kind)
        assert isinstance(found, kind)
        return found

    def has(self, kind: type[QObject]) -> bool:
        """Whether the window has such a child."""
        return bool(self.window.findChildren(kind))

    async def opened(self, kind: type[_Dialog]) -> _Dialog:
        """Waits for a dialog of this class that has the focus, and returns it."""
        await until(lambda: self.has(kind) and self.part(kind).isActiveWindow())
        return self.part(kind)

    async def activate_window(self) -> None:
        """Activates the window, which without a window manager does not happen after a popup."""
        self.window.activateWindow()
        await until(self.window.isActiveWindow)

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Clicks the center of a widget, or the position ``at``."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())

    def press(self, key: Qt.Key) -> None:
        """Presses a key in the focused widget."""
        QTest.keyClick(self._focus(), key)

    def type(self, text: str) -> None:
        """Types into the focused widget."""
        QTest.keyClicks(self._focus(), text)

    def act(self, name: str) -> None:
        """Presses the shortcut of an action."""
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
    """Runs the program from its start, when it has ``wanted``, to its end, which must be clean."""
    app, before = QApplication.instance(), set(QApplication.topLevelWidgets())
    assert isinstance(app, QApplication)
    # As in the program: otherwise Qt would quit the loop with the last window.
    app.setQuitOnLastWindowClosed(False)
    program = Application(app, given, folders, lambda: 0.0)
    (window,) = (
        one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one not in before
    )
    running = asyncio.create_task(program.main(early))
    try:
        visit = Visit(window)
        await until(lambda: visit.has(wanted), _SECONDS)
        await visit.activate_window()
        yield visit
        window.close()
        assert await asyncio.wait_for(running, _SECONDS) == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        window.deleteLater()
        # The next test expects English texts.
        for translator in app.findChildren(QTranslator):
            app.removeTranslator(translator)
        use_locale("en", QLocale(QLocale.Language.English))
        # The program has frozen objects of other tests with those of its modules.
        gc.unfreeze()
        app.setQuitOnLastWindowClosed(True)
