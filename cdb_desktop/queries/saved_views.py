"""Named views: query and columns under a name, the file that stores them, and files to share."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
from filelock import BaseFileLock
from msgspec.structs import replace

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.foundation.files import lock_of, or_earlier, set_aside, write_whole
from cdb_desktop.queries.query import (
    VERSIONS,
    Query,
    format_version,
    invalid_value,
    is_valid_query,
    without_filters,
)
from cdb_desktop.vocabulary.event_summary import SUMMARY
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimeSpan

VIEWS_FILE = "views-2.json"  # next to the settings
MAX_NAME_LENGTH = 60  # characters: names are shown in menus and beside the filters
_LOCK_TIMEOUT = 5.0  # seconds
_EARLIER_COLUMNS = ("id", "time", "type", "user", "object")  # the default ones before there was a summary
_WIDTHS = range(24, 2001)  # pixels; with any other width the column or those after it would be out of sight


class ColumnState(msgspec.Struct, frozen=True):
    """A column by its name, such as ``type`` or ``info.limit``. Field names are part of the file format.

    ``width`` is in pixels, 0 for the default. ``pinned`` columns stay at the left while others are scrolled.
    """

    name: str
    width: int = 0
    shown: bool = True
    pinned: bool = False


class SavedSearch(msgspec.Struct, frozen=True):
    """A search as earlier versions stored it: in the result, its loaded rows, or the whole log."""

    text: str
    kind: PatternKind = PatternKind.TEXT
    exact: bool = False
    scope: Literal["result", "loaded", "log"] = "result"

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The same search as conditions of a query."""
        return (Condition(self.text, self.kind, is_exact=self.exact),)


class SavedView(msgspec.Struct, frozen=True):
    """A named view; ``columns`` are in display order, empty for the default ones.

    Files of earlier versions may have a ``search``, which `sanitized` makes a part of the query.
    """

    name: str
    query: Query = Query()
    columns: tuple[ColumnState, ...] = ()
    search: SavedSearch | None = None


class ViewStore:
    """The views of one profile in a file that several windows may change at the same time."""

    def __init__(self, file: Path, earlier: Callable[[], str] = str) -> None:
        """``earlier`` returns what an earlier version stored elsewhere, if there is no file."""
        self._file, self._earlier = file, earlier

    def read(self) -> tuple[SavedView, ...]:
        """The stored views. Those of a damaged file that can be read replace it. Raises OSError."""
        content = self._content()
        found = _decode(content)
        if not found.is_damaged:
            return found.views
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._lock():
            content = self._content()
            found = _decode(content)
            if found.is_damaged:
                if not self._file.exists():
                    write_whole(self._file, content)
                if set_aside(self._file, "views that cannot be read") is None:
                    # A damaged file is never overwritten.
                    raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(self._file))
                write_whole(self._file, encode_views(found.views).encode())
        return found.views

    def change(self, change: Callable[[tuple[SavedView, ...]], tuple[SavedView, ...]]) -> None:
        """Stores what ``change`` makes of the views that are stored now. Raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self.read()
        with self._lock():
            before = _decode(self._content()).views
            write_whole(self._file, encode_views(change(before)).encode())

    def _content(self) -> bytes:
        try:
            return or_earlier(self._file).read_bytes()
        except FileNotFoundError:
            return self._earlier().encode("utf-8", "replace") or b"[]"

    def _lock(self) -> BaseFileLock:
        return lock_of(self._file, _LOCK_TIMEOUT)


def encode_views(views: tuple[SavedView, ...]) -> str:
    """The content of the file."""
    return msgspec.json.encode(views).decode()


def with_view(views: tuple[SavedView, ...], view: SavedView) -> tuple[SavedView, ...]:
    """The views with ``view`` added or, if there is one of its name, replaced; sorted by name."""
    others = [one for one in views if one.name != view.name]
    return tuple(sorted((*others, view), key=lambda one: one.name.casefold()))


def with_unique_name(views: tuple[SavedView, ...], view: SavedView) -> SavedView:
    """``view`` named ``name (2)`` and so on if another view has its name but not its content."""
    taken = {one.name: one for one in views}
    name, number = view.name, 1
    while name in taken and taken[name] != replace(view, name=name):
        number += 1
        suffix = f" ({number})"
        name = single_line(view.name, MAX_NAME_LENGTH - len(suffix)) + suffix
    return replace(view, name=name)


def sanitized(view: SavedView) -> SavedView:
    """A view of unknown origin with a name of one line and columns that can be displayed.

    Its search becomes a part of the query.
    """
    query = view.query
    if view.search is not None:
        filters = without_filters(query) if view.search.scope == "log" else query
        query = replace(filters, conditions=(*filters.conditions, *view.search.conditions))
    return replace(
        view, name=single_line(view.name), columns=sanitized_columns(view.columns), query=query, search=None
    )


def sanitized_columns(columns: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
    """Each column once, with the default width if its width is out of range.

    The default columns of earlier versions become those of this one; other choices of columns stay.
    """
    found: dict[str, ColumnState] = {}
    for state in columns:
        found.setdefault(state.name, state)
    known = tuple(state if state.width in _WIDTHS else replace(state, width=0) for state in found.values())
    return _with_summary(known)


def _with_summary(columns: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
    shown = tuple(state for state in columns if state.shown)
    is_default = tuple(state.name for state in shown) == _EARLIER_COLUMNS
    # Hidden columns are stored too: this version has stored a layout that names the summary.
    if not is_default or any(state.name == SUMMARY or state.pinned for state in columns):
        return columns
    return (*shown, ColumnState(SUMMARY), *(state for state in columns if not state.shown))


def single_line(name: str, most: int = MAX_NAME_LENGTH) -> str:
    """A name without line breaks and unprintable characters, truncated to ``most`` characters."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"


class _Decoded(msgspec.Struct, frozen=True):
    """The views in the content of a file; ``is_damaged``: at least one of them could not be read."""

    views: tuple[SavedView, ...] = ()
    is_damaged: bool = False


def _decode(text: str | bytes) -> _Decoded:
    try:
        each = msgspec.json.decode(text, type=tuple[msgspec.Raw, ...])
    except BROKEN:
        return _Decoded(is_damaged=True)
    views = tuple(view for raw in each if (view := _decode_view(raw)) is not None)
    return _Decoded(views, len(views) < len(each))


def _decode_view(raw: msgspec.Raw) -> SavedView | None:
    try:
        view = sanitized(msgspec.json.decode(raw, type=SavedView))
    except BROKEN:
        return None
    return view if view.name and is_valid_query(view.query) else None


SUFFIX = "cdbview"
_FORMAT = "cdb-desktop-events-view"
_MAX_VALUE_LENGTH = 60
# Positions and reasons are only available as the text of msgspec's errors.
_BYTE = re.compile(r"\(byte (\d+)\)")
_PATH = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"missing required field `(\w+)`")
_UNKNOWN = re.compile(r"^Invalid enum value '?(.*?)'?(?: - at|$)")
_UNSAFE = re.compile(r'[<>:"/\\|?*]')  # not allowed in file names of one system or another
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")


class _File(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0
    view: msgspec.Raw = msgspec.Raw()


class _RawView(msgspec.Struct, frozen=True):
    query: dict[str, Any] = {}


class ViewFileError(ValueError):
    """A file is not a view file; subclasses describe other errors."""


class ViewFileSyntaxError(ViewFileError):
    """The file is not valid JSON from ``line`` on."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


class ViewFileVersionError(ViewFileError):
    """The file has another ``version`` of the format."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class ViewFileFieldError(ViewFileError):
    """The field at ``path`` is missing or unknown, or its ``value`` is invalid (empty for a wrong type)."""

    def __init__(
        self, path: str, value: str = "", *, is_missing: bool = False, is_unknown: bool = False
    ) -> None:
        super().__init__(f"{path} {value}")
        self.path, self.value = path, value[:_MAX_VALUE_LENGTH]
        self.is_missing, self.is_unknown = is_missing, is_unknown


def encode_view_file(view: SavedView) -> bytes:
    """The content of a view file. It contains user ids, but no names and no secrets."""
    whole = {"format": _FORMAT, "version": format_version(view.query), "view": view}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def decode_view_file(content: bytes) -> SavedView:
    """The view in the content of a file. Raises ViewFileError."""
    file = _decode_file(content)
    if file.format != _FORMAT:
        raise ViewFileError
    if file.version not in VERSIONS:
        raise ViewFileVersionError(file.version)
    if not bytes(file.view):
        raise ViewFileFieldError("view", is_missing=True)
    try:
        view = sanitized(msgspec.json.decode(file.view, type=SavedView))
        _check_names(msgspec.json.decode(file.view, type=_RawView))
    except BROKEN as error:
        raise _field_error(str(error)) from error
    _check_values(view)
    return view


def view_file_name(name: str) -> str:
    """A file name for a view that is allowed on every system."""
    safe = " ".join(_UNSAFE.sub(" ", name).split()).strip(". …")
    return f"{safe or 'view'}{'_' if _RESERVED.fullmatch(safe) else ''}.{SUFFIX}"


def _decode_file(content: bytes) -> _File:
    content = content.removeprefix(b"\xef\xbb\xbf")  # some editors write a byte order mark
    try:
        content.decode()
        return msgspec.json.decode(content, type=_File)
    except msgspec.ValidationError as error:
        raise ViewFileError from error
    except BROKEN as error:
        raise ViewFileSyntaxError(_error_line(error, content)) from error


def _check_names(view: _RawView) -> None:
    """Raises ViewFileFieldError for an unknown filter: ignoring it would show more than is meant."""
    for path, part, kind in (("query", view.query, Query), ("query.span", view.query.get("span"), TimeSpan)):
        for name in part or ():
            if name not in kind.__struct_fields__:
                raise ViewFileFieldError(f"{path}.{name}"[:_MAX_VALUE_LENGTH], is_unknown=True)


def _check_values(view: SavedView) -> None:
    if not view.name:
        raise ViewFileFieldError("name", is_missing=True)
    invalid = invalid_value(view.query)
    if invalid is not None:
        raise ViewFileFieldError(f"query.{invalid[0]}", invalid[1])


def _error_line(error: Exception, content: bytes) -> int:
    """The line where the JSON becomes invalid; the last line if it ends too soon."""
    if isinstance(error, UnicodeDecodeError):
        end = error.start
    else:
        found = _BYTE.search(str(error))
        end = int(found[1]) if found else len(content.rstrip())
    return content[:end].count(b"\n") + 1


def _field_error(message: str) -> ViewFileFieldError:
    found, missing, unknown = _PATH.search(message), _MISSING.search(message), _UNKNOWN.search(message)
    path = found["path"] if found else ""
    if missing:
        return ViewFileFieldError(f"{path}.{missing[1]}".lstrip("."), is_missing=True)
    return ViewFileFieldError(path or "view", unknown[1] if unknown else "")
