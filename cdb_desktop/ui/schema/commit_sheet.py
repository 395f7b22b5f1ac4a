"""The sheet before a commit: all that it will change, and a tick for each thing that destroys values."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.commit.plan import CommitPlan, CommitPlanLine, plan_lines
from cdb_desktop.schema.diff.change import Change, summary
from cdb_desktop.ui.schema.commit_list import CommitList
from cdb_desktop.ui.schema.fields import Tick
from cdb_desktop.ui.schema.plan_words import lost_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, MARGIN
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
        self._verb = self.tr("Commit v%1").replace("%1", str(version))
        self._name = ""
        self._is_counted = False
        self.list = CommitList(self)
        self.events = Tick("schema.commit.events", self)
        self.body.addWidget(self.list)
        self.body.addWidget(self.events)
        self.events.setText(self.tr("Let the reindexing write OBJECT_INDEX events"))
        self._show(None, self.tr("Counting affected values…"))
        self.list.itemChanged.connect(self._check)
        self.accept_button.clicked.connect(self._commit)
        self.list.setFocus()

    def show_plan(self, plan: CommitPlan | None) -> None:
        """Shows what is at stake; None where the service cannot count it."""
        self._is_counted = True
        self._show(plan, "" if plan else self.tr("The service does not report how many values are affected."))

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

    def _show(self, plan: CommitPlan | None, note: str) -> None:
        lines = plan_lines(self._changes, plan)
        self.list.show_lines(lines, self._appearance.tokens)
        self._name = _name(self._verb, self._changes, sum(line.lost for line in lines))
        self.say(self._verb, " ".join((self._told(lines), note)).strip(), self._name)
        if any(line.blocking for line in lines):
            self.show_fault(self.tr("The service would refuse this commit: existing rows block it."))
        self._check()
        self._make_room()

    def _make_room(self) -> None:
        """The button says all that will happen, so the sheet is as wide as that takes."""
        needed = self.accept_button.sizeHint().width() + self.cancel_button.sizeHint().width()
        self.resize(max(self.width(), _WIDTH, needed + 2 * MARGIN + 2 * GAP), self.height())

    def _told(self, lines: tuple[CommitPlanLine, ...]) -> str:
        text = self.tr(
            "The service applies all changes in one transaction: all of them, or none if it fails."
        )
        asked = any(line.needs_consent for line in lines)
        return f"{text} {self.tr('Select what may be lost.')}" if asked else text

    def _check(self) -> None:
        self.accept_button.setEnabled(self._is_counted and self.list.is_agreed)

    def _commit(self) -> None:
        self.show_fault("")
        self.accept_button.setEnabled(False)
        self.accept_button.setText(self.tr("Committing…"))
        self.cancel_button.setEnabled(False)
        self._does(self.events.isChecked())


def _name(verb: str, changes: tuple[Change, ...], lost: int) -> str:
    """What will happen: ``Commit v8: 1 table added, 1 column removed (1,204 values are lost)``."""
    counts = [str(words) for words in summary(changes)]
    more = ["…"] if len(counts) > _MOST_COUNTS else []
    name = f"{verb}: {', '.join([*counts[:_MOST_COUNTS], *more])}" if counts else verb
    return f"{name} ({lost_words(lost)})" if lost else name
