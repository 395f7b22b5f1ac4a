"""Connects the schema page to a service, of which it reads versions, or to a model file."""

import asyncio
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QSettings
from PySide6.QtGui import QAction

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
from cdb_desktop.schema.diagram.changes import pair_documents
from cdb_desktop.schema.document.element_ref import ElementRef
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
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.controller import DictionaryController, FileSaveController
from cdb_desktop.ui.schema.page.state import CheckSettings, PageState
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.usage import CountRows, UsageController
from cdb_desktop.ui.schema.view import HEAD, PageController, SchemaContext, SchemaView
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
            self._editor, client, lambda: self._session, others.count_rows, lambda: versions.newest_first
        )
        revert = RevertCommitController(self._editor, versions)
        actions["schema_revert"].triggered.connect(revert.open)
        actions["schema_copy"].triggered.connect(FileSaveController(self._editor).save_as)
        dictionary = DictionaryController(self._editor, self._read_names)
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


class _SvgController(PageController):
    """Requests the service's SVG of the version that is shown, while the SVG view is open."""

    def __init__(self, page: SchemaContext, client: Client) -> None:
        super().__init__(page)
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
        save = FileSaveController(self._editor, opened)
        actions["schema_compare"].triggered.connect(VersionComparisonController(self._editor).open)
        TimeLineController(self._editor, actions["schema_changes"])
        actions["schema_save"].triggered.connect(save.save)
        actions["schema_copy"].triggered.connect(save.save_as)
        dictionary = DictionaryController(self._editor, self._read_names)
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


_READ, _COMMITS = "schema.timeline", "schema.timeline.commits"
_MOST = 200  # versions on the time line, the newest ones

Side = int | Literal["draft", "saved"]  # a committed version (0: before the first), HEAD as shown or as saved
_DRAFT: Side = "draft"
_SAVED: Side = "saved"


class TimeLineController(PageController):
    """Shows the page as a comparison of two versions while its action is checked.

    Committed versions are read when they are needed first, those that are wanted before all others.
    """

    def __init__(
        self, editor: SchemaEditor, action: QAction, versions: CommittedVersions | None = None
    ) -> None:
        """``versions`` is None for a model file."""
        super().__init__(editor)
        self._editor, self._action = editor, action
        self._versions = versions
        self._bar = editor.view.diagram_panel.time_line
        self._pair: tuple[Side, Side] = (_SAVED, _DRAFT)
        self._shown: tuple[Side, Side] | None = None
        self._missing: set[int] = set()  # versions that the service does not have
        self._last_put: Document | None = None  # what the page shows for it instead of the draft
        self._commits: Mapping[int, str] | None = None  # None until they have been looked for
        self._before: tuple[Document | None, ElementRef] | None = None
        self._is_putting = self._reads_all = False
        action.setChecked(False)
        action.toggled.connect(self._toggle)
        self._bar.closed.connect(lambda: action.setChecked(False))
        self._bar.pair_chosen.connect(self._choose)
        self._bar.stepped.connect(self._step)
        self._bar.cancelled.connect(self._give_up)
        self._store.changed.connect(self._follow)

    @property
    def is_open(self) -> bool:
        """Whether versions are compared."""
        return self._before is not None

    def _toggle(self, on: bool) -> None:
        page = self._store.page
        if not on:
            self._end()
        elif not page.is_read:
            self._action.setChecked(False)
        elif not self.is_open:
            self._pair = self._first_pair(page)
            self._begin()

    def _begin(self) -> None:
        page = self._store.page
        self._before = page.past, page.selection
        self._reads_all = True
        self._shown = None
        self._action.setChecked(True)
        self._bar.show()
        self._show()
        self._bar.slider.setFocus()
        if self._versions is not None:
            self._tasks.start(_COMMITS, self._load_commits(self._versions))

    def _end(self) -> None:
        """Returns to what was shown before."""
        before, self._before = self._before, None
        self._tasks.cancel(_READ)
        self._bar.show_progress("")
        self._bar.hide()
        page = self._store.page
        if before is not None:
            past, selection = before
            self._store.put(replace(page, compared=None, past=past, selection=selection))
            self._editor.view.diagram.setFocus()

    def _first_pair(self, page: PageState) -> tuple[Side, Side]:
        """What is compared at first: the version that is shown with the one before it."""
        shown, current = page.shown_version, page.current_version
        if shown is not None:
            return shown - 1, shown
        if page.file or current is None:
            return _SAVED if page.file else 0, _DRAFT
        return (current, _DRAFT) if page.editing.changes else (current - 1, current)

    def _stops(self, page: PageState) -> Sequence[Side]:
        """The versions of the time line, oldest first."""
        if page.file:
            return _SAVED, _DRAFT
        current = page.current_version or 0
        return (*range(max(1, current - _MOST + 1), current + 1), _DRAFT)

    def _choices(self, page: PageState) -> list[tuple[str, object]]:
        if page.file:
            return [
                (tr("{file}, as shown", file=page.file), _DRAFT),
                (tr("{file}, as saved", file=page.file), _SAVED),
            ]
        found: list[tuple[str, object]] = [(self._name(_DRAFT, page), _DRAFT)]
        if not page.editing.is_saved or _SAVED in self._pair:
            found.append((self._name(_SAVED, page), _SAVED))
        stops = [stop for stop in self._stops(page) if isinstance(stop, int)]
        found += [(self._name(stop, page), stop) for stop in reversed(stops)]
        return [*found, (self._name(0, page), 0)]

    def _name(self, side: Side, page: PageState) -> str:
        if side == _DRAFT:
            return f"HEAD v{page.editing.head.version}" if page.editing.head else "HEAD"
        if side == _SAVED:
            return tr("HEAD, as saved")
        if side == 0:
            return tr("nothing")
        return f"CURRENT v{side}" if side == page.current_version else f"v{side}"

    def _choose(self, old: object, new: object) -> None:
        sides = [one for one in (old, new) if isinstance(one, int) or one in (_DRAFT, _SAVED)]
        if len(sides) == 2:
            self._pair = sides[0], sides[1]
            self._show()

    def _step(self, index: int) -> None:
        """Shows a version of the time line with the changes against the version before it."""
        stops = self._stops(self._store.page)
        if 0 <= index < len(stops):
            self._pair = _before(stops, index), stops[index]
            self._show()

    def _index(self, page: PageState) -> int:
        stops, new = list(self._stops(page)), self._pair[1]
        return stops.index(new) if new in stops else len(stops) - 1

    def _follow(self, page: PageState) -> None:
        """Shows the comparison again after HEAD or CURRENT was read again, or another version was chosen."""
        if not self.is_open or self._is_putting:
            return
        if page.compared is None:
            self._before = None
            self._action.setChecked(False)
            return
        shown: Side = _DRAFT if page.past is None else page.shown_version or _SAVED
        if self._shown == self._pair and page.past is not self._last_put and shown != self._pair[1]:
            # A version was chosen in the list above the diagram.
            stops = list(self._stops(page))
            old = _before(stops, stops.index(shown)) if shown in stops else self._pair[0]
            self._pair = old, shown
        self._show()

    def _show(self) -> None:
        """Paints the pair if both versions are known; reads those that are not."""
        page = self._store.page
        if not self.is_open:
            return
        self._bar.show_versions(self._choices(page), *self._pair)
        new, stops = self._pair[1], self._stops(page)
        self._bar.show_place(self._index(page), len(stops), self._name(new, page))
        self._show_note(page)
        old, shown = (self._document(side, page) for side in self._pair)
        if old is not None and shown is not None:
            self._put(page, old, shown)
        missing = [
            side for side in self._pair if isinstance(side, int) and self._document(side, page) is None
        ]
        if self._reads_all:
            rest = (stop for stop in reversed(stops) if isinstance(stop, int) and stop not in missing)
            missing += [stop for stop in rest if self._document(stop, page) is None]
        if missing and self._versions is not None:
            title = tr("Reading versions of the schema")
            self._tasks.start(
                _READ,
                self._read(self._versions, missing),
                title=title,
                on_error=self._fail,
                on_given_up=self._stop_reading,
            )

    def _show_note(self, page: PageState) -> None:
        """Shows author and time of the newer version, or that they are unknown."""
        new = self._pair[1]
        if not isinstance(new, int):
            self._bar.show_note("" if page.file else tr("not committed"))
        elif self._commits is None or new == 0:
            self._bar.show_note("")
        else:
            unknown = tr("author and time unknown: no event of this commit can be read")
            self._bar.show_note(self._commits.get(new, unknown))

    def _put(self, page: PageState, old: Document, new: Document) -> None:
        past = None if self._pair[1] == _DRAFT else new
        if page.compared is not old or page.past is not past:
            self._is_putting = True
            self._store.put(replace(page, compared=old, past=past))
            self._is_putting = False
        self._shown, self._last_put = self._pair, past

    def _document(self, side: Side, page: PageState) -> Document | None:
        """A version, None if it has not been read."""
        if side == _DRAFT:
            return page.editing.document
        if side == _SAVED:
            return page.editing.head or EMPTY
        if side == 0 or side in self._missing:
            return EMPTY
        return self._versions.known(side) if self._versions is not None and isinstance(side, int) else None

    async def _read(self, versions: CommittedVersions, missing: Sequence[int]) -> None:
        """Reads versions in this order; the pair is painted as soon as it is known."""
        for number, version in enumerate(missing):
            text = tr("Version {number} of {count}", number=number + 1, count=len(missing))
            self._bar.show_progress(text)
            self._tasks.show_progress(_READ, tr("Reading versions of the schema"), number / len(missing))
            if await versions.read(version) is EMPTY:
                self._missing.add(version)
            page = self._store.page
            if not self.is_open:
                return
            old, new = (self._document(side, page) for side in self._pair)
            if self._shown != self._pair and old is not None and new is not None:
                self._put(page, old, new)
        self._bar.show_progress("")
        page = self._store.page
        if self._reads_all:
            stops = [self._document(stop, page) for stop in self._stops(page)]
            whole = await run_in_thread(_union, [one for one in stops if one is not None])
            await self._editor.layout.make_room(whole)

    async def _load_commits(self, versions: CommittedVersions) -> None:
        self._commits = await versions.read_commits()
        if self.is_open:
            self._show_note(self._store.page)

    def _give_up(self) -> None:
        self._tasks.give_up(_READ)

    def _stop_reading(self) -> None:
        """The user does not want to wait: what is painted stays, and only wanted versions are read later."""
        self._reads_all = False
        self._bar.show_progress("")
        if self._shown is not None:
            self._pair = self._shown
            self._show()

    def _fail(self, error: Exception) -> None:
        self._stop_reading()
        self._editor.view.notice.show_error(error_message(error))


def _before(stops: Sequence[Side], index: int) -> Side:
    """The version before one of the time line; the one before the first is not on it."""
    first = stops[0]
    return stops[index - 1] if index else (first - 1 if isinstance(first, int) else 0)


def _union(documents: Iterable[Document]) -> Document:
    """One document with all elements of all versions."""
    whole = EMPTY
    for document in documents:
        whole = pair_documents(whole, document).document
    return whole
