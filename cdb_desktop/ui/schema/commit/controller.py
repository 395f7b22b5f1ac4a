"""Commits HEAD (§4.8) after a dialog that lists the changes and what they do to the data."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from cdb_desktop.client import Client
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.ui.schema.commit.dialog import CommitDialog
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.widgets.notice import NoticeTone
from cdb_desktop.vocabulary.error_messages import error_message

_COMMIT, _PLAN = "schema.commit", "schema.plan"


class CommitController(QObject):
    """Opens the dialog, reads the service's commit plan and commits what the user has confirmed."""

    def __init__(self, editor: SchemaEditor, client: Client, *, committed: Callable[[], None]) -> None:
        """``committed`` is called when the versions of the service have changed."""
        super().__init__(editor)
        self._store = editor.store
        self._view = editor.view
        self._tasks = editor.tasks
        self._client = client
        self._committed = committed
        self._dialog: CommitDialog | None = None
        self._plan: CommitPlan | None = None

    def open_dialog(self) -> None:
        """Opens the dialog and requests the commit plan for it."""
        page = self._store.page
        if page is None or page.past is not None or page.editing.head is None:
            return
        version = page.editing.head.version or 1
        changes = page.editing.changes
        self._dialog = CommitDialog(self._view.appearance, self._view, version, changes, self._commit)
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

    def _commit(self, reindex_events: bool) -> None:
        self._store.set_busy(busy=True)
        work = self._check_and_commit(reindex_events=reindex_events)
        self._tasks.start(_COMMIT, work, title=tr("Committing the schema"), on_error=self._show_error)

    async def _check_and_commit(self, *, reindex_events: bool) -> None:
        # Only the confirmed changes are committed, not those saved by others since.
        if self._plan is not None:
            plan = await self._read_plan()
            if plan is not None and plan.stamp != self._plan.stamp:
                text = tr(
                    "HEAD or CURRENT has changed in the meantime. "
                    "Nothing was committed; review the changes again."
                )
                self._finish("warning", text)
                return
        await self._client.commit_schema(reindex_generate_events=reindex_events)
        page = self._store.page
        head = page.editing.head if page else None
        version = str(head.version if head else "")
        text = tr(
            "Version {version} is committed and in use. See its SCHEMA_COMMIT in the event log.",
            version=version,
        )
        self._finish("accent", text)

    def _finish(self, tone: NoticeTone, text: str) -> None:
        self._store.set_busy(busy=False)
        if self._dialog is not None:
            self._dialog.done(CommitDialog.DialogCode.Accepted)
        self._view.notice.show_text(tone, text)
        self._committed()

    def _show_error(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        message = error_message(error)
        if self._dialog is not None:
            self._dialog.show_failure(message)
        else:
            self._view.notice.show_error(message)

    def _forget_dialog(self) -> None:
        self._dialog = None
        self._plan = None
        self._tasks.cancel(_PLAN)
