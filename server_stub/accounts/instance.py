"""The identity of this installation, made once and kept; knows nothing else."""

from __future__ import annotations

from uuid import UUID, uuid4

from sqlalchemy import Connection, insert, select

from server_stub.database.tables import configuration

_NAME = "_instance"


def instance_id(connection: Connection, fresh: UUID | None = None) -> str:
    """The id after the `@` of global object ids (wire §3); `fresh` is taken where there is none yet."""
    known = connection.execute(select(configuration.c.value).where(configuration.c.name == _NAME)).scalar()
    if known is not None:
        return str(known)
    made = str(fresh or uuid4())
    connection.execute(insert(configuration).values(name=_NAME, value=made))
    return made
