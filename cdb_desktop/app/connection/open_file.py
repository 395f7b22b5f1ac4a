"""Opens files that were chosen in a dialog, dropped, named on the command line or opened in macOS' Finder.

Links that are dropped or that macOS passes to the program come the same way, and are opened by `open_link`.

A log file never ends a connection, with its live feed, recordings, exports and edits: a window that shows
something already opens it in another window, which is another process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, QProcess, QProcessEnvironment, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent, QFileOpenEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from cdb_desktop.app.connection.connect import Connection, log_connection
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.options import LOG_SUFFIXES, PASSWORD, VIEW_SUFFIX
from cdb_desktop.embedded import LogFileError, LogProgress, remove_unused_folders
from cdb_desktop.foundation.bundle import neighbour_command
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.queries.links import SCHEME, is_link
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.files import documents_folder
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

if TYPE_CHECKING:
    from cdb_desktop.schema.files.model_files import OpenedFile
    from cdb_desktop.ui.schema.files import file_access
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    file_access = lazy("cdb_desktop.ui.schema.files.file_access")

_MODEL_SUFFIXES = {".json", ".xml"}
_CLEAN = "open_file.clean"
_logger = logging.getLogger(__name__)


class OpenFileController(QObject):
    """Opens model files and logs in place of a connection, and views of events in the connection.

    Signals: ``started`` when a model or log is being opened, which ends any attempt to connect · ``failed``
    with an ErrorMessage with the reason why a file was not opened.
    """

    started = Signal()
    failed = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        session: ConnectionSession,
        tasks: Tasks,
        context: ConnectionContext,
        open_link: Callable[[str], None],
    ) -> None:
        """``open_link`` opens links that are dropped or that macOS passes to the program."""
        super().__init__(window)
        self._window = window
        self._session = session
        self._context = context
        self._folder = documents_folder()
        self._pages: Workspace | None = None
        self._waiting: Path | None = None
        window.actions_by_name["model_open"].triggered.connect(self.choose)
        window.actions_by_name["log_open"].triggered.connect(self.choose_log)
        window.actions_by_name["model_close"].triggered.connect(session.close)
        session.opened.connect(self._connected)
        drops = DropFilter(window)
        drops.dropped.connect(self.open)
        # The drag ends first: a question about the link would keep the program it comes from waiting.
        drops.link_dropped.connect(open_link, Qt.ConnectionType.QueuedConnection)
        application = QApplication.instance()
        if isinstance(application, FileOpenApplication):
            application.open_with(self.open, open_link)
        # What crashed programs have left may be large. Opening a log tries again.
        tasks.start(_CLEAN, asyncio.to_thread(remove_unused_folders, context.opened), on_error=_log_failure)

    def choose(self) -> None:
        """Opens a dialog to choose the file."""
        self._choose_of("")

    def choose_log(self) -> None:
        """Opens a dialog to choose the file, which lists logs at first."""
        self._choose_of(_log_filter())

    def _choose_of(self, name_filter: str) -> None:
        dialog = QFileDialog(self._window, tr("Open a file"), self._folder)
        dialog.setObjectName("model.dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [
                tr("Data models, views and logs (*.json *.xml *.cdbview *.jsonl *.ndjson *.cdbarchive)"),
                tr("Data models (*.json *.xml)"),
                tr("Views of events (*.cdbview)"),
                _log_filter(),
                tr("All files (*)"),
            ]
        )
        if name_filter:
            dialog.selectNameFilter(name_filter)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.open(Path(path)))
        dialog.open()

    def open(self, path: Path) -> None:
        """Opens a model in place of the connection, which stays if that fails, or a view in the browser.

        A log opens in this window if it shows nothing yet, otherwise in another one.
        """
        self._folder = str(path.parent)
        if path.suffix.lower() == VIEW_SUFFIX:
            self._open_view(path)
        elif path.suffix.lower() in LOG_SUFFIXES:
            self._open_log(path)
        else:
            self._window.after_recordings(partial(self._open_model, path))

    def _open_model(self, path: Path) -> None:
        self.started.emit()
        self._session.open_file(self._read(path), partial(self._failed, path))

    def _open_view(self, path: Path) -> None:
        """Opens a view of events, without a connection as soon as there is one."""
        if self._pages is not None and self._window.actions_by_name.is_connected:
            self._waiting = None
            self._pages.open_view(path)
            return
        self._waiting = path
        title = tr("{name} waits for a connection", name=path.name)
        text = tr("A view shows events of a service. Connect, and it is opened in the event browser.")
        self._window.notice.show_notice("accent", title, text)

    def _open_log(self, path: Path) -> None:
        if self._session.is_active:
            self._open_in_other_window(path)
            return
        self.started.emit()
        self._show_progress(path, "")
        self._session.open(self._log(path.absolute()), partial(self._failed, path))

    @asynccontextmanager
    async def _log(self, path: Path) -> AsyncIterator[Connection]:
        def on_progress(progress: LogProgress) -> None:
            parts = (
                tr("{count:1 event|{count} events}", count=progress.events),
                tr("{percent} %", percent=int(progress.fraction * 100)),
            )
            self._show_progress(path, " · ".join(parts))

        async with log_connection(path, self._context.opened, on_progress) as connection:
            yield connection

    def _show_progress(self, path: Path, text: str) -> None:
        self._window.start.show_connecting(tr("Reading {name}", name=path.name), text)

    def _open_in_other_window(self, path: Path) -> None:
        program, *arguments = neighbour_command("cdb-desktop", "cdb_desktop")
        process = QProcess()
        process.setProgram(program)
        process.setArguments([*arguments, str(path.absolute())])
        environment = QProcessEnvironment.systemEnvironment()
        environment.remove(PASSWORD)
        process.setProcessEnvironment(environment)
        # The instance method returns a truth value; PySide's type hints have the pair of the static one.
        started: object = process.startDetached()
        if started is True:
            text = tr("It opens in another window; this one stays as it is.")
            self._window.notice.show_passing(ErrorMessage(path.name, text, ""))
        else:
            title = tr("{name} was not opened", name=path.name)
            self._window.notice.show_failure(ErrorMessage(title, process.errorString(), ""))

    def _connected(self, pages: Workspace) -> None:
        self._pages = pages
        pages.file_open_requested.connect(self.open)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._window.notice.hide()
            pages.open_view(waiting)

    @asynccontextmanager
    async def _read(self, path: Path) -> AsyncIterator[OpenedFile]:
        yield await self._context.pages.read_model(path)

    def _failed(self, path: Path, error: Exception) -> None:
        if isinstance(error, DocumentError) and path.suffix.lower() not in _MODEL_SUFFIXES:
            message = _unknown_format(path)
        elif isinstance(error, OSError) and path.suffix.lower() in LOG_SUFFIXES:
            message = error_message(LogFileError(path, error.strerror or str(error)))
        elif isinstance(error, OSError | DocumentError):
            message = file_access.read_failure(path, error)
        else:
            message = error_message(error)
        if not self._session.is_active:
            self._window.start.show_choices()
        self._window.notice.show_failure(message)
        self.failed.emit(message)


def _log_filter() -> str:
    return tr("Logs: exports, backups, recordings and archives of events (*.jsonl *.ndjson *.cdbarchive)")


def _log_failure(error: Exception) -> None:
    _logger.warning("The databases of closed logs cannot be removed: %s", error)


def _unknown_format(path: Path) -> ErrorMessage:
    title = tr("{name} is neither a data model, a view nor a log", name=path.name)
    text = tr("Nothing was opened: its contents are of another kind.")
    remedy = tr(
        "Choose a model that was exported as JSON or XML, a view of events (.cdbview) or a log (.jsonl)."
    )
    return ErrorMessage(title, text, remedy, details="\n".join((title, str(path))))


class FileOpenApplication(QApplication):
    """The application object, which macOS asks to open files and links instead of starting another process.

    What comes before ``open_with`` waits for it.
    """

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._waiting: list[Path | str] = []
        self._open: Callable[[Path | str], None] = self._waiting.append

    def open_with(self, open_file: Callable[[Path], None], open_link: Callable[[str], None]) -> None:
        """Calls a function for each file or link from now on, and later for those that wait."""

        def open_either(wanted: Path | str) -> None:
            if isinstance(wanted, Path):
                open_file(wanted)
            else:
                open_link(wanted)

        for wanted in self._waiting:
            QTimer.singleShot(0, partial(open_either, wanted))
        self._waiting = []
        self._open = open_either

    def event(self, event: QEvent) -> bool:
        """Takes the events that name a file or a link."""
        if isinstance(event, QFileOpenEvent):
            url = event.url()
            if url.isLocalFile():
                self._open(Path(url.toLocalFile()))
                return True
            if url.scheme() == SCHEME:
                self._open(bytes(url.toEncoded().data()).decode())
                return True
        return super().event(event)


class DropFilter(QObject):
    """Accepts files and links that are dropped on a window.

    Signals: ``dropped`` with the path of one file of any type · ``link_dropped`` with a text that is meant as
    a link.
    """

    dropped = Signal(object)
    link_dropped = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Accepts one file or link, always as a copy, so that the source does not delete it."""
        if not isinstance(event, QDropEvent):
            return False
        path, link = _file_in(event.mimeData()), _link_in(event.mimeData())
        if path is None and not link:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop and path is not None:
            self.dropped.emit(path)
        elif event.type() == QEvent.Type.Drop:
            self.link_dropped.emit(link)
        return True


def _link_in(data: QMimeData) -> str:
    """The link that is dragged as a URL or as text, or an empty string."""
    urls = data.urls()
    if len(urls) == 1 and urls[0].scheme() == SCHEME:
        return bytes(urls[0].toEncoded().data()).decode()
    text = data.text().strip()
    return text if not urls and is_link(text) else ""


def _file_in(data: QMimeData) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 else None
