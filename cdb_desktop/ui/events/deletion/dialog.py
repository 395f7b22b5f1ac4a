"""The dialog that shows what will be deleted and asks for a backup file and a confirmation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from cdb_desktop.client import Record
from cdb_desktop.events.deletion import Deletion, DeletionStage
from cdb_desktop.events.job_journal import DeletionJob
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.deletion.messages import delete_title, time_span_text, type_count_lines
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.object_names import named

_MOST_LINES = 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_COLUMN_MODES = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch

RecordPages = Callable[[], AsyncIterator[Sequence[Record]]]


class DeletionPlan(msgspec.Struct, frozen=True):
    """What is to be deleted: ``count`` events of the ``log_size`` in the log, and how to read them.

    ``description`` is a text for the dialog. ``note`` describes the deletion if it is interrupted; ``ids``
    are those of selected events. ``continues`` is the name of the note of an interrupted deletion that this
    one continues.
    """

    count: int
    description: str
    pages: RecordPages
    note: DeletionJob
    log_size: int = 0
    is_everything: bool = False
    ids: Sequence[int] = ()
    continues: str = ""

    @property
    def needs_typed_count(self) -> bool:
        """Whether the user must type the number: for 1000 events or more, or more than half of the log."""
        return self.is_everything or self.count >= PAGE_SIZE or 2 * self.count > self.log_size > 0

    def note_of(self, deletion: Deletion) -> DeletionJob:
        """The note with the progress of ``deletion``."""
        tally = deletion.progress
        is_reading = tally.stage is DeletionStage.READING
        return replace(
            self.note,
            backup="" if deletion.backup is None else str(deletion.backup.target),
            count=self.count if is_reading else tally.read,
            deleted=tally.requested,
            is_reading=is_reading,
            ids=(tuple(self.ids) if is_reading else deletion.remaining) if self.ids else (),
        )


class DeletionDialog(BaseDialog):
    """Shows the number of events, their time span and types; the number must be typed if it is large.

    Signals: ``agreed`` (Path of the backup, or None for no backup).
    """

    agreed = Signal(object)

    def __init__(self, appearance: Appearance, plan: DeletionPlan, target: Path, parent: QWidget) -> None:
        """``target`` is the suggested backup file."""
        super().__init__(appearance, "events.delete", parent)
        self._plan = plan
        self._count = plan.count
        self._must_type_count = plan.needs_typed_count
        self.accept_button.tone = "danger"
        self.span = named("events.delete.span", caption(self))
        self.span.setWordWrap(True)
        self.counts = named("events.delete.counts", _TypeCounts(self))
        self.counts.setAccessibleName(tr("Events by type"))
        keep = tr("&Keep a backup file with all fields (passwords and session tokens masked)")
        self.keep = named("events.delete.keep", QCheckBox(keep, self))
        self.path = named("events.delete.path", QLineEdit(str(target), self))
        self.typed = named("events.delete.typed", QLineEdit(self))
        text = f"{plan.description} {tr('Deleted events cannot be restored.')}"
        self.set_texts(delete_title(plan.count), text, delete_title(plan.count))
        self._fill()
        self.span.setText(tr("Finding the first and the last of them…"))
        self.show_counts({})
        self._check()

    @property
    def target(self) -> Path | None:
        """The backup file, None for no backup."""
        return Path(self.path.text().strip()).expanduser() if self.keep.isChecked() else None

    def show_span(self, first: datetime | None, last: datetime | None) -> None:
        """Shows the times of the first and the last event; None if they cannot be read."""
        self.span.setVisible(first is not None and last is not None)
        self.span.setText(time_span_text(first, last))
        self.fit()

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Shows the number of events of each type, as far as they have been counted."""
        self.counts.show_lines(type_count_lines(counts), tr("Counting by type…"))
        self.fit()

    def _fill(self) -> None:
        self.body.addWidget(self.span)
        self.body.addWidget(self.counts)
        self.keep.setChecked(True)
        self.keep.toggled.connect(self._check)
        self.path.setAccessibleName(tr("Backup file"))
        self.path.textChanged.connect(self._check)
        browse = IconButton(icon("folder", self._appearance), tr("Choose the backup file"), self)
        browse.clicked.connect(self._browse)
        line = QHBoxLayout()
        line.addWidget(self.path, stretch=1)
        line.addWidget(browse)
        self.body.addWidget(self.keep)
        self.body.addLayout(line)
        self.typed.setVisible(self._must_type_count)
        if self._must_type_count:
            self.body.addWidget(self._request())
        self.body.addWidget(self.typed)
        self.typed.setAccessibleName(tr("Number of events to confirm"))
        self.typed.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._agree)
        # Deletion cannot be undone, so Return alone does not start it.
        self.accept_button.setAutoDefault(False)
        self.accept_button.setDefault(False)
        self.cancel_button.setDefault(True)
        (self.typed if self._must_type_count else self.cancel_button).setFocus()

    def _request(self) -> QLabel:
        label = caption(self)
        label.setWordWrap(True)
        text = tr("To confirm, type the number of events: {count}", count=self._count)
        if self._plan.is_everything:
            text = f"{tr('This deletes everything.')} {text}"
        label.setText(text)
        return label

    def _check(self) -> None:
        keeps = self.keep.isChecked()
        self.path.setEnabled(keeps)
        digits = "".join(one for one in self.typed.text() if one.isdecimal())
        is_typed = not self._must_type_count or digits == str(self._count)
        self.accept_button.setEnabled(is_typed and (not keeps or bool(self.path.text().strip())))
        if self._must_type_count:
            # After the number has been typed, Return starts it.
            (self.accept_button if is_typed else self.cancel_button).setDefault(True)
        self.show_fault("" if keeps else tr("Without a backup they are lost."), "warning")

    def _browse(self) -> None:
        dialog = QFileDialog(self, tr("Save the backup as"), str(Path(self.path.text()).parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(Path(self.path.text()).name)
        dialog.setNameFilter(tr("JSON, a record a line (*.jsonl)"))
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def _agree(self) -> None:
        target = self.target
        self.close()
        self.agreed.emit(target)


class _TypeCounts(QTableWidget):
    """A read-only list of numbers and names, as high as its first few lines."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, len(_COLUMN_MODES), parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setShowGrid(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        for column, mode in enumerate(_COLUMN_MODES):
            self.horizontalHeader().setSectionResizeMode(column, mode)

    def show_lines(self, lines: Sequence[tuple[str, str]], placeholder: str) -> None:
        """Shows numbers and names, or ``placeholder`` if the list is empty."""
        self.clearSpans()
        self.setRowCount(max(len(lines), 1))
        if not lines:
            self.setSpan(0, 0, 1, len(_COLUMN_MODES))
            self.setItem(0, 0, QTableWidgetItem(placeholder))
        for row, (number, name) in enumerate(lines):
            cell = QTableWidgetItem(number)
            cell.setTextAlignment(_RIGHT)
            self.setItem(row, 0, cell)
            self.setItem(row, 1, QTableWidgetItem(name))
        self.setFixedHeight(min(self.rowCount(), _MOST_LINES) * ROW + GAP)
