"""Tests of promotions between two servers, with sign-in, ids, choices, localized names and errors."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.schema.diff.differences import find_differences
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.ui.schema.compare.controller import VersionComparisonDialog
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionDialog
from cdb_desktop.ui.schema.promotion.controller import PromotionDialog
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from tests.desktop.patience import until
from tests.desktop.schema.models import PLACE, named
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench, is_saved
from tests.desktop.ui.schema.promotion.servers import DEMO, Connections, two_servers
from tests.server import started

_NOBODY = "http://127.0.0.1:1"
_Dialog = TypeVar("_Dialog", bound=BaseDialog)


async def test_a_promotion_between_two_servers(bench: Bench, tmp_path: Path) -> None:
    """The chosen difference is empty afterwards, nothing else has changed, and names come along."""
    async with two_servers(tmp_path) as servers:
        bench = replace(bench, connections=Connections({"test": servers.test}))
        async with bench.signed_in(servers.production, "root", servers.password) as controller:
            before = controller.store.page.document
            bench.actions["schema_promote"].trigger()
            asked = _found(bench, OtherConnectionDialog)
            asked.accept_button.click()
            await until(asked.password.isVisible)
            QTest.keyClicks(asked.password, "admin")
            asked.accept_button.click()
            dialog = await _promotion(bench)
            assert dialog.match.currentData() is MatchBy.NAMES
            losses = child_of(dialog, QListWidget, "schema.losses.list")
            lost = [losses.item(row).text() for row in range(losses.count())]
            assert any(text.startswith("“In facets”, which this service does not know: ") for text in lost)
            assert dialog.width() <= 1000
            assert dialog.height() <= 660
            assert _row(dialog, "Table restoration added").text(4).endswith("→ new")
            removal = _row(dialog, "Column work.previous_number removed")
            assert removal.checkState(0) is Qt.CheckState.Unchecked
            # A column needs its table, and that the one in which it is nested.
            dialog.choose_none.click()
            dialog.changes.setCurrentItem(_row(dialog, "Column restoration__step.measure added (text)"))
            QTest.keyClick(dialog.changes, Qt.Key.Key_Space)
            assert _chosen(dialog) == {
                "Table restoration added",
                "Table restoration__step added",
                "Column restoration__step.measure added (text)",
            }
            dialog.choose_safe.click()
            chosen, found = dialog.chosen, dialog.proposal
            assert found is not None
            dialog.accept_button.click()
            await until(lambda: controller.store.page.document is not before)
            bench.actions["schema_save"].trigger()
            await until(lambda: is_saved(controller))
            async with Client(servers.production) as client:
                await client.authenticate("root", servers.password)
                saved = read_document(await client.schema("HEAD"))
                names = await client.l10n("HEAD")
        left = find_differences(saved, align(found.alignment.document, saved, MatchBy.NAMES).document)
        assert len(left.all_ids) == len(found.differences.all_ids - chosen)
        restoration, report = named(saved, "restoration"), named(saved, "condition_report")
        assert restoration.id is not None
        assert report.key in {key.target for key in restoration.foreign_keys}
        assert report.id == named(before, "condition_report").id
        assert names["schema.restoration.name"] == {"de-DE": "Restaurierung", "en-US": "Restoration"}


async def test_another_connection_is_compared(bench: Bench, tmp_path: Path) -> None:
    """Its elements are found by their names, since its ids are those of another service."""
    with started(tmp_path / "demo.sqlite", *DEMO) as (_, url):
        bench = replace(bench, connections=Connections({"stored": url}))
        async with bench.with_museum() as controller:
            controller.store.apply(RenameTable(PLACE, "site"))
            bench.actions["schema_compare"].trigger()
            dialog = _found(bench, VersionComparisonDialog)
            dialog.pair_chosen.emit("other", "draft")
            asked = _found(bench, OtherConnectionDialog)
            asked.current.setChecked(True)
            asked.accept_button.click()
            await until(lambda: dialog.old.currentText() == "stored CURRENT")
            await until(lambda: dialog.review is not None and dialog.review.old_name == "stored CURRENT")
            assert dialog.review is not None
            texts = [str(change.message) for change in dialog.review.changes]
            assert "Table site added" in texts
            assert "Table place removed" in texts
            assert "Column work.year added (number)" in texts
            assert "Table work added" not in texts


async def test_what_cannot_be_read_is_explained(bench: Bench, tmp_path: Path) -> None:
    """A service that is not there, one that dies meanwhile, and one without a model; the dialog stays."""
    with started(tmp_path / "dying.sqlite", *DEMO) as (process, url):
        connections = Connections({"nobody": _NOBODY, "test": url})
        bench = replace(bench, connections=connections)
        async with bench.with_museum() as controller:
            before = controller.store.page.document
            bench.actions["schema_promote"].trigger()
            asked = _found(bench, OtherConnectionDialog)
            asked.accept_button.click()
            await until(lambda: bool(asked.fault))
            asked.profiles.setCurrentRow(1)
            assert not asked.fault
            asked.accept_button.click()
            await until(asked.password.isVisible)
            asked.password.setText("wrong")
            asked.accept_button.click()
            await until(lambda: "did not accept" in asked.fault)
            process.kill()
            asked.accept_button.click()
            await until(lambda: bool(asked.fault))
            asked.reject()
            assert controller.store.page.document is before


def _chosen(dialog: PromotionDialog) -> set[str]:
    assert dialog.proposal is not None
    items = dialog.proposal.differences.items
    return {str(item.message) for item in items if item.id in dialog.chosen}


def _found(bench: Bench, kind: type[_Dialog]) -> _Dialog:
    return next(one for one in bench.view.findChildren(kind) if one.isVisible())


def _row(dialog: PromotionDialog, text: str) -> QTreeWidgetItem:
    items = dialog.changes.findItems(text, Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
    assert len(items) == 1, [item.text(0) for item in items]
    return items[0]


async def _promotion(bench: Bench) -> PromotionDialog:
    await until(lambda: bench.view.findChild(PromotionDialog) is not None)
    dialog = _found(bench, PromotionDialog)
    await until(lambda: dialog.proposal is not None)
    return dialog


def test_without_another_connection_nothing_can_be_read(qtbot: QtBot, appearance: Appearance) -> None:
    """The dialog offers to connect to one, and shows no fields."""
    window = QWidget()
    qtbot.addWidget(window)
    asked = OtherConnectionDialog(appearance, window, (), "Its model is read.")
    asked.show()
    assert not any(one.isVisible() for one in (asked.profiles, asked.head, asked.current, asked.password))
    assert any("No connection is remembered yet." in label.text() for label in asked.findChildren(QLabel))
    assert not asked.accept_button.isEnabled()
    connect = child_of(asked, QPushButton, "schema.other.connect")
    with qtbot.waitSignal(asked.connect_requested):
        connect.click()
