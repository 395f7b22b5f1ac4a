"""Tests of the notes about missing ids between rows, with separate servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cdb_desktop.client import Sort
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn, sign_in_at
from tests.desktop.ui.events.conftest import Browse
from tests.server import serving


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """A server whose events may be deleted."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", "2000") as url:
        yield url


@pytest.fixture
def sign_in(own_server: str) -> SignIn:
    """Returns a context manager that yields a client of that server."""
    return sign_in_at(own_server)


def notes(view: EventsView) -> list[str]:
    """The notes below the visible rows."""
    first, last = view.table.visible_rows()
    return [note for row in range(first, last + 1) if (note := view.model.note_below(row))]


def usual_heights(view: EventsView) -> bool:
    """Whether all visible rows have the usual height."""
    first, last = view.table.visible_rows()
    usual = view.table.verticalHeader().defaultSectionSize()
    return {view.table.rowHeight(row) for row in range(first, last + 1)} == {usual}


async def test_deleted_ids_are_noted_between_rows(browse: Browse, sign_in: SignIn) -> None:
    """In the order of ids, both ways; each note takes a line that other rows move down for."""
    async with sign_in() as other:
        page = await other.list_events(limit=10)
        ids = [event.id for event in page.events]
        await other.delete_events([ids[2], ids[5], ids[6]])
    async with browse() as (view, controller):
        await until(lambda: len(notes(view)) == 2)
        one = f"{number_text(ids[2])}: not in this log"
        several = f"{number_text(ids[6])} to {number_text(ids[5])}: 2 ids not in this log"
        assert notes(view) == [one, several]
        row = next(row for row in range(20) if view.model.note_below(row) == one)
        usual = view.table.verticalHeader().defaultSectionSize()
        await until(lambda: view.table.rowHeight(row) == 2 * usual)
        assert view.table.rowHeight(row + 1) == usual
        controller.show_query(Query(sort=(Sort("_id", descending=False),)))
        await until(lambda: (first := view.model.event_at(0)) is not None and first.id < ids[-1])
        await until(lambda: view.model.rowCount() >= 2000)
        view.table.go_to(view.model.rowCount() - 1)
        await until(lambda: notes(view) == [several, one])


@pytest.mark.parametrize(
    "query", [Query(types=("SEARCH",)), Query(sort=(Sort("type"),)), Query(span=TimeSpan(TimePreset.MONTH))]
)
async def test_filtered_rows_have_no_notes(browse: Browse, query: Query) -> None:
    """Ids between them belong to events that the filter excludes, or that have another place."""
    async with browse() as (view, controller):
        assert usual_heights(view)
        controller.show_query(query)
        await until(lambda: "of" in view.count.text if query.parts else not view.model.has_notes)
        assert notes(view) == []
        assert usual_heights(view)
