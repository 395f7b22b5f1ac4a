"""Typed filters, sort orders and CSV options, and the query parameters they become (§4.3)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

import msgspec

from cdb_desktop.client.request import Query

SORT_FIELDS = (
    "_id",
    "type",
    "object_version",
    "schema",
    "object_id",
    "timestamp",
    "user_generated_displayname",
)


class EventFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which events (§4.3): user_id, group_id and user_type widen one another, all other filters narrow.

    Empty tuples and None mean "no filter". Both dates are inclusive; a date without time in ``date_to`` means
    the end of that day, and a time without offset is read in the service's own zone (wire §1).
    """

    pollable: bool | None = None
    type: tuple[str, ...] = ()
    base_type: tuple[str, ...] = ()
    user_id: tuple[int, ...] = ()
    group_id: tuple[int, ...] = ()
    user_type: tuple[str, ...] = ()
    date_from: date | None = None  # a datetime is a date
    date_to: date | None = None
    # Not every service has these filters. Unset they are left out of files, which stay as they were before.
    ids: tuple[tuple[int, int], ...] | msgspec.UnsetType = msgspec.UNSET  # first and last of each range
    objecttype: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    object_id: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """Refuses a bare string, which would select its letters."""
        for name in ("type", "base_type", "user_type", "objecttype"):
            if isinstance(getattr(self, name), str):
                raise TypeError(f"{name} takes a tuple of strings")

    @property
    def is_empty(self) -> bool:
        """Whether this selects every event there is; deleting with it takes everything."""
        return not filter_query(self)


class Sort(msgspec.Struct, frozen=True):
    """One sort definition; ``field`` is one of SORT_FIELDS."""

    field: str
    descending: bool = False


class CsvOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How CSV is written; the defaults are the service's (§4.3): entries over 100 characters are trimmed."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    use_bom: bool = False
    explode: bool = False
    explode_array_concat: str | None = None
    max_length: int = 100


def filter_query(chosen: EventFilter, base_type: str = "base_type") -> Query:
    """The parameters of the filter; what is not set is left out, for an empty value is refused (wire §1).

    ``base_type`` is the name of that parameter.
    """
    pairs = (
        ("id", id_ranges(chosen.ids or ()) or None),
        ("pollable", None if chosen.pollable is None else flag(chosen.pollable)),
        ("type", _joined("type", chosen.type)),
        (base_type, _joined("base_type", chosen.base_type)),
        ("objecttype", _joined("objecttype", chosen.objecttype or ())),
        ("object_id", _joined("object_id", chosen.object_id or ())),
        ("user_id", _joined("user_id", chosen.user_id)),
        ("group_id", _joined("group_id", chosen.group_id)),
        ("user_type", _joined("user_type", chosen.user_type)),
        ("date_from", _moment(chosen.date_from)),
        ("date_to", _moment(chosen.date_to)),
    )
    return tuple((name, value) for name, value in pairs if value is not None)


def id_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    """Ranges of ids as a parameter: ``1,3-7``."""
    return ",".join(f"{first:d}" if first == last else f"{first:d}-{last:d}" for first, last in ranges)


def ranges_of(ids: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The ranges that contain exactly these ids, as first and last of each."""
    found: list[tuple[int, int]] = []
    for one in sorted(set(ids)):
        if found and found[-1][1] == one - 1:
            found[-1] = (found[-1][0], one)
        else:
            found.append((one, one))
    return tuple(found)


def sort_query(sort: Iterable[Sort]) -> Query:
    """The sort parameter, none for the service's default ``_id.DESC``."""
    definitions = [f"{one.field}.{'DESC' if one.descending else 'ASC'}" for one in sort]
    return (("sort", ",".join(definitions)),) if definitions else ()


def page_query(limit: int, offset: int) -> Query:
    """The parameters of a slice, always both, so that requests are explicit."""
    return (("limit", str(limit)), ("offset", str(offset)))


def csv_query(chosen: CsvOptions, *, guard: bool = False) -> Query:
    """The CSV parameters that differ from the service's defaults; ``guard`` is an addition of our server."""
    pairs = (
        ("csv_delimiter", chosen.delimiter, ","),
        ("csv_quote", chosen.quote, '"'),
        ("csv_escape", chosen.escape, '"'),
        ("csv_use_bom", flag(chosen.use_bom), "false"),
        ("csv_explode", flag(chosen.explode), "false"),
        ("csv_explode_array_concat", chosen.explode_array_concat, None),
        ("csv_max_length", str(chosen.max_length), "100"),
        ("guard", flag(guard), "false"),
    )
    return tuple((name, value) for name, value, usual in pairs if value is not None and value != usual)


def flag(value: bool) -> str:
    """A boolean as the interface spells it."""
    return "true" if value else "false"


def _joined(name: str, values: tuple[str, ...] | tuple[int, ...]) -> str | None:
    texts = [str(value) for value in values]
    for text in texts:
        if not text or "," in text:
            raise ValueError(f"{name} cannot hold {text!r}: its values are joined by commas")
    return ",".join(texts) or None


def _moment(bound: date | None) -> str | None:
    if isinstance(bound, datetime):
        return bound.isoformat(timespec="microseconds" if bound.microsecond else "seconds")
    return None if bound is None else bound.isoformat()
