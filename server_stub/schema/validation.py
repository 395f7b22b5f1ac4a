"""All rules that a complete document must fulfil (wire §5), one room after the other; knows no database."""

from __future__ import annotations

from server_stub.schema.checks import check_column
from server_stub.schema.keys import check_keys
from server_stub.schema.links import check_links
from server_stub.schema.model import Schema
from server_stub.schema.nesting import check_nesting


def validate(schema: Schema) -> None:
    """Raises ApiError or UserError for the first rule broken, naming table and column."""
    for table in schema.tables:
        for column in table.columns:
            check_column(table, column)
    check_nesting(schema)
    check_links(schema)
    check_keys(schema)
