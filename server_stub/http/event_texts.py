"""What both generations do with events: their order, pages, CSV, and the checks of inserted ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import IO, Any

import msgspec

from server_stub.database import Reader
from server_stub.events import CsvOptions, EventQuery, RecordForm, SortField
from server_stub.events.csv_page import MAX_COLUMNS, TooManyColumnsError, csv_chunks
from server_stub.foundation.errors import ApiError
from server_stub.http.parameters import ParameterType, listed
from server_stub.http.responses import spooled

# What an inserted event may hold: its info as JSON, the levels of objects and lists in it, any other text.
MAX_INFO_BYTES = 32 << 10
MAX_LEVELS = 64
MAX_CHARACTERS = 255


def sorted_by(names: Collection[str]) -> ParameterType[tuple[SortField, ...]]:
    """Some of the named fields, each with a direction.

    Repeated fields are dropped: they have no effect, and databases limit the number of fields.
    """

    def read_field(text: str) -> SortField:
        name, _, direction = text.partition(".")
        if name not in names:
            raise ValueError(f"cannot sort by {name!r}, only by {', '.join(names)}")
        if "." in text and direction.upper() not in {"ASC", "DESC"}:
            raise ValueError(f"{direction!r} is neither ASC nor DESC")
        return SortField(name, descending=direction.upper() == "DESC")

    pattern = f"^({'|'.join(names)})([.](ASC|DESC))?$"
    fields = listed(ParameterType(read_field, {"type": "string", "pattern": pattern}))

    def read(text: str) -> tuple[SortField, ...]:
        found: dict[str, SortField] = {}
        for field in fields.read(text):
            found.setdefault(field.name, field)
        return tuple(found.values())

    return ParameterType(read, fields.schema)


def csv_body(
    reader: Reader,
    instance: str,
    query: EventQuery,
    options: CsvOptions,
    form: RecordForm = RecordForm.FULL,
) -> bytes | IO[bytes]:
    """A page of events as CSV. Raises ApiError if exploded infos have too many keys."""
    try:
        return spooled(csv_chunks(reader, instance, query, options, form))
    except TooManyColumnsError:
        raise ApiError(
            "invalid_value",
            f"csv_explode: the infos of these events have more than {MAX_COLUMNS} keys, too many for "
            "columns. Leave csv_explode out or list fewer events.",
        ) from None


def page_parts(members: bytes, found: Iterator[bytes], *, pretty: bool) -> Iterator[bytes]:
    """The JSON object of a page: these members and `objects`; in pieces, indented or not."""
    if not pretty:
        yield b'{%b,"objects":[' % members
        yield from _separated(found, b",")
        yield b"]}"
        return
    # The text that msgspec would produce for the whole object.
    opening = msgspec.json.format(b"{%b}" % members, indent=1).removesuffix(b"\n}")
    yield opening + b',\n "objects": ['
    is_empty = True
    for piece in found:
        lines = msgspec.json.format(b"[%b]" % piece, indent=1).removesuffix(b"\n]")
        yield (b"" if is_empty else b",") + lines[1:].replace(b"\n", b"\n ")
        is_empty = False
    yield b"]\n}" if is_empty else b"\n ]\n}"


def _separated(pieces: Iterator[bytes], comma: bytes) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        if number:
            yield comma
        yield piece


def check_value(name: str, value: object, kind: type) -> None:
    """Raises ApiError for an attribute of an inserted event that is of another type, or too large."""
    if type(value) is not kind:
        raise ApiError("type_mismatch", f"{name} must be of type {kind.__name__}.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ApiError("invalid_value", f"{name} is out of range.")
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        raise ApiError("invalid_value", f"{name} is longer than {MAX_CHARACTERS} characters.")
    if isinstance(value, str) and "\0" in value:
        raise ApiError("invalid_value", f"{name} holds a character that no database takes.")


def info_text(info: dict[str, Any]) -> str:
    """Returns the checked info: lists return a thousand at once, and some clients cannot read deep JSON."""
    if _depth_is_over(info, MAX_LEVELS):
        raise ApiError("invalid_value", f"info is nested more than {MAX_LEVELS} levels deep.")
    try:
        text = msgspec.json.encode(info)
    except OverflowError as error:
        raise ApiError("invalid_value", f"info holds a number that is too large: {error}.") from error
    if len(text) > MAX_INFO_BYTES:
        raise ApiError("invalid_value", f"info takes {len(text)} bytes as JSON, more than {MAX_INFO_BYTES}.")
    return text.decode()


def _depth_is_over(value: object, levels: int) -> bool:
    """Whether objects and lists are nested more than this many levels deep."""
    level = [value]
    for _ in range(levels):
        # Keys are texts, so only the values of an object can go deeper.
        inner: Iterator[Any] = (
            each.values() if isinstance(each, dict) else each for each in level if _is_container(each)
        )
        level = [each for values in inner for each in values]
        if not level:
            return False
    return any(map(_is_container, level))


def _is_container(value: object) -> bool:
    return isinstance(value, dict | list)
