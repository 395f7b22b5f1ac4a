"""Tests of editing localized names with a service: saved with HEAD, renamed, undone, and failures."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from cdb_desktop.client import Client
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.edits.columns import SetLocalName
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.ui.schema.form.fields import TextField
from tests.chaos import Chaos
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, named
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.service import Service
from tests.server import both_generations


@both_generations
async def test_localized_names_of_a_service_are_edited(bench: Bench, own: Service) -> None:
    """They are saved with HEAD, follow a rename, and undo returns to the former ones."""
    async with Client(own.url) as client:
        await client.authenticate("root", "admin")
        await client.update_l10n({"schema.place.name": {"de-DE": "Ort", "en-US": "Place"}})
        async with bench.signed_in(own.url, "modeller") as controller:
            await until(lambda: controller.store.page.checks.names is not None)
            place = TableRef(named(controller.store.page.document, "place").key)
            controller.store.select(place)
            field = child_of(bench.view.form.table, TextField, "schema.local_name.en-US")
            assert field.text() == "Place"
            field.setFocus()
            field.selectAll()
            QTest.keyClicks(field, "Location")
            QTest.keyClick(field, Qt.Key.Key_Return)
            assert bench.view.header.note == "not saved"
            controller.store.apply(RenameTable(place.table, "location"))
            bench.actions["schema_save"].trigger()
            await until(lambda: controller.store.page.editing.is_saved and not controller.store.page.busy)
            await until(lambda: controller.store.page.localized_names(place)["en-US"] == "Location")
            await until(lambda: controller.store.page.document.local_names == {})
            assert (await client.l10n())["schema.location.name"] == {"de-DE": "Ort", "en-US": "Location"}
            assert "schema.place.name" not in await client.l10n()
            for _ in range(2):
                bench.actions["schema_undo"].trigger()
            assert field.text() == "Place"
            bench.actions["schema_redo"].trigger()
            assert field.text() == "Location"
            bench.actions["schema_undo"].trigger()
            bench.actions["schema_save"].trigger()
            await until(lambda: controller.store.page.editing.is_saved and not controller.store.page.busy)
            await until(lambda: controller.store.page.document.local_names == {})
            assert (await client.l10n())["schema.place.name"] == {"de-DE": "Ort", "en-US": "Place"}


async def test_names_that_cannot_be_saved_stay_unsaved(bench: Bench, own: Service, own_chaos: Chaos) -> None:
    """HEAD is saved; saving again saves them."""
    async with Client(own.url) as client, bench.signed_in(own.url, "modeller") as controller:
        await client.authenticate("root", "admin")
        await client.update_l10n({"schema.place.name": {"en-US": "Place"}})
        await until(lambda: controller.store.page.checks.names is not None)
        place = TableRef(named(controller.store.page.document, "place").key)
        controller.store.apply(SetLocalName(place, "en-US", "Location"))
        own_chaos.inject({"fault": "unknown-error", "call": "POST /l10n/user/HEAD", "times": 1})
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.notice.title == "HEAD is saved, but not the localized names")
        assert not controller.store.page.editing.is_saved
        assert controller.store.page.localized_names(place)["en-US"] == "Location"
        bench.actions["schema_save"].trigger()
        await until(
            lambda: controller.store.page.editing.is_saved and not controller.store.page.document.local_names
        )
        assert (await client.l10n())["schema.place.name"] == {"en-US": "Location"}


async def test_without_names_the_form_says_why(bench: Bench) -> None:
    """There is no service here, so none were read."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        fields = bench.view.form.table.local_names
        assert fields.isVisible()
        texts = [label.text() for label in fields.findChildren(QLabel)]
        assert "The service does not offer them" in " ".join(texts)
