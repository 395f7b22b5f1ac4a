"""Runs the program with demo data and saves pictures of its window for README.

`packaging/screenshots` starts it with a temporary home folder and a screen.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import qasync
from PySide6.QtCore import QObject, QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QListWidget, QMenu, QWidget

from cdb_desktop.app.application import Application
from cdb_desktop.app.demo import early_demo_server
from cdb_desktop.app.folders import UserFolders, user_folders
from cdb_desktop.app.options import Options
from cdb_desktop.app.startup import process_clock
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.shell.main_window import MainWindow

FOLDER = Path(__file__).parent / "pictures"
WIDTH, HEIGHT = 1366, 768
_FONT, _POINTS = "DejaVu Sans", 9
_TYPES = ("EXPORT_FINISH", "OBJECT_DELETE")
_TABLE = "work"
_ROW = 4
_FRAME = "#8C959F"
_LIVE_HEIGHT = 210
_TOOLBAR = 32  # pixels of the diagram that would be empty above, but for its toolbar
_SECONDS, _REST = 45.0, 0.6

Found = TypeVar("Found", bound=QObject)
Pictures = dict[str, QPixmap]


class PictureError(Exception):
    """A picture cannot be made; the message contains the reason."""


def main() -> int:
    """Makes all pictures; returns 1 with a message on standard error if one cannot be made."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("cdb-desktop")
    app.setQuitOnLastWindowClosed(False)
    app.setCursorFlashTime(0)
    app.setFont(QFont(_FONT, _POINTS))
    try:
        _check_typeface(app)
        with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
            pictures = runner.run(_taken(app, user_folders()))
        _save(pictures)
    except PictureError as error:
        print(f"screenshots: {error}", file=sys.stderr)
        return 1
    return 0


def _check_typeface(app: QApplication) -> None:
    if QFontInfo(app.font()).family() != _FONT:
        raise PictureError(f"The typeface {_FONT} is not installed.")


async def _taken(app: QApplication, own: UserFolders) -> Pictures:
    settings = QSettings(str(own.settings / "cdb-desktop.ini"), QSettings.Format.IniFormat)
    # Animations would be captured in intermediate states.
    for name, value in {"appearance": "light", "motion": "none", "language": "en"}.items():
        settings.setValue(name, value)
    program = Application(app, Options(demo=True), own, process_clock())
    running = asyncio.create_task(program.main(early_demo_server(own.demo, 5)))
    try:
        return await Tour(_top(MainWindow)).take()
    finally:
        for widget in app.topLevelWidgets():
            widget.close()
        await running


class Tour:
    """Visits the pages of the window and takes the pictures."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._end = asyncio.get_running_loop().time() + _SECONDS

    async def take(self) -> Pictures:
        """Shows the pages and takes their pictures. Raises PictureError."""
        self._window.setFixedSize(WIDTH, HEIGHT)
        await self._choose_events()
        pictures = {"events": await self._grab()}
        self._run("dark")
        pictures["events-dark"] = await self._grab()
        self._run("light")
        await self._choose_table()
        pictures["schema"] = await self._grab()
        pictures["commit"] = await self._grab(await self._open_commit())
        self._run("palette")
        _part(self._window, QWidget, "palette")
        pictures["palette"] = await self._grab()
        return pictures

    async def _choose_events(self) -> None:
        view = await self._appears(EventsView)
        await self._until(lambda: view.has_rows, "The demo showed no events.")
        await self._filter_types()
        view.table.setFocus()
        seen = "The filtered events did not appear."
        await self._until(lambda: view.model.event_at(_ROW) is not None and self._all_wanted(view), seen)
        self._window.actions_by_name["inspector"].setChecked(True)
        view.table.go_to(_ROW)
        inspector = view.inspector
        whole = "The chosen event did not appear in the inspector."
        await self._until(lambda: inspector.details is not None and inspector.details.is_whole, whole)
        live = await self._appears(LiveView)
        dock = _part(self._window, QDockWidget, "live")
        self._window.actions_by_name["live"].setChecked(True)
        await self._until(lambda: live.has_rows and live.is_following, "The live feed did not begin.")
        self._window.resizeDocks([dock], [_LIVE_HEIGHT], Qt.Orientation.Vertical)

    def _all_wanted(self, view: EventsView) -> bool:
        events = [view.model.event_at(row) for row in range(_ROW + 1)]
        return all(event is not None and event.type in _TYPES for event in events)

    async def _filter_types(self) -> None:
        self._run("filter")
        menu = QApplication.activePopupWidget()
        if not isinstance(menu, QMenu):
            raise PictureError("The menu of filters did not open.")
        menu.actions()[0].trigger()
        menu.close()
        popup = QApplication.activePopupWidget()
        if popup is None:
            raise PictureError("The popup of event types did not open.")
        types = _part(popup, QListWidget, "events.checklist.list")
        for name in _TYPES:
            for item in types.findItems(name, Qt.MatchFlag.MatchExactly):
                item.setCheckState(Qt.CheckState.Checked)
        _part(popup, QAbstractButton, "events.popup.apply").click()

    async def _choose_table(self) -> None:
        actions = self._window.actions_by_name
        actions["schema"].setChecked(True)
        view = await self._appears(SchemaView)
        await self._until(lambda: view.diagram.has_picture, "The diagram did not appear.")
        table = next((one for one in view.tables.model.tree.document.tables if one.name == _TABLE), None)
        if table is None:
            raise PictureError(f"The demo has no table {_TABLE!r}.")
        self._run("fit")
        view.chosen.emit(TableRef(table.key))
        # Columns can be read at this zoom, and the diagram fills the view from its upper edge.
        self._run("zoom_out")
        diagram, item = view.diagram, view.diagram.diagram_scene.tables[table.key]
        half = (diagram.viewport().height() / 2 - _TOOLBAR) / diagram.zoom
        diagram.centerOn(item.sceneBoundingRect().center().x(), diagram.diagram_scene.bounds.top() + half)

    async def _open_commit(self) -> CommitDialog:
        self._run("schema_commit")
        return await self._appears(CommitDialog)

    async def _grab(self, popup: QWidget | None = None) -> QPixmap:
        """A picture of the window, with a dialog at the position that a window manager would choose."""
        await asyncio.sleep(_REST)
        picture = self._window.grab()
        if popup is not None:
            above = popup.grab()
            room = QPoint(picture.width() - above.width(), picture.height() - above.height()) / 2
            with QPainter(picture) as painter:
                painter.drawPixmap(room, above)
                # The line replaces the frame of the window manager.
                painter.setPen(QColor(_FRAME))
                painter.drawRect(QRect(room, above.size()))
            popup.close()
        return picture

    def _run(self, name: str) -> None:
        action = self._window.actions_by_name[name]
        if not action.isEnabled():
            raise PictureError(f"The action {name!r} is not possible.")
        action.trigger()

    async def _appears(self, kind: type[Found]) -> Found:
        await self._until(lambda: bool(self._window.findChildren(kind)), f"There is no {kind.__name__}.")
        return self._window.findChildren(kind)[0]

    async def _until(self, seen: Callable[[], bool], otherwise: str) -> None:
        while not seen():
            if asyncio.get_running_loop().time() > self._end:
                raise PictureError(otherwise)
            await asyncio.sleep(0.05)


def _top(kind: type[Found]) -> Found:
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, kind))


def _part(parent: QObject, kind: type[Found], name: str) -> Found:
    found = parent.findChild(kind, name)
    if not isinstance(found, kind):
        raise PictureError(f"There is no {name!r} in the window.")
    return found


def _save(pictures: Pictures) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures.items():
        if (picture.width(), picture.height()) != (WIDTH, HEIGHT):
            raise PictureError(f"The picture {name!r} is {picture.width()}x{picture.height()}.")
        image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
        # For PNG, Qt derives the compression from the quality: 0 gives the smallest file.
        if not image.save(str(FOLDER / f"{name}.png"), quality=0):
            raise PictureError(f"The picture {name!r} cannot be written to {FOLDER}.")


if __name__ == "__main__":
    sys.exit(main())
