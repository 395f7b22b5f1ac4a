"""Reverts a committed version: the inverse, merged with HEAD, becomes a step of the draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCheckBox, QTreeWidgetItem, QWidget

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.plan import read_commit_plan
from cdb_desktop.schema.commit.reversal import CommitReversal, LossKind, RevertLoss, reverse_commit
from cdb_desktop.schema.diff.compare import Change, Risk, risk_text, summary
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import SafetyCopies
from cdb_desktop.schema.merge.merge import Merge, merge
from cdb_desktop.ui.schema.compare.controller import CommittedVersions
from cdb_desktop.ui.schema.merge.dialog import open_merge_dialog
from cdb_desktop.ui.schema.page.findings import sign_color
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import short_path, show_folder_of
from cdb_desktop.ui.widgets.form import Choice
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTree
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _COMMITS, _PREPARE = "schema.revert", "schema.revert.commits", "schema.revert.prepare"


class RevertCommitController(PageController):
    """Opens the dialog, reads the versions that it needs and prepares the inverse."""

    def __init__(self, page: SchemaContext, versions: CommittedVersions) -> None:
        super().__init__(page)
        self._copies = page.local_store.safety_copies
        self._versions = versions
        self._dialog: RevertCommitDialog | None = None

    def open(self) -> None:
        """Opens the dialog with the version that is shown, or with CURRENT."""
        page = self._store.page
        if (page.current_version or 0) < 2 or self._dialog is not None:
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
        self._tasks.start(_COMMITS, self._load_commits(dialog))

    def _forget(self) -> None:
        self._dialog = None
        for name in (_READ, _COMMITS):
            self._tasks.cancel(name)

    async def _load_commits(self, dialog: RevertCommitDialog) -> None:
        commits = await self._versions.read_commits()
        page = self._store.page
        chosen = dialog.version.currentData()
        if self._dialog is dialog and isinstance(chosen, int):
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
        before, after = [await self._versions.read(number) for number in (version - 1, version)]
        replaces_columns = dialog.replaces.isChecked()
        view = await run_in_thread(
            _view_of, before, after, version, self._copies, replaces_columns=replaces_columns
        )
        if self._dialog is dialog and dialog.version.currentData() == version:
            dialog.show_view(view)

    def _prepare(self) -> None:
        dialog = self._dialog
        view = None if dialog is None else dialog.shown
        if view is not None:
            work, title = self._merge(view.reversal), tr("Preparing the inverse")
            self._tasks.start(_PREPARE, work, title=title, on_error=self._show_error)

    async def _merge(self, reversal: CommitReversal) -> None:
        """Merges the inverse with the draft; conflicts are decided in the dialog for them."""
        page = self._store.page
        if not page.may_develop:
            return
        mine = page.editing.document
        merged = await run_in_thread(merge, reversal.after, reversal.target, mine)
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
            (reversal.after, reversal.target),
            self._store.draft,
            lambda found, draft: self._take(found, draft, version),
            introduction=texts,
        )

    def _take(self, merged: Merge, mine: Document, version: str) -> None:
        """Makes the result a step, unless the draft has changed meanwhile."""
        page = self._store.page
        if page.editing.document is not mine or page.busy:
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
        self._view.notice.show_step(self._store.page, text)

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


_WIDTH, _LOWEST, _HEIGHT = 760, 6 * ROW, 12 * ROW
_MOST_ROWS = 1_000  # of each of the two lists


@dataclass(frozen=True, slots=True)
class RevertView:
    """What the dialog shows of a version: its inverse, and the folder of the copy made before its commit.

    ``has_values``: the copy also has values that the commit removed or converted.
    """

    reversal: CommitReversal
    copy: Path | None
    has_values: bool = False


class RevertCommitDialog(BaseDialog):
    """Lists what cannot return and what the inverse changes.

    Signals: ``decided`` when the user chooses another version, or whether columns are replaced ·
    ``show_requested`` with the folder of a copy.
    """

    decided = Signal()
    show_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "schema.revert", parent)
        self.version = named("schema.revert.version", Choice(characters=8))
        self.version.setAccessibleName(tr("Commit to revert"))
        self.effects = _EffectList(appearance, self)
        text = tr("Replace columns whose type cannot be taken back (their values are lost)")
        self.replaces = named("schema.revert.replace", QCheckBox(text, self))
        self._copy = named("schema.revert.copy", ElidedLabel(self))
        self._show_copy = self.make_button("show", tr("&Show the copy"))
        self._shown: RevertView | None = None
        self._arrange_content()
        self.version.decided.connect(self.decided)
        self.replaces.toggled.connect(lambda _on: self.decided.emit())
        self._show_copy.clicked.connect(self._request_copy)
        self.accept_button.clicked.connect(self.accept)

    @property
    def shown(self) -> RevertView | None:
        """What is shown, None while it is being read."""
        return self._shown

    def show_versions(self, versions: list[tuple[str, object]], chosen: int) -> None:
        """Shows the versions that can be reverted, newest first."""
        self.version.show_choices(versions, chosen)

    def show_view(self, view: RevertView | None) -> None:
        """Shows an inverse, or that it is being prepared."""
        self._shown = view
        self.show_fault("")
        self.accept_button.setEnabled(view is not None and bool(view.reversal.changes))
        self.effects.show_reversal(None if view is None else view.reversal)
        if view is None:
            return
        self.replaces.setVisible(bool(view.reversal.irreversible_types))
        self._show_copy.setVisible(view.copy is not None)
        if view.copy is None:
            self._copy.setText(tr("This computer has no copy of the versions before this commit."))
        else:
            place = short_path(view.copy)
            self._copy.setText(
                tr("Copy before this commit, with values: {folder}", folder=place)
                if view.has_values
                else tr("Copy before this commit: {folder}", folder=place)
            )
        if not view.reversal.changes:
            self.show_fault(tr("This commit has changed nothing."), "muted")

    def _request_copy(self) -> None:
        if self._shown is not None and self._shown.copy is not None:
            self.show_requested.emit(self._shown.copy)

    def _arrange_content(self) -> None:
        text = tr(
            "HEAD gets the inverse of one commit as a step that Undo takes back; later changes are kept. "
            "Nothing is sent to the service before you save and commit."
        )
        self.set_texts(tr("Revert a commit"), text, tr("Prepare in HEAD"))
        self.setMinimumWidth(_WIDTH)
        self._show_copy.hide()
        self.replaces.hide()
        self.add_line(Label(tr("Commit"), self), self.version, wide=self.version)
        self.body.addWidget(self.effects, stretch=1)
        self.body.addWidget(self.replaces)
        self.add_line(self._copy, self._show_copy, wide=self._copy)
        self.resize(_WIDTH, self.sizeHint().height())


class _EffectList(PlainTree):
    """Two groups: what cannot return, and what the inverse changes with its risks."""

    preferred = QSize(_WIDTH, _HEIGHT)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("schema.revert.effects", tr("Effects"), [tr("Effects")], parent)
        self._appearance = appearance
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(ROW // 2)
        self.setMinimumHeight(_LOWEST)

    def show_reversal(self, reversal: CommitReversal | None) -> None:
        """Replaces the rows."""
        self.clear()
        if reversal is None:
            self.add_row(self.invisibleRootItem(), tr("Reading the versions…"))
            return
        losses, changes = reversal.losses, reversal.changes
        returns = tr("Cannot return") if losses else tr("Nothing was lost with this commit.")
        first = self._add_rows(returns, [self._loss_row(loss) for loss in losses])
        if changes:
            counts = ", ".join(str(count) for count in summary(changes))
            title = tr("The inverse: {changes}", changes=counts)
            self._add_rows(title, [self._change_row(change) for change in changes])
        self.setCurrentItem(first)

    def _add_rows(self, title: str, rows: Sequence[tuple[str, QColor]]) -> QTreeWidgetItem:
        group = self.add_group(title)
        for text, color in rows[:_MOST_ROWS]:
            self.add_row(group, text, color=color)
        if len(rows) > _MOST_ROWS:
            rest = len(rows) - _MOST_ROWS
            self.add_row(group, tr("{rest:One more|{rest} more}", rest=rest))
        return group

    def _loss_row(self, loss: RevertLoss) -> tuple[str, QColor]:
        tokens = self._appearance.tokens
        is_possible = loss.kind in (LossKind.DETAIL, LossKind.TYPE) or loss.count == 0
        return loss_text(loss), QColor(tokens.warning if is_possible else tokens.danger)

    def _change_row(self, change: Change) -> tuple[str, QColor]:
        tokens = self._appearance.tokens
        risk = tr("values entered since are lost")
        if change.risk is not Risk.DESTROYING:
            risk = risk_text(change.risk)
        text = "  ·  ".join(filter(None, (f"{change.sign}  {change.message}", risk)))
        color = QColor(tokens.text) if change.sign == "~" else sign_color(change.sign, tokens)
        if change.risk is not Risk.SAFE:
            color = QColor(tokens.danger if change.risk is Risk.DESTROYING else tokens.warning)
        return text, color


def loss_text(loss: RevertLoss) -> str:
    """What is lost, with its number if that is known."""
    if loss.count is None:
        return str(loss.message)
    count = tr("{count:1 value|{count} values}", count=loss.count)
    if loss.kind is LossKind.ROWS:
        count = tr("{count:1 row or value|{count} rows or values}", count=loss.count)
    return f"{loss.message}  ·  {count}"
