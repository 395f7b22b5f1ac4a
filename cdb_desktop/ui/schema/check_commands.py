"""Applies remedies, silences hints, and reads the policy that a model is checked against."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.fixes import Fix
from cdb_desktop.schema.checks.lint import Policy, PolicyError, read_policy_file
from cdb_desktop.schema.files.local_store import LocalStore, StoredChecks
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.page.state import CheckSettings, PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.files import documents_folder

_LOAD, _KEEP = "schema.checks", "schema.checks.keep"


class CheckCommands(QObject):
    """The commands of the lists of problems and hints, and the policy of the model."""

    def __init__(
        self, store: PageStore, view: SchemaView, actions: Actions, tasks: Tasks, local_store: LocalStore
    ) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._local_store = local_store
        self._was_loaded = False
        view.bottom.fix_requested.connect(self._fix)
        view.bottom.silence_requested.connect(self._silence)
        actions["schema_policy"].triggered.connect(self._ask_policy)
        store.changed.connect(self._load_once)

    def _load_once(self, _page: PageState) -> None:
        if not self._was_loaded:
            self._was_loaded = True
            self._tasks.start(_LOAD, self._load())

    async def _load(self) -> None:
        stored = await run_in_thread(self._local_store.checks)
        if stored.silenced:
            self._put(silenced=stored.silenced)
        if stored.policy:
            await self._read_policy(Path(stored.policy))

    def _fix(self, fix: Fix) -> None:
        self._store.apply(fix.edit)

    def _silence(self, silencer: str) -> None:
        """Silences a rule or hint; an empty text ends all silence."""
        silenced = self._store.page.checks.silenced | {silencer} if silencer else frozenset[str]()
        self._put(silenced=silenced)
        self._keep()

    def _ask_policy(self) -> None:
        """Lets the user choose a policy, or end the use of the one that is used."""
        page = self._store.page
        if page.checks.policy_file:
            text = tr("The model is checked against {file}.", file=page.checks.policy_file)
            self._view.notice.show_text(
                "accent",
                text,
                (tr("Choose another…"), self._choose_policy),
                (tr("Use none"), self._remove_policy),
            )
        else:
            self._choose_policy()

    def _choose_policy(self) -> None:
        dialog = QFileDialog(self._view, tr("Policy"), documents_folder())
        dialog.setObjectName("schema.policy")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([f"{tr('Policies')} (*.toml *.json)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_policy)
        dialog.open()

    def use_policy(self, path: str) -> None:
        """Reads a policy and checks the model against it from now on."""
        self._tasks.start(_LOAD, self._use_policy(Path(path)))

    async def _use_policy(self, path: Path) -> None:
        if await self._read_policy(path):
            self._keep()
            self._view.bottom.open_problems()

    async def _read_policy(self, path: Path) -> bool:
        try:
            policy: Policy = await run_in_thread(read_policy_file, path)
        except (OSError, PolicyError) as error:
            reason = str(error.message) if isinstance(error, PolicyError) else error.strerror or str(error)
            text = tr("The policy {file} cannot be used. {reason}", file=path.name, reason=reason)
            self._view.notice.show_text("danger", text)
            return False
        self._put(policy_file=str(path), policy=policy)
        return True

    def _remove_policy(self) -> None:
        self._put(policy_file="", policy=None)
        self._keep()

    def _put(self, **changed: object) -> None:
        page = self._store.page
        checks: CheckSettings = replace(page.checks, **changed)  # type: ignore[arg-type]
        self._store.put(replace(page, checks=checks))

    def _keep(self) -> None:
        page = self._store.page
        stored = StoredChecks(page.checks.silenced, page.checks.policy_file)
        self._tasks.start(_KEEP, self._write(stored))

    async def _write(self, stored: StoredChecks) -> None:
        try:
            await run_in_thread(self._local_store.keep_checks, stored)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._view.notice.show_text("warning", tr("The choice cannot be kept: {reason}.", reason=reason))
