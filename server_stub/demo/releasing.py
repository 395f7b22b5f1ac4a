"""Commits the versions of the museum's schema when their time has come, and drafts the next one."""

from __future__ import annotations

from server_stub.demo.datamodel import HEAD_VERSION, museum_document, museum_names
from server_stub.demo.history import Release
from server_stub.demo.house import House
from server_stub.schema import Schemas


def release(house: House, due: Release) -> None:
    """Makes a version CURRENT, with its names; the room's clock stands at the second of the release."""
    schemas = Schemas(house.database, house.log, lambda: due.second)
    before = schemas.read("HEAD") if due.version > 1 else None
    schemas.save_head(museum_document(due.version, before))
    schemas.commit(due.actor)
    schemas.save_names("CURRENT", museum_names(due.version))


def draft_head(house: House) -> None:
    """Leaves a HEAD with a table more, a column less, one renamed and one of another type."""
    before = house.schemas.read("HEAD")
    house.schemas.save_head(museum_document(HEAD_VERSION, before))
    house.schemas.save_names("HEAD", museum_names(HEAD_VERSION))
