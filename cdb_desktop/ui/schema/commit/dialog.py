"""The dialog before a commit: the changes with the data that they affect, and a check box for each loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.commit.plan import CommitPlan, CommitPlanLine, CommitStep, plan_lines
from cdb_desktop.schema.commit.rehearsal import RehearsalResult
from cdb_desktop.schema.diff.change import Change, Risk, risk_text, summary
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalDialog, RehearsalReport
from cdb_desktop.ui.schema.form.fields import CheckField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, MARGIN, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import short_path
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_MOST_COUNTS = 4  # in the button's text
_WIDTH = 680
_FEWEST_LINES, _MOST_LINES = 3, 14
_CHECKABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
_LOSING_ACTIONS = ("drop_column", "convert_column")


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """Whether reindexing generates OBJECT_INDEX events (§4.8), and whether both versions are copied."""

    reindex_events: bool
    keeps_copy: bool


class CommitDialog(BaseDialog):
    """Stays open until the service has committed, unless the user closes it; the commit goes on then.

    Commit is enabled when the plan has arrived, or is not available, and all losses are confirmed.
    """

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        version: int,
        changes: tuple[Change, ...],
        folder: Path,
        commit: Callable[[CommitOptions], None],
        *,
        keeps_values: bool = False,
    ) -> None:
        """``folder`` is that of copies of both versions; ``commit`` is called with the user's choice.

        ``keeps_values``: the copies also have the affected values.
        """
        super().__init__(appearance, "schema.commit.dialog", parent)
        self._start_commit = commit
        self._changes = changes
        self._verb = tr("Commit v{version}", version=str(version))
        self._button_text = ""
        self._has_plan = False
        self._rehearse: QPushButton | None = None
        self._report: RehearsalReport | None = None
        self._show_report = self._hidden_button("schema.commit.report", tr("Steps and rows…"))
        self.list = CommitList(self)
        self.events = CheckField("schema.commit.events", self)
        self.body.addWidget(self.list)
        self.body.addWidget(self.events)
        self.keeps_copy = CheckField("schema.commit.copy", self)
        self.keeps_copy.setText(tr("Keep a copy of HEAD and CURRENT first"))
        self.keeps_copy.setChecked(True)
        self._precautions = QHBoxLayout()
        self._precautions.addWidget(self.keeps_copy)
        self._precautions.addStretch(1)
        self._precautions.addWidget(self._show_report)
        self.body.addLayout(self._precautions)
        self._folder = named("schema.commit.folder", ElidedLabel(short_path(folder), self))
        self._contents = Label(_copy_contents(has_values=keeps_values), self, wordWrap=True)
        for label in (self._folder, self._contents):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self.keeps_copy.toggled.connect(label.setVisible)
            self.body.addWidget(label)
        self.events.setText(tr("Let the reindexing write OBJECT_INDEX events"))
        self._show(None, tr("Counting affected values…"))
        self.list.itemChanged.connect(self._enable_commit)
        self.accept_button.clicked.connect(self._commit)
        self.list.setFocus()

    def offer_rehearsal(self, rehearse: Callable[[], None]) -> None:
        """Adds a button that calls ``rehearse``; it is disabled until a rehearsal has ended."""
        button = named("schema.commit.rehearse", QPushButton(tr("Rehearse"), self))
        button.setToolTip(tr("Runs this commit on a server of our own first. The service is not changed."))
        button.setAutoDefault(False)
        self._level(button)
        self._precautions.addWidget(button)
        self._rehearse = button
        button.clicked.connect(rehearse)

    def show_rehearsal_step(self, step: str) -> None:
        """Shows what the rehearsal is doing."""
        self._enable_rehearsal(on=False)
        self.show_fault(tr("Rehearsal: {step}…", step=step), "muted")

    def show_rehearsal(self, text: str, *, is_good: bool, report: RehearsalReport | None = None) -> None:
        """Shows the result of the rehearsal; a button opens the ``report``."""
        self._enable_rehearsal(on=True)
        self._offer_report(report)
        self.show_fault(text, "good" if is_good else "warning")

    def show_rehearsal_failure(self, message: ErrorMessage, report: RehearsalReport) -> None:
        """Shows why the rehearsal failed. The commit stays possible."""
        self._enable_rehearsal(on=True)
        self._offer_report(report)
        super().show_failure(message)

    def _offer_report(self, report: RehearsalReport | None) -> None:
        self._report = report
        self._show_report.setVisible(report is not None)

    def _open_report(self) -> None:
        if self._report is not None:
            RehearsalDialog(self._appearance, self, self._report).open()

    def _hidden_button(self, name: str, text: str) -> QPushButton:
        button = named(name, QPushButton(text, self))
        button.setAutoDefault(False)
        self._level(button)
        button.clicked.connect(self._open_report)
        button.hide()
        return button

    def _enable_rehearsal(self, *, on: bool) -> None:
        if self._rehearse is not None:
            self._rehearse.setEnabled(on)

    def show_plan(self, plan: CommitPlan | None) -> None:
        """Shows how much data each change affects; None if the service does not count it."""
        self._has_plan = True
        self._show(plan, "" if plan else tr("The service does not report how many values are affected."))

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why the commit failed; nothing has been changed (wire §5)."""
        self._has_plan = True
        super().show_failure(message)
        self.accept_button.setText(self._button_text)
        self.cancel_button.setText(tr("Cancel"))
        self._enable_rehearsal(on=True)
        self._enable_commit()

    def _show(self, plan: CommitPlan | None, note: str) -> None:
        lines = plan_lines(self._changes, plan)
        self.list.show_lines(lines, self._appearance.tokens)
        self._button_text = _button_text(self._verb, self._changes, sum(line.lost for line in lines))
        self.set_texts(self._verb, " ".join((_introduction(lines), note)).strip(), self._button_text)
        if any(line.blocking for line in lines):
            self.show_fault(tr("The service would refuse this commit: existing rows block it."))
        self._enable_commit()
        buttons = self.accept_button.sizeHint().width() + self.cancel_button.sizeHint().width()
        self.resize(max(self.width(), _WIDTH, buttons + 2 * MARGIN + 2 * GAP), self.height())
        if self.isVisible():
            self._grow()
        else:
            self.fit()

    def _enable_commit(self) -> None:
        self.accept_button.setEnabled(self._has_plan and self.list.is_confirmed)

    def _commit(self) -> None:
        self.show_fault(
            tr("The commit goes on when this is closed; the page then shows its result."), "muted"
        )
        self.accept_button.setEnabled(False)
        self.accept_button.setText(tr("Committing…"))
        self.cancel_button.setText(tr("Close"))
        self._enable_rehearsal(on=False)
        self._start_commit(CommitOptions(self.events.isChecked(), self.keeps_copy.isChecked()))


class CommitList(QListWidget):
    """The changes in order; check boxes keep their state when the plan arrives."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.commit.changes")
        self.setAccessibleName(tr("Changes"))
        self.setItemDelegate(RowHeightDelegate(self))
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.setWordWrap(True)
        self._lines: tuple[CommitPlanLine, ...] = ()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as its lines; a larger dialog gives it more."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    @property
    def is_confirmed(self) -> bool:
        """Whether all check boxes are checked."""
        items = (self.item(row) for row in range(self.count()))
        checkable = (item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        return all(item.checkState() == Qt.CheckState.Checked for item in checkable)

    def show_lines(self, lines: Sequence[CommitPlanLine], tokens: Tokens) -> None:
        """Replaces the lines."""
        checked, row = self._checked_changes(), self.currentRow()
        self._lines = tuple(lines)
        with QSignalBlocker(self):
            self.clear()
            for line in lines:
                self._add(line, tokens, is_checked=line.change is not None and line.change in checked)
        with_check_box = [index for index, line in enumerate(lines) if line.needs_consent]
        self.setCurrentRow(row if row >= 0 else with_check_box[0] if with_check_box else 0)
        visible = min(max(len(lines), _FEWEST_LINES), _MOST_LINES)
        self.setMinimumHeight(visible * max(ROW, self.sizeHintForRow(0)) + TIGHT)

    def _checked_changes(self) -> list[Change]:
        states = ((line.change, self.item(row).checkState()) for row, line in enumerate(self._lines))
        return [change for change, state in states if change and state == Qt.CheckState.Checked]

    def _add(self, line: CommitPlanLine, tokens: Tokens, *, is_checked: bool) -> None:
        item = QListWidgetItem(plan_line_text(line), self)
        item.setFlags(_CHECKABLE if line.needs_consent else Qt.ItemFlag.ItemIsEnabled)
        if line.needs_consent:
            item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        if line.needs_consent or line.blocking:
            item.setForeground(QColor(tokens.danger))
        elif line.change is not None and line.change.risk is not Risk.SAFE and not line.steps:
            item.setForeground(QColor(tokens.warning))


def _copy_contents(*, has_values: bool) -> str:
    if has_values:
        return tr(
            "It contains both data models, the counts of this plan, and the values "
            "that are removed or converted, as CSV files."
        )
    return tr(
        "It contains both data models and the counts of this plan, but no values: "
        "no call of the service lists rows."
    )


def rehearsal_text(result: RehearsalResult) -> str:
    """What a rehearsal has shown."""
    if result.differences:
        listed = ", ".join(str(difference) for difference in result.differences[:_MOST_COUNTS])
        return tr("The rehearsed commit succeeded, but the result differs from HEAD: {list}.", list=listed)
    if result.has_rows:
        return tr(
            "The rehearsed commit succeeded on a copy of the database with all of its rows; "
            "the result is HEAD."
        )
    return tr(
        "The rehearsed commit succeeded on a server without rows; the result is HEAD. "
        "Whether existing rows fit is only known to the service."
    )


def plan_line_text(line: CommitPlanLine) -> str:
    """The sign of a change, the change, and what it does to the data."""
    change = line.change
    sign, text = ("!", line.steps[0].name) if change is None else (change.sign, str(change.message))
    notes = [note for note in (*map(_step_text, line.steps), _uncounted_risk(line)) if note]
    return "  ·  ".join((f"{sign}  {text}", *notes))


def _uncounted_risk(line: CommitPlanLine) -> str:
    """The risk of a change whose effect the service has not counted."""
    is_counted = line.is_counted and (line.steps or line.change is None)
    return "" if is_counted or line.change is None else risk_text(line.change.risk)


def _step_text(step: CommitStep) -> str:
    if step.blocking:
        if step.rows == 1:
            return tr("the only row blocks this")
        return tr(
            "{blocking:1 of {rows} rows blocks|{blocking} of {rows} rows block} this",
            blocking=step.blocking,
            rows=step.rows,
        )
    if step.action == "drop_table" and not step.rows:
        return tr("the table is empty")
    if step.action == "drop_table":
        return tr(
            "{rows:1 row|{rows} rows} with {values:1 value|{values} values} {rows:is|are} lost",
            rows=step.rows,
            values=step.values,
        )
    if step.lost:
        return _lost_text(step.lost)
    return tr("nothing is lost") if step.action in _LOSING_ACTIONS else ""


def _lost_text(lost: int) -> str:
    return tr("{count:1 value is|{count} values are} lost", count=lost)


def _introduction(lines: tuple[CommitPlanLine, ...]) -> str:
    text = tr("The service applies all changes in one transaction: all of them, or none if it fails.")
    has_check_boxes = any(line.needs_consent for line in lines)
    return f"{text} {tr('Select what may be lost.')}" if has_check_boxes else text


def _button_text(title: str, changes: tuple[Change, ...], lost: int) -> str:
    """``Commit v8: 1 table added, 1 column removed (1,204 values are lost)``."""
    counts = [str(count) for count in summary(changes)]
    more = ["…"] if len(counts) > _MOST_COUNTS else []
    text = f"{title}: {', '.join([*counts[:_MOST_COUNTS], *more])}" if counts else title
    return f"{text} ({_lost_text(lost)})" if lost else text
