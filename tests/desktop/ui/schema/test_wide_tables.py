"""Tests that a table with thousands of columns costs no more than what is visible of it."""

from collections import Counter

import pytest

from cdb_desktop.client import Client
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.diagram.table_item import LinePainter
from cdb_desktop.ui.schema.form.columns_model import ColumnsModel
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.patience import until
from tests.desktop.schema.models import column, table
from tests.desktop.ui.schema.conftest import NOBODY, ROOT, Bench

WIDE, NARROW = TableRef(1), TableRef(2)


async def test_selecting_ten_thousand_columns(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form asks for the cells that it shows, and the diagram paints the rows that it shows."""
    columns = (column(10 + number, f"column_{number}") for number in range(10_000))
    model = {"version": 1, "tables": [table(1, "wide", *columns), table(2, "narrow", column(3, "a"))]}
    document = read_document(model)
    view, calls = bench.view, Counter[str]()
    for owner, name in ((ColumnsModel, "data"), (ColumnsModel, "flags"), (LinePainter, "line")):
        _count(monkeypatch, owner, name, calls)
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        await until(lambda: view.diagram.has_picture)
        view.chosen.emit(NARROW)
        view.repaint()
        calls.clear()
        view.chosen.emit(WIDE)
        view.repaint()
        assert view.form.table.grid.columns.rowCount() == 10_001
        assert 0 < calls["data"] < 1000
        assert 0 < calls["line"] < 1000
        calls.clear()
        grid = view.form.table.grid
        grid.selectAll()
        view.repaint()
        assert 0 < calls["flags"] < 1000
        assert len(grid.selected_columns()) == 10_000


def _count(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, calls: Counter[str]) -> None:
    """Counts the calls of a method."""
    method = getattr(owner, name)

    def counted(*given: object, **named: object) -> object:
        calls[name] += 1
        return method(*given, **named)

    monkeypatch.setattr(owner, name, counted)
