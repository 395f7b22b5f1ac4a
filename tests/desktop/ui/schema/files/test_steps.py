"""Tests of the list of steps, which survive saving, restarts and crashes."""

import asyncio
from pathlib import Path

from PySide6.QtCore import Qt

from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, named
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service


async def test_a_click_goes_to_any_step(bench: Bench) -> None:
    """The current one is bold; those that were undone stay in the list."""
    async with bench.with_museum() as controller:
        for name in ("one", "two", "three"):
            controller.store.apply(AddColumn(PERSON, name, "text"))
        bench.view.bottom.open(4)
        steps = bench.view.bottom.history
        assert _shown(bench) == [
            "Beginning · saved",
            "Add column person.one",
            "Add column person.two",
            "Add column person.three",
        ]
        steps.clicked.emit(steps.model().index(1, 0))
        assert _columns(controller) == ["name", "born", "one"]
        assert len(_shown(bench)) == 4
        assert steps.model().index(1, 0).data(Qt.ItemDataRole.FontRole).bold()
        assert steps.model().index(2, 0).data(Qt.ItemDataRole.ForegroundRole) is not None
        steps.activated.emit(steps.model().index(3, 0))
        assert _columns(controller) == ["name", "born", "one", "two", "three"]


async def test_steps_of_a_draft_are_undone_one_by_one(
    bench: Bench, next_bench: Bench, reference_server: str
) -> None:
    """After a crash as after closing; undone steps can be redone."""
    async with bench.signed_in(reference_server, "modeller") as controller:
        bench.view.draft_notice.hide()
        added = AddTable("coin")
        controller.store.apply(added, TableRef(added.key))
        controller.store.apply(AddColumn(added.key, "weight", "number"))
        controller.store.apply(AddColumn(added.key, "metal", "text"))
        bench.actions["schema_undo"].trigger()
        await asyncio.sleep(0)
    async with next_bench.signed_in(reference_server, "modeller") as controller:
        await until(next_bench.view.draft_notice.isVisible)
        next_bench.view.draft_notice.buttons[0].click()
        assert [column.name for column in named(controller.store.page.document, "coin").columns] == ["weight"]
        next_bench.actions["schema_redo"].trigger()
        coin = named(controller.store.page.document, "coin")
        assert [column.name for column in coin.columns] == ["weight", "metal"]
        assert coin.key == added.key
        for _ in range(2):
            next_bench.actions["schema_undo"].trigger()
        assert named(controller.store.page.document, "coin").columns == ()
        next_bench.actions["schema_undo"].trigger()
        assert "coin" not in {table.name for table in controller.store.page.document.tables}


async def test_saved_steps_can_be_undone_after_a_restart(
    bench: Bench, next_bench: Bench, own: Service
) -> None:
    """With the ids that the service has given; not if somebody else has saved since."""
    async with bench.signed_in(own.url, "modeller") as controller:
        bench.view.draft_notice.hide()
        added = AddTable("medal")
        controller.store.apply(added, TableRef(added.key))
        controller.store.apply(AddColumn(added.key, "weight", "number"))
        bench.actions["schema_save"].trigger()
        await until(lambda: controller.store.page.is_read and controller.store.page.editing.is_saved)
        folder = Path(bench.settings.fileName()).parent / "schema"
        await until(lambda: any(folder.glob("*.steps")))
        await until(lambda: b"weight" in next(folder.glob("*.steps")).read_bytes())
        await asyncio.sleep(0.2)
    async with next_bench.signed_in(own.url, "modeller") as controller:
        await until(
            lambda: controller.store.page.is_read and len(controller.store.page.editing.history.states) == 3
        )
        assert controller.store.page.editing.is_saved
        next_bench.actions["schema_undo"].trigger()
        medal = named(controller.store.page.document, "medal")
        assert medal.columns == ()
        assert medal.id is not None
        assert not controller.store.page.editing.is_saved


def _shown(bench: Bench) -> list[str]:
    model = bench.view.bottom.history.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def _columns(controller: SchemaController) -> list[str]:
    return [column.name for column in controller.store.page.document.by_key[PERSON].columns]
