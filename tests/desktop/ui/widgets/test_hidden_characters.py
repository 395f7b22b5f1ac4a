"""Tests that names with bidirectional control characters are shown with marks."""

from pytestqt.qtbot import QtBot

from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.ui.widgets.event_table.paint_cache import TextCache
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.menus import entry_text
from tests.desktop.schema.diagram.graphs import measure
from tests.desktop.schema.models import column, table

HIDDEN, SHOWN = "a\u202eb", "a⟦U+202E⟧b"


def test_labels_and_menus(qtbot: QtBot) -> None:
    """Also labels that are elided."""
    for label in (Label(HIDDEN), ElidedLabel(HIDDEN)):
        qtbot.addWidget(label)
        assert label.text() == SHOWN
    assert entry_text(HIDDEN) == SHOWN


def test_cells_of_events(qtbot: QtBot) -> None:
    """The names of users and types; they are copied as they are."""
    text, _indent = TextCache().find(HIDDEN, 500, right=False)
    assert text is not None
    assert text.text() == SHOWN


def test_boxes_of_the_diagram() -> None:
    """They have the width of what is shown."""
    model = {"version": 1, "tables": [table(1, HIDDEN, column(2, HIDDEN))]}
    (box,) = GraphBuilder(measure).build(read_document(model)).boxes
    assert (box.name, box.rows[0].name) == (SHOWN, SHOWN)
