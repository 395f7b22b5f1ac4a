"""Tests of incremental building: only changed boxes are built, and the result is that of a new builder."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.diagram.graphs import measure
from tests.desktop.schema.models import PERSON, PLACE, apply, museum, opened
from tests.desktop.schema.random_edits import EditDrawer


def test_unchanged_boxes_are_reused() -> None:
    """An edit rebuilds the box of its table and those of tables that link to it."""
    maker = GraphBuilder(measure)
    before = {box.name: box for box in maker.build(opened()).boxes}
    document = opened()
    maker.build(document)
    before = {box.name: box for box in maker.build(document).boxes}
    after = maker.build(apply(document, RenameTable(PLACE, "location"))).boxes
    assert [box.name for box in after if box is before.get(box.name)] == ["person", "picture"]


def test_a_text_is_measured_once() -> None:
    """Measuring is the slow part of a large graph."""
    texts: list[tuple[str, Role]] = []

    def counting(text: str, role: Role) -> tuple[float, float]:
        texts.append((text, role))
        return measure(text, role)

    maker = GraphBuilder(counting)
    document = opened()
    maker.build(document)
    maker.build(apply(document, SetTableOptions(PERSON, {"has_tags": True})))
    assert len(texts) == len(set(texts))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_after_any_edits_the_graph_equals_that_of_a_new_builder(data: st.DataObject) -> None:
    """No outdated box is reused."""
    maker, drawer, history = (
        GraphBuilder(measure),
        EditDrawer(data.draw),
        new_history(read_document(museum())),
    )
    for _ in range(data.draw(st.integers(1, 6))):
        history = drawer.step(history)
        assert maker.build(history.document) == GraphBuilder(measure).build(history.document)
