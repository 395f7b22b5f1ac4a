"""Tests of the schema page with a service, and of rights."""

import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from cdb_desktop.client import Client
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.labels import ElidedLabel
from tests.desktop.patience import process_events, until
from tests.desktop.schema.models import named
from tests.desktop.schema.models import opened as museum_document
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import NOBODY, ROOT, Bench

MAY = {
    "root": ("table_new", "schema_commit"),
    "modeller": ("table_new",),
    "viewer": (),
}


async def test_head_and_committed_versions_are_shown(bench: Bench, reference_server: str) -> None:
    """Header, tree, diagram and list of changes agree; only HEAD can be edited.

    Choosing a version hides a notice without buttons.
    """
    async with bench.signed_in(reference_server, "root", "admin") as controller:
        view = bench.view
        await until(lambda: view.header.badge.endswith("5 changes"))
        assert view.header.version.currentText() == "HEAD v4"
        assert [view.header.version.itemText(at) for at in range(4)] == ["HEAD v4", "CURRENT v3", "v2", "v1"]
        assert len(view.diagram.diagram_scene.tables) == view.tables.model.rowCount()
        assert view.bottom.titles[1] == "Changes 5"
        assert controller.store.page.editing.is_saved
        view.notice.show_text("accent", "The diagram is in diagram.svg.")
        view.header.version_chosen.emit(1)
        assert not view.notice.isVisible()
        await until(lambda: view.header.note == "committed, read-only")
        assert not bench.actions["table_new"].isEnabled()
        assert "Only HEAD can be changed." in bench.actions["schema_save"].toolTip()
        view.notice.show_text("warning", "Go on with it?", ("Restore", view.notice.hide))
        view.header.version_chosen.emit("HEAD")
        assert view.notice.isVisible()
        assert bench.actions["table_new"].isEnabled()


@pytest.mark.parametrize("login", MAY)
async def test_disabled_actions_name_the_missing_right(
    bench: Bench, reference_server: str, login: str
) -> None:
    """Everybody may read the schema; edits and commits need rights (§5.2)."""
    password = "admin" if login == "root" else login
    async with bench.signed_in(reference_server, login, password):
        assert bench.actions["schema"].isEnabled()
        rights = {"table_new": "system.datamodel.development", "schema_commit": "system.datamodel.commit"}
        for name, right in rights.items():
            assert bench.actions[name].isEnabled() == (name in MAY[login])
            assert (f"Requires the right {right}." in bench.actions[name].toolTip()) == (
                name not in MAY[login]
            )
        header = bench.view.header
        if login == "modeller":
            assert header.note == "Committing requires the right system.datamodel.commit"
        # Nothing of it is cut where the window is 1280 pixels wide; the rail takes 48.
        header.setParent(None)
        header.resize(1232, header.height())
        header.show()
        await process_events()
        for name in ("schema.badge", "schema.note"):
            label = child_of(header, ElidedLabel, name)
            assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


async def test_empty_lists_say_what_that_means(bench: Bench) -> None:
    """On the screen and to screen readers."""
    async with bench.with_museum() as controller:
        bottom = bench.view.bottom
        lists = (bottom.problems, bottom.changes)
        bottom.open_problems()
        await until(lambda: bottom.changes.nothing)
        assert [one.nothing for one in lists] == ["No problems.", "Nothing changed."]
        assert [one.accessibleDescription() for one in lists] == ["No problems.", "Nothing changed."]
        colors = bottom.problems.grab().toImage()
        assert len({colors.pixel(x, y) for x in range(colors.width()) for y in range(20)}) > 2
        controller.store.apply(RenameTable(named(controller.store.page.document, "work").key, "Bad name"))
        await until(lambda: not bottom.problems.nothing)
        assert [one.nothing for one in lists] == ["", ""]


async def test_a_service_without_a_schema_offers_the_first_table(bench: Bench) -> None:
    """An empty service is not an error (§4.6)."""
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.store.put(PageState(open_head(None, None), may_develop=True))
        assert bench.view.header.version.isEnabled()
        picture = child_of(bench.view, EmptyState)
        assert picture.step == "Create the first table"
        picture.step_requested.emit()
        await until(lambda: bench.view.diagram.has_picture)
        assert [table.name for table in controller.store.page.document.tables] == ["new_table"]


async def test_another_session_has_other_rights(bench: Bench, reference_server: str) -> None:
    """Unsaved edits are kept, and are read-only without the right (§5.2)."""
    async with Client(reference_server) as client:
        modeller = await client.authenticate("modeller", "modeller")
        async with bench.at(client, modeller) as controller:
            controller.load()
            await until(lambda: bench.view.diagram.has_picture)
            store = controller.store
            store.apply(RenameTable(named(controller.store.page.document, "work").key, "opus"))
            viewer = await client.authenticate("viewer", "viewer")
            bench.actions.offer(viewer.allows)
            controller.renew(viewer)
            assert "system.datamodel.development" in bench.view.header.note
            assert not store.apply(RenameTable(named(controller.store.page.document, "opus").key, "work"))
            bench.actions.offer(modeller.allows)
            controller.renew(modeller)
            assert bench.view.header.note == "not saved"


async def test_an_error_can_be_copied_and_explained(bench: Bench) -> None:
    """As on every other page."""
    box = bench.view.header.version
    assert (box.isEnabled(), box.placeholderText()) == (False, "No version read")
    async with Client(NOBODY) as client, bench.at(client, ROOT) as controller:
        controller.load()
        picture = child_of(bench.view, EmptyState)
        copy = child_of(picture, QToolButton, "failure.copy")
        await until(copy.isVisible)
        assert picture.step == "Try again"
        assert "no service listens on this port" in picture.text
        copy.click()
        assert QApplication.clipboard().text()
        controller.store.put(PageState(open_head(museum_document(), None), may_develop=True))
        controller.load()
        await until(bench.view.notice.isVisible)
        copy = child_of(bench.view.notice, QToolButton, "failure.copy")
        assert copy.isVisible()
