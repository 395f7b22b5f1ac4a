"""Reverts a committed version: the inverse, merged with HEAD, becomes a step of the draft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.plan import read_commit_plan
from cdb_desktop.schema.commit.reversal import CommitReversal, reverse_commit
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.safety_copies import SafetyCopies
from cdb_desktop.schema.merge.merge import Merge, merge
from cdb_desktop.schema.working_copy import EMPTY
from cdb_desktop.ui.schema.compare.controller import ReadCommits, ReadVersion
from cdb_desktop.ui.schema.compare.revert_dialog import RevertCommitDialog, RevertView
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.merge.opening import open_merge_dialog
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _COMMITS, _PREPARE = "schema.revert", "schema.revert.commits", "schema.revert.prepare"


class RevertCommitController(QObject):
    """Opens the dialog, reads the versions that it needs and prepares the inverse."""

    def __init__(self, editor: SchemaEditor, read_version: ReadVersion, read_commits: ReadCommits) -> None:
        """``read_commits`` returns author and time of committed versions."""
        super().__init__(editor)
        self._store = editor.store
        self._view = editor.view
        self._tasks = editor.tasks
        self._copies = editor.local_store.safety_copies
        self._read_version, self._read_commits = read_version, read_commits
        self._dialog: RevertCommitDialog | None = None
        self._versions: dict[int, Document] = {}

    def open(self) -> None:
        """Opens the dialog with the version that is shown, or with CURRENT."""
        page = self._store.page
        if page is None or (page.current_version or 0) < 2 or self._dialog is not None:
            return
        shown = page.shown_version
        self._dialog = dialog = RevertCommitDialog(self._view.appearance, self._view)
        chosen = shown if shown is not None and shown > 1 else page.current_version or 0
        dialog.show_versions(_choices(page.current_version or 0, {}), chosen)
        dialog.decided.connect(self._start)
        dialog.show_requested.connect(lambda folder: show_folder_of(folder / "plan.json"))
        dialog.accepted.connect(self._prepare)
        dialog.finished.connect(self._forget)
        dialog.open()
        self._start()
        self._tasks.start(_COMMITS, self._load_commits(dialog), on_error=_ignore)

    def _forget(self) -> None:
        self._dialog = None
        self._versions.clear()
        self._tasks.cancel(_READ)

    async def _load_commits(self, dialog: RevertCommitDialog) -> None:
        commits = await self._read_commits()
        page = self._store.page
        chosen = dialog.version.currentData()
        if self._dialog is dialog and page is not None and isinstance(chosen, int):
            dialog.show_versions(_choices(page.current_version or 0, commits), chosen)

    def _start(self) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        version = dialog.version.currentData()
        dialog.show_view(None)
        if isinstance(version, int):
            title = tr("Reading the versions")
            work = self._load(dialog, version)
            self._tasks.start(_READ, work, title=title, on_error=self._show_error)

    async def _load(self, dialog: RevertCommitDialog, version: int) -> None:
        before, after = [await self._document(number) for number in (version - 1, version)]
        replaces_columns = dialog.replaces.isChecked()
        view = await run_in_thread(
            _view_of, before, after, version, self._copies, replaces_columns=replaces_columns
        )
        if self._dialog is dialog and dialog.version.currentData() == version:
            dialog.show_view(view)

    async def _document(self, version: int) -> Document:
        if version not in self._versions:
            self._versions[version] = await self._read_version(version) or EMPTY
        return self._versions[version]

    def _prepare(self) -> None:
        dialog = self._dialog
        view = None if dialog is None else dialog.shown
        if view is not None:
            work, title = self._merge(view.reversal), tr("Preparing the inverse")
            self._tasks.start(_PREPARE, work, title=title, on_error=self._show_error)

    async def _merge(self, reversal: CommitReversal) -> None:
        """Merges the inverse with the draft; conflicts are decided in the dialog for them."""
        page = self._store.page
        if page is None or not page.may_develop:
            return
        mine = page.editing.document
        versions = (reversal.after, reversal.target, mine)
        merged = await run_in_thread(merge, *versions)
        version = str(reversal.after.version or "")
        if not merged.conflicts:
            self._take(merged, mine, version)
            return
        title = tr("Later changes meet version {version}", version=version)
        texts = tr(
            "Later changes touch what version {version} has changed. "
            "“Theirs” is its inverse, “Mine” is the draft.",
            version=version,
        )
        await open_merge_dialog(
            self._view,
            self._tasks,
            title,
            versions,
            lambda found: self._take(found, mine, version),
            introduction=texts,
        )

    def _take(self, merged: Merge, mine: Document, version: str) -> None:
        """Makes the result a step, unless the draft has changed meanwhile."""
        page = self._store.page
        if page is None or page.editing.document is not mine or page.busy:
            text = tr("The draft has changed meanwhile. Revert the commit again.")
            self._view.notice.show_text("warning", text)
            return
        title = message("Revert commit v{version}", version=version)
        editing = page.editing.changed(title, merged.document)
        self._store.put(replace(page, past=None, editing=editing))
        text = tr(
            "The draft has the inverse of version {version}. Look at the changes, save HEAD and commit it.",
            version=version,
        )
        self._view.notice.show_text("accent", text)

    def _show_error(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_failure(error_message(error))
        else:
            self._view.notice.show_error(error_message(error))


def _view_of(
    before: Document, after: Document, version: int, copies: SafetyCopies, *, replaces_columns: bool
) -> RevertView:
    """The inverse with the numbers of the copy that was made before the commit, if there is one."""
    copy = copies.of_commit(version)
    plan = None if copy is None or copy.plan is None else read_commit_plan(copy.plan)
    reversal = reverse_commit(before, after, replaces_columns=replaces_columns, plan=plan)
    reversal.changes  # noqa: B018 - computed here, not in the window
    folder: Path | None = None if copy is None else copy.folder
    return RevertView(reversal, folder, has_values=copy is not None and bool(copy.values))


def _choices(current: int, commits: Mapping[int, str]) -> list[tuple[str, object]]:
    """All commits but the first, which has no version before it."""
    found: list[tuple[str, object]] = []
    for version in range(current, 1, -1):
        name = f"CURRENT v{version}" if version == current else f"v{version}"
        found.append((f"{name}  ·  {commits[version]}" if version in commits else name, version))
    return found


def _ignore(_error: Exception) -> None:
    """Without the events of commits their authors are not shown."""
