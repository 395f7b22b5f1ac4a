"""The dialog about a rehearsed commit: its steps with their errors, and rows before and after."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from cdb_desktop.client import ServiceError
from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.commit.plan import CommitPlan, CommitStep
from cdb_desktop.schema.commit.rehearsal import RehearsalResult, SampledValue, TableSample
from cdb_desktop.schema.document.json_values import Json, plain_text, shown_value, text_attribute
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.plain_table import PlainTree
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_WIDTH, _HEIGHT = 820, 16 * ROW
_LONGEST = 200  # characters of a value
_MOST_DIFFERENCES = 4  # that are named


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """A rehearsal: the titles of its steps in order, and the failure of the last one, None if it succeeded.

    ``samples`` is None if there were no rows.
    """

    steps: Sequence[Message]
    failure: ErrorMessage | None
    plan: CommitPlan | None
    samples: Sequence[TableSample] | None
    summary: str


class RehearsalDialog(BaseDialog):
    """Shows a report."""

    def __init__(self, appearance: Appearance, parent: QWidget, report: RehearsalReport) -> None:
        super().__init__(appearance, "schema.rehearsal", parent)
        self.setMinimumWidth(640)
        self.set_texts(tr("Rehearsal of the commit"), report.summary, tr("Close"))
        self.cancel_button.hide()
        self.rows = _ReportTree(appearance, self)
        self.rows.show_report(report)
        self.body.addWidget(self.rows, stretch=1)
        self.accept_button.clicked.connect(self.accept)
        self.resize(_WIDTH, self.sizeHint().height())
        self.rows.setFocus()


class _ReportTree(PlainTree):
    """The steps, and the samples by tables."""

    preferred = QSize(_WIDTH, _HEIGHT)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        headings = [tr("Row"), tr("Before"), tr("After")]
        super().__init__("schema.rehearsal.rows", tr("Rehearsal"), headings, parent, widths=(280, 250))
        self._appearance = appearance

    def show_report(self, report: RehearsalReport) -> None:
        """Shows the steps and the samples."""
        tokens = self._appearance.tokens
        steps = self.add_group(tr("Steps"))
        for step in report.steps:
            is_failed = report.failure is not None and step is report.steps[-1]
            sign, color = ("✗", tokens.danger) if is_failed else ("✓", tokens.good)
            item = self.add_row(steps, f"{sign}  {step}", color=color)
            if is_failed and report.failure is not None:
                self._add_failure(item, report.failure, report.plan)
        if report.samples is None:
            self.add_group(tr("There were no rows: the service lists none."))
        elif report.failure is None and not report.samples:
            self.add_group(tr("No values of rows are affected."))
        for sample in report.samples or ():
            self._add_sample(sample)
        self.setCurrentItem(steps)

    def _add_failure(self, item: QTreeWidgetItem, failure: ErrorMessage, plan: CommitPlan | None) -> None:
        """The error of a step, and what in the plan of the commit has caused it."""
        danger = self._appearance.tokens.danger
        self.add_row(item, f"{failure.title}. {failure.text}", color=danger)
        for step in () if plan is None else plan.steps:
            if step.blocking:
                self.add_row(item, blocking_text(step), color=danger)
        item.setExpanded(True)

    def _add_sample(self, sample: TableSample) -> None:
        name = sample.old_name
        if sample.new_name and sample.new_name != sample.old_name:
            name = f"{sample.old_name} → {sample.new_name}"
        elif not sample.new_name:
            name = tr("{table}, removed", table=sample.old_name)
        counts = tr(
            "{changed:1|{changed}} of the first {compared:row|{compared} rows} differ",
            changed=sample.changed,
            compared=sample.compared,
        )
        group = self.add_group(f"{name}  ·  {counts}")
        rows: dict[int, list[SampledValue]] = {}
        for value in sample.values:
            rows.setdefault(value.row, []).append(value)
        for row, values in rows.items():
            for value in values:
                self._add_value(group, row, value)

    def _add_value(self, group: QTreeWidgetItem, row: int, value: SampledValue) -> None:
        tokens = self._appearance.tokens
        names = dict.fromkeys(name for name in (value.old_name, value.new_name) if name)
        texts = [_value_text(value.before, value.old_name), _value_text(value.after, value.new_name)]
        item = self.add_row(group, f"{row}  ·  {' → '.join(names)}", *texts)
        if value.before == value.after:
            return
        item.setForeground(2, QColor(tokens.danger if value.after is None else tokens.good))
        if value.after is None:
            item.setForeground(1, QColor(tokens.danger))


def blocking_text(step: CommitStep) -> str:
    """How many rows make a step fail, with the error of the first of them."""
    count = tr(
        "{name}: {blocking:1 of {rows} rows blocks|{blocking} of {rows} rows block} this",
        name=step.name,
        blocking=step.blocking,
        rows=step.rows,
    )
    return f"{count}. {_refusal_text(step.refusal)}" if step.refusal else count


def _refusal_text(refusal: Json) -> str:
    parameters = refusal.get("parameters")
    named: Iterable[tuple[object, object]] = parameters.items() if isinstance(parameters, dict) else ()
    error = ServiceError(
        text_attribute(refusal, "realm"),
        text_attribute(refusal, "code"),
        {str(name): str(value) for name, value in named},
        text_attribute(refusal, "description"),
    )
    return error_message(error).text


def _value_text(value: object, column: str) -> str:
    """A value on one line; a dash for an empty one, nothing where there is no column."""
    if value is None:
        return "—" if column else ""
    text = plain_text(value if isinstance(value, str) else shown_value(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def rehearsal_text(result: RehearsalResult) -> str:
    """What a rehearsal has shown."""
    if result.differences:
        listed = ", ".join(str(difference) for difference in result.differences[:_MOST_DIFFERENCES])
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
