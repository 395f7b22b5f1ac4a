"""The ways to a model file: asked for in a dialog, dropped on the window, named on the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.ui.schema.file_words import unread
from cdb_desktop.ui.widgets.folders import documents
from cdb_desktop.ui.window.drops import Drops
from cdb_desktop.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from cdb_desktop.schema.model_files import OpenedFile


class Models(QObject):
    """Leads to the desk with a file.

    Signals: ``begun`` when a file is on its way, and nothing else is wanted any more · ``failed`` with the
    Sentence why it was not opened.
    """

    begun = Signal()
    failed = Signal(object)

    def __init__(self, window: MainWindow, desk: Desk, setting: Setting) -> None:
        super().__init__(window)
        self._window = window
        self._desk = desk
        self._setting = setting
        self._folder = documents()
        window.actions_by_name["model_open"].triggered.connect(self.ask)
        window.actions_by_name["model_close"].triggered.connect(desk.leave)
        Drops(window).dropped.connect(self.open)

    def ask(self) -> None:
        """Asks which file."""
        dialog = QFileDialog(self._window, _("Open a model file"), self._folder)
        dialog.setObjectName("model.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([_("Data models (*.json *.xml)"), _("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.open(Path(path)))
        dialog.open()

    def open(self, path: Path) -> None:
        """Shows a file in place of what is shown, which stays if there is no model in it."""
        self._folder = str(path.parent)
        self.begun.emit()
        self._desk.open_file(self._way(path), partial(self._failed, path))

    @asynccontextmanager
    async def _way(self, path: Path) -> AsyncIterator[OpenedFile]:
        yield await self._setting.pages.read_model(path)

    def _failed(self, path: Path, error: Exception) -> None:
        is_of_file = isinstance(error, OSError | DocumentError)
        said = unread(path, error) if is_of_file else self._setting.words(error)
        if not self._desk.is_taken:
            self._window.start.show_choices()
        self._window.notice.show_failure(said)
        self.failed.emit(said)


def _(text: str) -> str:
    return QCoreApplication.translate("Models", text)
