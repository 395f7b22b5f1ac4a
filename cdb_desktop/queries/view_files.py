"""Named views as files to share (``.cdbview``), and what is wrong with a file that cannot be opened."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.queries.query import VERSIONS, Query, format_version, invalid_value
from cdb_desktop.queries.saved_views import SavedView, sanitized
from cdb_desktop.vocabulary.time_span import TimeSpan

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
