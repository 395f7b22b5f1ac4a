"""Translates all user-visible text and formats the numbers in it. Times: `vocabulary.times`.

``tr(text, **values)`` is the only way to produce user-visible text. The English text in the code is the key.
The German texts are in ``resources/translations/de``: ``{English: German}``, or where one English text has
several meanings ``{English: {context: German}}`` with the ``context=`` of the call.

Texts contain ``{name}`` for each value. ``{name:one|other}`` chooses the form that fits the number ``name``:
``one`` for exactly 1, else ``other``; a form may contain further placeholders::

    tr("{count:One event|{count} events} deleted by {user}", count=1200, user="root")

Integers and floats are formatted for the locale in use (1,200 or 1.200); floats may have a precision
(``{seconds:.1f}``). Versions, years and ids that are not quantities are passed as ``str``.
"""

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from cdb_desktop.foundation.bundle import resource

Language = Literal["en", "de"]
NumberFormat = Callable[[float, int], str]

_FOLDER = "translations/de"
_PLURAL = "|"


class Message(msgspec.Struct, frozen=True):
    """A text that is translated when it is shown: ``str(message)`` returns it in the current language.

    For results that outlive a change of the language, such as the findings of a validation. ``values`` may
    contain further messages.
    """

    text: str
    values: Mapping[str, object] = msgspec.field(default_factory=dict)
    context: str = ""

    def __str__(self) -> str:
        return _fill(_translated(self.text, self.context), self.values)


def tr(text: str, /, *, context: str = "", **values: object) -> str:
    """``text`` in the language in use, its placeholders filled with ``values``.

    ``text`` is a literal, or was marked with `mark`. Texts without a translation stay English.
    Raises KeyError if a placeholder has no value.
    """
    return _fill(_translated(text, context), values)


def tr_in_both(text: str, /) -> tuple[str, str]:
    """A text that was marked with `mark`, in the language in use and in the other one."""
    english, german = text, str(german_texts().get(text, text))
    return (german, english) if language() == "de" else (english, german)


def message(text: str, /, *, context: str = "", **values: object) -> Message:
    """The `Message` for ``text``; arguments as for `tr`."""
    return Message(text, values, context)


def mark(text: str) -> str:
    """``text`` unchanged; marks a constant that is translated later, so that tests find it."""
    return text


def number_text(value: float, decimals: int = 0) -> str:
    """``value`` with the separators of the locale in use, for quantities and for ids of events."""
    return _current.format_number(value, decimals)


def language() -> Language:
    """The language in use."""
    return _current.language


def use_language(chosen: Language, format_number: NumberFormat) -> None:
    """Translates into ``chosen`` from now on; ``format_number(value, decimals)`` formats for its locale."""
    _current.language = chosen
    _current.texts = german_texts() if chosen == "de" else {}
    _current.format_number = format_number


@lru_cache(maxsize=1)
def german_texts() -> Mapping[str, str | Mapping[str, str]]:
    """The German texts of all files by their English text.

    Raises OSError if a file cannot be read and ValueError if it does not have the expected form.
    """
    texts: dict[str, str | Mapping[str, str]] = {}
    for file in sorted(resource(_FOLDER).glob("*.json")):
        texts.update(msgspec.json.decode(file.read_bytes(), type=dict[str, str | dict[str, str]]))
    return texts


@lru_cache(maxsize=8)
def texts_of(file: str, chosen: Language) -> tuple[str, ...]:
    """All texts in a file of translations such as ``event-summary``, in a language."""
    content = resource(f"{_FOLDER}/{file}.json").read_bytes()
    texts = msgspec.json.decode(content, type=dict[str, str])
    return tuple(texts.values() if chosen == "de" else texts)


def _english_number(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"


class _Current:
    """The language in use and what belongs to it."""

    def __init__(self) -> None:
        self.language: Language = "en"
        self.texts: Mapping[str, str | Mapping[str, str]] = {}
        self.format_number: NumberFormat = _english_number


_current = _Current()


def _translated(text: str, context: str) -> str:
    found = _current.texts.get(text, text)
    return found if isinstance(found, str) else found.get(context, text)


def _fill(text: str, values: Mapping[str, object]) -> str:
    if "{" not in text and "}" not in text:
        return text
    return "".join(
        literal + ("" if name is None else _shown(values[name], form, values))
        for literal, name, form in _parts(text)
    )


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[tuple[str, str | None, str], ...]:
    return tuple((literal, name, form or "") for literal, name, form, _ in string.Formatter().parse(text))


def _shown(value: object, form: str, values: Mapping[str, object]) -> str:
    if _PLURAL in form:
        one, _, other = form.partition(_PLURAL)
        return _fill(one if value == 1 else other, values)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return visible(str(value))
    if form:
        return number_text(value, int(form.removeprefix(".").removesuffix("f")))
    if isinstance(value, int):
        return number_text(value)
    decimals = len(f"{value:g}".partition(".")[2]) if "e" not in f"{value:g}" else 0
    return number_text(value, decimals)


# Marks, embeddings, overrides and isolates of the bidirectional algorithm, and what has no width.
_HIDDEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """A name with a mark such as ⟦U+202E⟧ for each bidirectional control and invisible character.

    Joiners are left as they are, since words of some languages are written with them.
    """
    if text.isascii():
        return text
    return _HIDDEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def folded(text: str) -> str:
    """``text`` without case and accents, for comparisons."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")
_STEP = 1000


def size_text(size: int) -> str:
    """``12.4 kB`` for a number of bytes, in decimal units."""
    if size < _STEP:
        return tr("{size} bytes", size=size)
    value, unit = size / _STEP, 0
    while value >= _STEP and unit < len(UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{number_text(value, 1)} {UNITS[unit]}"
