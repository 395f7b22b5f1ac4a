"""Tests of the comparison in the diagram: any two versions, the slider, and the way back to editing."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.tables import remove_column, remove_table
from cdb_desktop.ui.schema.diagram.bars import TimeLine
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PERSON_NAME, PICTURE, TITLE, WORK, YEAR, museum, opened
from tests.desktop.ui.schema.conftest import Bench


async def test_removed_elements_are_painted_and_editing_returns(bench: Bench) -> None:
    """Ghosts can be selected; afterwards positions, zoom, scroll position and selection are as before."""
    async with bench.with_museum() as controller:
        store, view = controller.store, bench.view.diagram
        store.apply(remove_column(ColumnRef(WORK, YEAR), dependents=True))
        store.apply(remove_table(PICTURE, dependents=True))
        store.apply(RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname"))
        store.select(TableRef(WORK))
        view.zoom_in()
        before = _boxes(bench), view.place, controller.store.page
        bench.actions["schema_changes"].trigger()
        scene = view.diagram_scene
        assert scene.diagram_style.removed >= {ColumnRef(WORK, YEAR), TableRef(PICTURE)}
        found = scene.line_of(ColumnRef(PERSON, PERSON_NAME))
        assert found is not None
        assert found[1].name == "name → surname"
        await until(lambda: scene.diagram_style.signs.get(TableRef(PICTURE)) == "−")
        assert "1 renamed" in _bar(bench).counts.texts
        assert not bench.actions["table_new"].isEnabled()
        assert not controller.store.page.is_editable
        for ghost in (ColumnRef(WORK, YEAR), TableRef(PICTURE)):
            store.select(ghost)
            assert controller.store.page.selection == ghost
            assert bench.view.form.removed.isVisible()
            assert not bench.view.form.removed.restore.isVisible()
        assert "removed" in scene.diagram_style.note(ColumnRef(WORK, YEAR))
        bench.view.notice.hide()
        bench.view.setFocus()
        QTest.keyClick(bench.view, Qt.Key.Key_Escape)
        assert not bench.actions["schema_changes"].isChecked()
        assert (_boxes(bench), view.place, controller.store.page) == before
        assert scene.diagram_style.removed == frozenset()
        assert bench.actions["table_new"].isEnabled()
        assert store.apply(RenameColumn(ColumnRef(WORK, TITLE), "heading"))


async def test_the_slider_goes_through_all_versions(bench: Bench, reference_server: str) -> None:
    """With keys; author and time are shown, and boxes keep their places."""
    async with bench.signed_in(reference_server, "root", "admin") as controller:
        bar = _bar(bench)
        bench.actions["schema_changes"].trigger()
        assert (bar.old.currentText(), bar.new.currentText()) == ("CURRENT v3", "HEAD v4")
        assert bar.slider.maximum() == 3
        await until(lambda: not controller._tasks.is_running("schema.timeline"))
        QTest.keyClick(bar.slider, Qt.Key.Key_Home)
        assert controller.store.page.document.version == 1
        await until(lambda: "committed by" in bar.note.text())
        assert bar.old.currentText() == "nothing"
        places = {key: item.pos() for key, item in bench.view.diagram.diagram_scene.tables.items()}
        for version in (2, 3):
            QTest.keyClick(bar.slider, Qt.Key.Key_Right)
            page = controller.store.page
            assert page.compared is not None
            assert (page.compared.version, page.document.version) == (version - 1, version)
            for key, item in bench.view.diagram.diagram_scene.tables.items():
                assert places.setdefault(key, item.pos()) == item.pos()
        controller._choose_version(1)
        await until(lambda: bar.slider.value() == 0)
        bar.pair_chosen.emit(1, 3)
        assert controller.store.page.document.version == 3
        assert controller.store.page.base is controller._versions.known(1)
        bar.closed.emit()
        assert controller.store.page.past is None


async def test_unknown_authors_are_said_to_be_unknown(bench: Bench, reference_server: str) -> None:
    """To a user who may not read events."""
    async with bench.signed_in(reference_server, "viewer"):
        bar = _bar(bench)
        bench.actions["schema_changes"].trigger()
        assert bar.note.text() == "not committed"
        bar.stepped.emit(2)
        await until(lambda: bar.note.text().startswith("author and time unknown"))
        bar.closed.emit()


async def test_reading_is_cancelled_and_the_newest_wish_comes_first(
    bench: Bench, reference_server: str
) -> None:
    """What is painted stays after Cancel; later only wanted versions are read."""
    async with bench.signed_in(reference_server, "root", "admin") as controller:
        versions, bar = controller._versions, _bar(bench)
        gate, wanted = asyncio.Event(), []
        read = versions._read

        async def slowly(version: int) -> object:
            wanted.append(version)
            await gate.wait()
            return await read(version)

        versions._read = slowly  # type: ignore[assignment]
        # Localized names that arrive later change the page, and reading begins anew.
        await until(lambda: not controller._tasks.is_running("schema.names"))
        bench.actions["schema_changes"].trigger()
        await until(lambda: wanted == [2])
        bar.stepped.emit(0)
        await until(lambda: wanted == [2, 1])
        assert controller.store.page.past is None
        assert bar.cancel.isVisible()
        bar.cancel.click()
        assert bar.slider.value() == 3
        assert not bar.cancel.isVisible()
        gate.set()
        bar.stepped.emit(0)
        await until(lambda: controller.store.page.document.version == 1)
        await until(lambda: not controller._tasks.is_running("schema.timeline"))
        assert wanted == [2, 1, 1]
        bench.actions["schema_changes"].trigger()


async def test_a_version_that_the_service_does_not_have_is_empty(bench: Bench, reference_server: str) -> None:
    """It is asked for once, and shown like nothing."""
    async with bench.signed_in(reference_server, "root", "admin") as controller:
        bar, wanted = _bar(bench), []

        async def missing(version: int) -> None:
            wanted.append(version)

        controller._versions._read = missing
        bench.actions["schema_changes"].trigger()
        await until(lambda: not controller._tasks.is_running("schema.timeline"))
        for pair in ((2, 3), (1, 3)):
            bar.pair_chosen.emit(*pair)
            page = controller.store.page
            assert page.compared is not None
            assert (len(page.compared.tables), page.document.version) == (0, 3)
        assert wanted == [2, 1]
        bench.actions["schema_changes"].trigger()


async def test_head_that_is_read_again_is_no_committed_version(bench: Bench) -> None:
    """It is compared as it is now, also when the version that was painted has been committed meanwhile."""
    current = _numbered(1)
    async with bench.with_museum(current) as controller:
        saved = _numbered(2)
        controller.store.put_editing(controller.store.page.editing.refreshed(saved, current))
        bench.actions["schema_changes"].trigger()
        _bar(bench).pair_chosen.emit(0, "saved")
        assert controller.store.page.past is saved
        assert controller.store.page.shown_version is None
        committed, head = _numbered(2), _numbered(3)
        controller.store.put_editing(controller.store.page.editing.refreshed(head, committed))
        assert controller.store.page.past is head
        assert _bar(bench).new.currentText() == "HEAD, as saved"
        assert bench.view.header.version.currentText().startswith("HEAD")
        assert not controller._versions.newest_first
        # In the list above the diagram, any version can be chosen still.
        controller._choose_version(2)
        await until(lambda: controller.store.page.past is committed)
        assert _bar(bench).new.currentText() == "CURRENT v2"
        bench.actions["schema_changes"].trigger()


def _numbered(version: int) -> Document:
    return opened({**museum(), "version": version})


def _bar(bench: Bench) -> TimeLine:
    return bench.view.diagram_panel.time_line


def _boxes(bench: Bench) -> object:
    return bench.view.diagram.diagram_scene.diagram
