"""The lines of the sheet before a commit, with a tick at each that costs values."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cdb_desktop.schema.commit.plan import CommitPlanLine
from cdb_desktop.schema.diff.change import Change, Risk
from cdb_desktop.ui.schema.plan_words import line_words
from cdb_desktop.ui.theme.measures import ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.theme.tokens import Tokens

_FEWEST, _MOST = 3, 14  # lines in sight
_CHECKABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable


class CommitList(QListWidget):
    """Changes in order; what was ticked stays so when numbers arrive."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.commit.changes")
        self.setAccessibleName(self.tr("Changes"))
        self.setItemDelegate(_Lines(self))
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.setWordWrap(True)
        self._lines: tuple[CommitPlanLine, ...] = ()

    @property
    def is_agreed(self) -> bool:
        """Whether each line that costs values is ticked."""
        items = (self.item(row) for row in range(self.count()))
        checkable = (item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        return all(item.checkState() == Qt.CheckState.Checked for item in checkable)

    def show_lines(self, lines: Sequence[CommitPlanLine], tokens: Tokens) -> None:
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

    def _add(self, line: CommitPlanLine, tokens: Tokens, *, is_ticked: bool) -> None:
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
