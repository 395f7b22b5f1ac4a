"""Tests of the use of tables in the diagram and in the list, with a real log."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from types import MappingProxyType

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Session
from cdb_desktop.events.table_use import TableUse, Use, UseScan
from cdb_desktop.schema.diagram.heat import TableHeat
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.bars import UsageBar
from cdb_desktop.ui.schema.usage import KnownUse, UsageDialog
from tests.desktop.patience import until
from tests.desktop.schema.models import WORK
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.server import serving

_DEMO = ("--demo", "--demo-events", "200")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server whose log nobody adds to, and its database."""
    database = tmp_path_factory.mktemp("usage") / "demo.sqlite"
    with serving(database, *_DEMO) as url:
        yield url, database


async def test_the_log_is_counted_and_painted(bench: Bench, demo: tuple[str, Path]) -> None:
    """Numbers are those of the database; the list says the same, and leads to table and events."""
    url, database = demo
    async with bench.signed_in(url, "root", "admin", database) as controller:
        bar, scene = _bar(bench), bench.view.diagram.diagram_scene
        bench.actions["schema_usage"].trigger()
        assert bar.isVisible()
        bar.period.decided.emit(0)
        await until(lambda: "in the whole log" in bar.note.text())
        work = _key(controller, "work")
        await until(lambda: controller.usage.known(work).rows is not None)
        with closing(sqlite3.connect(database)) as connection:
            for type_, use in (("OBJECT_UPDATE", Use.UPDATE), ("DETAIL_VIEW", Use.VIEW)):
                query = "SELECT count(*) FROM _event WHERE type = ? AND objecttype = 'work'"
                counted = connection.execute(query, (type_,)).fetchone()[0]
                assert controller.usage.known(work).number(use) == counted
            query = "SELECT count(*) FROM _event WHERE type = 'SEARCH' AND info LIKE '%\"work\"%'"
            counted = connection.execute(query).fetchone()[0]
            assert controller.usage.known(work).number(Use.SEARCH) == counted > 0
            rows = connection.execute("SELECT count(*) FROM work").fetchone()[0]
        heat = scene.diagram_style.heat
        assert heat is not None
        assert heat[work].rows == rows
        assert "Last written on" in scene.diagram_style.use_note(TableRef(work))
        controller.store.select(TableRef(work))
        assert bench.view.form.table.use.text() == scene.diagram_style.use_note(TableRef(work))
        # HEAD has a table that CURRENT has not: nothing is known of its rows, and no event names it.
        restoration = _key(controller, "restoration")
        assert heat[restoration] == TableHeat(0, None, None)
        note = scene.diagram_style.use_note(TableRef(restoration))
        assert "No event has touched this table" in note


async def test_the_list_leads_to_tables_and_events(bench: Bench, demo: tuple[str, Path]) -> None:
    """Unknown numbers come first; the result is remembered, and gives way to a comparison."""
    url, database = demo
    async with bench.signed_in(url, "root", "admin", database) as controller:
        bar, style = _bar(bench), bench.view.diagram.diagram_scene.diagram_style
        bench.actions["schema_usage"].trigger()
        await until(lambda: "for 90 days" in bar.note.text())
        await until(lambda: controller.usage.known(_key(controller, "work")).rows is not None)
        bar.kind.decided.emit(bar.kind.itemData(1))
        assert style.heat is not None
        assert max(each.level or 0 for each in style.heat.values()) == 4
        bar.list.click()
        dialog = _dialog(bench)
        assert dialog.text == bar.note.text()
        dialog.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        assert _cell(dialog, 1) == "unknown"
        _select(dialog, "tour")
        triggered: list[bool] = []
        bench.actions["table_events"].triggered.connect(lambda: triggered.append(True))
        dialog.events.click()
        assert triggered
        assert controller.selected_table_name == "tour"
        dialog.close()
        bench.view.notice.hide()
        bench.view.setFocus()
        QTest.keyClick(bench.view, Qt.Key.Key_Escape)
        assert not bench.actions["schema_usage"].isChecked()
        assert bench.view.diagram.diagram_scene.diagram_style.heat is None
        assert not bench.view.form.table.use.isVisible()
        before = controller.usage.scan
        bench.actions["schema_usage"].trigger()
        assert controller.usage.scan is before
        assert "as of" in bar.note.text()
        bench.actions["schema_changes"].trigger()
        assert not bench.actions["schema_usage"].isChecked()
        bench.actions["schema_changes"].trigger()


async def test_the_list_stays_in_place_during_a_scan(bench: Bench) -> None:
    """Rows get other numbers and places, while the selection, the order and the scroll position stay."""
    dialog = UsageDialog(bench.view.appearance, bench.view, may_see_events=True)
    dialog.show()
    scan = UseScan()
    uses = {name: TableUse() for name in (f"table_{number:03}" for number in range(300))}

    def show(others: Mapping[str, TableUse] = MappingProxyType({})) -> None:
        rows = {number: (name, KnownUse(use, scan)) for number, (name, use) in enumerate(uses.items())}
        dialog.show_uses(rows, {name: KnownUse(use, scan) for name, use in others.items()}, "Reading…")

    show()
    header = dialog.table.horizontalHeader()
    assert all(header.sectionSize(column) >= header.sectionSizeHint(column) for column in range(10))
    inserts = 4
    dialog.table.sortByColumn(inserts, Qt.SortOrder.DescendingOrder)
    _select(dialog, "table_200")
    dialog.table.verticalScrollBar().setValue(190)
    resets: list[bool] = []
    dialog.table.model().modelReset.connect(lambda: resets.append(True))
    uses["table_200"].counts[Use.INSERT] = 7
    uses["table_250"].counts[Use.INSERT] = 1_000_000_000_000
    show({"former": TableUse()})
    (chosen,) = dialog.table.selectionModel().selectedRows()
    assert (chosen.row(), chosen.data()) == (1, "table_200")
    assert dialog.table.verticalScrollBar().value() == 190
    assert (_cell(dialog, 0), _cell(dialog, inserts)) == ("table_250", "1000000000000")
    assert dialog.table.model().rowCount() == 301
    width = dialog.table.columnWidth(inserts)
    assert width > dialog.fontMetrics().horizontalAdvance("1000000000000")
    del uses["table_250"]
    show()
    (chosen,) = dialog.table.selectionModel().selectedRows()
    assert (chosen.row(), chosen.data()) == (0, "table_200")
    assert dialog.table.columnWidth(inserts) == width
    assert not resets
    dialog.close()


async def test_a_cancelled_scan_keeps_what_it_has_found(bench: Bench, demo: tuple[str, Path]) -> None:
    """Tables that it has not met are unknown, not unused; it can be started again."""
    url, _ = demo
    async with bench.signed_in(url, "root", "admin") as controller:
        bar = _bar(bench)
        bench.actions["schema_usage"].trigger()
        assert bar.scan.text() == "Cancel"
        bar.scan.click()
        assert bar.scan.text() == "Scan again"
        heat = bench.view.diagram.diagram_scene.diagram_style.heat
        assert heat is not None
        assert {(each.level, each.rows) for each in heat.values()} == {(None, None)}
        note = controller.usage._note(TableRef(_key(controller, "work")))
        assert note.startswith("Number of rows unknown")
        bar.scan.click()
        await until(lambda: "for 90 days" in bar.note.text())


async def test_a_failed_scan_keeps_what_was_known(bench: Bench, tmp_path: Path) -> None:
    """The service ends while the log is scanned again: the notice says why, and the numbers stay."""
    with ExitStack() as service:
        url = service.enter_context(serving(tmp_path / "demo.sqlite", *_DEMO))
        async with bench.signed_in(url, "root", "admin") as controller:
            bar = _bar(bench)
            bench.actions["schema_usage"].trigger()
            await until(lambda: "for 90 days" in bar.note.text())
            before = controller.usage.scan, bench.view.diagram.diagram_scene.diagram_style.heat
            service.close()
            bench.view.notice.hide()
            bar.scan.click()
            await until(bench.view.notice.isVisible)
            assert bench.view.notice.title
            assert "for 90 days" in bar.note.text()
            after = controller.usage.scan, bench.view.diagram.diagram_scene.diagram_style.heat
            assert after == before


async def test_another_period_meanwhile_keeps_the_last_result(bench: Bench, demo: tuple[str, Path]) -> None:
    """That is shown at once when the first period is chosen again, as while the log is scanned again."""
    url, _ = demo
    async with bench.signed_in(url, "root", "admin") as controller:
        bar = _bar(bench)
        bench.actions["schema_usage"].trigger()
        await until(lambda: "for 90 days" in bar.note.text())
        before = controller.usage.scan
        bar.scan.click()
        assert controller.usage.scan is before
        assert "Reading…" in bar.note.text()
        bar.period.decided.emit(7)
        bar.period.decided.emit(90)
        assert controller.usage.scan is before
        assert "for 90 days" in bar.note.text()


async def test_without_the_right_everything_is_unknown(bench: Bench) -> None:
    """Never 0, and it says why."""
    async with bench.with_museum(session=Session(token="t")) as controller:
        bench.actions["schema_usage"].trigger()
        bar = _bar(bench)
        assert "system.api.event.get" in bar.note.text()
        assert not bar.scan.isVisible()
        known = controller.usage.known(WORK)
        assert (known.rows, known.number(Use.SEARCH), known.reads) == (None, None, None)
        assert "0" not in controller.usage._note(TableRef(WORK))
        bar.list.click()
        assert {_cell(_dialog(bench), column) for column in range(1, 10)} == {"unknown"}
        assert not bench.actions["table_events"].isEnabled()
        _dialog(bench).close()


def _bar(bench: Bench) -> UsageBar:
    return bench.view.diagram_panel.usage


def _dialog(bench: Bench) -> UsageDialog:
    return child_of(bench.view, UsageDialog, "schema.usage.tables")


def _cell(dialog: UsageDialog, column: int) -> str:
    """The text of a cell of the first row."""
    return str(dialog.table.model().index(0, column).data())


def _select(dialog: UsageDialog, name: str) -> None:
    """Selects the row of a table."""
    model = dialog.table.model()
    rows = [row for row in range(model.rowCount()) if model.index(row, 0).data() == name]
    dialog.table.selectRow(rows[0])


def _key(controller: SchemaController, name: str) -> int:
    return next(table.key for table in controller.store.page.document.tables if table.name == name)
