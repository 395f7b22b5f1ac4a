"""Brings the schema page and the service together: reads versions, and lets its parts work on them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.client import Client, MissingRightError, NotFoundError, Session
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.editing import opened
from cdb_desktop.schema.keeping import Keeping
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.schema.words import Words
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.arranger import Arranger
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.committing import Committing
from cdb_desktop.ui.schema.drafts import Drafts
from cdb_desktop.ui.schema.finder import Finder
from cdb_desktop.ui.schema.header import HEAD
from cdb_desktop.ui.schema.offers import Offers
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.picture import Picture
from cdb_desktop.ui.schema.saving import Around, Saving
from cdb_desktop.ui.schema.steps import Steps
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.telling import told
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

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
        words: Callable[[BaseException], Sentence],
        settings: QSettings,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._session = session
        self._tasks = tasks
        self._words = words
        self._is_asked = False
        self._keeping = _keeping(settings, session)
        self._aside = Aside()
        self.store = Store(self._refuse, self)
        self._compose(actions)
        self._connect()

    def load_once(self) -> None:
        """Reads the schema if nobody has asked for it before."""
        if not self._is_asked:
            self.load()

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
            self.store.put(self._first_page(head, current))
            draft = await self._aside.run(self._keeping.draft)
            if draft is not None and self._session.allows(_DEVELOP):
                self._drafts.offer(draft)
        elif head is not None:
            self.store.put_editing(page.editing.refreshed(head, current))
        self._picture.load()

    def _first_page(self, head: Document | None, current: Document | None) -> Page:
        return Page(
            opened(head, current),
            may_develop=self._session.allows(_DEVELOP),
            may_commit=self._session.allows(_COMMIT),
        )

    async def _read(self, version: int | str) -> Document | None:
        try:
            return await self._aside.run(read, await self._client.schema(version))
        except NotFoundError:
            return None

    def _failed(self, error: Exception) -> None:
        said = self._said(error)
        if self.store.page is not None:
            self._view.offer.show_offer("danger", f"{said.title}: {said.text} {said.remedy}")
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(said)
        else:
            self._view.show_failure(said)

    def _said(self, error: Exception) -> Sentence:
        if isinstance(error, DocumentError):
            title = self.tr("The schema cannot be read")
            return Sentence(title, f"{error.place}: {told(error.words)}", "")
        return self._words(error)

    def _choose_version(self, version: object) -> None:
        page = self.store.page
        if page is None:
            return
        if version == HEAD:
            self.store.put(replace(page, past=None))
        elif version == page.current_version:
            self.store.put(replace(page, past=page.editing.current))
        elif isinstance(version, int):
            title = self.tr("Reading the schema")
            self._tasks.start(_LOAD, self._load_past(version), title=title, on_error=self._failed)
        self._picture.load()

    async def _load_past(self, version: int) -> None:
        past, page = await self._read(version), self.store.page
        if page is not None and past is not None:
            self.store.put(replace(page, past=past))
            self._picture.load()

    def _refuse(self, words: Words) -> None:
        self._view.offer.show_offer("warning", told(words))

    def _compose(self, actions: Actions) -> None:
        view, tasks, store = self._view, self._tasks, self.store
        Finder(store, view, tasks, self._aside)
        arranger = Arranger(store, view.diagram, tasks, self._keeping)
        self._drafts = Drafts(store, view.offer, tasks, self._keeping, self._aside)
        around = Around(arranger, self._keeping, self._aside)
        self._saving = Saving(store, view, self._client, tasks, self._words, around)
        self._committing = Committing(store, view, self._client, tasks, self._words, self.load)
        self._steps = Steps(store, view, actions)
        self._picture = Picture(store, view, self._client, tasks, self._words)
        Offers(store, actions, view)
        actions["schema_save"].triggered.connect(self._saving.save)
        actions["schema_commit"].triggered.connect(self._committing.ask)
        actions["schema_arrange"].triggered.connect(arranger.arrange)
        actions["schema_find"].triggered.connect(view.tables.begin_search)
        actions["schema_svg"].setChecked(False)
        actions["schema_svg"].toggled.connect(self._picture.show)

    def _connect(self) -> None:
        view, store = self._view, self.store
        store.changed.connect(view.show_page)
        store.selected.connect(view.show_selection)
        view.chosen.connect(store.select)
        view.again_requested.connect(self.load)
        view.begin_requested.connect(self._steps.add_table)
        view.header.version_chosen.connect(self._choose_version)


def _keeping(settings: QSettings, session: Session) -> Keeping:
    """The files of this service, beside the settings: addresses change, the instance's name does not."""
    instance = session.instance
    service = f"{instance.name or instance.solution} {instance.db_name}"
    return Keeping(Path(settings.fileName()).parent / "schema", service)
