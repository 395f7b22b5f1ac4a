"""A promotion from one server to another with pointer and keyboard, down to what the other one has then."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from cdb_desktop.client import Client
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionDialog
from cdb_desktop.ui.schema.promotion.controller import PromotionDialog
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.models import named
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.desktop.ui.schema.promotion.servers import Connections, two_servers
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]


async def test_a_promotion(bench: Bench, pointer: Pointer, tmp_path: Path) -> None:
    """The password is asked for, a table is left out, and the rest is saved."""
    async with two_servers(tmp_path) as servers:
        bench = replace(bench, connections=Connections({"test": servers.test}))
        async with bench.signed_in(servers.production, "root", servers.password) as controller:
            pointer.show(bench.view)
            pointer.press("ctrl+shift+F9")
            await pointer.until(lambda: bool(bench.view.findChildren(OtherConnectionDialog)))
            asked = bench.view.findChildren(OtherConnectionDialog)[0]
            pointer.press("Return")
            await pointer.until(asked.password.isVisible)
            pointer.type("admin")
            pointer.press("Return")
            await pointer.until(lambda: bool(bench.view.findChildren(PromotionDialog)))
            dialog = bench.view.findChildren(PromotionDialog)[0]
            await pointer.until(lambda: dialog.proposal is not None)
            pointer.settle()
            pointer.click(dialog.changes.viewport(), _box(dialog.changes, "Table restoration__step added"))
            assert "5 more" not in dialog.accept_button.text()
            pointer.click(
                dialog.changes.viewport(), _box(dialog.changes, "Column work.previous_number removed")
            )
            before = controller.store.page
            pointer.click(dialog.accept_button)
            await pointer.until(lambda: controller.store.page is not before)
            pointer.press("ctrl+s")
            await pointer.until(
                lambda: (
                    controller.store.page.is_read
                    and controller.store.page.editing.is_saved
                    and not controller.store.page.busy
                )
            )
        async with Client(servers.production) as client:
            await client.authenticate("root", servers.password)
            saved = read_document(await client.schema("HEAD"))
    names = [table.name for table in saved.tables]
    assert "restoration" in names
    assert "restoration__step" not in names
    assert "previous_number" not in [column.name for column in named(saved, "work").columns]
    assert named(saved, "restoration").foreign_keys[0].target == named(saved, "work").key


def _box(tree: QTreeWidget, text: str) -> QPoint:
    """The position of the checkbox of a row, which is scrolled to."""
    flags = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
    found: list[QTreeWidgetItem] = tree.findItems(text, flags)
    tree.scrollToItem(found[0])
    area = tree.visualItemRect(found[0])
    return QPoint(area.left() + 10, area.center().y())
