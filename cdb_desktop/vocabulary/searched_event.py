"""What a search sees of an event: its stored values, and what its row shows in the language in use."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.foundation.formatting import UNITS
from cdb_desktop.foundation.i18n import Language, language, texts_of
from cdb_desktop.vocabulary.event_errors import explained_error
from cdb_desktop.vocabulary.event_json import Leaf, leaves
from cdb_desktop.vocabulary.event_summary import SIZE_KEYS, SUMMARY, event_summary
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.event_types import type_words

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
