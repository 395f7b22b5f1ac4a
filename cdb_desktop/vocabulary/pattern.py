"""Searches in all values of an event: words, a phrase, a regular expression, keys with values, or an object.

Words and phrases are also looked for in what the row of the event shows. Conditions combine searches.

Regular expressions are RE2's, which take linear time, so that none can block the program.
In searches such as ``type=OBJECT_* info.reason="not found"`` a value is compared as a whole; ``*`` matches
any text. It ends at the next key, so one that contains an equals sign must be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import UNITS, Language, language, texts_of
from cdb_desktop.vocabulary.error_messages import explained_error
from cdb_desktop.vocabulary.event_json import SHORT_FIELDS, Leaf, leaves
from cdb_desktop.vocabulary.event_summary import SIZE_KEYS, SUMMARY, event_summary
from cdb_desktop.vocabulary.event_types import object_text, type_words, user_text

_WORD = re.compile(r"\w{3,40}")
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_ERROR = b"error"  # in the info of every event whose error can be explained
_ROUNDED = re.compile("|".join(SIZE_KEYS))
_OTHER_TEXTS = ("v", *UNITS)  # versions of objects, units of sizes
_encode = msgspec.json.Encoder().encode


class SearchedEvent:
    """An event with its texts, which are built when a search asks for them: most events are decided before.

    ``record`` is its JSON, with keys in info only and nothing masked: it contains every stored value unless
    it `has_escapes`.
    """

    __slots__ = ("_record", "_shown", "_text", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._record: bytes | None = None
        self._text: str | None = None
        self._shown: tuple[Leaf, ...] | None = None

    @property
    def record(self) -> bytes:
        """The values of the record as JSON."""
        if self._record is None:
            values = msgspec.structs.astuple(self.event)
            self._record = _encode([one for one in values if one is not None])
        return self._record

    @property
    def text(self) -> str:
        """The record as text."""
        if self._text is None:
            self._text = self.record.decode()
        return self._text

    @property
    def has_escapes(self) -> bool:
        """Whether some value is not in the record as it is."""
        return b"\\" in self.record

    @property
    def has_error(self) -> bool:
        """Whether there may be an error that is explained."""
        return _ERROR in self.record and self.event.info is not None

    @property
    def object(self) -> str:
        """The object as printed."""
        return object_text(self.event)

    @property
    def type(self) -> str:
        """The type in words."""
        return type_in_words(self.event.type, language())

    @property
    def words(self) -> set[str]:
        """All words in it, in what its row shows, too; without secrets."""
        texts = [text for _path, text in (*leaves(self.event), *self.shown)]
        return set(_WORD.findall(" ".join([*texts, self.object, self.type])))

    @property
    def shown(self) -> tuple[Leaf, ...]:
        """Everything else that its row shows, with the name of the column."""
        if self._shown is None:
            error = explained_error(self.event) if self.has_error else None
            explained = () if error is None else (("error", error.title), ("error", error.text))
            self._shown = (
                (SUMMARY, event_summary(self.event)),
                ("user", user_text(self.event)),
                *explained,
            )
        return self._shown


@lru_cache(maxsize=1024)
def type_in_words(event_type: str, chosen: Language) -> str:
    """``deleted`` for ``OBJECT_DELETE``; empty for unknown types."""
    return next(iter(type_words(event_type, chosen)), "")


class ShownText:
    """A quick test whether what a row shows may contain a text that is in no stored value.

    A run of letters in it is either in a value or in a text of the program, such as "Deleted {object}";
    digits are in a value unless a size was rounded.
    """

    def __init__(self, text: str) -> None:
        letters = max(_LETTERS.findall(text), key=len, default="")
        run = letters or max(_DIGITS.findall(text), key=len, default="")
        self._letters = letters.casefold()
        self._is_number = bool(run) and not letters
        # The whole text is in no value already.
        self._run = None if run == text else re.compile(re.escape(run), re.IGNORECASE)

    def may_be_in(self, event: SearchedEvent) -> bool:
        """Whether the row may show the text; may return True too often."""
        if event.has_error or event.has_escapes or (self._run is not None and self._run.search(event.text)):
            return True
        if self._is_number:
            return _ROUNDED.search(event.text) is not None
        return self._letters in event.type.casefold() or _is_fixed(self._letters, language())


@lru_cache(maxsize=1024)
def _is_fixed(letters: str, chosen: Language) -> bool:
    return any(letters in text for text in _fixed_texts(chosen))


@lru_cache(maxsize=2)
def _fixed_texts(chosen: Language) -> tuple[str, ...]:
    return tuple(text.casefold() for text in (*texts_of("event-summary", chosen), *_OTHER_TEXTS))


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
    ends: re.Pattern[str] | None = None
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
        self.pairs: tuple[KeyValue, ...] = parse_key_values(text) if kind is PatternKind.KEY else ()
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
            return any(pair.path not in _SHORT for pair in self.pairs)
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


# Fields of short records (wire §3), with those of the user.
_SHORT = frozenset((*SHORT_FIELDS, "session_self", "user._id", "user._generated_displayname"))
_ADDRESSES = frozenset({"ipv4_address", "remote_addr"})  # names of one field
_OWN = _SHORT | {"pollable", "system_object_id"} | _ADDRESSES  # names that always mean the field
_ALSO = {"user": "user._generated_displayname"}
_PAIR = re.compile(
    r'\s*(?P<key>[^\s="][^="]*?)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>.*?))\s*(?=\Z|\s[^\s="]+\s*=)',
    re.DOTALL,
)
_STAR = re.compile(r"(?<!\\)\*")
_WRITTEN = re.compile(r'\\([*"])')


class KeyValue(msgspec.Struct, frozen=True):
    """A key with the pieces of its value, between which any text matches."""

    key: str
    pieces: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path of the field, empty if any value of this name matches."""
        folded = self.key.casefold()
        path = _ALSO.get(folded, folded)
        return path if path in _OWN else ""

    @property
    def is_whole(self) -> bool:
        """Whether the value contains no ``*``."""
        return len(self.pieces) == 1

    def ends(self) -> re.Pattern[str]:
        """The expression for the paths of this key."""
        if self.path in _ADDRESSES:
            return re.compile("|".join(_ADDRESSES))
        if self.path == _ALSO["user"]:
            return re.compile(rf"user\.(?:group\.)?{_ALSO['user'].removeprefix('user.')}")
        if self.path:
            return re.compile(re.escape(self.path))
        pieces = (re.escape(piece) for piece in _STAR.split(self.key))
        return re.compile(rf"(?:.*\.)?{'.*'.join(pieces)}", re.IGNORECASE | re.DOTALL)


def parse_key_values(text: str) -> tuple[KeyValue, ...]:
    """All pairs of what was typed. Raises PatternError."""
    result: list[KeyValue] = []
    place = 0
    while place < len(text) or not result:
        found = _PAIR.match(text, place)
        if found is None:
            raise PatternError
        value = found["plain"] if found["quoted"] is None else found["quoted"]
        pieces = tuple(_WRITTEN.sub(r"\1", piece) for piece in _STAR.split(value))
        result.append(KeyValue(found["key"], pieces))
        place = found.end()
    return tuple(result)


def key_value_text(key: str, value: object) -> str:
    """The search for exactly this value of ``key``."""
    text = re.sub(r'([*"])', r"\\\1", str(value))
    return f'{key}="{text}"' if re.search(r"[\s=\\]", text) else f"{key}={text}"


class Condition(msgspec.Struct, frozen=True):
    """What an event must contain, or must not if ``is_excluded``; case counts only if ``is_exact``.

    ``text`` is written as `Pattern` reads it. Field names are part of file formats.
    """

    text: str
    kind: PatternKind = PatternKind.TEXT
    is_excluded: bool = False
    is_exact: bool = False


class NearMiss(msgspec.Struct, frozen=True):
    """The only condition that an event fails, and the words of it that are missing."""

    condition: Condition
    missing: tuple[str, ...]
    event: SearchedEvent


class EventMatcher:
    """Tests events for several conditions, all of which must hold."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        """Raises PatternError if a condition is no valid expression or lacks a key."""
        self._tests = [(one, Pattern(one.text, one.kind, exact=one.is_exact)) for one in conditions]
        # Objects are fields of short records, which are tested faster than anything else.
        self._tests.sort(key=lambda test: test[1].needs_whole)

    @property
    def needs_whole(self) -> bool:
        """Whether full records are needed."""
        return any(pattern.needs_whole for _, pattern in self._tests)

    def matches(self, event: Event) -> bool:
        """Whether all conditions hold."""
        return not self._tests or not self._failures(SearchedEvent(event), 1)

    def failing(self, event: Event) -> NearMiss | bool:
        """Whether some conditions fail, or the only one that does."""
        searched = SearchedEvent(event)
        failures = self._failures(searched, 2)
        if len(failures) != 1:
            return bool(failures)
        condition, pattern = failures[0]
        is_words = pattern.kind is PatternKind.WORDS and not condition.is_excluded
        missing = dict.fromkeys(pattern.missing_words(searched)) if is_words else ()
        return NearMiss(condition, tuple(missing), searched)

    def _failures(self, event: SearchedEvent, most: int) -> list[tuple[Condition, Pattern]]:
        """The first conditions that do not hold."""
        failures = []
        for one, pattern in self._tests:
            if (pattern.find_in(event) is None) is not one.is_excluded:
                failures.append((one, pattern))
                if len(failures) == most:
                    break
        return failures

    def places(self, text: str, event_type: str = "") -> list[tuple[int, int]]:
        """The ranges of a displayed text to highlight: what the conditions that are not excluded look for.

        All of it where it is the ``event_type``, which contains a word in the language of the window only.
        """
        shown = [pattern for one, pattern in self._tests if not one.is_excluded]
        found = _merged(place for pattern in shown for place in pattern.places_in(text))
        if event_type and not found and any(pattern.shows_type(event_type) for pattern in shown):
            return [(0, len(text))]
        return found


def _merged(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in their order, without overlaps."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if found and first < found[-1][1]:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def object_condition(event: Event) -> Condition:
    """The condition for all events of the object of an event, of any version.

    The global id is used only if there is no other key, since not every event of an object has it.
    """
    is_named = event.object_id is not None and (event.objecttype or event.basetype)
    if event.global_object_id and not is_named:
        return Condition(key_value_text("global_object_id", event.global_object_id), PatternKind.KEY)
    return Condition(object_text(replace(event, object_version=None)), PatternKind.OBJECT)
