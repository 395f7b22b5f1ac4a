"""Tests of the schema page as it reads from a service, and of who may do what there."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from cdb_desktop.client import Client
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.labels import ElidedLabel
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.schema.models import opened as museum_document
from tests.desktop.ui.schema.conftest import NOBODY, ROOT, Bench

MAY = {
    "root": ("table_new", "schema_commit"),
    "support": (),
    "steward": (),
    "modeller": ("table_new",),
    "releaser": ("table_new", "schema_commit"),  # commit includes development (wire §2)
    "viewer": (),
}


async def test_head_is_shown_beside_current(bench: Bench, reference_server: str) -> None:
    """Strip, tree, diagram and list of changes tell the same."""
    async with bench.signed_in(reference_server, "root", "admin") as controller:
        view = bench.view
        await until(lambda: view.header.badge.endswith("5 changes"))
        assert view.header.version.currentText() == "HEAD v4"
        assert [view.header.version.itemText(at) for at in range(4)] == ["HEAD v4", "CURRENT v3", "v2", "v1"]
        assert len(view.diagram.drawing.tables) == view.tables.model.rowCount()
        assert view.bottom.titles[1] == "Changes 5"
        assert controller.store.page is not None
        assert controller.store.page.editing.is_saved


async def test_committed_versions_are_read_only(bench: Bench, reference_server: str) -> None:
    """What was committed is looked at and left alone."""
    async with bench.signed_in(reference_server, "root", "admin"):
        bench.view.header.version_chosen.emit(1)
        await until(lambda: bench.view.header.note == "committed, read-only")
        assert not bench.actions["table_new"].isEnabled()
        assert "Only HEAD can be changed." in bench.actions["schema_save"].toolTip()
        bench.view.header.version_chosen.emit("HEAD")
        assert bench.actions["table_new"].isEnabled()


@pytest.mark.parametrize("login", MAY)
async def test_what_is_not_allowed_names_the_missing_right(
    bench: Bench, reference_server: str, login: str
) -> None:
    """Everybody reads the schema; steps and commits are for those who may (§5.2)."""
    password = "admin" if login == "root" else login
    async with bench.signed_in(reference_server, login, password):
        assert bench.actions["schema"].isEnabled()
        rights = {"table_new": "system.datamodel.development", "schema_commit": "system.datamodel.commit"}
        for name, right in rights.items():
            assert bench.actions[name].isEnabled() == (name in MAY[login])
            assert (f"Requires the right {right}." in bench.actions[name].toolTip()) == (
                name not in MAY[login]
            )


@pytest.mark.parametrize("login", ["root", "modeller"])
async def test_who_may_save_but_not_commit_reads_it_in_the_header(
    bench: Bench, reference_server: str, login: str
) -> None:
    """Not only in the tooltip of a grey button."""
    async with bench.signed_in(reference_server, login, "admin" if login == "root" else login):
        told = "Commit needs the right system.datamodel.commit"
        header = bench.view.header
        assert header.note == ("" if login == "root" else told)
        # Nothing of it is cut where the window is 1280 pixels wide; the rail takes 48.
        header.setParent(None)
        header.resize(1232, header.height())
        header.show()
        QApplication.processEvents()
        for name in ("schema.badge", "schema.note"):
            label = header.findChild(ElidedLabel, name)
            assert isinstance(label, ElidedLabel)
            assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


async def test_what_was_only_told_is_over_with_another_version(bench: Bench, reference_server: str) -> None:
    """It takes no room from the drawing; what offers something waits for an answer."""
    async with bench.signed_in(reference_server, "root", "admin"):
        offer, header = bench.view.offer, bench.view.header
        offer.show_offer("accent", "The diagram is in diagram.svg.")
        header.version_chosen.emit(1)
        assert not offer.isVisible()
        offer.show_offer("warning", "Go on with it?", ("Restore", offer.hide))
        header.version_chosen.emit("HEAD")
        assert offer.isVisible()


async def test_lists_without_lines_say_what_that_means(bench: Bench) -> None:
    """On the screen and to those who do not see it."""
    async with bench.with_museum() as controller:
        bottom = bench.view.bottom
        lists = (bottom.problems, bottom.changes)
        bottom.open_problems()
        await until(lambda: bottom.changes.nothing)
        assert [one.nothing for one in lists] == ["No problems.", "Nothing changed."]
        assert [one.accessibleDescription() for one in lists] == ["No problems.", "Nothing changed."]
        colours = bottom.problems.grab().toImage()
        assert len({colours.pixel(x, y) for x in range(colours.width()) for y in range(20)}) > 2
        controller.store.apply(RenameTable(named(_document(controller), "work").key, "Bad name"))
        await until(lambda: not bottom.problems.nothing)
        assert [one.nothing for one in lists] == ["", ""]


async def test_the_services_own_drawing_is_one_key_away(bench: Bench, reference_server: str) -> None:
    """The SVG stands beside the diagram."""
    async with bench.signed_in(reference_server, "viewer"):
        bench.actions["schema_svg"].setChecked(True)
        await until(lambda: bench.view.drawing.svg.has_picture)
        assert bench.view.drawing.shows_svg
        bench.actions["schema_svg"].setChecked(False)
        assert bench.view.diagram.isVisible()


async def test_a_service_that_is_away_is_told_with_a_way_out(bench: Bench) -> None:
    """Instead of the diagram the page says why there is none."""
    box = bench.view.header.version
    assert (box.isEnabled(), box.placeholderText()) == (False, "No version read")
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.load()
        picture = bench.view.findChild(EmptyState)
        assert picture is not None
        await until(lambda: picture.step == "Try again")
        assert "no service listens on this port" in picture.text


async def test_a_service_without_a_schema_offers_the_first_table(bench: Bench) -> None:
    """An empty service is no failure (§4.6), and who may begins there."""
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.store.put(Page(open_head(None, None), may_develop=True))
        assert bench.view.header.version.isEnabled()
        picture = bench.view.findChild(EmptyState)
        assert picture is not None
        assert picture.step == "Create the first table"
        picture.step_requested.emit()
        await until(lambda: bench.view.diagram.has_picture)
        assert controller.store.page is not None
        assert [table.name for table in controller.store.page.document.tables] == ["new_table"]


async def test_somebody_else_may_do_other_things(bench: Bench, reference_server: str) -> None:
    """After signing in again; what was not saved is kept, and closed to who may not change it (§5.2)."""
    async with Client(reference_server) as client:
        modeller = await client.authenticate("modeller", "modeller")
        async with bench.at(client, modeller) as controller:
            controller.load()
            await until(lambda: bench.view.diagram.has_picture)
            store = controller.store
            store.apply(RenameTable(named(_document(controller), "work").key, "opus"))
            viewer = await client.authenticate("viewer", "viewer")
            bench.actions.offer(viewer.allows)
            controller.renew(viewer)
            assert "system.datamodel.development" in bench.view.header.note
            assert not store.apply(RenameTable(named(_document(controller), "opus").key, "work"))
            bench.actions.offer(modeller.allows)
            controller.renew(modeller)
            assert bench.view.header.note == "not saved"


async def test_a_failure_can_be_copied_and_explained(bench: Bench) -> None:
    """As on every other page."""
    box = bench.view.header.version
    assert (box.isEnabled(), box.placeholderText()) == (False, "No version read")
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.load()
        picture = bench.view.findChild(EmptyState)
        assert picture is not None
        copy = picture.findChild(QToolButton, "failure.copy")
        assert copy is not None
        await until(copy.isVisible)
        copy.click()
        assert QApplication.clipboard().text()
        controller.store.put(Page(open_head(museum_document(), None), may_develop=True))
        controller.load()
        await until(bench.view.offer.isVisible)
        copy = bench.view.offer.findChild(QToolButton, "failure.copy")
        assert copy is not None
        assert copy.isVisible()


def _document(controller: SchemaController) -> Document:
    assert controller.store.page is not None
    return controller.store.page.document
