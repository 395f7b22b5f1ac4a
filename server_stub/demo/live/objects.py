"""The objects in the tables of CURRENT, and how simulated changes reach them; knows no person and no time."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, TableClause, column, insert, literal, select, table, update

from server_stub.demo.actions import Stock
from server_stub.events import EventDraft
from server_stub.schema import Schemas
from server_stub.schema.commit.layout import PRIMARY_KEY, VERSION, PhysicalTable, lay_out
from server_stub.schema.document.model import read_schema

# More than anybody waits for.
_COMING = 1_000_000


class LiveObjects:
    """The top-level tables of one version of the schema."""

    def __init__(self, schemas: Schemas, version: int | None) -> None:
        schema = None if version is None else read_schema(schemas.read(str(version)))
        layout = {} if schema is None else lay_out(schema)
        tops = [] if schema is None else [top for top in schema.tables if top.owner_id is None]
        self._tables: dict[str, PhysicalTable] = {top.name: layout[top.id] for top in tops}

    def stock(self, connection: Connection) -> Stock:
        """What is there now; copies can be added where no key forbids them."""
        present = {name: self._versions(connection, name) for name in self._tables}
        coming = {
            name: range(max(ids, default=0) + 1, _COMING)
            for name, ids in present.items()
            if ids and not self._tables[name].uniques
        }
        made = Stock(present, coming)
        made.reach(1.0)
        return made

    def follow(self, connection: Connection, drafts: Iterable[EventDraft]) -> None:
        """Makes true what the events say: new versions, and new objects as copies of the newest one."""
        for draft in drafts:
            if draft.objecttype in self._tables and draft.object_id is not None:
                if draft.type == "OBJECT_UPDATE":
                    rows = self._rows(draft.objecttype)
                    changed = update(rows).where(rows.c[PRIMARY_KEY] == draft.object_id)
                    connection.execute(changed.values({VERSION: draft.object_version}))
                elif draft.type == "OBJECT_INSERT":
                    self._copy(connection, draft.objecttype, draft.object_id)

    def _copy(self, connection: Connection, name: str, object_id: int) -> None:
        rows = self._rows(name)
        kept = [each for each in rows.c if each.name not in (PRIMARY_KEY, VERSION)]
        newest = select(literal(object_id), literal(1), *kept)
        newest = newest.order_by(rows.c[PRIMARY_KEY].desc()).limit(1)
        connection.execute(
            insert(rows).from_select([PRIMARY_KEY, VERSION, *(each.name for each in kept)], newest)
        )

    def _rows(self, name: str) -> TableClause:
        physical = self._tables[name]
        return table(physical.name, *(column(each.name) for each in physical.columns))

    def _versions(self, connection: Connection, name: str) -> dict[int, int]:
        rows = self._rows(name)
        found = connection.execute(select(rows.c[PRIMARY_KEY], rows.c[VERSION]))
        return {int(object_id): int(version) for object_id, version in found}
