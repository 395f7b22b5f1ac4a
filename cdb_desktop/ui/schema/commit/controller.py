"""Commits HEAD (§4.8) after a dialog that lists the changes and what they do to the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject

from cdb_desktop.client import Client, NotFoundError
from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan, values_at_stake
from cdb_desktop.schema.commit.rehearsal import RehearsalError, RehearsalServer, rehearse
from cdb_desktop.schema.commit.reindexing import Reindexing, expected_reindexing
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.safety_copies import WriteRows
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.ui.schema.commit.dialog import CommitDialog, CommitOptions, rehearsal_text
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalReport
from cdb_desktop.ui.schema.commit.reindexing_controller import ReindexingController
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.messages import FileError, write_failure
from cdb_desktop.ui.schema.page.notice import NoticeAction
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.notice import NoticeTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_Json = Mapping[str, object]

# Opens a server for one rehearsal.
OpenRehearsal = Callable[[], AbstractAsyncContextManager[RehearsalServer]]

_COMMIT, _PLAN, _REHEARSAL = "schema.commit", "schema.plan", "schema.rehearsal"


class CommitController(QObject):
    """Opens the dialog, reads the service's commit plan and commits what the user has confirmed."""

    def __init__(
        self,
        editor: SchemaEditor,
        client: Client,
        rehearsals: OpenRehearsal | None = None,
        write_rows: WriteRows | None = None,
        *,
        committed: Callable[[], None],
    ) -> None:
        """``write_rows`` writes values of the service into a copy, None if they cannot be read.

        ``committed`` is called when the versions of the service have changed.
        """
        super().__init__(editor)
        self._store = editor.store
        self._view = editor.view
        self._tasks = editor.tasks
        self._copies = editor.local_store.safety_copies
        self._client = client
        self._rehearsals = rehearsals
        self._write_rows = write_rows
        self._committed = committed
        self.reindexing = ReindexingController(self._view.progress_notice)
        self._dialog: CommitDialog | None = None
        self._plan: CommitPlan | None = None
        self._rehearsed: list[Message] = []  # steps of the last rehearsal

    def open_dialog(self) -> None:
        """Opens the dialog and requests the commit plan for it."""
        page = self._store.page
        if page is None or not page.shows_head or page.editing.head is None:
            return
        version = page.editing.head.version or 1
        changes = page.editing.changes
        folder = self._copies.folder
        self._dialog = CommitDialog(
            self._view.appearance,
            self._view,
            version,
            changes,
            folder,
            self._commit,
            keeps_values=self._write_rows is not None,
        )
        if self._rehearsals is not None:
            self._dialog.offer_rehearsal(self._rehearse)
        if any(problem.severity is Severity.ERROR for problem in page.problems):
            self._dialog.show_fault(tr("HEAD has problems that the service may refuse to commit."))
        self._dialog.finished.connect(self._forget_dialog)
        self._dialog.explain_requested.connect(self._view.notice.explain_requested)
        self._dialog.open()
        title = tr("Counting affected values")
        self._tasks.start(_PLAN, self._load_plan(), title=title, on_error=self._show_error)

    async def _load_plan(self) -> None:
        self._plan = await self._read_plan()
        if self._dialog is not None:
            self._dialog.show_plan(self._plan)

    async def _read_plan(self) -> CommitPlan | None:
        raw = await self._client.schema_plan()
        return None if raw is None else read_commit_plan(raw)

    def _rehearse(self) -> None:
        page, rehearsals = self._store.page, self._rehearsals
        if page is None or page.editing.head is None or rehearsals is None:
            return
        work = self._run_rehearsal(rehearsals, page.editing.head, page.editing.current)
        title = tr("Rehearsing the commit")
        self._tasks.start(
            _REHEARSAL,
            work,
            title=title,
            on_error=self._show_rehearsal_error,
            on_given_up=self._rehearsal_given_up,
        )

    async def _run_rehearsal(
        self, rehearsals: OpenRehearsal, head: Document, current: Document | None
    ) -> None:
        self._rehearsed.clear()
        self._show_step(message("A server is started"))
        async with rehearsals() as server:
            result = await rehearse(server, head, current, self._show_step)
        if self._dialog is not None:
            text = rehearsal_text(result)
            samples = result.samples if result.has_rows else None
            report = RehearsalReport(tuple(self._rehearsed), None, result.plan, samples, text)
            self._dialog.show_rehearsal(text, is_good=not result.differences, report=report)

    def _show_step(self, step: Message) -> None:
        self._rehearsed.append(step)
        if self._dialog is not None:
            self._dialog.show_rehearsal_step(str(step))

    def _show_rehearsal_error(self, error: Exception) -> None:
        if self._dialog is None:
            return
        cause = error.cause if isinstance(error, RehearsalError) else error
        step = error.step if isinstance(error, RehearsalError) else message("A server is started")
        found = error_message(cause)
        title = tr("The rehearsal failed at the step “{step}”", step=str(step))
        text = f"{found.title}. {found.text}"
        remedy = tr("The service was not changed.")
        plan = error.plan if isinstance(error, RehearsalError) else None
        report = RehearsalReport(tuple(self._rehearsed), found, plan, (), remedy)
        self._dialog.show_rehearsal_failure(
            msgspec.structs.replace(found, title=title, text=text, remedy=remedy), report
        )

    def _rehearsal_given_up(self) -> None:
        if self._dialog is not None:
            self._dialog.show_rehearsal(tr("The rehearsal was cancelled."), is_good=False)

    def _commit(self, options: CommitOptions) -> None:
        self._store.set_busy(busy=True)
        # The dialog may be closed, and its plan forgotten, while the commit runs.
        stamp = self._plan.stamp if self._plan is not None else None
        work = self._check_and_commit(options, stamp)
        self._tasks.start(_COMMIT, work, title=tr("Committing the schema"), on_error=self._show_error)

    async def _check_and_commit(self, options: CommitOptions, stamp: tuple[str, int | None] | None) -> None:
        versions = await self._read_versions() if options.keeps_copy else None
        # Only the confirmed changes are committed, not those saved by others since.
        plan = await self._client.schema_plan()
        if stamp is not None and plan is not None and read_commit_plan(plan).stamp != stamp:
            text = tr(
                "HEAD or CURRENT has changed in the meantime. "
                "Nothing was committed; review the changes again."
            )
            self._finish("warning", text)
            return
        kept = None if versions is None else await self._keep_copy(*versions, plan)
        if options.reindex_events:
            self.reindexing.begin(self._expected_reindexing(plan))
        await self._client.commit_schema(reindex_generate_events=options.reindex_events)
        page = self._store.page
        head = page.editing.head if page else None
        version = str(head.version if head else "")
        text = tr(
            "Version {version} is committed and in use. See its SCHEMA_COMMIT in the event log.",
            version=version,
        )
        if kept is None:
            self._finish("accent", text)
            return
        folder, rows = kept
        if rows:
            copy = tr(
                "HEAD and CURRENT as they were are in {folder}, with the affected values of "
                "{count:one row|{count} rows}.",
                folder=str(folder),
                count=rows,
            )
        else:
            copy = tr("HEAD and CURRENT as they were are in {folder}.", folder=str(folder))
        self._finish("accent", f"{text} {copy}", (tr("Show the copy"), partial(_show, folder)))

    def _expected_reindexing(self, plan: _Json | None) -> Reindexing:
        page = self._store.page
        if page is None or page.editing.head is None:
            return Reindexing(None)
        editing, read = page.editing, None if plan is None else read_commit_plan(plan)
        return expected_reindexing(page.editing.head, editing.current, editing.changes, read)

    async def _read_versions(self) -> tuple[_Json, _Json | None]:
        """HEAD and CURRENT as the service has them now, with all of their attributes."""
        head = await self._client.schema("HEAD")
        with suppress(NotFoundError):
            return head, await self._client.schema("CURRENT")
        return head, None

    async def _keep_copy(self, head: _Json, current: _Json | None, plan: _Json | None) -> tuple[Path, int]:
        """Writes the versions, and the affected values if the rows can be read.

        Returns the folder and the number of rows with such values. Raises FileError; nothing is committed
        then.
        """
        now = datetime.now().astimezone()
        try:
            folder = await run_in_thread(self._copies.keep, head, current, plan, now)
            if current is None or plan is None or self._write_rows is None:
                return folder, 0
            stake = values_at_stake(read_commit_plan(plan), read_document(current))
            rows = await run_in_thread(self._copies.keep_values, folder, stake, self._write_rows)
            return folder, sum(rows.values())
        except OSError as error:
            raise FileError(self._copies.folder, error) from error

    def _finish(self, tone: NoticeTone, text: str, *actions: NoticeAction) -> None:
        self._store.set_busy(busy=False)
        if self._dialog is not None:
            self._dialog.done(CommitDialog.DialogCode.Accepted)
        self._view.notice.show_text(tone, text, *actions)
        self.reindexing.show()
        self._committed()

    def _show_error(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        self.reindexing.cancel()
        found = _copy_failure(error) if isinstance(error, FileError) else error_message(error)
        if self._dialog is not None:
            self._dialog.show_failure(found)
        else:
            self._view.notice.show_error(found)

    def _forget_dialog(self) -> None:
        self._dialog = None
        self._plan = None
        self._tasks.cancel(_PLAN)
        self._tasks.cancel(_REHEARSAL)


def _copy_failure(error: FileError) -> ErrorMessage:
    found = write_failure(error.path, error.cause)
    remedy = tr("Nothing was committed. Make room, or go on without a copy.")
    return msgspec.structs.replace(found, remedy=remedy)


def _show(folder: Path) -> None:
    """Opens the folder of copies in the file manager."""
    show_folder_of(folder / "plan.json")
