"""Tests of the export and import of DBML, SQL and Mermaid in the window."""

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from cdb_desktop.schema.exchange.formats import ExchangeFormat, read_model
from cdb_desktop.ui.schema.files.controller import LossDialog
from cdb_desktop.ui.schema.promotion.controller import PromotionDialog
from tests.desktop.patience import until
from tests.desktop.schema.models import column, table
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.schema.conftest import Bench

SHOP = "Table shop { name text [unique]\n owner int }\nTable work { title text_oneline [not null] }\n"


async def test_an_export_says_what_has_no_counterpart(bench: Bench, tmp_path: Path) -> None:
    """In the notice as a number, in the dialog as a list that can be copied."""
    async with bench.with_museum():
        target = tmp_path / "museum.sql"
        bench.actions["schema_export"].trigger()
        dialog = child_of(bench.view, QFileDialog, "schema.exchange.export.dialog")
        dialog.selectNameFilter("SQL for MySQL (*.sql)")
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(bench.view.notice.isVisible)
        assert bench.view.notice.text.startswith(f"The schema is in {target}.")
        assert "features have no counterpart" in bench.view.notice.text
        tables = read_model(target.read_bytes(), ExchangeFormat.MYSQL).tables
        assert len(tables) == 6
        child_of(bench.view, QPushButton, "schema.offer.0").click()
        losses = child_of(bench.view, LossDialog)
        child_of(losses, QPushButton, "schema.losses.copy").click()
        assert "Membership in pools: work" in QApplication.clipboard().text()


async def test_an_import_is_one_step_of_editing(bench: Bench, tmp_path: Path) -> None:
    """After a dialog that shows what it would change, without removals at first; undo takes it back."""
    async with bench.with_museum() as controller:
        page = controller.store.page
        before = page.document
        dialog = await _import_dialog(bench, tmp_path / "shop.dbml", SHOP)
        assert dialog.counts.text() == "1 table added, 2 columns added, 1 unique key added"
        dialog.choose_all.click()
        assert "5 tables removed" in dialog.counts.text()
        dialog.choose_safe.click()
        dialog.accept_button.click()
        await until(lambda: controller.store.page.document is not before)
        assert [table.name for table in controller.store.page.document.tables][-1] == "shop"
        assert bench.actions["schema_undo"].text().startswith("&Undo: Take over from shop.dbml")
        bench.actions["schema_undo"].trigger()
        assert controller.store.page.document is before


async def test_many_differences_are_folded(bench: Bench, tmp_path: Path) -> None:
    """Their rows are made when a table is expanded; the row of a table stands for all of them."""
    tables = [
        table(number, f"table{number}", column(number, "name"), column(number + 200, "note"))
        for number in range(100, 220)
    ]
    async with bench.with_museum() as controller:
        dialog = await _import_dialog(bench, tmp_path / "large.json", json.dumps({"tables": tables}))
        dialog.choose_none.click()
        first = dialog.changes.findItems("table100 ", Qt.MatchFlag.MatchStartsWith)[0]
        assert first.childCount() == 0
        first.setCheckState(0, Qt.CheckState.Checked)
        assert dialog.counts.text() == "1 table added, 2 columns added"
        first.setExpanded(True)
        rows = [first.child(at) for at in range(first.childCount())]
        assert [row.checkState(0) for row in rows if row] == [Qt.CheckState.Checked] * 3
        assert rows[2] is not None
        rows[2].setCheckState(0, Qt.CheckState.Unchecked)
        assert first.checkState(0) is Qt.CheckState.PartiallyChecked
        before = controller.store.page.document
        dialog.accept_button.click()
        await until(lambda: controller.store.page.document is not before)
        assert len(controller.store.page.document.tables) == len(before.tables) + 1
        assert [one.name for one in controller.store.page.document.tables[-1].columns] == ["name"]


async def test_a_file_with_an_error_changes_nothing(bench: Bench, tmp_path: Path) -> None:
    """The line and a remedy are shown."""
    async with bench.with_museum() as controller:
        before = controller.store.page.document
        _choose(bench, tmp_path / "shop.sql", "CREATE TABLE a (\n x int int,,")
        await until(bench.view.notice.isVisible)
        assert bench.view.notice.title == "shop.sql cannot be imported"
        assert "Line 2: This is no PostgreSQL" in bench.view.notice.text
        assert "Nothing was changed." in bench.view.notice.text
        assert controller.store.page.document is before


async def test_edits_made_meanwhile_are_not_overwritten(bench: Bench, tmp_path: Path) -> None:
    """An import that was proposed for another state is refused."""
    async with bench.with_museum() as controller:
        dialog = await _import_dialog(bench, tmp_path / "shop.dbml", SHOP)
        bench.actions["table_new"].trigger()
        edited = controller.store.page.document
        dialog.accept_button.click()
        await until(bench.view.notice.isVisible)
        assert controller.store.page.document is edited
        assert "Nothing was taken over" in bench.view.notice.text


def _choose(bench: Bench, file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    bench.actions["schema_import"].trigger()
    dialog = child_of(bench.view, QFileDialog, "schema.exchange.import.dialog")
    dialog.fileSelected.emit(str(file))
    dialog.close()


async def _import_dialog(bench: Bench, file: Path, text: str) -> PromotionDialog:
    _choose(bench, file, text)
    dialog = await awaited_child(bench.view, PromotionDialog)
    await until(lambda: dialog.proposal is not None)
    return dialog
