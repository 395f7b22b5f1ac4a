"""Keeps unsaved work in a file, so that no crash and no leaving loses it, and offers it again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.schema.editing import Editing
from cdb_desktop.schema.keeping import Draft, Keeping
from cdb_desktop.ui.language.zone import zone_words
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.notice import SchemaNotice
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.times import day_and_time

_KEEP = "schema.draft"
_REST = 2.0  # seconds


class Drafts(QObject):
    """Watches what is edited."""

    def __init__(self, store: Store, bar: SchemaNotice, tasks: Tasks, keeping: Keeping, aside: Aside) -> None:
        super().__init__(bar)
        self._store = store
        self._bar = bar
        self._tasks = tasks
        self._keeping = keeping
        self._aside = aside
        self._is_kept = False
        store.changed.connect(self._watch)

    def offer(self, draft: Draft) -> None:
        """Asks what shall become of work that was not saved the last time."""
        self._is_kept = True
        when = f"{day_and_time(draft.kept_at)} ({zone_words()})"
        page = self._store.page
        text = self.tr("Work on HEAD from %1 was not saved. Go on with it?")
        if page is not None and page.file:
            text = self.tr("Work on this file from %1 was not saved. Go on with it?")
        text = text.replace("%1", when)
        self._bar.show_offer(
            "warning",
            text,
            (self.tr("Restore"), lambda: self._restore(draft)),
            (self.tr("Discard"), self._discard),
        )

    def _restore(self, draft: Draft) -> None:
        page = self._store.page
        if page is not None:
            editing = page.editing.restored(draft.head, draft.document)
            self._store.put(replace(page, past=None, editing=editing))

    def _discard(self) -> None:
        self._is_kept = False
        self._keeping.forget_draft()

    def _watch(self, page: Page) -> None:
        if page.editing.is_saved:
            if self._is_kept and not self._bar.isVisible():
                self._discard()
        elif not self._tasks.is_running(_KEEP):
            self._tasks.start(_KEEP, self._keep())

    async def _keep(self) -> None:
        try:
            await asyncio.sleep(_REST)
        except asyncio.CancelledError:
            self._write()
            raise
        editing = self._unsaved()
        if editing is not None:
            await self._aside.run(self._keeping.keep_draft, editing.head, editing.document)
            self._is_kept = True

    def _write(self) -> None:
        """At the end of the program there is no later."""
        editing = self._unsaved()
        if editing is not None:
            self._keeping.keep_draft(editing.head, editing.document)

    def _unsaved(self) -> Editing | None:
        page = self._store.page
        return None if page is None or page.editing.is_saved else page.editing
