"""Collects a problem report, shows it in a dialog, and saves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import size_text, tr
from cdb_desktop.ui.shell.report.contents import (
    CRASHES,
    DESCRIPTION,
    LOG,
    REQUESTS,
    SERVER_LOG,
    SETTINGS,
    VERSIONS,
    ProblemReport,
    ReportFacts,
    ReportFile,
    archive,
    archive_name,
    collect,
)
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import ScrollCorner, lay_out
from cdb_desktop.ui.widgets.notice import FileNotice
from cdb_desktop.ui.widgets.object_names import named
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
        file_dialog = QFileDialog(dialog, tr("Save the report"), self._folder.path, defaultSuffix="zip")
        file_dialog.setObjectName("report.dialog")
        file_dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        file_dialog.setNameFilter(tr("ZIP archives (*.zip)"))
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


_SIZE = 920, 640
_DESCRIPTION_LINES = 3
_LIST_WIDTH = 240
_NAME = Qt.ItemDataRole.UserRole


class ReportDialog(BaseDialog):
    """Shows the files exactly as the archive will contain them; each can be left out.

    Signals: ``save_requested`` when the archive is to be saved.
    """

    save_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "report", parent)
        self._report: ProblemReport | None = None
        self._is_saving = False
        self.description = named("report.description", QPlainTextEdit(self))
        self.list = named("report.files", QListWidget(self))
        self.preview = named("report.preview", QPlainTextEdit(self, readOnly=True))
        self.names = named("report.names", QCheckBox(self))
        self._about = named("report.about", caption(self))
        self._create_contents()
        self._connect()
        self._update_buttons()
        self.resize_within_screen(*_SIZE)
        self.description.setFocus()

    @property
    def files(self) -> tuple[ReportFile, ...]:
        """The files that are checked, which the archive will contain."""
        ticked = {item.data(_NAME) for item in self._items() if item.checkState() is Qt.CheckState.Checked}
        return tuple(file for file in self._all_files() if file.name in ticked)

    def show_report(self, report: ProblemReport) -> None:
        """Shows the files."""
        self._report = report
        for file in self._all_files():
            self._add_item(file.name)
        self.list.setCurrentRow(0)
        self._refresh()

    def show_saving(self, *, saving: bool) -> None:
        """Disables saving while the archive is being written."""
        self._is_saving = saving
        self._update_buttons()

    def _all_files(self) -> tuple[ReportFile, ...]:
        if self._report is None:
            return ()
        with_names = self.names.isChecked()
        files = self._report.files(with_names=with_names)
        written = self.description.toPlainText()
        if not written.strip():
            return files
        return (self._report.description(written, with_names=with_names), *files)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _item(self, name: str) -> QListWidgetItem | None:
        return next((item for item in self._items() if item.data(_NAME) == name), None)

    def _add_item(self, name: str, row: int | None = None) -> None:
        item = QListWidgetItem(name)
        item.setData(_NAME, name)
        item.setSizeHint(QSize(0, ROW))
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
        )
        item.setCheckState(Qt.CheckState.Checked)
        self.list.insertItem(self.list.count() if row is None else row, item)

    def _describe(self) -> None:
        """Adds or removes the file of the description."""
        is_there, item = bool(self.description.toPlainText().strip()), self._item(DESCRIPTION)
        if self._report is not None and is_there and item is None:
            self._add_item(DESCRIPTION, 0)
        elif not is_there and item is not None:
            self.list.takeItem(self.list.row(item))
        self._refresh()

    def _refresh(self) -> None:
        """Updates sizes and the text of the current file."""
        self.list.blockSignals(True)
        for file in self._all_files():
            item = self._item(file.name)
            if item is not None:
                item.setText(f"{file.name}  ·  {size_text(file.size)}")
                item.setToolTip(self._purpose(file.name))
        self.list.blockSignals(False)
        self._show_current()
        self._update_buttons()

    def _show_current(self) -> None:
        row = self.list.currentRow()
        name = "" if row < 0 else str(self.list.item(row).data(_NAME))
        text = next((file.text for file in self._all_files() if file.name == name), "")
        # An unchanged text keeps its scroll position.
        if text != self.preview.toPlainText():
            self.preview.setPlainText(text)
        self._about.setText(self._purpose(name))
        if name:
            self.preview.setAccessibleName(name)

    def _update_buttons(self) -> None:
        self.accept_button.setEnabled(bool(self.files) and not self._is_saving)

    def _purpose(self, name: str) -> str:
        """What a file contains."""
        return {
            DESCRIPTION: tr("Your description"),
            VERSIONS: tr("Versions of the program, its libraries, this system and the service"),
            SETTINGS: tr("Settings and remembered connections, without passwords"),
            REQUESTS: tr("The last requests to the service, without tokens"),
            LOG: tr("The end of the program's log"),
            CRASHES: tr("What was noted when the program crashed"),
            SERVER_LOG: tr("The end of the demo service's log"),
        }.get(name, "")

    def _connect(self) -> None:
        self.description.textChanged.connect(self._describe)
        self.list.currentItemChanged.connect(self._show_current)
        self.list.itemChanged.connect(lambda _item: self._update_buttons())
        self.names.toggled.connect(lambda _on: self._refresh())
        self.accept_button.clicked.connect(self.save_requested)

    def _create_contents(self) -> None:
        self.set_texts(
            tr("Report a problem"),
            tr(
                "Nothing is sent. The report is one ZIP archive with the files below; save it, and "
                "pass it on to whoever helps you. Passwords and tokens have been taken out."
            ),
            tr("Save…"),
        )
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        head = Label(tr("&What happened?"), self)
        head.setBuddy(self.description)
        self.description.setTabChangesFocus(True)
        self.description.setPlaceholderText(
            tr("What you did, what you expected, and what happened instead (optional)")
        )
        lines = _DESCRIPTION_LINES * self.description.fontMetrics().lineSpacing()
        self.description.setFixedHeight(lines + 2 * GAP)
        self.description.setAccessibleName(tr("What happened?"))
        files = Label(tr("&Files in the archive"), self)
        files.setBuddy(self.list)
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setAccessibleName(tr("Files in the archive"))
        self.preview.setFont(fixed)
        self.preview.setAccessibleName(tr("Contents of the file"))
        self.preview.setTabChangesFocus(True)
        ScrollCorner(self.preview)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setPlaceholderText(tr("Collecting…"))
        self.names.setText(tr("&Include server addresses and log-in names"))
        self.names.setToolTip(tr("Otherwise placeholders such as server-1 and user-1 stand in their place"))
        left, right = QVBoxLayout(), QVBoxLayout()
        for column, parts in ((left, (files, self.list)), (right, (self._about, self.preview))):
            column.setSpacing(TIGHT)
            for part in parts:
                column.addWidget(part)
        across = lay_out(QHBoxLayout(), left, spacing=GAP)
        across.addLayout(right, stretch=1)
        self.body.addWidget(head)
        self.body.addWidget(self.description)
        self.body.addSpacing(TIGHT)
        self.body.addLayout(across, stretch=1)
        self.body.addWidget(self.names)
