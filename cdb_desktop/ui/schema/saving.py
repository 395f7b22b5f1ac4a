"""Saves HEAD (§4.7).

    page ── problems? ── prepare ── read HEAD ── as it was read? ── post ── read HEAD ── as it was answered?
                                                      │ no                                    │ no
                                             conflict sheet: keep mine, load theirs        notice

Saving does not change the version of HEAD, so the service cannot tell that somebody else has saved meanwhile.
HEAD is therefore read immediately before it is posted and once more afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from cdb_desktop.client import NotFoundError, VersionMismatchError
from cdb_desktop.schema.commit.head import save_request
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.identity import with_ids_of
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import ConflictCopy
from cdb_desktop.schema.files.model_files import read_file
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.schema.working_copy import EMPTY, open_head
from cdb_desktop.ui.schema.conflict import AdoptSheet, ConflictSheet
from cdb_desktop.ui.schema.file_words import unread, unwritten
from cdb_desktop.ui.schema.service_part import ServicePart

SAVE, _ADOPT = "schema.save", "schema.adopt"


class Saving(ServicePart):
    """Saves HEAD and brings kept models back into it."""

    def save(self) -> None:
        """Saves, unless the service would refuse."""
        page = self._store.page
        if page is None or page.busy or page.editing.is_saved:
            return
        errors = [one for one in page.problems if one.severity is Severity.ERROR]
        if errors:
            self._view.bottom.open_problems()
            self._store.select(errors[0].ref)
            text = self.tr("HEAD cannot be saved yet: %1").replace("%1", str(errors[0].message))
            self._view.offer.show_obstacle(text, errors[0])
        else:
            self._start()

    def adopt(self) -> None:
        """Asks which model HEAD is to become."""
        self._tasks.start(_ADOPT, self._ask_for_model(), on_error=self._failed)

    def _start(self) -> None:
        self._store.set_busy(busy=True)
        self._view.offer.hide()
        self._tasks.start(SAVE, self._save(), title=self.tr("Saving HEAD"), on_error=self._failed)

    async def _save(self) -> None:
        page = self._store.page
        if page is None:
            return
        editing = page.editing
        body = await self._working.aside.run(save_request, editing.document, editing.head)
        before = await self._read_head()
        if before != editing.head:
            await self._ask(before)
            return
        answer = await self._working.aside.run(read_document, await self._client.update_schema(body))
        self._took(editing.document, answer)
        after = await self._read_head()
        if after != answer:
            self._tell_overtaken(after)

    def _took(self, sent: Document, answer: Document) -> None:
        page = self._store.page
        if page is None:
            return
        editing, ids = page.editing.saved_as(sent, answer)
        self._working.arranger.take_ids(ids)
        self._store.put(replace(page, editing=editing, busy=False, selection=ids.ref(page.selection)))

    def _tell_overtaken(self, theirs: Document | None) -> None:
        text = self.tr(
            "Your version of HEAD was saved, but somebody else saved another one at the same time. You see"
            " your version; HEAD is theirs."
        )

        def ask() -> None:
            self._tasks.start(SAVE, self._ask(theirs), on_error=self._failed_to_ask)

        self._view.offer.show_offer("warning", text, (self.tr("See what they changed…"), ask))

    def _failed(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        if isinstance(error, VersionMismatchError):
            # HEAD was committed, or saved in the moment before it was posted.
            self._tasks.start(SAVE, self._ask_again(), on_error=self._failed_to_ask)
        elif isinstance(error, _KeepError):
            self._view.offer.show_fault(unwritten(error.path, error.cause))
        else:
            self._failed_to_ask(error)

    def _failed_to_ask(self, error: Exception) -> None:
        said = self._words(error)
        kept = msgspec.structs.replace(said, remedy=f"{said.remedy} {self.tr('Your changes are kept.')}")
        self._view.offer.show_fault(kept, (self.tr("Save again"), self.save))

    async def _ask_again(self) -> None:
        await self._ask(await self._read_head())

    async def _ask(self, theirs: Document | None) -> None:
        self._store.set_busy(busy=False)
        page = self._store.page
        if page is None:
            return
        base = page.editing.head or EMPTY
        changes = await self._working.aside.run(compare, base, theirs or EMPTY)
        keep, load = partial(self._keep_mine, theirs), partial(self._load_theirs, theirs)
        ConflictSheet(self._view.appearance, self._view, changes, keep, load).open()

    def _keep_mine(self, theirs: Document | None) -> None:
        self._tasks.start(SAVE, self._overwrite(theirs), title=self.tr("Saving HEAD"), on_error=self._failed)

    async def _overwrite(self, theirs: Document | None) -> None:
        page = self._store.page
        if page is None:
            return
        kept = await self._keep_both(page.editing.document, theirs)
        # Saving compares with HEAD once more, in case there has been a third save.
        self._store.put_editing(replace(page.editing, head=theirs))
        self._store.set_busy(busy=True)
        await self._save()
        page = self._store.page
        if page is not None and page.editing.is_saved and not self._view.offer.isVisible():
            text = self.tr("HEAD is your version. The other side's version was kept as a model file.")
            self._offer_kept(text, kept["theirs"], self.tr("Bring their version into HEAD"))

    def _load_theirs(self, theirs: Document | None) -> None:
        title = self.tr("Reading the schema")
        self._tasks.start(SAVE, self._take_theirs(theirs), title=title, on_error=self._failed)

    async def _take_theirs(self, theirs: Document | None) -> None:
        page = self._store.page
        if page is None:
            return
        kept = await self._keep_both(page.editing.document, theirs)
        self._store.put(replace(page, editing=open_head(theirs, page.editing.current)))
        text = self.tr("HEAD is the other side's version. Your version was kept as a model file.")
        self._offer_kept(text, kept["mine"], self.tr("Bring my version into HEAD"))

    async def _keep_both(self, mine: Document, theirs: Document | None) -> dict[str, ConflictCopy]:
        """Writes both sides as model files. Raises _KeepError: nothing is replaced then."""
        keeping, now = self._working.keeping, datetime.now().astimezone()
        try:
            return {
                "mine": await self._working.aside.run(keeping.keep_model, mine, "mine", now),
                "theirs": await self._working.aside.run(keeping.keep_model, theirs or EMPTY, "theirs", now),
            }
        except OSError as error:
            raise _KeepError(keeping.folder, error) from error

    def _offer_kept(self, text: str, kept: ConflictCopy, offer: str) -> None:
        bring_back = partial(self._adopt_file, kept.path, same_service=True)
        self._view.offer.show_offer("accent", text, (offer, bring_back))

    async def _ask_for_model(self) -> None:
        kept = await self._working.aside.run(self._working.keeping.kept_models)

        def adopt(path: Path, same_service: bool) -> None:
            self._adopt_file(path, same_service=same_service)

        AdoptSheet(self._view.appearance, self._view, kept, adopt).open()

    def _adopt_file(self, path: Path, *, same_service: bool) -> None:
        def failed(error: Exception) -> None:
            is_of_file = isinstance(error, OSError | DocumentError)
            self._view.offer.show_fault(unread(path, error) if is_of_file else self._words(error))

        work = self._adopt(path, same_service=same_service)
        self._tasks.start(_ADOPT, work, title=self.tr("Reading the model"), on_error=failed)

    async def _adopt(self, path: Path, *, same_service: bool) -> None:
        model = (await self._working.aside.run(read_file, path)).model.document
        page = self._store.page
        if page is None:
            return
        if not same_service:
            model = await self._working.aside.run(with_ids_of, model, page.editing.document)
        self._store.put(replace(page, past=None, editing=page.editing.replaced(path.name, model)))

    async def _read_head(self) -> Document | None:
        try:
            return await self._working.aside.run(read_document, await self._client.schema("HEAD"))
        except NotFoundError:
            return None


class _KeepError(Exception):
    """The sides of a conflict could not be written to ``path``."""

    def __init__(self, path: Path, cause: OSError) -> None:
        super().__init__(str(cause))
        self.path = path
        self.cause = cause
