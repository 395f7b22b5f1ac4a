"""What is looked for in every value of an event: a text, a regular expression, or a key with a value. No I/O.

Expressions are RE2's: none takes longer than its text is long, so that nothing typed can stop the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol, TypeAlias

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.leaves import leaves

# An escaped character that is no anchor, or a class of some: neither tells anything about places.
_ONE = re.compile(r"\\[^AzQ]|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]")
_ANCHORED = re.compile(r"[\\^$]")  # what may match at the end of a value and nowhere in the middle
_ESCAPED = re.compile(r'[\\"\x00-\x1f]')  # what JSON writes in another way
_CONTEXT = 40  # characters shown before a match
_encode = msgspec.json.Encoder().encode

Quick: TypeAlias = Callable[[bytes], bool]


class Match(Protocol):
    """Where something was found."""

    def start(self) -> int: ...
    def end(self) -> int: ...


class Matcher(Protocol):
    """What finds something in a text; expressions take bytes of it too."""

    def search(self, text: Any, /) -> Match | None: ...


class PatternError(ValueError):
    """What was typed cannot be looked for; ``reason`` says why, empty where there is no key or no ``=``."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Kind(Enum):
    """How what was typed is meant."""

    TEXT = "text"
    REGEX = "regex"
    KEY = "key"


class Hit(msgspec.Struct, frozen=True, gc=False):
    """Where an event matched: the path, a piece of the value, and the match within that piece."""

    event: Event
    path: str
    piece: str
    first: int
    last: int


class Pattern:
    """Something to look for; upper and lower case count only if ``exact``."""

    def __init__(self, text: str, kind: Kind = Kind.TEXT, *, exact: bool = False) -> None:
        """Raises PatternError."""
        key, equals, value = text.partition("=") if kind is Kind.KEY else ("", "", text)
        if kind is Kind.KEY and (not key.strip() or not equals):
            raise PatternError
        self._key = key.strip().casefold()
        self._value = _matcher(value.strip() if self._key else value, kind, exact=exact)
        self._quick = self._quick_one(value.strip() if self._key else value, kind, exact=exact)

    def find(self, event: Event) -> Hit | None:
        """The first value that matches, None if none does."""
        if self._quick is not None and not _may_match(event, self._quick):
            return None
        for path, text in leaves(event):
            if self._key and not self._is_key(path):
                continue
            found = self._value.search(text)
            if found is not None:
                return _hit(event, path, text, found)
        return None

    def _is_key(self, path: str) -> bool:
        folded = path.casefold()
        return folded == self._key or folded.endswith(f".{self._key}")

    def _quick_one(self, text: str, kind: Kind, *, exact: bool) -> Quick | None:
        """What all records have that match, None where only the values by themselves can tell."""
        if kind is Kind.REGEX:
            matches: Matcher = self._value
            return (
                None if _ANCHORED.search(_ONE.sub("", text)) else lambda record: bool(matches.search(record))
            )
        if _ESCAPED.search(text) or (kind is Kind.KEY and text == "*"):
            return None
        plain = _matcher(text, Kind.TEXT, exact=exact)
        return lambda record: bool(plain.search(record.decode()))


def _may_match(event: Event, quick: Quick) -> bool:
    """Looks at all values at once, as JSON, which takes little of the time; may say yes too often."""
    record = _encode([value for value in msgspec.structs.astuple(event) if value is not None])
    return b"\\" in record or quick(record)


def _matcher(text: str, kind: Kind, *, exact: bool) -> Matcher:
    flags = re.RegexFlag.DOTALL if exact else re.RegexFlag.DOTALL | re.RegexFlag.IGNORECASE
    if kind is Kind.REGEX:
        return _expression(text, exact=exact)
    if kind is Kind.KEY:
        return re.compile(".*" if text == "*" else rf"\A{re.escape(text)}\Z", flags)
    return re.compile(re.escape(text), flags)


def _expression(text: str, *, exact: bool) -> Matcher:
    import re2  # noqa: PLC0415  # not needed by those who look for a text

    options = re2.Options()
    options.case_sensitive = exact
    options.log_errors = False
    try:
        found: Matcher = re2.compile(text, options)  # type: ignore[no-untyped-call]
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        told = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(told or "?") from error
    return found


def _hit(event: Event, path: str, text: str, found: Match) -> Hit:
    start = max(0, found.start() - _CONTEXT)
    before = "…" if start else ""
    piece = f"{before}{text[start : found.end() + 4 * _CONTEXT]}"
    shift = len(before) - start
    return Hit(event, path, re.sub(r"\s", " ", piece), found.start() + shift, found.end() + shift)
