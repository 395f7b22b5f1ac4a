"""Runs a step by building its table anew where the database would alter it slower; knows no other step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from server_stub.database.ddl_support import alters_slowly, build_anew
from server_stub.schema.steps import AlterTable, RenameColumn, Step
from server_stub.schema.tables import sql_table


def rebuilt(connection: Connection, step: Step, names: Mapping[int, str]) -> bool:
    """Gives the table of a step its other shape, with all rows; False where that is left to the caller."""
    match step:
        case RenameColumn():
            before, after = step.shape, step.shape.renamed(step.old, step.new)
        case AlterTable():
            before, after = step.before, step.after
        case _:
            return False
    if not alters_slowly(connection, before.name):
        return False
    # Unique keys stay as they are: steps of their own change them.
    wanted = sql_table(replace(after, uniques=before.uniques), names)
    standing = {each.name: before.column(each.key) for each in after.columns}
    casts = {each.name for each in after.columns if each.storage is not standing[each.name].storage}
    build_anew(connection, wanted, {name: source.name for name, source in standing.items()}, casts)
    return True
