"""Commits HEAD (§4.8), after a sheet that lists what will change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.client import Client
from cdb_desktop.schema.problems import Severity
from cdb_desktop.ui.schema.commit_sheet import CommitSheet
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_COMMIT = "schema.commit"


class Committing(QObject):
    """The way from HEAD to CURRENT."""

    def __init__(
        self,
        store: Store,
        view: SchemaView,
        client: Client,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
        done: Callable[[], None],
    ) -> None:
        """``done`` reads both versions anew."""
        super().__init__(view)
        self._store = store
        self._view = view
        self._client = client
        self._tasks = tasks
        self._words = words
        self._done = done
        self._sheet: CommitSheet | None = None

    def ask(self) -> None:
        """Opens the sheet."""
        page = self._store.page
        if page is None or page.past is not None or page.editing.head is None:
            return
        version = page.editing.head.version or 1
        changes = page.editing.changes
        self._sheet = CommitSheet(self._view.appearance, self._view, version, changes, self._commit)
        errors = [one for one in page.editing.problems if one.severity is Severity.ERROR]
        if errors:
            self._sheet.show_fault(self.tr("HEAD has problems that the service may refuse to commit."))
        self._sheet.finished.connect(self._forget)
        self._sheet.open()

    def _commit(self, events: bool) -> None:
        self._set_busy(busy=True)
        work = self._run(events=events)
        self._tasks.start(_COMMIT, work, title=self.tr("Committing the schema"), on_error=self._failed)

    async def _run(self, *, events: bool) -> None:
        await self._client.commit_schema(reindex_generate_events=events)
        self._set_busy(busy=False)
        page = self._store.page
        head = page.editing.head if page else None
        if self._sheet is not None:
            self._sheet.done(CommitSheet.DialogCode.Accepted)
        text = self.tr("Version %1 is committed and in use. Its SCHEMA_COMMIT stands in the event log.")
        self._view.offer.show_offer("accent", text.replace("%1", str(head.version if head else "")))
        self._done()

    def _failed(self, error: Exception) -> None:
        self._set_busy(busy=False)
        said = self._words(error)
        if self._sheet is not None:
            self._sheet.show_failure(said)
        else:
            self._view.offer.show_offer("danger", f"{said.title}: {said.text} {said.remedy}")

    def _forget(self) -> None:
        self._sheet = None

    def _set_busy(self, *, busy: bool) -> None:
        page = self._store.page
        if page is not None:
            self._store.put(replace(page, busy=busy))
