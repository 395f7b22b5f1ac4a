"""One table as an HTML-like label for Graphviz: header, columns, nested tables inside (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import msgspec

from server_stub.schema.column_types import Family
from server_stub.schema.model import Column, NestedLink, ReverseLink, Schema, Table

TEXT = "#1B1F24"
MUTED = "#57606A"
ACCENT = "#1F5FBF"
LINE = "#C4CCD6"
GROUND = "#FFFFFF"
RAISED = "#F6F7F9"
SELECTED = "#E8F0FC"

# Graphviz pads cells on all sides alike; a space that does not break widens them.
_GAP = "&#160;"

_FLAGS = {
    "is_hierarchical": "hierarchical",
    "pool_link": "in pools",
    "has_tags": "tags",
    "acl_table": "rights",
}


class Label(msgspec.Struct, frozen=True):
    """Writes the label of a top-level table of a schema."""

    schema: Schema

    def text(self, table: Table) -> str:
        """The label with a port `t<id>` at each table's head and `c<id>` at each column's end."""
        return f"<{self._table(table)}>"

    def _table(self, table: Table) -> str:
        inner = table.owner_id is not None
        ground = RAISED if inner else GROUND
        rows = "".join(self._rows(table))
        anchor = f' ID="t{table.id}" HREF="#t{table.id}" TITLE="{escape(table.name)}"' if inner else ""
        return (
            f'<TABLE BORDER="1" COLOR="{LINE}" BGCOLOR="{ground}" CELLBORDER="0" CELLSPACING="0" '
            f'CELLPADDING="4" STYLE="ROUNDED"{anchor}>{rows}</TABLE>'
        )

    def _rows(self, table: Table) -> Iterator[str]:
        yield _head(table)
        # A line that nothing follows is an error to Graphviz.
        if table.owner_id is None or table.members:
            yield "<HR/>"
        if table.owner_id is None:
            yield _row(_font("_id", MUTED) + _mark("PK"), _font("id", MUTED, 9))
        for member in table.members:
            match member:
                case Column():
                    yield self._column(table, member)
                case NestedLink():
                    nested = self._table(self.schema.tables_by_id[member.table_id])
                    yield f'<TR><TD COLSPAN="2" CELLPADDING="5">{nested}</TD></TR>'
                case ReverseLink():
                    yield self._reverse_link(member)

    def _column(self, table: Table, column: Column) -> str:
        name = f"<B>{escape(column.name)}</B>" if column.not_null else escape(column.name)
        detail = f"{table.name}.{column.name}: {column.type}" + (", required" if column.not_null else "")
        attributes = f' ID="c{column.id}" HREF="#c{column.id}" TITLE="{escape(detail)}"'
        text = _font(name, TEXT) + (_mark("U") if _is_unique(table, column) else "")
        return _row(text, self._type(table, column), attributes, f' PORT="c{column.id}"')

    def _type(self, table: Table, column: Column) -> str:
        if column.family is not Family.LINK:
            return _font(escape(column.type), MUTED, 9)
        targets = [self.schema.tables_by_id[key.table_id].name for key in table.links_of(column)]
        return _font(f"→ {escape(', '.join(targets))}", ACCENT, 9)

    def _reverse_link(self, link: ReverseLink) -> str:
        other = self.schema.tables_by_id[link.table_id]
        name = f"{other.name}.{other.columns_by_id[link.column_id].name}"
        return _row(_font(f"<I>{escape(name)}</I>", MUTED), _font("← edited here", MUTED, 9))


def _head(table: Table) -> str:
    shown = [words for flag, words in _FLAGS.items() if flag in table.flags]
    caption = " · ".join(shown)
    size = 12 if table.owner_id is None else 10
    name = _font(f"<B>{escape(table.name)}</B>", ACCENT if table.owner_id is None else TEXT, size)
    below = f'<BR ALIGN="LEFT"/>{_font(caption, MUTED, 8)}' if caption else ""
    return (
        f'<TR><TD COLSPAN="2" ALIGN="LEFT" BALIGN="LEFT" PORT="t{table.id}" CELLPADDING="6">'
        f'{name}{below}<BR ALIGN="LEFT"/></TD></TR>'
    )


def _row(name: str, kind: str, name_attributes: str = "", kind_attributes: str = "") -> str:
    return (
        f'<TR><TD ALIGN="LEFT"{name_attributes}>{_GAP}{name}</TD>'
        f'<TD ALIGN="RIGHT"{kind_attributes}>{_GAP}{kind}{_GAP}</TD></TR>'
    )


def _mark(text: str) -> str:
    return f"{_GAP}{_font(f'<B>{text}</B>', ACCENT, 7)}"


def _font(text: str, color: str, size: int = 10) -> str:
    return f'<FONT COLOR="{color}" POINT-SIZE="{size}">{text}</FONT>'


def _is_unique(table: Table, column: Column) -> bool:
    return any(column.id == reference.column for key in table.unique_keys for reference in key.columns)
