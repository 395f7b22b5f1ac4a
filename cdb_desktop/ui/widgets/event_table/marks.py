"""Queries that highlight events, and how they are stored."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QSettings

from cdb_desktop.client import Event
from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.queries.query import Query, QueryMatcher, is_valid_query, testable
from cdb_desktop.ui.widgets.settings import set_value_aside
from cdb_desktop.vocabulary.pattern import Condition

TONES = ("mark", "good", "warning", "danger")  # in the order in which rules are tried
_MOST = 20_000  # events whose mark is remembered

_KEY = "events/highlight"
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
    try:
        text = str(settings.value(_KEY, "")) or "{}"
        # Earlier versions have stored texts, which were looked for in all values.
        stored = msgspec.json.decode(text, type=dict[str, Query | str])
        queries = {tone: _query(one) for tone, one in stored.items()}
        if not all(map(is_valid_query, queries.values())):
            raise ValueError(text)
    except DAMAGE as error:
        set_value_aside(settings, _KEY, error)
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
