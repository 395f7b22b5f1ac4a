"""Connects the schema page to a service, of which it reads versions, or to a model file."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.client import (
    Client,
    ClientError,
    Event,
    EventFilter,
    MissingRightError,
    NotFoundError,
    Session,
)
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore, WriteRows
from cdb_desktop.schema.files.model_files import ModelFormat, OpenedFile, current_names
from cdb_desktop.schema.files.renamed_elements import find_mask_use
from cdb_desktop.schema.working_copy import EMPTY, open_head, open_model_file
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.commit.controller import CommitController, OpenRehearsal
from cdb_desktop.ui.schema.commit.head_save_controller import HeadSaveController
from cdb_desktop.ui.schema.compare.controller import CommittedVersions, VersionComparisonController
from cdb_desktop.ui.schema.compare.revert_controller import RevertCommitController
from cdb_desktop.ui.schema.compare.time_line_controller import TimeLineController
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.controller import DictionaryController, FileSaveController
from cdb_desktop.ui.schema.page.state import CheckSettings, PageState
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.usage import CountRows, UsageController
from cdb_desktop.ui.schema.view import HEAD, SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.event_types import COMMITS, committed_version, user_text
from cdb_desktop.vocabulary.times import day_and_time

_LOAD, _LOAD_SVG, _LOAD_NAMES = "schema.load", "schema.svg", "schema.names"
_log = logging.getLogger(__name__)
_DEVELOP, _COMMIT = "system.datamodel.development", "system.datamodel.commit"
_SEE_EVENTS = "system.api.event.get"
_MOST_COMMITS = 200  # whose authors are read


@dataclass(frozen=True, slots=True)
class OtherServices:
    """``rehearsals`` opens a server on which a commit is rehearsed; without it there is no rehearsal.

    ``write_rows`` writes values of the service for the copy before a commit; None if they cannot be read.
    ``connections`` are those whose models can be compared and taken over. ``name`` is that of the service
    itself; without it its address is shown. ``count_rows`` counts the rows of tables; None if nothing can.
    """

    rehearsals: OpenRehearsal | None = None
    write_rows: WriteRows | None = None
    connections: OtherConnections | None = None
    name: str = ""
    count_rows: CountRows | None = None


class SchemaController(QObject):
    """Reads versions of the schema and creates the controllers that change it."""

    def __init__(
        self,
        view: SchemaView,
        client: Client,
        session: Session,
        actions: Actions,
        tasks: Tasks,
        local_store: LocalStore,
        others: OtherServices | None = None,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._session = session
        self._tasks = tasks
        self._was_loaded = False
        self._version_to_show: int | None = None
        others = others or OtherServices()
        name = others.name or client.address
        self._editor = SchemaEditor(view, actions, tasks, local_store, others.connections, name)
        self.store = self._editor.store
        self._svg = _SvgController(self._editor, client)
        self._save = save = HeadSaveController(self._editor, client)
        self._commit = commit = CommitController(
            self._editor, client, others.rehearsals, others.write_rows, committed=self.load
        )
        actions["schema_save"].triggered.connect(save.save)
        actions["schema_adopt"].triggered.connect(save.adopt)
        actions["schema_commit"].triggered.connect(commit.open_dialog)
        self._versions = versions = CommittedVersions(self.store, self._read, self._read_commits)
        compare = VersionComparisonController(self._editor, versions)
        actions["schema_compare"].triggered.connect(compare.open)
        self.time_line = TimeLineController(self._editor, actions["schema_changes"], versions)
        self.usage = UsageController(
            self._editor,
            actions,
            client,
            lambda: self._session,
            others.count_rows,
            lambda: versions.newest_first,
        )
        revert = RevertCommitController(self._editor, versions)
        actions["schema_revert"].triggered.connect(revert.open)
        actions["schema_copy"].triggered.connect(FileSaveController(self.store, view, tasks).save_as)
        dictionary = DictionaryController(self.store, view, tasks, self._read_names)
        actions["schema_dictionary"].triggered.connect(dictionary.ask)
        actions["schema_svg"].toggled.connect(self._svg.show)
        view.again_requested.connect(self.load)
        view.header.version_chosen.connect(self._choose_version)

    def renew(self, session: Session) -> None:
        """Continues with another session of the same client, which may have other rights. Edits are kept."""
        self._session = session
        self.store.put(_with_rights(self.store.page, session))

    def add_events(self, events: Sequence[Event]) -> None:
        """Takes the events of a poll, which show how far the reindexing after a commit has come (§4.8)."""
        self._commit.reindexing.add(events)

    def load_once(self) -> None:
        """Reads the schema unless that has been tried before."""
        if not self._was_loaded:
            self.load()

    def load_missing(self) -> None:
        """Reads the schema if that was tried and failed."""
        if self._was_loaded and not self.store.page.is_read:
            self.load()

    @property
    def selected_table_name(self) -> str:
        """The name of the top-level table that is selected or contains the selection; empty for none."""
        page = self.store.page
        table = page.document.by_key.get(page.selected_table or 0)
        while table is not None and table.owner in page.document.by_key:
            table = page.document.by_key[table.owner or 0]
        return "" if table is None else table.name

    def show_version(self, version: int) -> None:
        """Shows a committed version; reads HEAD and CURRENT as well if it is newer than the known CURRENT."""
        if version > (self.store.page.current_version or 0):
            self._version_to_show = version
            self.load()
        else:
            self._choose_version(version)

    def load(self) -> None:
        """Reads HEAD and CURRENT. The page stays as it is until they have arrived; edits are kept."""
        self._was_loaded = True
        self._view.show_loading()
        title = tr("Reading the schema")
        self._tasks.start(_LOAD, self._load(), title=title, on_error=self._show_error)

    async def _load(self) -> None:
        head, current = await asyncio.gather(self._read("HEAD"), self._read("CURRENT"))
        page = self.store.page
        if not page.is_read:
            offered = self._client.capabilities
            page = PageState(
                open_head(head, current),
                re2_only=offered.re2_only,
                has_extended_options=offered.extended_schema,
            )
            self.store.put(_with_rights(page, self._session))
        elif head is not None:
            self.store.put_editing(page.editing.refreshed(head, current))
            self._save.show_moved(head)
        if self._version_to_show is not None:
            await self._load_version(self._version_to_show)
        if self._session.allows(_DEVELOP):
            self._editor.drafts.offer()
        self._svg.load()
        self._tasks.start(_LOAD_NAMES, self._load_names(head))

    async def _load_names(self, head: Document | None) -> None:
        """Reads the localized names and the masks, which not every service has."""
        try:
            texts = await self._client.l10n("HEAD")
        except ClientError as error:
            # The interface does not promise them.
            _log.info("no localized names: %s", type(error).__name__)
        else:
            page = self.store.page
            checks = replace(page.checks, names=LocalizedNames(texts, head))
            self.store.put(replace(page, checks=checks))
        with suppress(ClientError):
            found = await self._client.masks("HEAD")
            page = self.store.page
            self.store.put(replace(page, masks=find_mask_use(head or EMPTY, found)))

    async def _read_names(self, page: PageState) -> Mapping[str, object]:
        """The localized names of the version that is shown, none from a service without them."""
        version = page.shown_version or "HEAD"
        try:
            return await self._client.l10n(version)
        except ClientError as error:
            # The interface does not promise them, and a dictionary is useful without.
            _log.info("no localized names: %s", type(error).__name__)
            return {}

    async def _read(self, version: int | str) -> Document | None:
        try:
            return await run_in_thread(read_document, await self._client.schema(version))
        except NotFoundError:
            return None

    async def _read_commits(self) -> Mapping[int, str]:
        """Author and time of each committed version from its event, as far as they may be read."""
        if not self._session.allows(_SEE_EVENTS) or not self._client.capabilities.full_list:
            return {}
        commits = EventFilter(type=COMMITS)
        try:
            page = await self._client.list_events(commits, limit=_MOST_COMMITS, full=True, skip_count=True)
        except ClientError:
            return {}
        found: dict[int, str] = {}
        for event in page.events:
            version = committed_version(event)
            if version is not None:
                found[version] = tr(
                    "committed by {user} on {time}", user=user_text(event), time=day_and_time(event.timestamp)
                )
        return found

    def _show_error(self, error: Exception) -> None:
        message = error_message(error)
        if isinstance(error, DocumentError):
            title = tr("The schema cannot be read")
            message = ErrorMessage(title, f"{error.path}: {error.message}", "")
        if self.store.page.is_read:
            self._view.notice.show_error(message)
            self._view.header.show_page(self.store.page)
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(message)
        else:
            self._view.show_failure(message)

    def _choose_version(self, version: object) -> None:
        page = self.store.page
        if version == HEAD:
            self.store.put(replace(page, past=None))
            self._svg.load()
        elif isinstance(version, int):
            title = tr("Reading the schema")
            self._tasks.start(_LOAD, self._load_version(version), title=title, on_error=self._show_error)

    async def _load_version(self, version: int) -> None:
        self._version_to_show = None
        past = await self._versions.read(version)
        page = self.store.page
        if past is not EMPTY:
            self.store.put(replace(page, past=past))
            self._svg.load()
        else:
            text = tr("The service has no version {version} of the schema.", version=str(version))
            self._view.notice.show_text("warning", text)
            self._view.header.show_page(page)


def _with_rights(page: PageState, session: Session) -> PageState:
    """``page`` with the session's rights to change and commit the schema (§5.2)."""
    return replace(page, may_develop=session.allows(_DEVELOP), may_commit=session.allows(_COMMIT))


class _SvgController(QObject):
    """Requests the service's SVG of the version that is shown, while the SVG view is open."""

    def __init__(self, editor: SchemaEditor, client: Client) -> None:
        super().__init__(editor)
        self._store = editor.store
        self._view = editor.view
        self._tasks = editor.tasks
        self._client = client

    def show(self, on: bool) -> None:
        """Shows the SVG, or the diagram again."""
        self._view.diagram_panel.show_svg(on=on)
        self.load()

    def load(self) -> None:
        """Requests the SVG if it is visible."""
        if self._view.diagram_panel.shows_svg and self._store.page.is_read:
            title = tr("Drawing the schema")
            self._tasks.start(_LOAD_SVG, self._load(), title=title, on_error=self._show_error)

    async def _load(self) -> None:
        version = self._store.page.shown_version or "HEAD"
        svg = await self._client.schema_file(version, "svg")
        if not self._view.diagram_panel.svg.show_picture(svg):
            text = tr("The service returned an image that cannot be displayed.")
            self._view.notice.show_text("danger", text)

    def _show_error(self, error: Exception) -> None:
        self._view.notice.show_error(error_message(error))


class ModelFileController(QObject):
    """Shows a model file on the page and saves it."""

    def __init__(
        self,
        view: SchemaView,
        opened: OpenedFile,
        actions: Actions,
        tasks: Tasks,
        settings: QSettings,
        connections: OtherConnections | None = None,
        resumed: float = math.inf,
    ) -> None:
        """``connections`` are those whose models can be compared and taken over.

        ``resumed`` is that of `LocalStore`.
        """
        super().__init__(view)
        self._opened = opened
        folder = Path(settings.fileName()).parent / "schema"
        local_store = LocalStore(folder, str(opened.path.absolute()), resumed=resumed)
        self._editor = SchemaEditor(view, actions, tasks, local_store, connections)
        self.store = self._editor.store
        save = FileSaveController(self.store, view, tasks, opened)
        actions["schema_compare"].triggered.connect(VersionComparisonController(self._editor).open)
        TimeLineController(self._editor, actions["schema_changes"])
        actions["schema_save"].triggered.connect(save.save)
        actions["schema_copy"].triggered.connect(save.save_as)
        dictionary = DictionaryController(self.store, view, tasks, self._read_names)
        actions["schema_dictionary"].triggered.connect(dictionary.ask)

    async def _read_names(self, page: PageState) -> Mapping[str, object]:
        return await run_in_thread(current_names, self._opened.model, page.document)

    def show(self) -> None:
        """Shows the model, and offers edits of an earlier run that were not saved."""
        editing = open_model_file(self._opened.model.document)
        model = self._opened.model
        has_names = model.form in (ModelFormat.EXPORT, ModelFormat.OLD_EXPORT)
        names = LocalizedNames(model.names, model.base) if has_names else None
        checks = CheckSettings(names=names)
        name, masks = self._opened.path.name, find_mask_use(model.document, model.masks)
        self.store.put(PageState(editing, may_develop=True, file=name, checks=checks, masks=masks))
        self._editor.drafts.offer()
