"""A named view as a file to share, and what is wrong with one that holds none. No I/O."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.query import Query, unaskable
from cdb_desktop.events.saved_views import SavedView, sound
from cdb_desktop.events.span import Span

SUFFIX = "cdbview"
VERSION = 1
_FORMAT = "cdb-desktop-events-view"
_BYTE = re.compile(r"\(byte (\d+)\)")
_PLACE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"missing required field `(\w+)`")
_UNKNOWN = re.compile(r"^Invalid enum value '?(.*?)'?(?: - at|$)")
_UNSAFE = re.compile(r'[<>:"/\\|?*]')  # what one file system or another does not take in a name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
_LONGEST_VALUE = 60


class _File(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0
    view: msgspec.Raw = msgspec.Raw()


class _View(msgspec.Struct, frozen=True):
    query: dict[str, Any] = {}


class ViewFileError(ValueError):
    """A file holds no view that this program can show; said so it is of another kind altogether."""


class NotJsonError(ViewFileError):
    """It is no JSON from ``line`` on, or a part of one."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


class OtherVersionError(ViewFileError):
    """It was written by a program with another idea of a view."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class PartError(ViewFileError):
    """The part at ``path`` is missing or not known, or its ``value`` is: empty where the kind is wrong."""

    def __init__(
        self, path: str, value: str = "", *, is_missing: bool = False, is_unknown: bool = False
    ) -> None:
        super().__init__(f"{path} {value}")
        self.path, self.value = path, value[:_LONGEST_VALUE]
        self.is_missing, self.is_unknown = is_missing, is_unknown


def as_file(view: SavedView) -> bytes:
    """The view as a file for others; it holds no secrets, and no names of users but their numbers."""
    whole = {"format": _FORMAT, "version": VERSION, "view": view}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def from_file(content: bytes) -> SavedView:
    """The view in a file. Raises ViewFileError."""
    file = _opened(content)
    if file.format != _FORMAT:
        raise ViewFileError
    if file.version != VERSION:
        raise OtherVersionError(file.version)
    if not bytes(file.view):
        raise PartError("view", is_missing=True)
    try:
        view = sound(msgspec.json.decode(file.view, type=SavedView))
        _check_names(msgspec.json.decode(file.view, type=_View))
    except BROKEN as error:
        raise _part_of(str(error)) from error
    return _askable(view)


def file_name(name: str) -> str:
    """A name that every file system takes."""
    safe = " ".join(_UNSAFE.sub(" ", name).split()).strip(". …")
    return f"{safe or 'view'}{'_' if _RESERVED.fullmatch(safe) else ''}.{SUFFIX}"


def _opened(content: bytes) -> _File:
    content = content.removeprefix(b"\xef\xbb\xbf")  # some editors leave such a mark
    try:
        content.decode()
        return msgspec.json.decode(content, type=_File)
    except msgspec.ValidationError as error:
        raise ViewFileError from error
    except BROKEN as error:
        raise NotJsonError(_line_of(error, content)) from error


def _check_names(view: _View) -> None:
    """A filter that is not known would be left out, and more shown than is meant. Raises PartError."""
    for path, part, kind in (("query", view.query, Query), ("query.span", view.query.get("span"), Span)):
        for name in part or ():
            if name not in kind.__struct_fields__:
                raise PartError(f"{path}.{name}"[:_LONGEST_VALUE], is_unknown=True)


def _askable(view: SavedView) -> SavedView:
    if not view.name:
        raise PartError("name", is_missing=True)
    found = unaskable(view.query)
    if found is not None:
        raise PartError(f"query.{found[0]}", found[1])
    return view


def _line_of(error: Exception, content: bytes) -> int:
    """Where it is no JSON any more; what ends too soon does so in its last line."""
    if isinstance(error, UnicodeDecodeError):
        end = error.start
    else:
        found = _BYTE.search(str(error))
        end = int(found[1]) if found else len(content.rstrip())
    return content[:end].count(b"\n") + 1


def _part_of(message: str) -> PartError:
    place, missing, unknown = _PLACE.search(message), _MISSING.search(message), _UNKNOWN.search(message)
    path = place["path"] if place else ""
    if missing:
        return PartError(f"{path}.{missing[1]}".lstrip("."), is_missing=True)
    return PartError(path or "view", unknown[1] if unknown else "")
