"""A schema as DOT: a node for each top-level table, a link from column to table; knows no program."""

from __future__ import annotations

from collections.abc import Iterator

from graphviz import Digraph

from server_stub.schema.column_types import Family
from server_stub.schema.model import Column, ForeignKey, Reference, Schema, Table
from server_stub.schema.render_label import GROUND, MUTED, Label

FONT = "DejaVu Sans"

# Above this the search for the best place of each node takes most of the time and shows least.
_MANY = 200
_LESS_SEARCH = {"nslimit": "0.5", "nslimit1": "0.5", "mclimit": "0.2", "searchsize": "10"}
_LEAST_SEARCH = {"nslimit": "0.2", "nslimit1": "0.2", "mclimit": "0.1", "searchsize": "5", "splines": "line"}
# Sharp on every screen; at most 50 inches, since a bitmap of a large model costs seconds and gigabytes.
_BITMAP = {"dpi": "144", "size": "50,50"}


def to_dot(schema: Schema, *, bitmap: bool = False, is_simple: bool = False) -> str:
    """The source for Graphviz; ids `t<table_id>`, `c<column_id>` and `l<column_id>` for links.

    `is_simple` asks for less search and straight lines, which take a tenth of the time or less.
    """
    graph = Digraph(
        "schema",
        graph_attr={
            "rankdir": "LR",
            "bgcolor": GROUND,
            "pad": "0.3",
            "nodesep": "0.3",
            "ranksep": "1.1",
            "pack": "24",
            "packmode": "array_c4",
            "fontname": FONT,
        },
        node_attr={"shape": "plain", "fontname": FONT, "fontsize": "10"},
        edge_attr={"color": MUTED, "penwidth": "1.1", "arrowsize": "0.7", "dir": "both"},
    )
    if is_simple:
        graph.attr(**_LEAST_SEARCH)
    elif len(schema.tables) > _MANY:
        graph.attr(**_LESS_SEARCH)
    if bitmap:
        graph.attr(**_BITMAP)
    label = Label(schema)
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
    alone = any(key.columns == (Reference(column.id),) for key in table.unique_keys)
    return {
        "arrowtail": "teeodot" if alone else "crowodot",
        "arrowhead": "teetee" if column.not_null else "teeodot",
    }
