"""Tests of properties of exports after any edits."""

import sqlite3
from contextlib import closing

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.formats import ExchangeFormat, describe, export_model, read_model
from cdb_desktop.schema.exchange.incoming import import_tables
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.models import museum
from tests.desktop.schema.random_edits import EditDrawer

EMPTY = Document({"type": "user"}, ())
# An empty table is a warning only; all others are no documents that a service takes.
_HARMLESS = {"table_empty", "check_type"}


# Without shrinking, which takes longer than a test may.
@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.data())
def test_exports_are_imported_unchanged(data: st.DataObject) -> None:
    """Into the same document in every format, and into an empty one with the same tables and links."""
    history = new_history(read_document(museum()))
    drawer = EditDrawer(data.draw)
    for _ in range(data.draw(st.integers(1, 10))):
        history = drawer.step(history)
    document = history.document
    assume({problem.code for problem in find_problems(document, None)} <= _HARMLESS)
    shape = _shape(document)
    for format_ in ExchangeFormat:
        text = export_model(document, format_).text
        if format_ is ExchangeFormat.SQLITE:
            with closing(sqlite3.connect(":memory:")) as database:
                database.executescript(text)
        model = read_model(text.encode(), format_)
        assert import_tables(model, document).document == document
        assert _shape(import_tables(model, EMPTY).document) == shape


def _shape(document: Document) -> object:
    return [
        (
            table.name,
            table.owner,
            table.is_hierarchical,
            [(column.name, column.type) for column in table.columns],
            {(link.columns, link.target) for link in table.links},
        )
        for table in describe(document).tables
    ]
