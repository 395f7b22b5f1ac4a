"""Collects a problem report, shows it in a dialog, and saves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.report.contents import ReportFacts, ReportFile, archive, archive_name, collect
from cdb_desktop.ui.shell.report.dialog import ReportDialog
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.ui.widgets.notice import FileNotice
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

RunBlocking = Callable[[Callable[[], Any]], Awaitable[Any]]

_COLLECT, _SAVE = "report.collect", "report.save"


class ReportController(QObject):
    """Opens one dialog at a time. ``run`` calls a function on a thread and returns its result."""

    def __init__(
        self,
        window: QWidget,
        notice: FileNotice,
        appearance: Appearance,
        settings: QSettings,
        tasks: Tasks,
        run: RunBlocking,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._notice = notice
        self._appearance = appearance
        self._folder = LastFolder(settings, "report/folder")
        self._tasks = tasks
        self._run = run
        self._dialog: ReportDialog | None = None

    def open(self, facts: ReportFacts) -> None:
        """Opens the dialog; its files are added when they have been collected."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        dialog = self._dialog = ReportDialog(self._appearance, self._window)
        dialog.finished.connect(self._forget)
        dialog.save_requested.connect(self._ask)
        dialog.open()
        self._tasks.start(_COLLECT, self._collect(dialog, facts), on_error=self._fail)

    async def _collect(self, dialog: ReportDialog, facts: ReportFacts) -> None:
        dialog.show_report(await self._run(partial(collect, facts)))

    def _forget(self) -> None:
        self._dialog = None
        self._tasks.cancel(_COLLECT)

    def _fail(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_failure(error_message(error))

    def _ask(self) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        file_dialog = QFileDialog(dialog, tr("Save the report"), self._folder.path)
        file_dialog.setObjectName("report.dialog")
        file_dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        file_dialog.setNameFilter(tr("ZIP archives (*.zip)"))
        file_dialog.setDefaultSuffix("zip")
        file_dialog.selectFile(archive_name(datetime.now().astimezone()))
        file_dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        file_dialog.fileSelected.connect(lambda path: self._save(Path(path)))
        file_dialog.open()

    def _save(self, target: Path) -> None:
        if self._dialog is None:
            return
        self._folder.keep(target)
        self._dialog.show_fault("")
        self._dialog.show_saving(saving=True)
        work = self._write(target, self._dialog.files)
        self._tasks.start(_SAVE, work, on_error=partial(self._fail_to_save, target))

    async def _write(self, target: Path, files: tuple[ReportFile, ...]) -> None:
        now = datetime.now().astimezone()
        await self._run(lambda: write_whole(target, archive(files, now)))
        if self._dialog is not None:
            self._dialog.close()
        text = tr("It is in {path}. Nothing has been sent.", path=target)
        self._notice.show_done(ErrorMessage(tr("Report saved"), text, ""), target)

    def _fail_to_save(self, target: Path, error: Exception) -> None:
        if self._dialog is None:
            return
        self._dialog.show_saving(saving=False)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            self._dialog.show_fault(tr("“{path}” could not be written: {reason}", path=target, reason=reason))
        else:
            self._dialog.show_failure(error_message(error))
