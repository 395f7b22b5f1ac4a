"""Tests that nothing on the page is clipped in the smallest window, in both languages."""

import asyncio
from itertools import product

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QScrollArea, QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import SetColumnOptions
from cdb_desktop.ui.schema.commit.controller import CommitDialog
from tests.desktop.conftest import SetLanguage
from tests.desktop.patience import until
from tests.desktop.schema.models import ARTIST, NOTE, TITLE, WORK, YEAR
from tests.desktop.ui.clipping import clipped
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench

SMALL = QSize(1366 - 48, 768 - 330)  # the page beside rail, menu, live feed and status bar
PLACES: dict[TableRef | ColumnRef, str] = {  # with the check of a column
    TableRef(WORK): "",
    TableRef(NOTE): "",
    ColumnRef(WORK, ARTIST): "",
    ColumnRef(WORK, TITLE): "regexp",
    ColumnRef(WORK, YEAR): "range",
}


@pytest.fixture(params=["en", "de"])
def language(request: pytest.FixtureRequest, set_language: SetLanguage) -> str:
    """The language of the page."""
    set_language(request.param)
    return str(request.param)


async def test_forms_are_not_clipped(language: str, bench: Bench) -> None:
    """Neither at their initial nor at their minimum width, also with a scroll bar."""
    async with bench.with_museum() as controller:
        for (place, check), width in product(PLACES.items(), (330, 1)):
            if isinstance(place, ColumnRef) and check:
                controller.store.apply(SetColumnOptions(place, {"check": check}))
            controller.store.select(place)
            bench.view.resize(SMALL)
            across = bench.view._across
            across.setSizes([230, SMALL.width() - 230 - width, width])
            await asyncio.sleep(0.02)
            form = bench.view.form.currentWidget()
            assert isinstance(form, QScrollArea)
            assert _beyond(form) == []
            assert clipped(form) == []


async def test_the_commit_dialog_is_not_clipped(language: str, bench: Bench, reference_server: str) -> None:
    """However long the text of its button is."""
    async with bench.signed_in(reference_server, "root", "admin"):
        bench.actions["schema_commit"].trigger()
        dialog = child_of(bench.view, CommitDialog)
        await until(lambda: "285" in dialog.accept_button.text())
        await asyncio.sleep(0.02)
        assert clipped(dialog) == []
        dialog.reject()


def _beyond(form: QScrollArea) -> list[str]:
    """The widgets that extend beyond the visible width of the form."""
    content = form.widget()
    assert content is not None
    edge = form.viewport().width()
    parts = (one for one in content.findChildren(QWidget) if one.isVisible())
    return [
        f"{one.objectName() or type(one).__name__} {one.mapTo(content, one.rect().topRight()).x()} > {edge}"
        for one in parts
        if one.parentWidget() is content and one.mapTo(content, one.rect().topRight()).x() > edge
    ]
