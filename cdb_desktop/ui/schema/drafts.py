"""Records unsaved work with every edit, and offers work that an earlier run left."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.schema.files.drafts import DraftStore, SchemaDraft
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.notice import SchemaNotice
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.times import day_and_time, zone_name

_LOOK, _HOLD, _SYNC = "schema.drafts", "schema.journal", "schema.journal.sync"

Act = Callable[[], object]


class Drafts(QObject):
    """The journal of this run, and the drafts of earlier ones.

    A draft is offered in a strip of its own and stays on the disk until the user restores or discards it.
    Closing the strip puts the decision off until the schema is read again.
    """

    def __init__(
        self, store: Store, strip: SchemaNotice, tasks: Tasks, drafts: DraftStore, aside: Aside
    ) -> None:
        super().__init__(strip)
        self._store = store
        self._strip = strip
        self._tasks = tasks
        self._drafts = drafts
        self._aside = aside
        self._journal = drafts.journal()
        self._offered: deque[SchemaDraft] = deque()
        self._is_failing = False
        store.changed.connect(self._record)

    def look(self) -> None:
        """Offers what earlier runs left, unless something is being offered."""
        self._hold_journal()
        if self._strip.isHidden():
            self._tasks.start(_LOOK, self._look())

    async def _look(self) -> None:
        self._offered = deque(await self._aside.run(self._drafts.abandoned))
        self._offer_next()

    def _offer_next(self) -> None:
        page = self._store.page
        if not self._offered or page is None:
            return
        draft = self._offered[0]
        text = self.tr("Work on HEAD from %1 was not saved. Go on with it?")
        if page.file:
            text = self.tr("Work on this file from %1 was not saved. Go on with it?")
        text = text.replace("%1", f"{day_and_time(draft.kept_at)} ({zone_name()})")
        if len(self._offered) > 1:
            older = len(self._offered) - 1
            others = plural(older, self.tr("1 older draft follows."), self.tr("%1 older drafts follow."))
            text = f"{text} {others}"
        self._strip.show_offer(
            "warning",
            text,
            (self.tr("Restore"), lambda: self._restore(draft)),
            (self.tr("Discard"), lambda: self._discard(draft)),
        )

    def _restore(self, draft: SchemaDraft) -> None:
        page = self._store.page
        if page is None:
            return
        if not page.editing.is_saved:
            # What was done since the start becomes a draft of its own, not only a step to undo.
            self._journal.close()
            self._journal = self._drafts.journal()
        editing = page.editing.restored(draft.head, draft.document)
        self._store.put(replace(page, past=None, editing=editing))
        if not self._is_failing:
            self._act(lambda: draft.path.unlink(missing_ok=True))
        self._offered.popleft()
        self.look()

    def _discard(self, draft: SchemaDraft) -> None:
        discarded: list[Path] = []
        self._act(lambda: discarded.append(self._drafts.discard(draft)))
        self._offered.popleft()
        if discarded:
            self._strip.show_offer(
                "accent",
                self.tr("The unsaved work was discarded."),
                (self.tr("Undo"), lambda: self._bring_back(discarded[0])),
            )
        if self._offered:
            self._offer_next()

    def _bring_back(self, discarded: Path) -> None:
        self._act(lambda: self._drafts.bring_back(discarded))
        self.look()

    def _record(self, page: Page) -> None:
        editing = page.editing
        if editing.is_saved:
            self._act(self._journal.clear)
            return
        self._act(lambda: self._journal.record(editing.head, editing.document))
        self._hold_journal()
        if not self._tasks.is_running(_SYNC):
            self._tasks.start(_SYNC, self._sync())

    def _hold_journal(self) -> None:
        if not self._tasks.is_running(_HOLD):
            self._tasks.start(_HOLD, self._hold())

    async def _hold(self) -> None:
        """Lets the journal go when the page does, so that the next one finds what is unsaved."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._journal.close()

    async def _sync(self) -> None:
        """A kill loses nothing that was written, a power failure does until the disk has it."""
        # The file may be closed meanwhile.
        with suppress(OSError):
            await self._aside.run(self._journal.sync)

    def _act(self, act: Act) -> None:
        try:
            act()
        except OSError as error:
            if not self._is_failing:
                self._is_failing = True
                text = self.tr("Unsaved work cannot be kept on this machine: %1. Save soon, or make room.")
                reason = error.strerror or type(error).__name__
                self._strip.show_offer("danger", text.replace("%1", reason))
        else:
            self._is_failing = False
