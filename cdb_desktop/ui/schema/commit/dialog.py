"""The sheet before a commit: all that it will change, and a tick for each thing that destroys values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.changes import Change, Risk, summary
from cdb_desktop.schema.commit_plan import Plan, PlanLine, Step, lines_of
from cdb_desktop.ui.schema.bottom_panel import risk_notes
from cdb_desktop.ui.schema.form.fields import Tick
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, MARGIN, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_MOST_COUNTS = 4
_WIDTH = 680


class CommitSheet(BaseDialog):
    """Changes in order; it stays open until the service has answered.

    Nothing can be committed before the service has told what is at stake, or that it cannot.
    """

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        version: int,
        changes: tuple[Change, ...],
        does: Callable[[bool], None],
    ) -> None:
        """``does`` is told whether reindexing shall generate OBJECT_INDEX events (§4.8)."""
        super().__init__(appearance, "schema.commit.sheet", parent)
        self._does = does
        self._changes = changes
        self._verb = tr("Commit v{version}", version=str(version))
        self._name = ""
        self._is_counted = False
        self.list = CommitList(self)
        self.events = Tick("schema.commit.events", self)
        self.body.addWidget(self.list)
        self.body.addWidget(self.events)
        self.events.setText(tr("Let the reindexing write OBJECT_INDEX events"))
        self._show(None, tr("Counting affected values…"))
        self.list.itemChanged.connect(self._check)
        self.accept_button.clicked.connect(self._commit)
        self.list.setFocus()

    def show_plan(self, plan: Plan | None) -> None:
        """Shows what is at stake; None where the service cannot count it."""
        self._is_counted = True
        self._show(plan, "" if plan else tr("The service does not report how many values are affected."))

    def show_failure(self, said: ErrorMessage) -> None:
        """The service has refused or failed; nothing has changed (wire §5)."""
        self._is_counted = True
        super().show_failure(said)
        self.accept_button.setText(self._name)
        self.cancel_button.setEnabled(True)
        self._check()

    def reject(self) -> None:
        """Cancels, unless the commit is under way."""
        if self.cancel_button.isEnabled():
            super().reject()

    def _show(self, plan: Plan | None, note: str) -> None:
        lines = lines_of(self._changes, plan)
        self.list.show_lines(lines, self._appearance.tokens)
        self._name = _name(self._verb, self._changes, sum(line.lost for line in lines))
        self.say(self._verb, " ".join((self._told(lines), note)).strip(), self._name)
        if any(line.blocking for line in lines):
            self.show_fault(tr("The service would refuse this commit: existing rows block it."))
        self._check()
        self._make_room()

    def _make_room(self) -> None:
        """The button says all that will happen, so the sheet is as wide as that takes."""
        needed = self.accept_button.sizeHint().width() + self.cancel_button.sizeHint().width()
        self.resize(max(self.width(), _WIDTH, needed + 2 * MARGIN + 2 * GAP), self.height())

    def _told(self, lines: tuple[PlanLine, ...]) -> str:
        text = tr("The service applies all changes in one transaction: all of them, or none if it fails.")
        asked = any(line.needs_consent for line in lines)
        return f"{text} {tr('Select what may be lost.')}" if asked else text

    def _check(self) -> None:
        self.accept_button.setEnabled(self._is_counted and self.list.is_agreed)

    def _commit(self) -> None:
        self.show_fault("")
        self.accept_button.setEnabled(False)
        self.accept_button.setText(tr("Committing…"))
        self.cancel_button.setEnabled(False)
        self._does(self.events.isChecked())


def _name(verb: str, changes: tuple[Change, ...], lost: int) -> str:
    """What will happen: ``Commit v8: 1 table added, 1 column removed (1,204 values are lost)``."""
    counts = [str(words) for words in summary(changes)]
    more = ["…"] if len(counts) > _MOST_COUNTS else []
    name = f"{verb}: {', '.join([*counts[:_MOST_COUNTS], *more])}" if counts else verb
    return f"{name} ({lost_words(lost)})" if lost else name


_FEWEST, _MOST = 3, 14  # lines in sight
_CHECKABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable


class CommitList(QListWidget):
    """Changes in order; what was ticked stays so when numbers arrive."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.commit.changes")
        self.setAccessibleName(tr("Changes"))
        self.setItemDelegate(_Lines(self))
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.setWordWrap(True)
        self._lines: tuple[PlanLine, ...] = ()

    @property
    def is_agreed(self) -> bool:
        """Whether each line that costs values is ticked."""
        items = (self.item(row) for row in range(self.count()))
        checkable = (item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        return all(item.checkState() == Qt.CheckState.Checked for item in checkable)

    def show_lines(self, lines: Sequence[PlanLine], tokens: Tokens) -> None:
        """Shows lines in the place of those before."""
        ticked, row = self._ticked(), self.currentRow()
        self._lines = tuple(lines)
        with QSignalBlocker(self):
            self.clear()
            for line in lines:
                self._add(line, tokens, is_ticked=line.change is not None and line.change in ticked)
        asked = [at for at, line in enumerate(lines) if line.needs_consent]
        self.setCurrentRow(row if row >= 0 else asked[0] if asked else 0)
        shown = min(max(len(lines), _FEWEST), _MOST)
        self.setMinimumHeight(shown * max(ROW, self.sizeHintForRow(0)) + TIGHT)

    def _ticked(self) -> list[Change]:
        states = ((line.change, self.item(at).checkState()) for at, line in enumerate(self._lines))
        return [change for change, state in states if change and state == Qt.CheckState.Checked]

    def _add(self, line: PlanLine, tokens: Tokens, *, is_ticked: bool) -> None:
        item = QListWidgetItem(line_words(line), self)
        item.setFlags(_CHECKABLE if line.needs_consent else Qt.ItemFlag.ItemIsEnabled)
        if line.needs_consent:
            item.setCheckState(Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
        if line.needs_consent or line.blocking:
            item.setForeground(QColor(tokens.danger))
        elif line.change is not None and line.change.risk is not Risk.SAFE and not line.steps:
            item.setForeground(QColor(tokens.warning))


class _Lines(QStyledItemDelegate):
    """At least as high as a row of any table: a tick is hit there, and words may take several lines."""

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return super().sizeHint(option, index).expandedTo(QSize(0, ROW))


def line_words(line: PlanLine) -> str:
    """A line of the sheet: sign, what changes, and what that does to the data."""
    change = line.change
    sign, what = ("!", line.steps[0].name) if change is None else (change.sign, str(change.message))
    notes = [note for note in (*map(_stake, line.steps), _risk(line)) if note]
    return "  ·  ".join((f"{sign}  {what}", *notes))


def lost_words(lost: int) -> str:
    """How many values are gone afterwards."""
    return tr("{count:1 value is|{count} values are} lost", count=lost)


def _risk(line: PlanLine) -> str:
    """Only what nobody has counted is told as a risk."""
    is_counted = line.is_counted and (line.steps or line.change is None)
    return "" if is_counted or line.change is None else risk_notes()[line.change.risk]


def _stake(step: Step) -> str:
    if step.blocking:
        if step.rows == 1:
            return tr("the only row blocks this")
        return tr(
            "{blocking:1 of {rows} rows blocks|{blocking} of {rows} rows block} this",
            blocking=step.blocking,
            rows=step.rows,
        )
    if step.action == "drop_table":
        return tr(
            "{rows:1 row|{rows} rows} with {values:1 value|{values} values} {rows:is|are} lost",
            rows=step.rows,
            values=step.values,
        )
    if step.lost:
        return lost_words(step.lost)
    return tr("nothing is lost") if step.action in _LOSING else ""


_LOSING = ("drop_column", "convert_column")
