"""Tests of the pictures of merges: what is made again for a choice, and in which thread."""

import threading

from cdb_desktop.schema.diagram.changes import with_tables_of
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.diagram.placement import stack_layers
from cdb_desktop.schema.diagram.routing import Router
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.merge.merge import merge
from cdb_desktop.ui.schema.merge.dialog import MergePictures
from tests.desktop.schema.diagram.graphs import large_model, measure
from tests.desktop.schema.models import opened

_TABLES = 60
_COLUMN = ColumnRef(30, 301)


async def test_only_what_a_choice_concerns_is_made_again() -> None:
    """Texts are measured in the window's thread, and once; links are routed in others."""
    measured: list[tuple[str, bool]] = []
    routed: list[bool] = []

    def measure_text(text: str, role: Role) -> tuple[float, float]:
        measured.append((text, _is_window()))
        return measure(text, role)

    class WatchedRouter(Router):
        def route(self, limit: float | None = None) -> bool:
            routed.append(_is_window())
            return super().route(limit)

    mine = RenameColumn(_COLUMN, "my_column").apply_to(opened(large_model(_TABLES)))
    base = with_tables_of(opened(large_model(_TABLES)), mine)
    theirs = RenameColumn(_COLUMN, "their_column").apply_to(base)
    page = GraphBuilder(measure_text)
    shown = page.build(mine)
    measured.clear()
    pictures = MergePictures(page.copy(), stack_layers(shown))
    pictures._router = WatchedRouter()
    first_merge = merge(base, theirs, mine)
    first = await pictures.make(first_merge)
    assert not measured
    assert routed == [False]
    (conflict,) = first_merge.conflicts
    second = await pictures.make(first_merge.chosen({conflict.id: "theirs"}))
    assert measured == [("their_column", True)]
    before, after = first.diagram.by_table, second.diagram.by_table
    assert {key for key in after if after[key] != before[key]} == {_COLUMN.table}
    untouched = [
        link for link in second.diagram.links if any(link.path is one.path for one in first.diagram.links)
    ]
    assert len(untouched) > _TABLES / 2
    assert page.build(mine).boxes == shown.boxes
    assert len(measured) == 1


def _is_window() -> bool:
    return threading.current_thread() is threading.main_thread()
