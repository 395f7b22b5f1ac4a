"""Saves HEAD (§4.7): after a look at its problems and at whether somebody else has saved meanwhile."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from cdb_desktop.client import NotFoundError, VersionMismatchError
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.editing import opened
from cdb_desktop.schema.preparing import prepared
from cdb_desktop.schema.problems import Severity
from cdb_desktop.schema.reading import read
from cdb_desktop.ui.schema.ask_sheets import ConflictSheet
from cdb_desktop.ui.schema.service_part import ServicePart
from cdb_desktop.ui.schema.telling import told

SAVE = "schema.save"


class Saving(ServicePart):
    """The way of HEAD from the page to the service."""

    def save(self) -> None:
        """Saves, unless the service would refuse."""
        page = self._store.page
        if page is None or page.busy or page.editing.is_saved:
            return
        errors = [one for one in page.problems if one.severity is Severity.ERROR]
        if errors:
            self._view.bottom.open_problems()
            self._store.select(errors[0].place)
            text = self.tr("HEAD cannot be saved yet: %1").replace("%1", told(errors[0].words))
            self._view.offer.show_obstacle(text, errors[0])
        else:
            self._start(sure=False)

    def _start(self, *, sure: bool) -> None:
        self._store.set_busy(busy=True)
        self._view.offer.hide()
        self._tasks.start(SAVE, self._save(sure=sure), title=self.tr("Saving HEAD"), on_error=self._failed)

    async def _save(self, *, sure: bool) -> None:
        page = self._store.page
        if page is None:
            return
        editing = page.editing
        if not sure and await self._read_head() != editing.head:
            self._ask()
            return
        body = await self._working.aside.run(prepared, editing.document, editing.head)
        answer = await self._working.aside.run(read, await self._client.update_schema(body))
        self._took(editing.document, answer)

    def _took(self, sent: Document, answer: Document) -> None:
        page = self._store.page
        if page is None:
            return
        editing, ids = page.editing.saved_as(sent, answer)
        self._working.arranger.take_ids(ids)
        self._store.put(replace(page, editing=editing, busy=False, selection=ids.place(page.selection)))

    def _failed(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        if isinstance(error, VersionMismatchError):
            self._ask()
            return
        said = self._words(error)
        kept = msgspec.structs.replace(said, remedy=f"{said.remedy} {self.tr('Your changes are kept.')}")
        self._view.offer.show_fault(kept, (self.tr("Save again"), self.save))

    def _ask(self) -> None:
        self._store.set_busy(busy=False)
        ConflictSheet(self._view.appearance, self._view, self._keep_mine, self._load_theirs).open()

    def _keep_mine(self) -> None:
        self._tasks.start(SAVE, self._overwrite(), title=self.tr("Saving HEAD"), on_error=self._failed)

    async def _overwrite(self) -> None:
        head, page = await self._read_head(), self._store.page
        if page is not None:
            self._store.put_editing(replace(page.editing, head=head))
            self._store.set_busy(busy=True)
            await self._save(sure=True)

    def _load_theirs(self) -> None:
        self._tasks.start(
            SAVE, self._take_theirs(), title=self.tr("Reading the schema"), on_error=self._failed
        )

    async def _take_theirs(self) -> None:
        head, page = await self._read_head(), self._store.page
        if page is None:
            return
        file = await self._working.aside.run(self._working.keeping.put_aside, page.editing.document)
        self._store.put(replace(page, editing=opened(head, page.editing.current)))
        text = self.tr("HEAD is as it was saved by somebody else. Your work was put aside in %1.")
        self._view.offer.show_offer("accent", text.replace("%1", str(file)))

    async def _read_head(self) -> Document | None:
        try:
            return await self._working.aside.run(read, await self._client.schema("HEAD"))
        except NotFoundError:
            return None
