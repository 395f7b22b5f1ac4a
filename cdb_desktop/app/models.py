"""The ways to a file: asked for in a dialog, dropped on the window, named on the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.options import VIEW_SUFFIX
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.ui.schema.file_words import unread
from cdb_desktop.ui.widgets.folders import documents
from cdb_desktop.ui.window.drops import Drops
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.vocabulary.sentences import Sentence

if TYPE_CHECKING:
    from cdb_desktop.schema.model_files import OpenedFile

_MODEL_SUFFIXES = {".json", ".xml"}


class Models(QObject):
    """Opens model files in place of a connection, and views of events in the connection.

    Signals: ``begun`` when a model is on its way, and nothing else is wanted any more · ``failed`` with the
    Sentence why a file was not opened.
    """

    begun = Signal()
    failed = Signal(object)

    def __init__(self, window: MainWindow, desk: Desk, setting: Setting) -> None:
        super().__init__(window)
        self._window = window
        self._desk = desk
        self._setting = setting
        self._folder = documents()
        self._panes: Panes | None = None
        self._waiting: Path | None = None
        window.actions_by_name["model_open"].triggered.connect(self.ask)
        window.actions_by_name["model_close"].triggered.connect(desk.leave)
        desk.opened.connect(self._connected)
        Drops(window).dropped.connect(self.open)

    def ask(self) -> None:
        """Asks which file."""
        dialog = QFileDialog(self._window, _("Open a file"), self._folder)
        dialog.setObjectName("model.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [
                _("Data models and views (*.json *.xml *.cdbview)"),
                _("Data models (*.json *.xml)"),
                _("Views of events (*.cdbview)"),
                _("All files (*)"),
            ]
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.open(Path(path)))
        dialog.open()

    def open(self, path: Path) -> None:
        """Shows a model in place of what is shown, which stays if there is none; or a view in the browser."""
        self._folder = str(path.parent)
        if path.suffix.lower() == VIEW_SUFFIX:
            self._open_view(path)
        else:
            self.begun.emit()
            self._desk.open_file(self._way(path), partial(self._failed, path))

    def _open_view(self, path: Path) -> None:
        """Views show events of a service: without a connection the file waits for the next one."""
        if self._panes is not None and self._window.actions_by_name.is_connected:
            self._waiting = None
            self._panes.open_view(path)
            return
        self._waiting = path
        title = _("%1 waits for a connection").replace("%1", path.name)
        text = _("A view shows events of a service. Connect, and it is opened in the event browser.")
        self._window.notice.show_notice("accent", title, text)

    def _connected(self, panes: Panes) -> None:
        self._panes = panes
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._window.notice.hide()
            panes.open_view(waiting)

    @asynccontextmanager
    async def _way(self, path: Path) -> AsyncIterator[OpenedFile]:
        yield await self._setting.pages.read_model(path)

    def _failed(self, path: Path, error: Exception) -> None:
        if isinstance(error, DocumentError) and path.suffix.lower() not in _MODEL_SUFFIXES:
            said = _neither(path)
        elif isinstance(error, OSError | DocumentError):
            said = unread(path, error)
        else:
            said = self._setting.words(error)
        if not self._desk.is_taken:
            self._window.start.show_choices()
        self._window.notice.show_failure(said)
        self.failed.emit(said)


def _neither(path: Path) -> Sentence:
    title = _("%1 is neither a data model nor a view").replace("%1", path.name)
    text = _("Nothing was opened: its contents are of another kind.")
    remedy = _("Choose a model that was exported as JSON or XML, or a view of events (.cdbview).")
    return Sentence(title, text, remedy, details="\n".join((title, str(path))))


def _(text: str) -> str:
    return QCoreApplication.translate("Models", text)
