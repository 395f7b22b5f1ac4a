"""The sheet before a deletion: how many events and which, and where they are kept. Deletes nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLabel, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.deletion.delete_plan import Plan
from cdb_desktop.ui.events.deletion.delete_words import counts_words, span_words, title_words
from cdb_desktop.ui.events.deletion.type_counts import TypeCounts
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.named import named


class DeleteSheet(BaseDialog):
    """What cannot be undone is shown in numbers; much of the log takes its number to be typed out.

    Signals: ``agreed`` with the Path of the backup, or None for none.
    """

    agreed = Signal(object)

    def __init__(self, appearance: Appearance, plan: Plan, target: Path, parent: QWidget) -> None:
        """``target`` is where the backup would go."""
        super().__init__(appearance, "events.delete", parent)
        self._plan = plan
        self._count = plan.count
        self._must_type = plan.is_much
        self.accept_button.tone = "danger"
        self.span = named("events.delete.span", caption(self))
        self.span.setWordWrap(True)
        self.counts = named("events.delete.counts", TypeCounts(self))
        self.counts.setAccessibleName(self.tr("Events by type"))
        self.keep = named(
            "events.delete.keep", QCheckBox(self.tr("&Keep a backup file with the complete records"), self)
        )
        self.path = named("events.delete.path", QLineEdit(str(target), self))
        self.typed = named("events.delete.typed", QLineEdit(self))
        text = f"{plan.what} {self.tr('Deleted events cannot be restored.')}"
        self.say(title_words(plan.count), text, title_words(plan.count))
        self._fill()
        self.span.setText(self.tr("Finding the first and the last of them…"))
        self.show_counts({})
        self._check()

    @property
    def target(self) -> Path | None:
        """Where the backup goes, None for none."""
        return Path(self.path.text().strip()).expanduser() if self.keep.isChecked() else None

    def show_span(self, first: datetime | None, last: datetime | None) -> None:
        """Shows when the first and the last of them were; None where that cannot be read."""
        self.span.setVisible(first is not None and last is not None)
        self.span.setText(span_words(first, last))
        self.fit()

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Shows how many there are of each type, as far as they have been counted."""
        self.counts.show_lines(counts_words(counts), self.tr("Counting by type…"))
        # What is counted later makes the sheet higher; what is shown below moves down with it.
        self.fit()

    def _fill(self) -> None:
        self.body.addWidget(self.span)
        self.body.addWidget(self.counts)
        self.keep.setChecked(True)
        self.keep.toggled.connect(self._check)
        self.path.setAccessibleName(self.tr("Backup file"))
        self.path.textChanged.connect(self._check)
        browse = IconButton(icon("folder", self._appearance), self.tr("Choose the backup file"), self)
        browse.clicked.connect(self._browse)
        line = QHBoxLayout()
        line.addWidget(self.path, stretch=1)
        line.addWidget(browse)
        self.body.addWidget(self.keep)
        self.body.addLayout(line)
        self.typed.setVisible(self._must_type)
        if self._must_type:
            self.body.addWidget(self._asked())
        self.body.addWidget(self.typed)
        self.typed.setAccessibleName(self.tr("Number of events to confirm"))
        self.typed.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._agree)
        # What cannot be undone takes more than Return.
        self.accept_button.setAutoDefault(False)
        self.accept_button.setDefault(False)
        self.cancel_button.setDefault(True)
        (self.typed if self._must_type else self.cancel_button).setFocus()

    def _asked(self) -> QLabel:
        label = caption(self)
        label.setWordWrap(True)
        text = self.tr("To confirm, type the number of events: %1")
        if self._plan.is_everything:
            text = self.tr("This deletes everything. To confirm, type the number of events: %1")
        label.setText(text.replace("%1", number_text(self._count)))
        return label

    def _check(self) -> None:
        keeps = self.keep.isChecked()
        self.path.setEnabled(keeps)
        digits = "".join(one for one in self.typed.text() if one.isdecimal())
        is_typed = not self._must_type or digits == str(self._count)
        self.accept_button.setEnabled(is_typed and (not keeps or bool(self.path.text().strip())))
        if self._must_type:
            # Who has typed the number out has agreed.
            (self.accept_button if is_typed else self.cancel_button).setDefault(True)
        self.show_fault("" if keeps else self.tr("Without a backup they are lost."), "warning")

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Save the backup as"), str(Path(self.path.text()).parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(Path(self.path.text()).name)
        dialog.setNameFilter(self.tr("JSON, a record a line (*.jsonl)"))
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def _agree(self) -> None:
        target = self.target
        self.close()
        self.agreed.emit(target)
