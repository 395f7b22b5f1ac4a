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
        self._sheet: ReportDialog | None = None

    def open(self, facts: ReportFacts) -> None:
        """Opens the dialog; its files are added when they have been collected."""
        if self._sheet is not None:
            self._sheet.activateWindow()
            return
        sheet = self._sheet = ReportDialog(self._appearance, self._window)
        sheet.finished.connect(self._forget)
        sheet.save_requested.connect(self._ask)
        sheet.open()
        self._tasks.start(_COLLECT, self._collect(sheet, facts), on_error=self._fail)

    async def _collect(self, sheet: ReportDialog, facts: ReportFacts) -> None:
        sheet.show_report(await self._run(partial(collect, facts)))

    def _forget(self) -> None:
        self._sheet = None
        self._tasks.cancel(_COLLECT)

    def _fail(self, error: Exception) -> None:
        if self._sheet is not None:
            self._sheet.show_failure(error_message(error))

    def _ask(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        dialog = QFileDialog(sheet, tr("Save the report"), self._folder.path)
        dialog.setObjectName("report.dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(tr("ZIP archives (*.zip)"))
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(archive_name(datetime.now().astimezone()))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._save(Path(path)))
        dialog.open()

    def _save(self, target: Path) -> None:
        if self._sheet is None:
            return
        self._folder.keep(target)
        self._sheet.show_fault("")
        self._sheet.show_saving(saving=True)
        work = self._write(target, self._sheet.files)
        self._tasks.start(_SAVE, work, on_error=partial(self._fail_to_save, target))

    async def _write(self, target: Path, files: tuple[ReportFile, ...]) -> None:
        now = datetime.now().astimezone()
        await self._run(lambda: write_whole(target, archive(files, now)))
        if self._sheet is not None:
            self._sheet.close()
        self._notice.show_done(partial(self._saved, target), target)

    def _saved(self, target: Path) -> ErrorMessage:
        return ErrorMessage(
            tr("Report saved"),
            tr("It is in {path}. Nothing has been sent.", path=target),
            "",
        )

    def _fail_to_save(self, target: Path, error: Exception) -> None:
        if self._sheet is None:
            return
        self._sheet.show_saving(saving=False)
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            self._sheet.show_fault(tr("“{path}” could not be written: {reason}", path=target, reason=reason))
        else:
            self._sheet.show_failure(error_message(error))
