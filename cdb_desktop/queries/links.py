"""Links to queries and single events, to share them with others who have a connection to the same service.

::

    cdb://events?profile=Museum&server=https://db.example.org&type=EXPORT_FAILED&from=2026-11-16T00:00:00Z&v=1
    cdb://events/19908?profile=Museum&server=https://db.example.org&v=1

Each term after the question mark is one value of the query, percent-encoded as UTF-8:

| Term | Meaning |
|---|---|
| ``profile``, ``server`` | name and address of the connection; the address tells equal names apart |
| ``type``, ``base``, ``usertype`` | a type, base type or kind of user; repeated for several |
| ``user``, ``group`` | an id; repeated for several |
| ``pollable`` | ``yes`` or ``no`` |
| ``from``, ``to`` | the first and the last time, with its zone |
| ``words``, ``text``, ``regex``, ``key``, ``object`` | a condition; also ``-text``, ``exact-text`` |
| ``sort`` | fields separated by commas, ``-`` for descending |
| ``v`` | the version of the format, always the last term, so that a link that was cut off is noticed |

A ``text`` is a phrase; ``-`` excludes, and case counts in ``exact-text``. The version
is 2 if there are ``words``, which version 1 does not know, else 1.

A link contains no token, no names of users and no columns: opening it changes no setting. Anybody may
have written it: everything in it is checked, and nothing is ever connected to because a link names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Sort
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import VERSIONS, Query, format_version, invalid_value
from cdb_desktop.queries.saved_views import single_line
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimeSpan

SCHEME = "cdb"
LONGEST = 16_000  # characters of a link: Windows starts programs with 32,767 in all
_LONGEST_VALUE = 1_000  # characters; the time to read a condition may grow with the square of its length
_LONGEST_NAME = 100  # characters of a profile
_LONGEST_SERVER = 300
_LONGEST_SHOWN = 40  # characters of a value in an error
_MOST_CONDITIONS = 20  # each is tested for each event
_MOST_SORTS = 20
_START = f"{SCHEME}://"
_PAGE = "events"
_SAFE = "/:,="  # besides letters, digits and -._~
_NEVER = frozenset('"<>\\^`{|}#')  # in a link they are always encoded
# Control characters except for line breaks and tabs, halves of surrogate pairs, and what reorders a text.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_BROKEN_CODE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ID = re.compile(r"-?[0-9]{1,19}")
_INT64 = range(-(2**63), 2**63)
_YES_NO = {"yes": True, "no": False}

Value = TypeVar("Value")


class LinkFault(Enum):
    """Why a text is not a link, or a query cannot be written as one."""

    NOT_A_LINK = "not a link"
    TOO_LONG = "too long"
    CHARACTER = "character"
    ENCODING = "encoding"
    INCOMPLETE = "incomplete"
    VERSION = "version"
    UNKNOWN = "unknown term"
    REPEATED = "repeated term"
    MISSING = "missing term"
    VALUE = "value"


class LinkError(ValueError):
    """``name`` is the term at fault, ``value`` what is wrong in it, ``place`` its position or 0."""

    def __init__(self, fault: LinkFault, name: str = "", value: str = "", place: int = 0) -> None:
        super().__init__(f"{fault.value} {name} {place}".strip())
        self.fault, self.place = fault, place
        self.name, self.value = single_line(name, _LONGEST_SHOWN), single_line(value, _LONGEST_SHOWN)

    @property
    def reason(self) -> str:
        """What is wrong, as a sentence in the language in use."""
        name, value, place = self.name, self.value, str(self.place)
        return {
            LinkFault.NOT_A_LINK: tr("It does not begin with cdb://events."),
            LinkFault.TOO_LONG: tr("It is too long for a link."),
            LinkFault.CHARACTER: tr(
                "It contains a character that is not allowed ({value}), at position {place}.",
                value=value,
                place=place,
            ),
            LinkFault.ENCODING: tr("The text at position {place} is not encoded correctly.", place=place),
            LinkFault.INCOMPLETE: tr("Its end is missing. Copy the whole link."),
            LinkFault.VERSION: tr(
                "It was made by another version of the program (format {version}, expected {expected}).",
                version=value,
                expected=str(VERSIONS[-1]),
            ),
            LinkFault.UNKNOWN: tr("It contains an unknown term “{name}”.", name=name),
            LinkFault.REPEATED: tr("“{name}” occurs more often than it may.", name=name),
            LinkFault.MISSING: tr("“{name}” is missing.", name=name),
            LinkFault.VALUE: tr("“{value}” is not a possible value of “{name}”.", value=value, name=name),
        }[self.fault]


class LinkOrigin(msgspec.Struct, frozen=True):
    """The connection that a link is for; ``server`` is empty where the address is not the same for others."""

    profile: str
    server: str = ""

    @property
    def name(self) -> str:
        """The name of the profile as links contain it, never empty."""
        return single_line(self.profile, _LONGEST_NAME) or "?"


class Link(msgspec.Struct, frozen=True):
    """A query, or a single event by its id."""

    origin: LinkOrigin
    query: Query = Query()
    event: int | None = None


def is_link(text: str) -> bool:
    """Whether a text is meant as a link, valid or not."""
    return _bare(text[: LONGEST + 3])[: len(SCHEME) + 1].casefold() == f"{SCHEME}:"


def link_text(link: Link, now: datetime) -> str:
    """The link as text, with times in place of dates relative to ``now``.

    Raises LinkError if the query is too large, or has a value with control characters.
    """
    terms, server = [("profile", link.origin.name)], link.origin.server
    if server and server == single_line(server, _LONGEST_SERVER):
        terms.append(("server", server))
    if link.event is None:
        terms += _query_terms(fixed_query(link.query, now))
    path = _PAGE if link.event is None else f"{_PAGE}/{link.event}"
    version = str(format_version(link.query))
    try:
        written = [f"{name}={quote(value, safe=_SAFE)}" for name, value in (*terms, ("v", version))]
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise LinkError(LinkFault.CHARACTER, value=_code_point(error.object[error.start])) from error
    text = f"{_START}{path}?{'&'.join(written)}"
    parse_link(text)  # what can be copied can be opened
    return text


def fixed_query(query: Query, now: datetime) -> Query:
    """The query with times instead of dates relative to ``now``, the end of which is ``now``."""
    first, last = query.span.bounds(now)
    if query.span.is_relative and last is None:
        last = now.replace(microsecond=0)
    return replace(query, span=TimeSpan(first=first, last=last))


def parse_link(text: str) -> Link:
    """The link in a text, which may be wrapped in ``<>``. Raises LinkError."""
    if len(text) > LONGEST:
        raise LinkError(LinkFault.TOO_LONG)
    text = _bare(text)
    place = next((place for place, letter in enumerate(text) if not _is_allowed(letter)), None)
    if place is not None:
        raise LinkError(LinkFault.CHARACTER, value=_code_point(text[place]), place=place + 1)
    if text[: len(_START)].casefold() != _START:
        raise LinkError(LinkFault.NOT_A_LINK)
    path, mark, terms = text[len(_START) :].partition("?")
    page, _, number = path.partition("/")
    if page.casefold() != _PAGE:
        raise LinkError(LinkFault.NOT_A_LINK)
    event = _id(_PAGE, number) if number else None
    if not mark or not terms.rpartition("&")[2].startswith("v="):
        raise LinkError(LinkFault.INCOMPLETE)
    place = len(_START) + len(path) + 2
    return _Reader(_decoded_terms(terms, place), is_event=event is not None).link(event)


class _Reader:
    """Reads the terms of one link."""

    def __init__(self, terms: Iterable[tuple[str, str]], *, is_event: bool) -> None:
        """Raises LinkError for a term that such a link does not have."""
        self._values: dict[str, list[str]] = {}
        self._conditions: list[Condition] = []
        for name, value in terms:
            if name in _CONDITIONS and not is_event:
                self._conditions.append(replace(_CONDITIONS[name], text=value))
            elif name in _OF_LINK or (name in _OF_QUERY and not is_event):
                self._values.setdefault(name, []).append(value)
            else:
                raise LinkError(LinkFault.UNKNOWN, name)

    def link(self, event: int | None) -> Link:
        """The link to an event, or to a query for None. Raises LinkError."""
        version = self._single("v")
        if version not in [str(one) for one in VERSIONS]:
            raise LinkError(LinkFault.VERSION, "v", version or "")
        profile, server = self._single("profile"), self._single("server") or ""
        if not profile:
            raise LinkError(LinkFault.MISSING, "profile")
        for name, value, most in (("profile", profile, _LONGEST_NAME), ("server", server, _LONGEST_SERVER)):
            if value != single_line(value, most):
                raise LinkError(LinkFault.VALUE, name, value)
        return Link(LinkOrigin(profile, server), self._query(), event)

    def _query(self) -> Query:
        if len(self._conditions) > _MOST_CONDITIONS:
            raise LinkError(LinkFault.REPEATED, _condition_name(self._conditions[-1]))
        query = Query(
            types=tuple(self._all("type")),
            base_types=tuple(self._all("base")),
            users=tuple(_id("user", value) for value in self._all("user")),
            groups=tuple(_id("group", value) for value in self._all("group")),
            user_types=tuple(self._all("usertype")),
            pollable=self._read("pollable", _yes_or_no),
            span=TimeSpan(first=self._read("from", _moment), last=self._read("to", _moment)),
            sort=self._read("sort", _sorts) or (),
            conditions=tuple(self._conditions),
        )
        invalid = invalid_value(query)
        if invalid is not None:
            path, value = invalid
            wrong = (_condition_name(one) for one in query.conditions if one.text == value)
            raise LinkError(LinkFault.VALUE, "sort" if path == "sort.field" else next(wrong, path), value)
        return query

    def _all(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def _single(self, name: str) -> str | None:
        values = self._all(name)
        if len(values) > 1:
            raise LinkError(LinkFault.REPEATED, name)
        return values[0] if values else None

    def _read(self, name: str, read: Callable[[str, str], Value]) -> Value | None:
        value = self._single(name)
        return None if value is None else read(name, value)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if text.startswith("<") and text.endswith(">") else text


def _is_allowed(letter: str) -> bool:
    return letter.isprintable() and not letter.isspace() and letter not in _NEVER


def _decoded_terms(text: str, place: int) -> Iterator[tuple[str, str]]:
    """Names and values; ``place`` is the position of the text in the link. Raises LinkError."""
    for term in text.split("&"):
        name, equals, value = term.partition("=")
        if not equals:
            raise LinkError(LinkFault.UNKNOWN, name, place=place)
        yield name, _decoded(value, place + len(name) + 1)
        place += len(term) + 1


def _decoded(value: str, place: int) -> str:
    broken = _BROKEN_CODE.search(value)
    if broken is not None:
        raise LinkError(LinkFault.ENCODING, value=value, place=place + broken.start())
    try:
        text = unquote_to_bytes(value).decode()
    except UnicodeDecodeError as error:
        raise LinkError(LinkFault.ENCODING, value=value, place=place) from error
    if len(text) > _LONGEST_VALUE:
        raise LinkError(LinkFault.TOO_LONG)
    hidden = _HIDDEN.search(text)
    if hidden is not None:
        raise LinkError(LinkFault.CHARACTER, value=_code_point(hidden[0]), place=place)
    return text


def _code_point(letter: str) -> str:
    return f"U+{ord(letter):04X}"


def _id(name: str, value: str) -> int:
    if not _ID.fullmatch(value) or int(value) not in _INT64:
        raise LinkError(LinkFault.VALUE, name, value)
    return int(value)


def _yes_or_no(name: str, value: str) -> bool:
    if value not in _YES_NO:
        raise LinkError(LinkFault.VALUE, name, value)
    return _YES_NO[value]


def _moment(name: str, value: str) -> datetime:
    moment = None
    with suppress(ValueError):
        moment = datetime.fromisoformat(value)
    if moment is None or moment.tzinfo is None:
        raise LinkError(LinkFault.VALUE, name, value)
    return moment


def _sorts(name: str, value: str) -> tuple[Sort, ...]:
    fields = value.split(",")
    if len(fields) > _MOST_SORTS:
        raise LinkError(LinkFault.REPEATED, name)
    return tuple(Sort(field.removeprefix("-"), field.startswith("-")) for field in fields)


def _query_terms(query: Query) -> Iterator[tuple[str, str]]:
    for name, values in (
        ("type", query.types),
        ("base", query.base_types),
        ("user", query.users),
        ("group", query.groups),
        ("usertype", query.user_types),
    ):
        yield from ((name, str(value)) for value in values)
    if query.pollable is not None:
        yield "pollable", "yes" if query.pollable else "no"
    yield from ((_condition_name(one), one.text) for one in query.conditions)
    for name, moment in (("from", query.span.first), ("to", query.span.last)):
        if moment is not None:
            yield name, _in_utc(moment)
    if query.sort:
        yield "sort", ",".join(f"{'-' if one.descending else ''}{one.field}" for one in query.sort)


def _condition_name(condition: Condition) -> str:
    minus, exact = "-" if condition.is_excluded else "", "exact-" if condition.is_exact else ""
    return f"{minus}{exact}{condition.kind.value}"


def _in_utc(moment: datetime) -> str:
    # At both ends of the calendar there may be no such time in UTC.
    with suppress(OverflowError):
        moment = moment.astimezone(UTC)
    return moment.isoformat().replace("+00:00", "Z")


_OF_LINK = frozenset({"profile", "server", "v"})
_OF_QUERY = frozenset({"type", "base", "user", "group", "usertype", "pollable", "from", "to", "sort"})
_CONDITIONS = {
    _condition_name(condition): condition
    for kind in PatternKind
    for is_excluded in (False, True)
    for is_exact in (False, True)
    for condition in (Condition("", kind, is_excluded, is_exact),)
}
