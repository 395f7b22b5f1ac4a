"""A schema as DOT: a node with an HTML-like label for each top-level table, links between them (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import msgspec
from graphviz import Digraph

from server_stub.schema.document.model import (
    Column,
    Family,
    ForeignKey,
    NestedLink,
    Reference,
    ReverseLink,
    Schema,
    Table,
)

# The title of a picture that is simpler than usual.
SIMPLE_TITLE = "schema (simplified layout)"

_FONT = "DejaVu Sans"

# The colors of all pictures.
TEXT = "#1B1F24"
MUTED = "#57606A"
ACCENT = "#1F5FBF"
RULE = "#C4CCD6"
GROUND = "#FFFFFF"
RAISED = "#F6F7F9"

# Above this number of tables, optimising positions takes most of the time and is hardly visible.
_MANY = 200
_LESS_SEARCH = {"nslimit": "0.5", "nslimit1": "0.5", "mclimit": "0.2", "searchsize": "10"}
_LEAST_SEARCH = {"nslimit": "0.2", "nslimit1": "0.2", "mclimit": "0.1", "searchsize": "5", "splines": "line"}
# Sharp on every screen; at most 50 inches, since a bitmap of a large model costs seconds and gigabytes.
_BITMAP = {"dpi": "144", "size": "50,50"}


def to_dot(schema: Schema, *, bitmap: bool = False, is_simple: bool = False) -> str:
    """The source for Graphviz; ids `t<table_id>`, `c<column_id>` and `l<column_id>` for links.

    `is_simple` means less search and straight lines, which take a tenth of the time or less.
    """
    graph = Digraph(
        SIMPLE_TITLE if is_simple else "schema",
        graph_attr={
            "rankdir": "LR",
            "bgcolor": GROUND,
            "pad": "0.3",
            "nodesep": "0.3",
            "ranksep": "1.1",
            "pack": "24",
            "packmode": "array_c4",
            "fontname": _FONT,
        },
        node_attr={"shape": "plain", "fontname": _FONT, "fontsize": "10"},
        edge_attr={"color": MUTED, "penwidth": "1.1", "arrowsize": "0.7", "dir": "both"},
    )
    if is_simple:
        graph.attr(**_LEAST_SEARCH)
    elif len(schema.tables) > _MANY:
        graph.attr(**_LESS_SEARCH)
    if bitmap:
        graph.attr(**_BITMAP)
    label = TableLabel(schema)
    for table in schema.tables:
        if table.owner_id is None:
            graph.node(f"t{table.id}", label.text(table), id=f"t{table.id}")
    for table, column, key in _links(schema):
        graph.edge(*_ends(schema, table, column, key), id=f"l{column.id}", **_arrows(table, column))
    return str(graph.source)


def _links(schema: Schema) -> Iterator[tuple[Table, Column, ForeignKey]]:
    for table in schema.tables:
        for column in table.columns:
            if column.family is Family.LINK:
                for key in table.links_of(column):
                    yield table, column, key


def _ends(schema: Schema, table: Table, column: Column, key: ForeignKey) -> tuple[str, str]:
    target = schema.tables_by_id[key.table_id]
    source_node, target_node = schema.root_of(table).id, schema.root_of(target).id
    side = "e" if source_node == target_node else "w"
    return f"t{source_node}:c{column.id}:e", f"t{target_node}:t{target.id}:{side}"


def _arrows(table: Table, column: Column) -> dict[str, str]:
    """Crow's feet: how many rows link to one, and whether each must link to one."""
    is_unique = any(key.columns == (Reference(column.id),) for key in table.unique_keys)
    return {
        "arrowtail": "teeodot" if is_unique else "crowodot",
        "arrowhead": "teetee" if column.not_null else "teeodot",
    }


# Graphviz pads cells equally on all sides; non-breaking spaces widen them.
_GAP = "&#160;"

# The captions of tables with properties.
FLAGS = {
    "is_hierarchical": "hierarchical",
    "pool_link": "in pools",
    "has_tags": "tags",
    "acl_table": "rights",
}


class TableLabel(msgspec.Struct, frozen=True):
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
            f'<TABLE BORDER="1" COLOR="{RULE}" BGCOLOR="{ground}" CELLBORDER="0" CELLSPACING="0" '
            f'CELLPADDING="4" STYLE="ROUNDED"{anchor}>{rows}</TABLE>'
        )

    def _rows(self, table: Table) -> Iterator[str]:
        yield _head(table)
        # A rule without a following row is an error in Graphviz.
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
        text = _font(name, TEXT) + (_mark("U") if is_unique(table, column) else "")
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
    shown = [label for flag, label in FLAGS.items() if flag in table.flags]
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


def is_unique(table: Table, column: Column) -> bool:
    """Whether a unique key contains a column."""
    return any(column.id == reference.column for key in table.unique_keys for reference in key.columns)
