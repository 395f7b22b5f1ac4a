"""Brings the schema page and the service together: reads versions, and lets its parts work on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.client import Client, MissingRightError, NotFoundError, Session
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.editing import opened
from cdb_desktop.schema.keeping import Keeping
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.commit.controller import Committing
from cdb_desktop.ui.schema.commit.save_controller import Saving
from cdb_desktop.ui.schema.commit.service_part import Service, ServicePart
from cdb_desktop.ui.schema.editor import Working
from cdb_desktop.ui.schema.files.save_controller import FileSaving
from cdb_desktop.ui.schema.header import HEAD
from cdb_desktop.ui.schema.page.state import Page
from cdb_desktop.ui.schema.view import SchemaView
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
        keeping: Keeping,
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
        title = tr("Reading the schema")
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
            self.store.put(_allowed(Page(opened(head, current), re2_only=re2_only), self._session))
        elif head is not None:
            self.store.put_editing(page.editing.refreshed(head, current))
        if self._wanted is not None:
            await self._see(self._wanted)
        if self._session.allows(_DEVELOP):
            self._working.drafts.look()
        self._picture.load()

    async def _read(self, version: int | str) -> Document | None:
        try:
            return await run_in_thread(read, await self._client.schema(version))
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
            title = tr("The schema cannot be read")
            return ErrorMessage(title, f"{error.place}: {error.message}", "")
        return self._words(error)

    def _choose_version(self, version: object) -> None:
        page = self.store.page
        if page is not None and version == HEAD:
            self.store.put(replace(page, past=None))
            self._picture.load()
        elif page is not None and isinstance(version, int):
            title = tr("Reading the schema")
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
            told = tr("The service has no version {version} of the schema.", version=str(version))
            self._view.offer.show_offer("warning", told)
            self._view.header.show_page(page)

    def _compose(self, actions: Actions) -> None:
        working, service = self._working, Service(self._client, self._words)
        saving, committing = Saving(working, service), Committing(working, service, self.load)
        self._picture = Picture(working, service)
        actions["schema_save"].triggered.connect(saving.save)
        actions["schema_adopt"].triggered.connect(saving.adopt)
        actions["schema_commit"].triggered.connect(committing.ask)
        actions["schema_copy"].triggered.connect(FileSaving(working.store, working.view, working.tasks).ask)
        actions["schema_svg"].toggled.connect(self._picture.show)


def _allowed(page: Page, session: Session) -> Page:
    """The page with what a session may do with the schema (§5.2)."""
    return replace(page, may_develop=session.allows(_DEVELOP), may_commit=session.allows(_COMMIT))


_DRAW = "schema.svg"


class Picture(ServicePart):
    """The way of the SVG from the service to the page."""

    def show(self, on: bool) -> None:
        """Shows the service's drawing, or the diagram again."""
        self._view.drawing.show_svg(on=on)
        self.load()

    def load(self) -> None:
        """Asks for the drawing of the version that is shown, if it is looked at."""
        if self._view.drawing.shows_svg and self._store.page is not None:
            self._tasks.start(_DRAW, self._load(), title=tr("Drawing the schema"), on_error=self._failed)

    async def _load(self) -> None:
        page = self._store.page
        version = "HEAD" if page is None or page.past is None else page.past.version or "HEAD"
        svg = await self._client.schema_file(version, "svg")
        if not self._view.drawing.svg.show_picture(svg):
            text = tr("The service returned an image that cannot be displayed.")
            self._view.offer.show_offer("danger", text)

    def _failed(self, error: Exception) -> None:
        self._view.offer.show_fault(self._words(error))
