"""Table model of events and of records that cannot be read, and the queries that highlight events."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSettings, Qt

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.queries.query import Query, QueryMatcher, is_valid_query, testable
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.settings import set_value_aside
from cdb_desktop.vocabulary.pattern import Condition

# Looking up enumerations for every cell and role would double the time of a repaint.
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HORIZONTAL = Qt.Orientation.Horizontal
_ROOT = QModelIndex()
# Their heights must fit into the int of a view.
MOST_ROWS = (2**31 - 1) // 64
Index = QModelIndex | QPersistentModelIndex


def unreadable_title() -> str:
    """The text in place of the type."""
    return tr("Unreadable record")


def unreadable_reason(record: Unreadable) -> str:
    """Why the record cannot be read."""
    return {
        "not_object": tr("It is not a JSON object."),
        "no_id": tr("It has no _id."),
        "id_not_integer": tr("Its _id is not a whole number."),
        "id_too_large": tr("Its _id is larger than 64 bits."),
        "too_deep": tr("Its values are nested too deeply."),
        "too_large": tr("It is too large for this program."),
    }[record.reason]


def unreadable_text(record: Unreadable) -> str:
    """The tooltip of the row."""
    return tr("This record could not be read: {reason}", reason=unreadable_reason(record))


def unreadable_cell(record: Unreadable, columns: Sequence[EventColumn], place: int) -> str:
    """The text of a cell: the title in the column of the type, the reason in the one that fills the row."""
    if place == title_column(columns):
        return unreadable_title()
    return unreadable_reason(record) if columns[place].fills else ""


def title_column(columns: Sequence[EventColumn]) -> int:
    """The index of the column for the title of unreadable records: that of the type."""
    return next((place for place, column in enumerate(columns) if column.name == "type"), 0)


class EventModel(QAbstractTableModel):
    """Rows of events, some of which may not be loaded yet. Base of the models with a source."""

    def __init__(self, columns: Sequence[EventColumn], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)

    def event_at(self, row: int) -> Event | None:
        """The event in ``row``, None if it is not loaded or not readable."""
        raise NotImplementedError

    def unreadable_at(self, _row: int) -> Unreadable | None:
        """The unreadable record in a row, or None."""
        return None

    def record_at(self, row: int) -> Record | None:
        """The event or unreadable record in ``row``, None while it is not loaded."""
        return self.event_at(row) or self.unreadable_at(row)

    def mark_of(self, _event: Event) -> int | None:
        """The index in `TONES` of the mark of an event, None for none."""
        return None

    @property
    def has_matches(self) -> bool:
        """Whether displayed texts may show what was searched for."""
        return False

    def matches_in(self, _text: str, _event_type: str = "") -> Sequence[tuple[int, int]]:
        """The ranges of a displayed text that show what was searched for."""
        return ()

    @property
    def has_notes(self) -> bool:
        """Whether rows may have notes below them."""
        return False

    def note_below(self, _row: int) -> str:
        """A note that is shown in a line below a row, such as about missing ids; empty for none."""
        return ""

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Text and tooltip."""
        if role == _DISPLAY:
            event = self.event_at(index.row())
            if event is None:
                unreadable = self.unreadable_at(index.row())
                return "" if unreadable is None else unreadable_cell(unreadable, self.columns, index.column())
            return self.columns[index.column()].text(event)
        if role == _TOOLTIP:
            event = self.event_at(index.row())
            if event is None:
                unreadable = self.unreadable_at(index.row())
                return None if unreadable is None else unreadable_text(unreadable)
            return visible(self.columns[index.column()].tooltip(event) or "") or None
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """Titles, aligned like the content of their columns."""
        if orientation != _HORIZONTAL:
            return None
        if role == _ALIGNMENT:
            return _RIGHT if self.columns[section].figures else None
        return self.columns[section].title if role == _DISPLAY else None


TONES = ("mark", "good", "warning", "danger")  # in the order in which rules are tried
_MOST = 20_000  # events whose mark is remembered

_KEY, _EARLIER_KEY = "events/highlight-2", "events/highlight"  # version 0.1 cannot read all of the first
_EARLIER_NAME = "accent"  # the name of the first tone in settings of earlier versions


class Marks:
    """Highlighting rules: for each tone a query that events match. The first match counts."""

    def __init__(self, queries: Mapping[str, Query]) -> None:
        """``queries`` maps tones to queries; those without any filter are ignored.

        Raises PatternError if a condition is no valid expression or lacks a key.
        """
        self.queries = {tone: query for tone in TONES if (query := queries.get(tone, Query())).parts}
        self._rules = [(TONES.index(tone), QueryMatcher(query)) for tone, query in self.queries.items()]
        self._known: dict[tuple[int, bool], int | None] = {}

    def of(self, event: Event) -> int | None:
        """The index in TONES for ``event``, None if no rule matches."""
        if not self._rules:
            return None
        # A whole record may match where the short one, which was painted first, does not.
        key = event.id, event.info is None
        if key not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = (place for place, matcher in self._rules if matcher.matches(event))
            self._known[key] = next(found, None)
        return self._known[key]


def load_marks(settings: QSettings) -> Marks:
    """The stored rules; none if they cannot be read."""
    key = _KEY if settings.contains(_KEY) else _EARLIER_KEY
    try:
        text = str(settings.value(key, "")) or "{}"
        # Earlier versions have stored texts, which were looked for in all values.
        stored = msgspec.json.decode(text, type=dict[str, Query | str])
        queries = {tone: _query(one) for tone, one in stored.items()}
        if not all(map(is_valid_query, queries.values())):
            raise ValueError(text)
    except DAMAGE as error:
        set_value_aside(settings, key, error)
        queries = {}
    if _EARLIER_NAME in queries:
        queries.setdefault(TONES[0], queries.pop(_EARLIER_NAME))
    return Marks(queries)


def save_marks(settings: QSettings, queries: Mapping[str, Query]) -> None:
    """Stores the queries of the rules."""
    settings.setValue(_KEY, msgspec.json.encode(queries).decode())


def _query(stored: Query | str) -> Query:
    if isinstance(stored, Query):
        return testable(stored)
    text = stored.strip()
    return Query(conditions=(Condition(text),)) if text else Query()
