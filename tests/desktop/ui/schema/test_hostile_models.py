"""Tests of models that no service would make: shown, with errors reported at their place."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.working_copy import open_model_file
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.tree.model import SchemaTree
from tests.desktop.patience import until
from tests.desktop.schema.models import Json, column, opened, other, table
from tests.desktop.ui.schema.conftest import Bench

_LONG = "x" * 20_000
_MODELS: dict[str, list[Json]] = {
    "names as long as pages": [table(1, _LONG, column(1, _LONG), comment=_LONG)],
    "names that are written from right to left": [table(1, "\u202egnp.exe", column(1, "שלום"))],
    "owners in a circle": [
        table(1, "ab", column(1, "x"), owned_by=other(2, "cd")),
        table(2, "cd", owned_by=other(3, "ef")),
        table(3, "ef", owned_by=other(1, "ab")),
    ],
    "a table in itself": [table(1, "ab", column(1, "x"), owned_by=other(1, "ab"))],
    "colliding ids": [table(1, "ab", column(7, "c")), table(1, "bc", column(7, "d"), column(7, "e"))],
}


async def test_a_hostile_model_is_shown(bench: Bench) -> None:
    """In a window of the same size; each of its elements can be selected, and has a place in the tree."""
    size = bench.view.size()
    async with bench.with_museum() as controller:
        bench.view.bottom.open(0)
        for name, tables in _MODELS.items():
            document = _document(tables)
            assert find_problems(document) or name == "colliding ids"
            controller.store.put(PageState(open_model_file(document), may_develop=True, file="model.json"))
            await until(lambda: bench.view.diagram.has_picture)
            for each in document.tables:
                refs: list[ElementRef] = [ColumnRef(each.key, one.key) for one in each.columns]
                for ref in (TableRef(each.key), *refs):
                    controller.store.select(ref)
                    assert bench.view.tables.model.index_of(ref).isValid()
            bench.view.grab()
            assert bench.view.size() == size


def test_a_circle_of_owners_begins_at_the_top() -> None:
    """With its first table; every table is in the tree once."""
    tree = SchemaTree(_document(_MODELS["owners in a circle"]))
    assert tree.tops == (TableRef(1),)
    assert tree.parent(TableRef(1)) is None
    assert [tree.parent(TableRef(key)) for key in (2, 3)] == [TableRef(3), TableRef(1)]
    assert SchemaTree(_document(_MODELS["a table in itself"])).children(TableRef(1)) == (ColumnRef(1, 1),)


def test_too_many_levels_of_nesting_are_no_model() -> None:
    """The error names the first table that is too deep; as many as names have room for are fine."""
    assert len(_document(_nested(22)).tables) == 22
    with pytest.raises(DocumentError) as caught:
        _document(_nested(600))
    assert str(caught.value) == "tables[100].owned_by: The file is nested too deeply to be a data model."


def _nested(levels: int) -> list[Json]:
    names = ["__".join("a" * (level + 1)) for level in range(levels)]
    return [
        table(level + 1, name, **({"owned_by": other(level, names[level - 1])} if level else {}))
        for level, name in enumerate(names)
    ]


def _document(tables: list[Json]) -> Document:
    return opened({"type": "user", "tables": tables})
