"""Queries as filters of feeds: how their types are changed, and which polled events they show."""

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query, QueryMatcher
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.vocabulary.pattern import Condition, PatternError, PatternKind, parse_key_values

_OF_TYPE = frozenset({"type", "basetype"})
_OF_USER = frozenset({"user._id", "user._generated_displayname"})
_NO_TYPE = field_condition("type", "*", is_excluded=True)
_ID = re.compile(r"#(\d{1,18})")

Predicate = Callable[[Event], bool]


class EarlierFilter(msgspec.Struct, frozen=True):
    """A filter as earlier versions have stored it in ``feeds.json``.

    ``others``: whether types that are not in ``exceptions`` are shown. ``user`` is a part of the name.
    """

    others: bool = True
    exceptions: frozenset[str] = frozenset()
    user: str = ""
    users: frozenset[int] = frozenset()
    base_types: frozenset[str] = frozenset()

    @property
    def query(self) -> Query:
        """The same as a query."""
        query = Query(base_types=tuple(sorted(self.base_types)), users=tuple(sorted(self.users)))
        name = self.user.strip()
        if number := _ID.fullmatch(name):
            query = replace(query, users=tuple(sorted({*query.users, int(number[1])})))
        elif name:
            query = replace(query, conditions=(field_condition("user", f"*{name}*"),))
        return with_types(query, self.exceptions, self.exceptions, others=self.others)


class FeedMatcher:
    """Tests events for the filter of a feed.

    What depends on the type or on the user only is known for all events with the same; the ``rest`` has to be
    tested for each event, None without such conditions.
    """

    def __init__(self, query: Query) -> None:
        parts: dict[str, list[Condition]] = {"type": [], "user": [], "": []}
        for condition in query.conditions:
            parts[_subject(condition)].append(condition)
        self.matches_type: Predicate = QueryMatcher(
            replace(query, users=(), conditions=tuple(parts["type"]))
        ).matches
        self.matches_user: Predicate = QueryMatcher(
            Query(users=query.users, conditions=tuple(parts["user"]))
        ).matches
        rest = QueryMatcher(Query(conditions=tuple(parts[""]))) if parts[""] else None
        self.rest: Predicate | None = None if rest is None else rest.matches
        self._types: dict[tuple[str, str | None], bool] = {}
        self._users: dict[tuple[int | None, str | None], bool] = {}

    def matches(self, event: Event) -> bool:
        """Whether the feed shows the event."""
        kind = event.type, event.basetype
        if kind not in self._types:
            self._types[kind] = self.matches_type(event)
        if not self._types[kind]:
            return False
        user = event.user_id, event.user_displayname
        if user not in self._users:
            self._users[user] = self.matches_user(event)
        return self._users[user] and (self.rest is None or self.rest(event))


def shows_type(query: Query, event_type: str) -> bool:
    """Whether a query includes events of a type."""
    conditions = tuple(one for one in query.conditions if _is_of_types(one))
    return QueryMatcher(Query(types=query.types, conditions=conditions)).matches(Event(id=0, type=event_type))


def shows_other_types(query: Query) -> bool:
    """Whether a query includes events of types that it does not name."""
    return not query.types and _NO_TYPE not in query.conditions


def named_types(query: Query) -> frozenset[str]:
    """The types that a query includes or excludes by name."""
    return frozenset({*query.types, *excluded_types(query)})


def excluded_types(query: Query) -> Sequence[str]:
    """The types that a query excludes by name."""
    found = [_type_of(one) for one in query.conditions if one.is_excluded]
    return [one for one in found if one]


def with_types(query: Query, shown: Iterable[str], hidden: Iterable[str], *, others: bool) -> Query:
    """The query with these types shown and hidden, and all ``others`` or none."""
    conditions = [one for one in query.conditions if not _is_of_types(one)]
    names = tuple(sorted(shown))
    if others:
        names, excluded = (), sorted(hidden)
        conditions += [field_condition("type", one, is_excluded=True) for one in excluded]
    elif not names:
        conditions.append(_NO_TYPE)
    return replace(query, types=names, conditions=tuple(conditions))


def with_only_type(query: Query, event_type: str) -> Query:
    """The query with this type and no other."""
    return with_types(query, [event_type], [], others=False)


def without_type(query: Query, event_type: str) -> Query:
    """The query without a type."""
    shown = [one for one in query.types if one != event_type]
    hidden = {*excluded_types(query), event_type}
    return with_types(query, shown, hidden, others=shows_other_types(query))


def _is_of_types(condition: Condition) -> bool:
    return condition == _NO_TYPE or bool(_type_of(condition)) or _paths(condition) == {"type"}


def _type_of(condition: Condition) -> str:
    """The type that a condition names, or an empty string."""
    if _paths(condition) != {"type"}:
        return ""
    pairs = parse_key_values(condition.text)
    return pairs[0].pieces[0] if len(pairs) == 1 and pairs[0].is_whole else ""


def _subject(condition: Condition) -> str:
    """What a condition depends on: ``type``, ``user``, or an empty string for anything else."""
    paths = _paths(condition)
    if paths and paths <= _OF_TYPE:
        return "type"
    return "user" if paths and paths <= _OF_USER else ""


def _paths(condition: Condition) -> set[str]:
    if condition.kind is not PatternKind.KEY:
        return set()
    try:
        return {pair.path for pair in parse_key_values(condition.text)}
    except PatternError:
        return set()
