"""Drafts: a journal of unsaved edits, and restoring the drafts of earlier runs."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.files.drafts import DraftStore, SchemaDraft
from cdb_desktop.schema.working_copy import EditHistory, WorkingCopy
from cdb_desktop.ui.schema.page.notice import SchemaNotice
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.times import day_and_time, zone_name

_RESTORE, _KEEP = "schema.steps", "schema.steps.keep"
_LOAD, _HOLD, _SYNC = "schema.drafts", "schema.journal", "schema.journal.sync"


class DraftController(QObject):
    """Records each edit in the journal of this run, and offers the drafts of earlier runs in a notice.

    A draft stays on the disk until the user restores or discards it. If the notice is closed, it is shown
    again when the schema is read the next time. After a restart the draft before it is restored at once.
    """

    def __init__(self, store: PageStore, notice: SchemaNotice, tasks: Tasks, drafts: DraftStore) -> None:
        super().__init__(notice)
        self._store = store
        self._notice = notice
        self._tasks = tasks
        self._drafts = drafts
        self._resumed = drafts.resumed
        self._journal = drafts.journal()
        self._offered: deque[SchemaDraft] = deque()
        self._is_failing = False
        self._has_steps = False
        self._kept: EditHistory | None = None
        self._is_synced = True
        store.changed.connect(self._record)

    def offer(self) -> None:
        """Offers the drafts of earlier runs unless the notice is visible."""
        self._hold_journal()
        if self._notice.isHidden():
            self._tasks.start(_LOAD, self._load_and_offer())

    async def _load_and_offer(self) -> None:
        self._offered = deque(await run_in_thread(self._drafts.abandoned))
        self._offer_next()

    def _offer_next(self) -> None:
        page = self._store.page
        if not self._offered:
            return
        draft = self._offered[0]
        if draft.kept_at.timestamp() >= self._resumed:
            self._resumed = math.inf
            self._restore(draft)
            return
        time = f"{day_and_time(draft.kept_at)} ({zone_name()})"
        text = tr("Work on HEAD from {time} was not saved. Go on with it?", time=time)
        if page.file:
            text = tr("Work on this file from {time} was not saved. Go on with it?", time=time)
        if len(self._offered) > 1:
            older = len(self._offered) - 1
            following = tr("{count:1 older draft follows.|{count} older drafts follow.}", count=older)
            text = f"{text} {following}"
        self._notice.show_text(
            "warning",
            text,
            (tr("Restore"), lambda: self._restore(draft)),
            (tr("Discard"), lambda: self._discard(draft)),
        )

    def _restore(self, draft: SchemaDraft) -> None:
        page = self._store.page
        if not page.editing.is_saved:
            # The edits since the start become a separate draft, which can also be restored.
            self._journal.close()
            self._journal = self._drafts.journal()
        editing = page.editing.restored(draft.head, draft.document, draft.steps)
        self._store.put(replace(page, past=None, editing=editing))
        if not self._is_failing:
            self._write(lambda: draft.path.unlink(missing_ok=True))
        self._offered.popleft()
        self.offer()

    def _discard(self, draft: SchemaDraft) -> None:
        discarded: list[Path] = []
        self._write(lambda: discarded.append(self._drafts.discard(draft)))
        self._offered.popleft()
        if discarded:
            self._notice.show_text(
                "accent",
                tr("The unsaved work was discarded."),
                (tr("Undo"), lambda: self._undo_discard(discarded[0])),
            )
        if self._offered:
            self._offer_next()

    def _undo_discard(self, discarded: Path) -> None:
        self._write(lambda: self._drafts.bring_back(discarded))
        self.offer()

    def _record(self, page: PageState) -> None:
        editing = page.editing
        if editing.is_saved:
            self._write(self._journal.clear)
            # Stores the steps that led to the saved document; those of the last run are restored first.
            if not self._has_steps:
                self._has_steps = True
                self._tasks.start(_RESTORE, self._restore_steps())
            elif len(editing.history.states) > 1 and editing.history is not self._kept:
                self._kept = editing.history
                self._tasks.start(_KEEP, self._write_steps(editing))
            return
        title = editing.history.undo_title
        self._write(lambda: self._journal.record(editing.head, editing.document, title))
        self._hold_journal()
        self._is_synced = False
        if not self._tasks.is_running(_SYNC):
            self._tasks.start(_SYNC, self._sync())

    async def _restore_steps(self) -> None:
        kept = await run_in_thread(self._drafts.kept_steps)
        page = self._store.page
        if kept is None:
            return
        before = page.editing
        editing = await run_in_thread(before.with_steps, kept)
        if editing is not before and self._store.page.editing is before:
            self._kept = editing.history
            self._store.put_editing(editing)

    async def _write_steps(self, editing: WorkingCopy) -> None:
        # A failure loses only the possibility to undo saved steps later.
        with suppress(OSError):
            await run_in_thread(self._drafts.keep_steps, editing.steps)

    def _hold_journal(self) -> None:
        if not self._tasks.is_running(_HOLD):
            self._tasks.start(_HOLD, self._hold())

    async def _hold(self) -> None:
        """Closes the journal when the page is closed, so that the next page finds the unsaved edits."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._journal.close()

    async def _sync(self) -> None:
        """Writes the journal through to the disk, so that it survives a power failure."""
        # What is recorded while the disk writes has to be written through as well.
        while not self._is_synced:
            self._is_synced = True
            # The file may have been closed in the meantime.
            with suppress(OSError):
                await run_in_thread(self._journal.sync)

    def _write(self, act: Callable[[], object]) -> None:
        try:
            act()
        except OSError as error:
            if not self._is_failing:
                self._is_failing = True
                reason = error.strerror or type(error).__name__
                self._notice.show_text(
                    "danger",
                    tr(
                        "Unsaved work cannot be kept on this machine: {reason}. Save soon, or make room.",
                        reason=reason,
                    ),
                )
        else:
            self._is_failing = False
