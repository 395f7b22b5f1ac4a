"""The sheet before a commit: all that it will change, and a tick for each thing that destroys values."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cdb_desktop.schema.changes import Change, Risk, summary
from cdb_desktop.ui.schema.bottom_panel import risk_notes
from cdb_desktop.ui.schema.fields import Tick
from cdb_desktop.ui.schema.sheet import Sheet
from cdb_desktop.ui.schema.telling import told
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.vocabulary.sentences import Sentence

_MOST_COUNTS = 4
_SPACE = 2
_COLOURS = {Risk.NARROWING: "warning", Risk.DESTROYING: "danger"}


class CommitSheet(Sheet):
    """Changes in order; it stays open until the service has answered."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        version: int,
        changes: tuple[Change, ...],
        does: Callable[[bool], None],
    ) -> None:
        """``does`` is told whether reindexing shall generate OBJECT_INDEX events (§4.8)."""
        super().__init__(appearance, parent)
        self.setObjectName("schema.commit.sheet")
        self._does = does
        self._name = _name(self.tr("Commit v%1").replace("%1", str(version)), changes)
        self.list = QListWidget(self)
        self.list.setObjectName("schema.commit.changes")
        self.events = Tick("schema.commit.events", self)
        self._fill(changes)
        self.add(self.list)
        self.add(self.events)
        self.events.setText(self.tr("Let the reindexing write OBJECT_INDEX events"))
        text = self.tr("The service changes its database in one step: all of this, or nothing if it fails.")
        if any(change.risk is Risk.DESTROYING for change in changes):
            text += " " + self.tr("Tick what may be lost.")
        self.say(self.tr("Commit v%1").replace("%1", str(version)), text, self._name)
        self.list.itemChanged.connect(self._check)
        self.accept_button.clicked.connect(self._commit)
        self.resize(680, 0)
        self.list.setFocus()
        self._check()

    def show_failure(self, said: Sentence) -> None:
        """The service has refused or failed; nothing has changed (wire §5)."""
        self.show_fault(f"{said.title}: {said.text} {said.remedy}")
        self.accept_button.setText(self._name)
        self.cancel_button.setEnabled(True)
        self._check()

    def reject(self) -> None:
        """Cancels, unless the commit is under way."""
        if self.cancel_button.isEnabled():
            super().reject()

    def _fill(self, changes: tuple[Change, ...]) -> None:
        notes, tokens = risk_notes(), self._appearance.tokens
        self.list.setSpacing(_SPACE)
        self.list.setWordWrap(True)
        self.list.setAccessibleName(self.tr("Changes"))
        for change in changes:
            note = notes[change.risk]
            text = f"{change.sign}  {told(change.words)}" + (f"  ·  {note}" if note else "")
            item = QListWidgetItem(text, self.list)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            if change.risk in _COLOURS:
                item.setForeground(QColor(getattr(tokens, _COLOURS[change.risk])))
            if change.risk is Risk.DESTROYING:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked)
        ticks = [at for at, change in enumerate(changes) if change.risk is Risk.DESTROYING]
        self.list.setCurrentRow(ticks[0] if ticks else 0)
        lines = min(max(len(changes), 3), 14)
        self.list.setMinimumHeight(lines * (self.list.sizeHintForRow(0) + 2 * _SPACE) + GAP)

    def _check(self) -> None:
        items = (self.list.item(row) for row in range(self.list.count()))
        checkable = (item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        self.accept_button.setEnabled(all(item.checkState() == Qt.CheckState.Checked for item in checkable))

    def _commit(self) -> None:
        self.show_fault("")
        self.accept_button.setEnabled(False)
        self.accept_button.setText(self.tr("Committing…"))
        self.cancel_button.setEnabled(False)
        self._does(self.events.isChecked())


def _name(verb: str, changes: tuple[Change, ...]) -> str:
    """What will happen: ``Commit v8: 1 table added, 1 column renamed``."""
    counts = [told(words) for words in summary(changes)]
    more = ["…"] if len(counts) > _MOST_COUNTS else []
    return f"{verb}: {', '.join([*counts[:_MOST_COUNTS], *more])}" if counts else verb
