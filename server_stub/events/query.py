"""Filter, order and page of a list of events (§4.3), and the SQL of a filtered list."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Text,
    bindparam,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
)

from server_stub.database import Reader
from server_stub.database.dialects import among, in_order, listed_ids, unindexed, within
from server_stub.database.tables import SORT_COVERED, counter, event, membership, user

_Selected = TypeVar("_Selected", bound=Select[*tuple[Any, ...]])

SORT_FIELDS = MappingProxyType(
    {
        "_id": event.c.id,
        "type": event.c.type,
        "object_version": event.c.object_version,
        "schema": event.c.schema,
        "object_id": event.c.object_id,
        "timestamp": event.c.timestamp,
        "user_generated_displayname": event.c.user_displayname,
        # Not in the contract's list, but in its vendor's own example (wire §3).
        "base_type": event.c.base_type,
    }
)


class EventFilter(msgspec.Struct, frozen=True):
    """The filters of §4.3; None leaves a field unfiltered, bounds are epoch seconds, both inclusive."""

    pollable: bool | None = None
    type: tuple[str, ...] | None = None
    base_type: tuple[str, ...] | None = None
    user_id: tuple[int, ...] | None = None
    group_id: tuple[int, ...] | None = None
    user_type: tuple[str, ...] | None = None
    date_from: int | None = None
    date_to: int | None = None
    # What generation 6 filters by as well; ids are ranges with both ends. No event has a system object id.
    ids: tuple[tuple[int, int], ...] | None = None
    objecttype: tuple[str, ...] | None = None
    object_id: tuple[int, ...] | None = None
    system_object_id: tuple[int, ...] | None = None

    def conditions(self, *, by_id: bool = False, hidden: bool = False) -> list[ColumnElement[bool]]:
        """What a row must fulfil, all of it; `by_id` where the order is by id, see `_until`.

        No index of a field is used if they are `hidden`.
        """

        def field(column: ColumnElement[Any]) -> ColumnElement[Any]:
            return unindexed(column) if hidden else column

        listed = {
            event.c.type: self.type,
            event.c.base_type: self.base_type,
            event.c.objecttype: self.objecttype,
            event.c.object_id: self.object_id,
        }
        found: list[ColumnElement[bool]] = [
            field(column).in_(values) for column, values in listed.items() if values is not None
        ]
        if self.pollable is not None:
            found.append(field(event.c.pollable) == int(self.pollable))
        if self.system_object_id is not None:
            found.append(false())
        if self.ids is not None:
            found.append(_is_within(self.ids))
        if self.date_from is not None:
            found.append(field(event.c.timestamp) >= self.date_from)
        if self.date_to is not None:
            until = field(event.c.timestamp) if hidden else self._until(by_id=by_id)
            found.append(until <= self.date_to)
        users = self._users(field(event.c.user_id))
        return [*found, or_(*users)] if users else found

    def _until(self, *, by_id: bool) -> ColumnElement[int]:
        """A list frozen at a moment has all but the very newest rows: an index by time would find nearly
        everything and have it sorted by id, for each page anew. What is computed is found in no index.
        """
        computed = by_id and self.date_from is None and not self.is_found_by_id
        return event.c.timestamp + literal_column("0") if computed else event.c.timestamp

    @property
    def is_found_by_id(self) -> bool:
        """Whether the index by id holds every field that is filtered, and none finds the rows sooner."""
        others = (
            self.type,
            self.base_type,
            self.objecttype,
            self.object_id,
            self.system_object_id,
            self.user_id,
            self.group_id,
            self.user_type,
        )
        return all(field is None for field in others) and None in (self.date_from, self.date_to)

    def _users(self, user_id: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        """The three user filters expand one set of users (§4.3 rule 1)."""
        found: list[ColumnElement[bool]] = []
        if self.user_id is not None:
            found.append(user_id.in_(self.user_id))
        if self.group_id is not None:
            members = select(membership.c.user_id).where(membership.c.group_id.in_(self.group_id))
            found.append(user_id.in_(members))
        if self.user_type is not None:
            found.append(user_id.in_(select(user.c.id).where(user.c.type.in_(self.user_type))))
        return found


def _is_within(ranges: tuple[tuple[int, int], ...]) -> ColumnElement[bool]:
    if len(ranges) == 1:
        return event.c.id.between(*ranges[0])
    # Joined by OR, ranges would be tested for each row of the log.
    return within(event.c.id, literal(msgspec.json.encode(ranges).decode(), Text))


class SortField(msgspec.Struct, frozen=True):
    """One definition of `sort`: a field of SORT_FIELDS and its direction."""

    name: str
    descending: bool = False


NEWEST_FIRST = (SortField("_id", descending=True),)
OLDEST_FIRST = (SortField("_id"),)


class EventQuery(msgspec.Struct, frozen=True):
    """One page of the log: the filter, its order, and which part of the result (§4.3)."""

    filter: EventFilter = EventFilter()
    sort: tuple[SortField, ...] = NEWEST_FIRST
    limit: int = 1000
    offset: int = 0

    def applied(self, selected: _Selected) -> _Selected:
        """A SELECT on the event table, restricted to this page; it is run with `values`."""
        return paged(selected, self.filter, self.sort)

    @property
    def values(self) -> dict[str, object]:
        """What the statement of a page is run with."""
        return {"page_limit": self.limit, "page_offset": self.offset}


def paged(selected: _Selected, event_filter: EventFilter, sort: tuple[SortField, ...]) -> _Selected:
    """A SELECT restricted to a filter, in order, with the part of the result left open."""
    conditions, order = event_filter.conditions(by_id=sort[0].name == "_id"), ordering(sort)
    limit, offset = (bindparam(name, type_=BigInteger) for name in ("page_limit", "page_offset"))
    chosen = selected.where(*conditions).order_by(*order).limit(limit)
    if sort[0].name != "_id" or not event_filter.is_found_by_id:
        # Only ids are sorted: sorting whole joined rows takes a hundred times as long.
        ids = bounded(select(event.c.id).where(*conditions).order_by(*order))
        return selected.where(among(event.c.id, ids.correlate(None).scalar_subquery())).order_by(*order)
    # Rows to be skipped are counted in the index: the table is many times as large.
    first = select(event.c.id).where(*conditions).order_by(*order).limit(1).offset(offset).scalar_subquery()
    return chosen.where(event.c.id <= first if sort[0].descending else event.c.id >= first)


def bounded(selected: _Selected) -> _Selected:
    """A SELECT restricted to a part of its rows; it is run with `EventQuery.values`."""
    limit, offset = (bindparam(name, type_=BigInteger) for name in ("page_limit", "page_offset"))
    return selected.limit(limit).offset(offset)


def with_ids(selected: _Selected, sort: tuple[SortField, ...]) -> _Selected:
    """A SELECT restricted to the ids in a JSON array, in order; it is run with the array as `page_ids`."""
    listed = listed_ids(bindparam("page_ids", type_=Text))
    return selected.where(event.c.id.op("IN", is_comparison=True)(listed)).order_by(*ordering(sort))


def ordering(sort: tuple[SortField, ...]) -> list[ColumnElement[object]]:
    """ORDER BY of a sort; equal rows go by `_id` in the last direction, so that one index serves both."""
    fields = sort
    if all(field.name != "_id" for field in fields):
        fields = (*fields, SortField("_id", descending=fields[-1].descending))
    columns = [(SORT_FIELDS[field.name], field.descending) for field in fields]
    return [in_order(column, descending=descending) for column, descending in columns]


class CsvOptions(msgspec.Struct, frozen=True):
    """The CSV parameters of §4.3; `guard` is our addition: no cell is a formula for a spreadsheet."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    use_bom: bool = False
    explode: bool = False
    explode_array_concat: str | None = None
    max_length: int = 100
    guard: bool = False


# Sorting this many rows takes as long as finding a page in an index of three million.
_FEW = 100_000
_LAST_ID = select(counter.c.value).where(counter.c.name == "event")
_COVERED = frozenset(name for name, column in SORT_FIELDS.items() if column.name in SORT_COVERED)

_Test = Literal["=", "<", ">", "<=", "null", "not null"]


class _Condition(msgspec.Struct, frozen=True):
    """A test of a field against a parameter; no index of a `hidden` field is used for it."""

    field: str
    test: _Test
    parameter: str
    hidden: bool = False

    def sql(self) -> ColumnElement[bool]:
        column: ColumnElement[Any] = SORT_FIELDS[self.field]
        value: Any = bindparam(self.parameter, type_=column.type)
        if self.hidden:
            column = unindexed(column)
        match self.test:
            case "null":
                return column.is_(None)
            case "not null":
                return column.is_not(None)
            case operator:
                return column.op(operator, is_comparison=True)(value)


class _Rows(msgspec.Struct, frozen=True):
    """Rows that fulfil all conditions, which are run with the values."""

    conditions: tuple[_Condition, ...] = ()
    values: Mapping[str, object] = {}

    def where(self, field: str, test: _Test, value: object = None) -> _Rows:
        """Those of the rows that also fulfil another condition, by whose index they are found."""
        name = f"value_{len(self.conditions)}"
        added = _Condition(field, test, name)
        return _Rows((*self.hidden().conditions, added), {**self.values, name: value})

    def equal(self, field: str, value: object) -> _Rows:
        """Those of the rows with a value, or with none."""
        return self.where(field, "null" if value is None else "=", value)

    def hidden(self) -> _Rows:
        """The same rows, to be found by the index of their order."""
        hidden = tuple(msgspec.structs.replace(each, hidden=True) for each in self.conditions)
        return _Rows(hidden, self.values)


def page_restriction(reader: Reader, query: EventQuery) -> tuple[EventFilter | None, Mapping[str, object]]:
    """What restricts a statement to the page, and the values it is run with: the filter, or None for ids."""
    ids = page_ids(reader, query)
    if ids is None:
        return query.filter, query.values
    return None, {"page_ids": msgspec.json.encode(ids).decode()}


def page_ids(reader: Reader, query: EventQuery) -> list[int] | None:
    """The ids of a page in order, or None where one statement finds them as fast."""
    sort = _reduced(query.sort)
    if _is_in_index(sort) or query.filter.objecttype is not None:
        return None
    size = int(reader.scalar(_LAST_ID, {}))
    if size <= _FEW:
        return None
    # A tenth of the rows is sorted as fast as all of them are read in order.
    is_narrow = query.filter != EventFilter(date_to=query.filter.date_to)
    if is_narrow and not _has_more(reader, query.filter, max(_FEW, size // 10)):
        return None
    return _Search(reader, query.filter).ids(_Rows(), sort, size, query.limit, query.offset)


def _has_more(reader: Reader, event_filter: EventFilter, few: int) -> bool:
    """Whether more than a few rows match: counting a tenth of them may take longer than the page itself."""
    expected = reader.expected(_matching(event_filter), {"page_limit": few + 1, "page_offset": 0})
    # What is expected of a type of users may be a third too low.
    if expected is not None and not few // 2 <= expected <= few:
        return expected > few
    return bool(reader.all(_matching(event_filter), {"page_limit": 1, "page_offset": few}))


@lru_cache(maxsize=64)
def _matching(event_filter: EventFilter) -> Select[int]:
    return bounded(select(literal_column("1")).select_from(event).where(*event_filter.conditions()))


def _reduced(sort: tuple[SortField, ...]) -> tuple[SortField, ...]:
    """The sort without what follows the id, which is unique."""
    names = [field.name for field in sort]
    return sort[: names.index("_id") + 1] if "_id" in names else sort


def _is_in_index(sort: tuple[SortField, ...]) -> bool:
    """Whether an index has this order: each has its field and then the id."""
    match sort:
        case (_,):
            return True
        case (SortField("_id"), *_):
            return True
        case (first, SortField("_id") as second):
            return first.descending == second.descending
    return False


class _Search(msgspec.Struct, frozen=True):
    """A search for rows that fulfil a filter, by none of whose fields they are found."""

    reader: Reader
    filter: EventFilter

    def ids(self, rows: _Rows, sort: tuple[SortField, ...], size: int, limit: int, offset: int) -> list[int]:
        """The ids of a part of at most `size` rows in order."""
        first = sort[0]
        if size <= _FEW or _is_in_index(sort):
            # By the index of the order if there are many rows, else by that of the last condition.
            found = rows.hidden() if size > _FEW and first.name != "_id" else rows
            return self._all(found, sort, limit, offset)
        rows = rows.hidden()
        start = self._value(rows, first, offset)
        if start is None:
            return []
        low = start[0]
        skipped = offset - self._count_before(rows, first, low)
        size = self._count(rows.equal(first.name, low))
        ids = self._group(rows, sort, low, size, limit, skipped)
        if skipped + limit <= size or (low is None and first.descending):
            return ids  # Nothing comes after the nulls.
        following = _after(rows, first, low)
        # Without a value at the end of the page, it ends with the nulls, or with the last row of all.
        end = self._value(following, first, skipped + limit - 1 - size) or self._value(
            rows, SortField(first.name, descending=not first.descending), 0
        )
        if end is None or end[0] == low:
            return ids
        high = end[0]
        between = following if high is None else following.where(first.name, _BEFORE[first.descending], high)
        ids += self._all(between, sort, limit, 0)
        size = self._count(rows.equal(first.name, high))
        return ids + self._group(rows, sort, high, size, limit - len(ids), 0)

    def _group(
        self, rows: _Rows, sort: tuple[SortField, ...], value: object, size: int, limit: int, offset: int
    ) -> list[int]:
        """The ids of a part of the `size` rows with a value of the first field."""
        name, rest = sort[0].name, sort[1:]
        # Without the field in the other indexes, sorting is the better way for a group of any size.
        return self.ids(rows.equal(name, value), rest, size if name in _COVERED else 0, limit, offset)

    def _count_before(self, rows: _Rows, field: SortField, value: object) -> int:
        """How many rows come before the first with a value."""
        name = field.name
        if field.descending:
            return self._count(rows.where(name, "not null" if value is None else ">", value))
        if value is None:
            return 0
        nulls = self._count(rows.where(name, "null")) if SORT_FIELDS[name].nullable else 0
        return nulls + self._count(rows.where(name, "<", value))

    def _value(self, rows: _Rows, field: SortField, offset: int) -> tuple[object] | None:
        """The value of a field in the row at an offset, or None if there are fewer rows."""
        found = self._run("value", rows, (field,), 1, offset)
        return (found[0][0],) if found else None

    def _count(self, rows: _Rows) -> int:
        return int(self.reader.scalar(_statement("count", self.filter, rows.conditions, ()), rows.values))

    def _all(self, rows: _Rows, sort: tuple[SortField, ...], limit: int, offset: int) -> list[int]:
        return [id_ for (id_,) in self._run("id", rows, sort, limit, offset)]

    def _run(
        self, what: _SelectedIds, rows: _Rows, sort: tuple[SortField, ...], limit: int, offset: int
    ) -> list[Any]:
        values = {**rows.values, "page_limit": limit, "page_offset": offset}
        return self.reader.all(_statement(what, self.filter, rows.conditions, sort), values)


_SelectedIds = Literal["id", "value", "count"]


@lru_cache(maxsize=256)
def _statement(
    what: _SelectedIds,
    event_filter: EventFilter,
    conditions: tuple[_Condition, ...],
    sort: tuple[SortField, ...],
) -> Select[*tuple[Any, ...]]:
    tests = [*event_filter.conditions(hidden=True), *(each.sql() for each in conditions)]
    if what == "count":
        return select(func.count()).select_from(event).where(*tests)
    column = event.c.id if what == "id" else SORT_FIELDS[sort[0].name]
    return bounded(select(column).where(*tests).order_by(*ordering(sort)))


# How a value compares with one that comes later in the order, by whether this is descending.
_BEFORE: Mapping[bool, _Test] = {False: "<", True: ">"}


def _after(rows: _Rows, field: SortField, value: object) -> _Rows:
    """The rows with a value that comes later in the order, without nulls, which are at one end."""
    return rows.where(field.name, "not null" if value is None else _BEFORE[not field.descending], value)
