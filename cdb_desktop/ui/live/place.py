"""Where somebody was in the feed, so that another choice of events brings them back to the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec
from PySide6.QtCore import QItemSelection, QItemSelectionModel
from PySide6.QtWidgets import QTableView

from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.live.model import FeedModel

_MOST = 1_000  # selected rows that are found again
_KEEP = QItemSelectionModel.SelectionFlag.NoUpdate
_SELECT = QItemSelectionModel.SelectionFlag.Select


class Place(msgspec.Struct, frozen=True):
    """The numbers of the event at the top, of the current one, and of the selected ones."""

    top: int
    current: int | None
    selected: tuple[int, ...]

    @classmethod
    def of(cls, table: QTableView) -> Place:
        """The place of now."""
        feed = _feed(table)
        top, current = table.verticalScrollBar().value(), table.currentIndex().row()
        return cls(
            feed.number(top) if top < len(feed) else feed.end,
            feed.number(current) if current >= 0 else None,
            tuple(feed.number(row) for row in islice(selected_rows(table), _MOST)),
        )

    def row(self, feed: Feed) -> int:
        """The row of the event at the top, or of the one after it that is shown."""
        return feed.row_from(self.top)

    def select(self, table: QTableView) -> None:
        """Selects the same events again, as far as they are shown."""
        feed, model, chosen = _feed(table), table.model(), QItemSelection()
        last = model.columnCount() - 1
        for first, end in _stretches(_rows(feed, self.selected)):
            chosen.select(model.index(first, 0), model.index(end, last))
        selection = table.selectionModel()
        for row in _rows(feed, () if self.current is None else (self.current,)):
            selection.setCurrentIndex(model.index(row, 0), _KEEP)
        selection.select(chosen, _SELECT)


def selected_rows(table: QTableView) -> Iterator[int]:
    """The selected rows from the top; asking Qt for them one by one would take seconds."""
    selection = table.selectionModel().selection()
    ranges = [(one.top(), one.bottom()) for one in map(selection.at, range(selection.count()))]
    reached = -1
    for top, bottom in sorted(ranges):
        yield from range(max(top, reached + 1), bottom + 1)
        reached = max(reached, bottom)


def _rows(feed: Feed, numbers: tuple[int, ...]) -> Iterator[int]:
    for number in numbers:
        row = feed.row_from(number)
        if row < len(feed) and feed.number(row) == number:
            yield row


def _stretches(rows: Iterator[int]) -> Iterator[tuple[int, int]]:
    """The first and last of rows that follow one another: to select them one by one would take long."""
    first = end = -1
    for row in rows:
        if row != end + 1 or first < 0:
            if first >= 0:
                yield first, end
            first = row
        end = row
    if first >= 0:
        yield first, end


def _feed(table: QTableView) -> Feed:
    model = table.model()
    if not isinstance(model, FeedModel):
        raise TypeError("a place is one of the feed")
    return model.feed
