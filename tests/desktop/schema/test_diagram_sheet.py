"""Sheets are made again only where something changed, and are always what a new maker would make."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram import Role
from cdb_desktop.schema.diagram_sheet import SheetMaker
from cdb_desktop.schema.edit import apply
from cdb_desktop.schema.history import begun
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.table_edits import RenameTable, SetTableOptions
from tests.desktop.schema.models import PERSON, PLACE, museum, opened
from tests.desktop.schema.random_edits import EditDrawer
from tests.desktop.schema.sheets import measure


def test_boxes_that_nothing_changed_are_kept() -> None:
    """An edit makes the boxes again that it shows in: here the table's and those that link to it."""
    maker = SheetMaker(measure)
    before = {box.name: box for box in maker.sheet(opened()).boxes}
    document = opened()
    maker.sheet(document)
    before = {box.name: box for box in maker.sheet(document).boxes}
    after = maker.sheet(apply(document, RenameTable(PLACE, "location"))).boxes
    assert [box.name for box in after if box is before.get(box.name)] == ["person", "picture"]


def test_a_text_is_measured_once() -> None:
    """Measuring is the slow part of a large sheet."""
    texts: list[tuple[str, Role]] = []

    def counting(text: str, role: Role) -> tuple[float, float]:
        texts.append((text, role))
        return measure(text, role)

    maker = SheetMaker(counting)
    document = opened()
    maker.sheet(document)
    maker.sheet(apply(document, SetTableOptions(PERSON, {"has_tags": True})))
    assert len(texts) == len(set(texts))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_after_any_edits_the_sheet_is_that_of_a_new_maker(data: st.DataObject) -> None:
    """Nothing old is kept where something new should stand."""
    maker, drawer, history = SheetMaker(measure), EditDrawer(data.draw), begun(read(museum()))
    for _ in range(data.draw(st.integers(1, 6))):
        history = drawer.step(history)
        assert maker.sheet(history.document) == SheetMaker(measure).sheet(history.document)
