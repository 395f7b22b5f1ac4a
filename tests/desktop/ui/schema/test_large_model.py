"""Tests of the time from an edit to the updated form, grid and tree in a model of 1,000 tables."""

from __future__ import annotations

import time
from dataclasses import replace

from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.schema.models import column, link, table
from tests.desktop.ui.schema.conftest import Bench
from tests.durations import shortest


def large_model() -> dict[str, object]:
    """1,000 tables with ten columns and a link each."""
    tables = []
    for number in range(1, 1001):
        own = [column(number * 20 + at, f"column_{at}") for at in range(9)]
        target = (number * 7) % 1000 + 1
        linked = column(number * 20 + 9, "other", "link")
        key = link(f"table_{number}", number * 20 + 9, "other", target, f"table_{target}")
        tables.append(table(number, f"table_{number}", *own, linked, foreign_keys=[key]))
    return {"type": "user", "version": 2, "tables": tables}


async def test_an_edit_is_shown_at_once(bench: Bench) -> None:
    """Twice the goal of 25 ms is allowed, since other processes share this machine."""
    document = read_document(large_model())
    async with bench.with_museum() as controller:
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        controller.store.select(TableRef(500))
        parts = (bench.view.form, bench.view.tables, bench.view.header, bench.view.bottom)
        took = []
        for number in range(8):
            state = controller.store.page
            assert state is not None
            edit = AddColumn(500, f"new_{number}", "text")
            started = time.thread_time()
            editing = state.editing.applied(edit)
            shown = replace(state, editing=editing)
            for part in parts:
                part.show_page(shown)
            for part in parts:
                part.repaint()
            took.append(time.thread_time() - started)
            controller.store.put(shown)
        assert min(took) < shortest(lambda: read_document(large_model()))
