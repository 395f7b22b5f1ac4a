"""The localised names of schema versions (wire §5 `keys`, §6 l10n); knows nothing of tables and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec
from sqlalchemy import delete, insert, select

from server_stub.database import Database
from server_stub.database.tables import localization
from server_stub.foundation.errors import ApiError


class _Versions(Protocol):
    def version_of(self, pointer: str) -> int: ...


class Localization:
    """Names by version; a version without names of its own has those of the one before it."""

    def __init__(self, database: Database, versions: _Versions) -> None:
        self._database = database
        self._versions = versions

    def read(self, pointer: str) -> dict[str, dict[str, str]]:
        """{`schema.<table>.name` or `schema.<table>.column.<column>`: {language: text}}."""
        chosen = select(localization.c.texts).where(
            localization.c.version <= self._versions.version_of(pointer)
        )
        with self._database.read() as connection:
            text = connection.execute(chosen.order_by(localization.c.version.desc()).limit(1)).scalar()
        return msgspec.json.decode(text, type=dict[str, dict[str, str]]) if text else {}

    def replace(self, pointer: str, keys: Mapping[str, object]) -> dict[str, dict[str, str]]:
        """Replaces the names of a version; ApiError type_mismatch when they are no names."""
        try:
            names = msgspec.convert(keys, dict[str, dict[str, str]])
        except msgspec.ValidationError as error:
            raise ApiError("type_mismatch", f"Names map a key to texts by language: {error}.") from error
        version = self._versions.version_of(pointer)
        with self._database.write() as connection:
            connection.execute(delete(localization).where(localization.c.version == version))
            connection.execute(
                insert(localization).values(version=version, texts=msgspec.json.encode(names).decode())
            )
        return names
