"""What drawing a line from a table or column to a table does: the edit, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.column_types import is_change_allowed
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import column_name, table_name, unused_name
from cdb_desktop.schema.edits.links import AddLink, ChangeType, SetLinkTarget

LinkEdit = AddLink | ChangeType | SetLinkTarget


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A link that can be made: ``ref`` is its column after the edit.

    Without an edit ``text`` is the reason why there can be no link. ``note`` is why a column is added
    although the line began at a column.
    """

    text: Message
    edit: LinkEdit | None = None
    ref: ColumnRef | None = None
    note: Message | None = None


def propose_link(
    document: Document,
    current: Document | None,
    source: TableRef | ColumnRef,
    target: int,
    *,
    as_new: bool = False,
) -> LinkProposal:
    """A link from a table or column to the table ``target``; links end at tables, never at columns (wire §5).

    From a table a column is added. A column becomes the link, or gets another target if it is one. If the
    service does not change its type, since ``current`` has it with values, or with ``as_new``, a column is
    added after it.
    """
    table, other = document.by_key.get(source.table), document.by_key.get(target)
    if table is None or other is None:
        return LinkProposal(message("This table is no longer there."))
    if other.is_nested:
        text = message("{table} is nested: links lead to objecttypes only.", table=other.name)
        return LinkProposal(text)
    column = table.by_key.get(source.column) if isinstance(source, ColumnRef) else None
    if column is None or as_new:
        return _new_column(table, other, None if column is None else table.entries.index(column) + 1)
    ref = ColumnRef(table.key, column.key)
    if column.is_link:
        return _other_target(document, ref, table, other)
    committed = _committed_type(current, ref)
    if committed is None or is_change_allowed(committed, "link"):
        text = message("{column} becomes a link to {table}", column=_shown(document, ref), table=other.name)
        return LinkProposal(text, ChangeType(ref, "link", other.key), ref)
    note = message("{column} is committed and keeps its type.", column=column.name)
    return _new_column(table, other, table.entries.index(column) + 1, note)


def _new_column(table: Table, other: Table, index: int | None, note: Message | None = None) -> LinkProposal:
    name = unused_name(other.name, (column.name for column in table.columns))
    edit = AddLink(table.key, name, other.key, index)
    text = message(
        "New column {table}.{column} links to {target}", table=table.name, column=name, target=other.name
    )
    return LinkProposal(text, edit, ColumnRef(table.key, edit.key), note)


def _other_target(document: Document, ref: ColumnRef, table: Table, other: Table) -> LinkProposal:
    former = next((key.target for key in table.links.get(ref.column, ())), None)
    shown = _shown(document, ref)
    if former == other.key:
        return LinkProposal(message("{column} links to {table} already.", column=shown, table=other.name))
    text = message(
        "{column} links to {table} instead of {former}",
        column=shown,
        table=other.name,
        former=table_name(document, former),
    )
    return LinkProposal(text, SetLinkTarget(ref, other.key), ref)


def _shown(document: Document, ref: ColumnRef) -> str:
    return column_name(document, ref.table, ref.column)


def _committed_type(current: Document | None, ref: ColumnRef) -> str | None:
    table = None if current is None else current.by_key.get(ref.table)
    column: Column | None = None if table is None else table.by_key.get(ref.column)
    return None if column is None else column.type
