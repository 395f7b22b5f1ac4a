"""The stored versions of the schema, HEAD, CURRENT and committed ones (§3), and their localised names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from server_stub.database import Reader
from server_stub.database.tables import localization, schema_version
from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.new_head import based_on

_HEAD = schema_version.c.committed_at.is_(None)
_COMMITTED = schema_version.c.committed_at.is_not(None)
# Not max(): that would read the documents of all versions to get past them.
_CURRENT_NUMBER = (
    select(schema_version.c.version).where(_COMMITTED).order_by(schema_version.c.version.desc()).limit(1)
)
_NUMBER = re.compile(r"[1-9][0-9]*")
# The greatest value that a column of type INTEGER can be compared with in every database.
_GREATEST = 2**31 - 1


def current_number(reader: Reader) -> int | None:
    """The number of CURRENT, None before the first commit; cached, since every response contains it."""
    if "current number" not in reader.cache:
        reader.cache["current number"] = reader.scalar(_CURRENT_NUMBER, {})
    number: int | None = reader.cache["current number"]
    return number


class Versions(msgspec.Struct, frozen=True):
    """The versions as one connection sees them."""

    connection: Connection

    def current_number(self) -> int | None:
        """The number of the greatest committed version."""
        return self.connection.execute(_CURRENT_NUMBER).scalar()

    def current(self) -> dict[str, Any] | None:
        """The greatest committed version."""
        return self._document(_COMMITTED)

    def saved_head(self) -> dict[str, Any] | None:
        """HEAD if it was saved since the last commit."""
        return self._document(_HEAD)

    def head(self) -> dict[str, Any] | None:
        """HEAD as a client sees it: CURRENT with the next number until something is saved (wire §5)."""
        current = self.current()
        return self.saved_head() or (current and based_on(current, current))

    def at(self, pointer: str) -> dict[str, Any]:
        """The version that "HEAD", "CURRENT" or a number names (§4.6).

        Raises UserError instance_not_found with status 404, or ApiError invalid_value for anything else.
        """
        match pointer:
            case "HEAD":
                found = self.head()
            case "CURRENT":
                found = self.current()
            case _:
                found = self._document(schema_version.c.version == _number(pointer))
        if found is None:
            raise UserError("instance_not_found", status=404, id=pointer)
        return found

    def save_head(self, document: dict[str, Any]) -> None:
        """Stores a document as HEAD."""
        self.connection.execute(delete(schema_version).where(_HEAD))
        row = {"version": document["version"], "document": msgspec.json.encode(document).decode()}
        self.connection.execute(insert(schema_version).values(row))

    def commit_head(self, timestamp: int, user_id: int) -> None:
        """Makes the saved HEAD current."""
        committed = {"committed_at": timestamp, "committed_by": user_id}
        self.connection.execute(update(schema_version).where(_HEAD).values(committed))

    def names(self, pointer: str) -> dict[str, dict[str, str]]:
        """The localised names (wire §5 `keys`, §6 l10n) of a version, or of the last one before that has any.

        {`schema.<table>.name` or `schema.<table>.column.<column>`: {language: text}}. The errors of `at`.
        """
        chosen = select(localization.c.texts).where(localization.c.version <= self.at(pointer)["version"])
        newest = chosen.order_by(localization.c.version.desc()).limit(1)
        text = self.connection.execute(newest).scalar()
        return msgspec.json.decode(text, type=dict[str, dict[str, str]]) if text else {}

    def save_names(self, pointer: str, keys: Mapping[str, object]) -> dict[str, dict[str, str]]:
        """Replaces the localised names of a version; ApiError type_mismatch if their shape is wrong."""
        try:
            names = msgspec.convert(keys, dict[str, dict[str, str]])
        except msgspec.ValidationError as error:
            raise ApiError("type_mismatch", f"Names map a key to texts by language: {error}.") from error
        version = self.at(pointer)["version"]
        self.connection.execute(delete(localization).where(localization.c.version == version))
        row = {"version": version, "texts": msgspec.json.encode(names).decode()}
        self.connection.execute(insert(localization).values(row))
        return names

    def _document(self, condition: ColumnElement[bool]) -> dict[str, Any] | None:
        newest = select(schema_version.c.document).where(condition)
        text = self.connection.execute(newest.order_by(schema_version.c.version.desc()).limit(1)).scalar()
        return None if text is None else msgspec.json.decode(text, type=dict[str, Any])


def _number(pointer: str) -> int:
    if not _NUMBER.fullmatch(pointer):
        raise ApiError(
            "invalid_value", f'"{pointer}" is no schema version: a number from 1, HEAD or CURRENT.'
        )
    return min(int(pointer[:11]), _GREATEST)
