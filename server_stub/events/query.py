"""Filter, order and page of a list of events (§4.3), and the SQL of a filtered list."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from sqlalchemy import BigInteger, ColumnElement, Select, Text, bindparam, literal_column, or_, select

from server_stub.database.dialects import in_order, listed_ids
from server_stub.database.tables import event, membership, user

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

    def conditions(self, *, by_id: bool = False) -> list[ColumnElement[bool]]:
        """What a row must fulfil, all of it; `by_id` where the order is by id, see `_until`."""
        found: list[ColumnElement[bool]] = []
        if self.pollable is not None:
            found.append(event.c.pollable == int(self.pollable))
        if self.type is not None:
            found.append(event.c.type.in_(self.type))
        if self.base_type is not None:
            found.append(event.c.base_type.in_(self.base_type))
        if self.date_from is not None:
            found.append(event.c.timestamp >= self.date_from)
        if self.date_to is not None:
            found.append(self._until(self.date_to, by_id=by_id))
        users = self._users()
        return [*found, or_(*users)] if users else found

    def _until(self, last: int, *, by_id: bool) -> ColumnElement[bool]:
        """A list frozen at a moment has all but the very newest rows: an index by time would find nearly
        everything and have it sorted by id, for each page anew. What is computed is found in no index.
        """
        computed = by_id and self.date_from is None and not self.is_found_by_id
        return (event.c.timestamp + literal_column("0") if computed else event.c.timestamp) <= last

    @property
    def is_found_by_id(self) -> bool:
        """Whether the index by id holds every field that is filtered, and none finds the rows sooner."""
        others = (self.type, self.base_type, self.user_id, self.group_id, self.user_type)
        return all(field is None for field in others) and None in (self.date_from, self.date_to)

    def _users(self) -> list[ColumnElement[bool]]:
        """The three user filters expand one set of users (§4.3 rule 1)."""
        found: list[ColumnElement[bool]] = []
        if self.user_id is not None:
            found.append(event.c.user_id.in_(self.user_id))
        if self.group_id is not None:
            members = select(membership.c.user_id).where(membership.c.group_id.in_(self.group_id))
            found.append(event.c.user_id.in_(members))
        if self.user_type is not None:
            found.append(event.c.user_id.in_(select(user.c.id).where(user.c.type.in_(self.user_type))))
        return found


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
        return selected.where(event.c.id.in_(ids.correlate(None))).order_by(*order)
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
