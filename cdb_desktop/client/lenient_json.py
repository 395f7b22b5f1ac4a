"""Reads JSON whose members may be missing, null, unknown or of another type, without raising errors."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate
from typing import Annotated, Any

import msgspec

Members = Mapping[str, msgspec.Raw]
_Reader = Callable[[msgspec.Raw], Any]

BROKEN = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)  # what reading JSON may raise

_ESCAPES = re.compile(
    r"(?P<whole>\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?!u[dD][89a-fA-F]).)"
    r"|\\u[dD][89a-fA-F][\da-fA-F]{2}"
)

_MOST_LEVELS = 500  # of nested objects and arrays
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_LEVELS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(each for each in range(256) if each not in _LEVELS)

# What the parts of an object or array are found by where it is nested too deeply to be read.
_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{},:]', re.DOTALL)

_NO_NUMBERS = re.compile(rb'(?P<text>"(?:[^"\\]|\\.)*")|-?Infinity|NaN')

_utf8 = codecs.getincrementaldecoder("utf-8")
_PIECE = 2**20  # bytes

_Amount = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])
_lists = msgspec.json.Decoder(list[msgspec.Raw])


def document(body: bytes) -> msgspec.Raw | None:
    """``body`` when it is JSON, with what strict readers refuse in strings repaired; None when it is not.

    A document that is nested too deeply is returned unchecked; ``members`` and ``items`` can still read it.
    """
    for attempt in (_as_it_is, _repaired, _spelt):
        try:
            return msgspec.json.decode(attempt(body), type=msgspec.Raw)
        except RecursionError:
            return msgspec.Raw(body) if parts(body) is not None else None
        except BROKEN:
            continue
    return None


def members(raw: msgspec.Raw | bytes | None) -> Members | None:
    """The members of a JSON object, None when it is anything else."""
    try:
        return None if raw is None else _objects.decode(raw)
    except RecursionError:
        pairs = parts(bytes(raw or b""), b"{")
        return None if pairs is None else {key: msgspec.Raw(one) for key, one in pairs}
    except BROKEN:
        return None


def items(raw: msgspec.Raw | bytes | None) -> list[msgspec.Raw] | None:
    """The items of a JSON array, None when it is anything else."""
    try:
        return None if raw is None else _lists.decode(raw)
    except RecursionError:
        pairs = parts(bytes(raw or b""), b"[")
        return None if pairs is None else [msgspec.Raw(one) for _key, one in pairs]
    except BROKEN:
        return None


def is_too_deep(raw: msgspec.Raw | bytes) -> bool:
    """Whether a JSON value is nested too deeply to be read: the limit is the same in all versions of Python.

    What may be read has to be processed by recursive functions too.
    """
    if memoryview(raw).nbytes < 2 * _MOST_LEVELS:
        return False
    text = bytes(raw)
    if text.count(b"[") + text.count(b"{") <= _MOST_LEVELS:
        return False
    marks = _STRINGS.sub(b"", text).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_LEVELS.__getitem__, marks)), default=0) > _MOST_LEVELS


def parts(text: bytes, begins: bytes = b"[{") -> list[tuple[str, bytes]] | None:
    """The members or items of an object or array however deep they are, each unread; None for anything else.

    Items have no key.
    """
    text = text.strip()
    if not text or text[:1] not in (begins[:1], begins[-1:]):
        return None
    is_object = text.startswith(b"{")
    found: list[tuple[str, bytes]] = []
    key, start, depth = b"", 1, 0
    for mark in _MARKS.finditer(text):
        sign = mark[0]
        depth += (sign in b"[{") - (sign in b"]}")
        if depth == 1 and sign == b":" and is_object and not key:
            key, start = text[start : mark.start()].strip(), mark.end()
        elif (depth == 1 and sign == b",") or (not depth and sign in b"]}"):
            part = text[start : mark.start()].strip()
            if is_object and part:
                name = value(msgspec.Raw(key))
                if not isinstance(name, str):
                    return None
                found.append((name, part))
            elif part:
                found.append(("", part))
            key, start = b"", mark.end()
            if not depth:
                return None if text[mark.end() :].strip() else found
    return None


def value(raw: msgspec.Raw | None) -> Any:
    """Any JSON value in Python's types, None for a missing one.

    Its text if it is nested too deeply, or if Python has no such value.
    """
    if raw is None:
        return None
    try:
        return bytes(raw).decode("utf-8", "replace") if is_too_deep(raw) else msgspec.json.decode(raw)
    except BROKEN:
        return bytes(raw).decode("utf-8", "replace")


def mapping(raw: msgspec.Raw | None) -> dict[str, object]:
    """A JSON object in Python's types, an empty one for anything else."""
    found = value(raw)
    return found if isinstance(found, dict) else {}


def amount(raw: msgspec.Raw | None) -> int | None:
    """How many there are of something, as number or text; None for anything that no amount can be."""
    try:
        return None if raw is None else msgspec.json.decode(raw, type=_Amount, strict=False)
    except BROKEN:
        return None


def text(raw: msgspec.Raw | None) -> str:
    """A string unchanged, a number or boolean as written, else None."""
    found = value(raw)
    if isinstance(found, str):
        return found
    return "" if raw is None or found is None or isinstance(found, dict | list) else bytes(raw).decode()


def moment(raw: msgspec.Raw | None) -> datetime | None:
    """A time with its offset, None for anything else."""
    try:
        return None if raw is None else aware(msgspec.json.decode(raw, type=datetime))
    except BROKEN:
        return None


def spelled(raw: msgspec.Raw) -> str:
    """A string unchanged, anything else as JSON."""
    found = value(raw)
    return found if isinstance(found, str) else bytes(raw).decode("utf-8", "replace")


def fields(record: type[msgspec.Struct], found: Members) -> tuple[dict[str, Any], dict[str, object]]:
    """Arguments for ``record`` out of ``found``, and all that finds no place in it. Null is missing."""
    known = _fields_by_key(record)
    arguments: dict[str, Any] = {}
    rest: dict[str, object] = {}
    for key, raw in found.items():
        name, read = known.get(key, ("", _unknown))
        try:
            if bytes(raw) != b"null":
                arguments[name] = read(raw)
        except BROKEN:
            rest[key] = value(raw)
    return arguments, rest


def aware(found: datetime | None) -> datetime | None:
    """A time without offset is read as UTC."""
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found


@cache
def _fields_by_key(record: type[msgspec.Struct]) -> dict[str, tuple[str, _Reader]]:
    return {one.encode_name: (one.name, _reader(one.type)) for one in msgspec.structs.fields(record)}


def _reader(kind: Any) -> _Reader:
    if kind == msgspec.Raw | None:
        return msgspec.Raw.copy
    read = msgspec.json.Decoder(kind, strict=False).decode
    if kind in (str, str | None):
        return lambda raw: text(raw) or read(raw)
    return (lambda raw: aware(read(raw))) if kind == datetime | None else read


def _unknown(_raw: msgspec.Raw) -> Any:
    raise msgspec.ValidationError


def _as_it_is(body: bytes) -> bytes:
    # msgspec looks into strings only when it builds them. Decoded whole, the body would be there twice.
    decoder = _utf8()
    for start in range(0, len(body), _PIECE):
        decoder.decode(body[start : start + _PIECE])
    decoder.decode(b"", final=True)
    return body


def _repaired(body: bytes) -> bytes:
    """Mends halves of surrogate pairs and of UTF-8, as texts that were cut off leave them."""
    text_of_it = body.decode("utf-8-sig", "replace")
    return _ESCAPES.sub(lambda found: found[0] if found["whole"] else "\\ufffd", text_of_it).encode()


def _spelt(body: bytes) -> bytes:
    """Converts numbers that JSON does not support, such as NaN, to strings."""
    return _NO_NUMBERS.sub(lambda found: found["text"] or b'"%b"' % found[0], _repaired(body))
