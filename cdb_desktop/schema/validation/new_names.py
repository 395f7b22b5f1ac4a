"""What would be wrong with a new name of a table or column, while it is being typed."""

from __future__ import annotations

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import LONGEST, is_column_name, is_reserved, is_table_name, nested_name
from cdb_desktop.schema.validation.problem import error


def new_name_problem(document: Document, ref: TableRef | ColumnRef, name: str) -> Message | None:
    """Why the service would refuse the name, None if it would not; for a nested table without its owner's."""
    code = (
        _column_code(document, ref, name) if isinstance(ref, ColumnRef) else _table_code(document, ref, name)
    )
    return error(ref, code, name=name).message if code else None


def _column_code(document: Document, ref: ColumnRef, name: str) -> str:
    if not name:
        return "column_name_missing"
    if len(name) > LONGEST:
        return "column_name_long"
    if not is_column_name(name):
        return "column_name"
    others = (column for column in document.by_key[ref.table].columns if column.key != ref.column)
    return "column_repeated" if any(column.name == name for column in others) else ""


def _table_code(document: Document, ref: TableRef, name: str) -> str:
    if not name:
        return "table_name_missing"
    owner = document.by_key.get(document.by_key[ref.table].owner or 0)
    whole = name if owner is None else nested_name(owner.name, name)
    if len(whole) > LONGEST:
        return "table_name_long"
    if not is_table_name(whole):
        return "table_name"
    if is_reserved(whole):
        return "table_name_reserved"
    others = (table for table in document.tables if table.key != ref.table)
    return "table_repeated" if any(table.name == whole for table in others) else ""
