"""Commits HEAD (§4.8), after a sheet that lists what will change."""

from __future__ import annotations

from collections.abc import Callable

from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.ui.schema.commit_sheet import CommitSheet
from cdb_desktop.ui.schema.service_part import Service, ServicePart
from cdb_desktop.ui.schema.working import Working

_COMMIT, _PLAN = "schema.commit", "schema.plan"


class Committing(ServicePart):
    """The way from HEAD to CURRENT."""

    def __init__(self, working: Working, service: Service, done: Callable[[], None]) -> None:
        """``done`` reads both versions anew."""
        super().__init__(working, service)
        self._done = done
        self._sheet: CommitSheet | None = None
        self._plan: CommitPlan | None = None

    def ask(self) -> None:
        """Opens the sheet, and asks the service what is at stake."""
        page = self._store.page
        if page is None or page.past is not None or page.editing.head is None:
            return
        version = page.editing.head.version or 1
        changes = page.editing.changes
        self._sheet = CommitSheet(self._view.appearance, self._view, version, changes, self._commit)
        errors = [one for one in page.problems if one.severity is Severity.ERROR]
        if errors:
            self._sheet.show_fault(self.tr("HEAD has problems that the service may refuse to commit."))
        self._sheet.finished.connect(self._forget)
        self._sheet.explain_requested.connect(self._view.offer.explain_requested)
        self._sheet.open()
        title = self.tr("Counting affected values")
        self._tasks.start(_PLAN, self._count(), title=title, on_error=self._failed)

    async def _count(self) -> None:
        self._plan = await self._read_plan()
        if self._sheet is not None:
            self._sheet.show_plan(self._plan)

    async def _read_plan(self) -> CommitPlan | None:
        raw = await self._client.schema_plan()
        return None if raw is None else read_commit_plan(raw)

    def _commit(self, events: bool) -> None:
        self._store.set_busy(busy=True)
        work = self._run(events=events)
        self._tasks.start(_COMMIT, work, title=self.tr("Committing the schema"), on_error=self._failed)

    async def _run(self, *, events: bool) -> None:
        # What was agreed to is what is done: nothing else that somebody has saved since.
        if self._plan is not None:
            now = await self._read_plan()
            if now is not None and now.stamp != self._plan.stamp:
                self._give_up()
                return
        await self._client.commit_schema(reindex_generate_events=events)
        self._store.set_busy(busy=False)
        page = self._store.page
        head = page.editing.head if page else None
        self._close()
        text = self.tr("Version %1 is committed and in use. See its SCHEMA_COMMIT in the event log.")
        self._view.offer.show_offer("accent", text.replace("%1", str(head.version if head else "")))
        self._done()

    def _give_up(self) -> None:
        self._store.set_busy(busy=False)
        self._close()
        text = self.tr(
            "HEAD or CURRENT has changed in the meantime. Nothing was committed; review the changes again."
        )
        self._view.offer.show_offer("warning", text)
        self._done()

    def _close(self) -> None:
        if self._sheet is not None:
            self._sheet.done(CommitSheet.DialogCode.Accepted)

    def _failed(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        said = self._words(error)
        if self._sheet is not None:
            self._sheet.show_failure(said)
        else:
            self._view.offer.show_fault(said)

    def _forget(self) -> None:
        self._sheet = None
        self._plan = None
        self._tasks.cancel(_PLAN)
