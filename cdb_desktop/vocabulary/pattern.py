"""Searches in all values of an event: words, a phrase, a regular expression, keys with values, or an object.

Words and phrases are also looked for in what the row of the event shows; see `SearchedEvent`.

Regular expressions are RE2's, which take linear time, so that none can block the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import language
from cdb_desktop.vocabulary.event_json import leaves
from cdb_desktop.vocabulary.key_values import SHORT, Expression, KeyValue, KeyValueError, parse_key_values
from cdb_desktop.vocabulary.searched_event import SearchedEvent, ShownText, type_in_words

# An escaped character or a class of characters, but no anchor.
_ONE = re.compile(r"\\[^AzQ]|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]")
_ANCHORED = re.compile(r"[\\^$]")  # anchors
_ESCAPED = re.compile(r'[\\"\x00-\x1f]')  # characters that JSON escapes
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")  # look-ahead and look-behind
_BACK_REFERENCE = re.compile(r"invalid escape sequence: \\\d")  # a back-reference
_CONTEXT = 40  # characters shown before a match
_MOST = 400  # characters of an excerpt; a value may be a whole document

Quick: TypeAlias = Callable[[SearchedEvent], bool]


class Match(Protocol):
    """A match of either regular expression library."""

    def start(self, group: int = 0, /) -> int: ...
    def end(self, group: int = 0, /) -> int: ...


class Matcher(Protocol):
    """A compiled expression of either library, for text or bytes."""

    def search(self, text: Any, /) -> Match | None: ...


class UnsupportedSyntax(Enum):
    """Syntax of other libraries that RE2 does not support."""

    LOOK_AROUND = "look around"
    BACK_REFERENCE = "back reference"


class PatternError(ValueError):
    """An invalid pattern; ``reason`` is RE2's, or empty if a key or ``=`` is missing."""

    def __init__(self, reason: str = "", unsupported: UnsupportedSyntax | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.unsupported = unsupported


def check_expression(text: str) -> None:
    """Raises PatternError if ``text`` is not a regular expression of RE2."""
    _expression(text, exact=True)


def whole_text_matcher(text: str) -> Matcher:
    """A matcher for texts that fit an expression from their beginning to their end. Raises PatternError."""
    check_expression(text)
    return _expression(rf"\A(?:{text})\z", exact=True)


class PatternKind(Enum):
    """How the text of a search is interpreted; TEXT is a phrase, of WORDS all are required in any order."""

    WORDS = "words"
    TEXT = "text"
    REGEX = "regex"
    KEY = "key"
    OBJECT = "object"


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A match: the path of the value, an excerpt of it, and the range of the match in the excerpt."""

    event: Event
    path: str
    piece: str
    first: int
    last: int


class _Wanted(msgspec.Struct, frozen=True):
    """One value to be searched, at the paths that match ``ends``, or at any path if that is None.

    ``shown``: also in what the row shows.
    """

    value: Matcher
    quick: Quick | None
    shown: ShownText | None = None
    ends: Expression | None = None
    group: int = 0

    def find(self, path: str, text: str) -> Match | None:
        """The match in ``text``, or None."""
        if self.ends is not None and self.ends.fullmatch(path) is None:
            return None
        return self.value.search(text)

    def may_be_stored(self, event: SearchedEvent) -> bool:
        """Whether a stored value may match, judged by the JSON, which is fast; may return True too often."""
        return self.quick is None or event.has_escapes or self.quick(event)

    def may_match(self, event: SearchedEvent) -> bool:
        """Whether anything may match."""
        return self.may_be_stored(event) or (self.shown is not None and self.shown.may_be_in(event))


class Pattern:
    """A search; case-sensitive only if ``exact``. Of several key-value pairs all must match.

    An object is written as tables show it, with or without version and id: ``work 1042 v3``, ``work 1042``,
    ``work`` or ``1042``.
    """

    def __init__(self, text: str, kind: PatternKind = PatternKind.TEXT, *, exact: bool = False) -> None:
        """Raises PatternError."""
        self.text, self.kind, self.exact = text, kind, exact
        self.pairs: tuple[KeyValue, ...] = _pairs(text) if kind is PatternKind.KEY else ()
        if self.pairs:
            self._wanted = [_of_pair(pair, exact=exact) for pair in self.pairs]
        elif kind is PatternKind.REGEX:
            matcher = _expression(text, exact=exact)
            self._wanted = [_Wanted(matcher, _quick_expression(text, matcher))]
        else:
            texts = (text.split() or [text]) if kind is PatternKind.WORDS else [text]
            self._wanted = [_of_text(one, exact=exact) for one in texts]
        self._object = _object(text, exact=exact) if kind is PatternKind.OBJECT else None

    @property
    def needs_whole(self) -> bool:
        """Whether full records are needed."""
        if self.pairs:
            return any(pair.path not in SHORT for pair in self.pairs)
        return self.kind is not PatternKind.OBJECT

    def places_in(self, text: str) -> list[tuple[int, int]]:
        """The ranges in one displayed text that show what is searched for; empty ones are left out."""
        if self._object is not None:
            found = self._object.search(text)
            return [] if found is None else [(found.start(), found.end())]
        matchers = [_plain(max(pair.pieces, key=len), exact=self.exact) for pair in self.pairs]
        places = [
            place
            for matcher in matchers or [one.value for one in self._wanted]
            for place in _places(matcher, text)
        ]
        return [(first, last) for first, last in places if first < last]

    def shows_type(self, event_type: str) -> bool:
        """Whether a type in words shows what is searched for: ``deleted`` for ``OBJECT_DELETE``."""
        words = type_in_words(event_type, language())
        return any(one.shown is not None and one.value.search(words) for one in self._wanted)

    def find(self, event: Event) -> Hit | None:
        """The first match, of several values that of the last one; None if the event does not match.

        Also searches the text of the object (``work 1042 v3``), which tables show.
        """
        return self.find_in(SearchedEvent(event))

    def find_in(self, event: SearchedEvent) -> Hit | None:
        """As `find`, for an event that several patterns search."""
        if self._object is not None:
            match = self._object.search(event.object)
            return None if match is None else _hit(event.event, "object", event.object, match, 0)
        found = self._found(event, self._wanted)
        if len(found) < len(self._wanted):
            return None
        last = len(found) - 1
        return _hit(event.event, *found[last], self._wanted[last].group)

    def missing_words(self, event: SearchedEvent) -> list[str]:
        """Those of several words that the event does not contain."""
        words = self.text.split()
        return [
            word
            for word, one in zip(words, self._wanted, strict=True)
            if len(words) == 1 or not self._found(event, [one])
        ]

    def _found(self, event: SearchedEvent, wanted: Sequence[_Wanted]) -> dict[int, tuple[str, str, Match]]:
        """The matches by the place in ``wanted``; incomplete or empty if one of them has none."""
        for one in wanted:
            if not one.may_match(event):
                return {}
        found: dict[int, tuple[str, str, Match]] = {}
        sees_rows = wanted[0].shown is not None

        def look_in(path: str, text: str) -> bool:
            """Whether everything has been found."""
            for place, one in enumerate(wanted):
                if place not in found and (match := one.find(path, text)) is not None:
                    found[place] = (path, text, match)
            return len(found) == len(wanted)

        if sees_rows and (look_in("object", event.object) or look_in("type", event.type)):
            return found
        if any(one.may_be_stored(event) for place, one in enumerate(wanted) if place not in found):
            record = event.event if self.needs_whole else replace(event.event, info=None)
            if any(look_in(path, text) for path, text in leaves(record)):
                return found
        # Built last, as it takes longest.
        if sees_rows:
            any(look_in(path, text) for path, text in event.shown)
        return found


def _places(matcher: Matcher, text: str) -> Iterator[tuple[int, int]]:
    place = 0
    while place < len(text) and (found := matcher.search(text[place:])) is not None:
        yield place + found.start(), place + found.end()
        # An expression may match nothing.
        place += max(1, found.end())


def _pairs(text: str) -> tuple[KeyValue, ...]:
    try:
        return parse_key_values(text)
    except KeyValueError:
        raise PatternError from None


def _of_text(text: str, *, exact: bool) -> _Wanted:
    return _Wanted(_plain(text, exact=exact), _quick_text(text, exact=exact), ShownText(text))


def _of_pair(pair: KeyValue, *, exact: bool) -> _Wanted:
    value, group = _whole(pair.pieces, exact=exact)
    longest = max(pair.pieces, key=len)
    quick = _quick_text(longest, exact=exact) if longest else None
    return _Wanted(value, quick, ends=pair.ends(), group=group)


def _whole(pieces: Sequence[str], *, exact: bool) -> tuple[Matcher, int]:
    """An expression for values of ``pieces`` with any text between them, and its group to be shown."""
    if len(pieces) == 1 or not any(pieces):
        text = rf"\A{re.escape(pieces[0])}\Z" if len(pieces) == 1 else ".*"
        return re.compile(text, _flags(exact=exact)), 0
    before = "" if pieces[0] else ".*?"
    after = "" if pieces[-1] else ".*"
    shown = ".*".join(_escaped(piece) for piece in pieces if piece)
    return _expression(rf"(?s)\A{before}({shown}){after}\z", exact=exact), 1


def _escaped(text: str) -> str:
    """``text`` escaped for both libraries."""
    return re.sub(r"([!-/:-@\[-^`{-~])", r"\\\1", text)


def _quick_text(text: str, *, exact: bool) -> Quick | None:
    """A fast test that all matching records pass, or None."""
    if _ESCAPED.search(text):
        return None
    plain = _plain(text, exact=exact)
    return lambda event: bool(plain.search(event.text))


def _quick_expression(text: str, matcher: Matcher) -> Quick | None:
    if _ANCHORED.search(_ONE.sub("", text)):
        return None
    return lambda event: bool(matcher.search(event.record))


def _plain(text: str, *, exact: bool) -> Matcher:
    return re.compile(re.escape(text), _flags(exact=exact))


def _object(text: str, *, exact: bool) -> Matcher:
    words = " ".join(text.split())
    before, after = (r"(?:\S+ )?", r"(?: v\d+)?") if words.isdecimal() else ("", "(?: .*)?")
    return re.compile(rf"\A{before}{re.escape(words)}{after}\Z", _flags(exact=exact))


def _flags(*, exact: bool) -> re.RegexFlag:
    return re.RegexFlag.DOTALL if exact else re.RegexFlag.DOTALL | re.RegexFlag.IGNORECASE


def _expression(text: str, *, exact: bool) -> Matcher:
    import re2  # noqa: PLC0415  # not needed for a text search

    options = re2.Options()
    options.case_sensitive = exact
    options.log_errors = False
    try:
        found: Matcher = re2.compile(text, options)  # type: ignore[no-untyped-call]
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        message = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(message or "?", _unsupported_syntax(text, message)) from error
    return found


def _unsupported_syntax(text: str, message: str) -> UnsupportedSyntax | None:
    if "perl operator" in message and _LOOK_AROUND.search(text):
        return UnsupportedSyntax.LOOK_AROUND
    return UnsupportedSyntax.BACK_REFERENCE if _BACK_REFERENCE.search(message) else None


def _hit(event: Event, path: str, text: str, found: Match, group: int) -> Hit:
    first, last = found.start(group), found.end(group)
    start = max(0, first - _CONTEXT)
    before = "…" if start else ""
    piece = f"{before}{text[start : min(last + 4 * _CONTEXT, start + _MOST)]}"
    shift = len(before) - start
    return Hit(event, path, re.sub(r"\s", " ", piece), first + shift, min(last + shift, len(piece)))
