"""Brings the schema page and the service together: reads versions, and lets its parts work on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.client import Client, MissingRightError, NotFoundError, Session
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.committing import Committing
from cdb_desktop.ui.schema.file_saving import FileSaving
from cdb_desktop.ui.schema.header import HEAD
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.picture import Picture
from cdb_desktop.ui.schema.saving import Saving
from cdb_desktop.ui.schema.service_part import Service
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.schema.working import Working
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_LOAD = "schema.load"
_DEVELOP, _COMMIT = "system.datamodel.development", "system.datamodel.commit"


class SchemaController(QObject):
    """The way of the schema between the service and the page."""

    def __init__(
        self,
        view: SchemaView,
        client: Client,
        session: Session,
        actions: Actions,
        tasks: Tasks,
        words: Callable[[BaseException], ErrorMessage],
        keeping: LocalStore,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._session = session
        self._tasks = tasks
        self._words = words
        self._is_asked = False
        self._wanted: int | None = None
        self._working = Working(view, actions, tasks, keeping)
        self.store = self._working.store
        self._compose(actions)
        view.again_requested.connect(self.load)
        view.header.version_chosen.connect(self._choose_version)

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client, which may allow more or less; work is kept."""
        self._session = session
        page = self.store.page
        if page is not None:
            self.store.put(_allowed(page, session))

    def load_once(self) -> None:
        """Reads the schema if nobody has asked for it before."""
        if not self._is_asked:
            self.load()

    def show_version(self, version: int) -> None:
        """Shows a committed version; one that is newer than what was read has all be read anew."""
        page = self.store.page
        if page is None or version > (page.current_version or 0):
            self._wanted = version
            self.load()
        else:
            self._choose_version(version)

    def load(self) -> None:
        """Reads HEAD and CURRENT; what is shown stays until they are here, unsaved work stays anyway."""
        self._is_asked = True
        self._view.show_loading()
        title = self.tr("Reading the schema")
        self._tasks.start(_LOAD, self._load(), title=title, on_error=self._failed)

    def load_missing(self) -> None:
        """Reads the schema if that was asked for and failed; the service answers again."""
        if self._is_asked and self.store.page is None:
            self.load()

    async def _load(self) -> None:
        head, current = await asyncio.gather(self._read("HEAD"), self._read("CURRENT"))
        page = self.store.page
        if page is None:
            re2_only = self._client.features.re2_only
            self.store.put(_allowed(Page(open_head(head, current), re2_only=re2_only), self._session))
        elif head is not None:
            self.store.put_editing(page.editing.refreshed(head, current))
        if self._wanted is not None:
            await self._see(self._wanted)
        if self._session.allows(_DEVELOP):
            self._working.drafts.look()
        self._picture.load()

    async def _read(self, version: int | str) -> Document | None:
        try:
            return await self._working.aside.run(read_document, await self._client.schema(version))
        except NotFoundError:
            return None

    def _failed(self, error: Exception) -> None:
        said = self._said(error)
        if self.store.page is not None:
            self._view.offer.show_fault(said)
            self._view.header.show_page(self.store.page)
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(said)
        else:
            self._view.show_failure(said)

    def _said(self, error: Exception) -> ErrorMessage:
        if isinstance(error, DocumentError):
            title = self.tr("The schema cannot be read")
            return ErrorMessage(title, f"{error.path}: {error.message}", "")
        return self._words(error)

    def _choose_version(self, version: object) -> None:
        page = self.store.page
        if page is not None and version == HEAD:
            self.store.put(replace(page, past=None))
            self._picture.load()
        elif page is not None and isinstance(version, int):
            title = self.tr("Reading the schema")
            self._tasks.start(_LOAD, self._see(version), title=title, on_error=self._failed)

    async def _see(self, version: int) -> None:
        self._wanted = None
        page = self.store.page
        current = page.editing.current if page is not None else None
        past = current if current and current.version == version else await self._read(version)
        page = self.store.page
        if page is not None and past is not None:
            self.store.put(replace(page, past=past))
            self._picture.load()
        elif page is not None:
            told = self.tr("The service has no version %1 of the schema.").replace("%1", str(version))
            self._view.offer.show_offer("warning", told)
            self._view.header.show_page(page)

    def _compose(self, actions: Actions) -> None:
        working, service = self._working, Service(self._client, self._words)
        saving, committing = Saving(working, service), Committing(working, service, self.load)
        self._picture = Picture(working, service)
        actions["schema_save"].triggered.connect(saving.save)
        actions["schema_adopt"].triggered.connect(saving.adopt)
        actions["schema_commit"].triggered.connect(committing.ask)
        actions["schema_copy"].triggered.connect(FileSaving(working).ask)
        actions["schema_svg"].toggled.connect(self._picture.show)


def _allowed(page: Page, session: Session) -> Page:
    """The page with what a session may do with the schema (§5.2)."""
    return replace(page, may_develop=session.allows(_DEVELOP), may_commit=session.allows(_COMMIT))
