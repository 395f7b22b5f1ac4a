"""The table model of a result, and the columns by which the service can sort."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QObject, Qt

from cdb_desktop.client import Event, EventFilter, Record, Sort, Unreadable
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import PAGE_SIZE, EventCache, QueryResult
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import NEWEST_FIRST, Query
from cdb_desktop.ui.widgets.event_table.columns import EventColumn, browser_columns, more_columns
from cdb_desktop.ui.widgets.event_table.model import MOST_ROWS, EventModel, Index, Marks
from cdb_desktop.ui.widgets.query_texts import whole_query

# The service sorts by the fields of §4.3 only; the model holds a part of the result and cannot sort.
FIELDS: Mapping[str, str] = {
    "id": "_id",
    "time": "timestamp",
    "type": "type",
    "user": "user_generated_displayname",
    "object": "object_id",
    "object_id": "object_id",
    "object_version": "object_version",
    "schema": "schema",
}
_ROOT = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_HORIZONTAL = Qt.Orientation.Horizontal


def field_names() -> dict[str, str]:
    """The fields by which the service can sort, by the titles of the columns."""
    columns = (*browser_columns(), *more_columns())
    # The columns of the object and of its id share a field; the title of the last one is clearer.
    return {FIELDS[column.name]: column.title for column in columns if column.name in FIELDS}


def query_text(query: Query, seen: KnownValues) -> str:
    """The whole query in one line, its order included: ``Type: SEARCH · by Time ▾``."""
    narrows = whole_query(query, seen) or tr("All events")
    names = field_names()
    order = ", ".join(f"{names[one.field]} {'▾' if one.descending else '▴'}" for one in query.sort)
    by = tr("by {order}", order=order)
    return f"{narrows} · {by}" if order else narrows


def titled(title: str, column: str, order: Sequence[Sort]) -> str:
    """The title with an arrow, and a number if the rows are sorted by several columns."""
    for place, one in enumerate(order, 1):
        if FIELDS.get(column) == one.field:
            number = str(place) if len(order) > 1 else ""
            return f"{title} {'▾' if one.descending else '▴'}{number}"
    return title


def tooltip(column: str) -> str:
    """What a click on the title does."""
    if column == "object":
        return tr("Click: sort by the object's id. Shift+click: also sort by it.")
    if column == "user":
        return tr("Click: sort by the user's name. Shift+click: also sort by it.")
    if column in FIELDS:
        return tr("Click: sort. Shift+click: also sort by this column.")
    return tr("The service cannot sort by this column.")


class ResultModel(EventModel):
    """The rows of a result, or placeholders until there is one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(browser_columns(), parent)
        self.result: QueryResult | None = None
        self.details = EventCache()
        self._rows = 0
        self._order: tuple[Sort, ...] = ()
        self.marks = Marks({})

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else self._rows

    def event_at(self, row: int) -> Event | None:
        """The event in ``row``, with its details if they are known; None until its page is loaded."""
        found = self.record_at(row)
        return found if isinstance(found, Event) else None

    def unreadable_at(self, row: int) -> Unreadable | None:
        """The unreadable record in ``row``, if it is one."""
        found = self.record_at(row)
        return found if isinstance(found, Unreadable) else None

    def record_at(self, row: int) -> Record | None:
        """The event or the unreadable record."""
        found = None if self.result is None else self.result.record(row)
        return self.details.whole(found) if isinstance(found, Event) else found

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        if orientation == _HORIZONTAL and role == _DISPLAY:
            column = self.columns[section]
            return titled(column.title, column.name, self._order)
        if orientation == _HORIZONTAL and role == _TOOLTIP:
            return tooltip(self.columns[section].name)
        return super().headerData(section, orientation, role)

    def mark_of(self, event: Event) -> int | None:
        """The highlight of an event."""
        return self.marks.of(event)

    @property
    def has_matches(self) -> bool:
        """Whether the rows are those that match a text."""
        return isinstance(self.result, MatchedResult)

    def matches_in(self, text: str, event_type: str = "") -> Sequence[tuple[int, int]]:
        """The ranges of a displayed text that show what was searched for; see `EventMatcher.places`."""
        result = self.result
        return result.matcher.places(text, event_type) if isinstance(result, MatchedResult) else ()

    @property
    def has_notes(self) -> bool:
        """Whether ids that are missing between rows are noted: only if the rows are all events by id."""
        result = self.result
        if result is None or isinstance(result, MatchedResult):
            return False
        query = result.resolved_query
        # The upper bound is the moment of the query, which no event with a smaller id exceeds.
        is_everything = replace(query.filter, date_to=None) == EventFilter()
        return is_everything and (query.sort or (NEWEST_FIRST,))[0].field == NEWEST_FIRST.field

    def note_below(self, row: int) -> str:
        """Which ids are missing between a row and the next one: ``19,540: not in this log``."""
        event, following = (self.event_at(one) for one in (row, row + 1))
        if not self.has_notes or event is None or following is None:
            return ""
        first, last = sorted((event.id, following.id))
        missing = last - first - 1
        if missing <= 0:
            return ""
        if missing == 1:
            return tr("{id}: not in this log", id=number_text(first + 1))
        return tr(
            "{first} to {last}: {missing} ids not in this log",
            first=number_text(first + 1),
            last=number_text(last - 1),
            missing=missing,
        )

    def show_marks(self, marks: Marks) -> None:
        """Applies other highlights."""
        self.marks = marks
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self._rows - 1, len(self.columns) - 1))

    def show_details(self, events: Iterable[Event], first: int, last: int) -> None:
        """Shows whole records in place of short ones, which are in rows from ``first`` to ``last``."""
        self.details.add(events)
        last = min(last, self._rows - 1)
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))

    def show_order(self, order: Sequence[Sort]) -> None:
        """Shows another sort order in the titles."""
        self._order = tuple(order)
        self._emit_titles()

    def show_columns(self, columns: Sequence[EventColumn]) -> None:
        """Shows other columns, or other titles of the same ones."""
        if [one.name for one in columns] == [one.name for one in self.columns]:
            self.columns = tuple(columns)
            self._emit_titles()
            return
        kept = len(self.columns)
        if len(columns) > kept:
            self.beginInsertColumns(_ROOT, kept, len(columns) - 1)
            self.columns = tuple(columns)
            self.endInsertColumns()
        else:
            self.beginResetModel()
            self.columns = tuple(columns)
            self.endResetModel()

    def show_waiting(self, rows: int) -> None:
        """Shows ``rows`` placeholders."""
        self.beginResetModel()
        self.result = None
        self._rows = rows
        self.endResetModel()

    def show_result(self, result: QueryResult) -> None:
        """Shows another result."""
        self.beginResetModel()
        self.result = result
        self._rows = min(result.rows, MOST_ROWS)
        self.endResetModel()

    def show_rows(self) -> None:
        """Updates the number of rows, which is known after the first page."""
        target = self._rows if self.result is None else min(self.result.rows, MOST_ROWS)
        if target > self._rows:
            self.beginInsertRows(_ROOT, self._rows, target - 1)
            self._rows = target
            self.endInsertRows()
        elif target < self._rows:
            self.beginRemoveRows(_ROOT, target, self._rows - 1)
            self._rows = target
            self.endRemoveRows()

    def show_page(self, number: int) -> None:
        """Replaces the placeholders of a page."""
        self.show_rows()
        first, last = number * PAGE_SIZE, min((number + 1) * PAGE_SIZE, self._rows) - 1
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))

    def _emit_titles(self) -> None:
        self.headerDataChanged.emit(_HORIZONTAL, 0, len(self.columns) - 1)
