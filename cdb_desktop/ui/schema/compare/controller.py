"""Compares any two of the draft, HEAD, CURRENT, committed versions, model files and other connections."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.changes import with_tables_of
from cdb_desktop.schema.diff.apply import reverted
from cdb_desktop.schema.diff.compare import Change, ChangeKind, Risk, compare, summary
from cdb_desktop.schema.diff.matching import align, best_match
from cdb_desktop.schema.diff.report import Review, html_report, markdown_report
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.incoming import without_counterpart
from cdb_desktop.schema.files.model_files import read_file
from cdb_desktop.schema.working_copy import EMPTY
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.file_access import (
    FileError,
    ask_model_file,
    ask_save_path,
    read_failure,
    write_failure,
)
from cdb_desktop.ui.schema.page.change_tree import ChangeTree
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.promotion.connections import OtherModel
from cdb_desktop.ui.schema.view import PageController
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import error_message

_COMPARE, _COMMITS = "schema.compare", "schema.compare.commits"
_REPORT, _REVERT = "schema.compare.report", "schema.compare.revert"
_DRAFT, _SAVED, _FILE, _OTHER = "draft", "saved", "file", "other"

Version = str | int | Path | OtherModel
_FOREIGN = (Path, OtherModel)  # their ids may be those of another service
ReadVersion = Callable[[int], Awaitable[Document | None]]
ReadCommits = Callable[[], Awaitable[Mapping[int, str]]]


class CommittedVersions:
    """The committed versions of the service, each of which is read once."""

    def __init__(self, store: PageStore, read: ReadVersion, read_commits: ReadCommits) -> None:
        """``read_commits`` returns author and time of committed versions, as far as they can be read."""
        self._store, self._read, self.read_commits = store, read, read_commits
        self._read_before: dict[int, Document] = {}

    @property
    def newest_first(self) -> Sequence[Document]:
        """The versions that have been read."""
        return [self._read_before[version] for version in sorted(self._read_before, reverse=True)]

    def known(self, version: int) -> Document | None:
        """A version without reading it, None if that is necessary; 0 is the one before the first."""
        current = self._store.page.editing.current
        if current is not None and current.version == version:
            return current
        return self._read_before.get(version) if version else EMPTY

    async def read(self, version: int) -> Document:
        """A version, `EMPTY` if there is none; it shares tables with the nearest one that is known."""
        found = self.known(version)
        if found is None:
            answer = await self._read(version)
            if answer is None:
                return EMPTY
            nearest = min(self._read_before, key=lambda known: abs(known - version), default=0)
            like = self._read_before.get(nearest, self._store.page.editing.current)
            found = self._read_before[version] = await run_in_thread(with_tables_of, answer, like)
        return found


class VersionComparisonController(PageController):
    """Opens the window, reads the versions that are chosen, reverts changes and writes reports."""

    def __init__(self, editor: SchemaEditor, versions: CommittedVersions | None = None) -> None:
        """``versions`` is None for a model file."""
        super().__init__(editor)
        self._editor = editor
        self._versions = versions
        self._dialog: VersionComparisonDialog | None = None
        self._pair: tuple[Version, Version] = (_SAVED, _DRAFT)
        self._files: dict[Path, Document] = {}
        self._others: list[OtherModel] = []
        self._commits: Mapping[int, str] = {}
        self._store.changed.connect(self._update)

    def open(self) -> None:
        """Opens the window with CURRENT, or the file as it was read, and the draft.

        If they are equal, as after a commit, with the last two committed versions.
        """
        page = self._store.page
        if self._dialog is not None:
            self._dialog.raise_()
            self._dialog.activateWindow()
            return
        self._pair = _first_pair(page)
        self._dialog = dialog = VersionComparisonDialog(self._view.appearance, self._view)
        dialog.pair_chosen.connect(self._choose)
        dialog.reveal_requested.connect(self._reveal)
        dialog.revert_requested.connect(self._revert)
        dialog.report_requested.connect(self._ask_report)
        dialog.finished.connect(self._forget)
        dialog.setWindowFlag(Qt.WindowType.Dialog)
        dialog.show()
        self._start()
        if self._versions is not None:
            self._tasks.start(_COMMITS, self._load_commits(self._versions))

    def _forget(self) -> None:
        self._dialog = None
        self._files.clear()
        self._others.clear()
        self._tasks.cancel(_COMPARE)

    def _update(self, _page: PageState) -> None:
        if self._dialog is not None:
            self._start()

    async def _load_commits(self, versions: CommittedVersions) -> None:
        self._commits = await versions.read_commits()
        if self._dialog is not None:
            self._start()

    def _choose(self, old: object, new: object) -> None:
        versions = [one for one in (old, new) if isinstance(one, str | int | Path | OtherModel)]
        if len(versions) < 2:
            return
        if _FILE in versions:
            self._ask_file(versions.index(_FILE))
        elif _OTHER in versions:
            self._ask_connection(versions.index(_OTHER))
        else:
            self._pair = (versions[0], versions[1])
        self._start()

    def _ask_file(self, at: int) -> None:
        ask_model_file(self._dialog, "schema.compare.dialog", lambda path: self.compare_file(path, at))

    def _ask_connection(self, at: int) -> None:
        def take(model: OtherModel) -> None:
            self._others.append(model)
            self._pair = (model, self._pair[1]) if at == 0 else (self._pair[0], model)
            self._start()

        others, dialog = self._editor.promotion.others, self._dialog
        if others is not None and dialog is not None:
            others.ask(dialog, tr("Its model is read to compare it. Nothing changes there."), take)

    def compare_file(self, path: Path, at: int = 0) -> None:
        """Compares a model file as the first (0) or second (1) version."""
        self._files.pop(path, None)
        self._pair = (path, self._pair[1]) if at == 0 else (self._pair[0], path)
        self._start()

    def _start(self) -> None:
        dialog, page = self._dialog, self._store.page
        if dialog is None:
            return
        dialog.show_choices(self._choices(page), *self._pair)
        self._tasks.start(_COMPARE, self._compare(dialog, page), on_error=self._show_error)

    def _choices(self, page: PageState) -> list[tuple[str, object]]:
        paths = dict.fromkeys((*self._files, *(one for one in self._pair if isinstance(one, Path))))
        if page.file:
            found: list[tuple[str, object]] = [(tr("{file}, as shown", file=page.file), _DRAFT)]
            found.append((tr("{file}, as saved", file=page.file), _SAVED))
        else:
            found = [(tr("HEAD, as shown"), _DRAFT), (tr("HEAD, as saved"), _SAVED)]
            current = page.current_version or 0
            found += [
                (f"CURRENT v{one}" if one == current else f"v{one}", one) for one in range(current, 0, -1)
            ]
        found += [(path.name, path) for path in paths]
        found += [(model.name, model) for model in self._others]
        found.append((tr("A file…"), _FILE))
        if self._editor.promotion.others is not None:
            found.append((tr("Another connection…"), _OTHER))
        return found

    async def _compare(self, dialog: VersionComparisonDialog, page: PageState) -> None:
        pair = self._pair
        old, new = [await self._document(one, page) for one in pair]
        if isinstance(pair[0], _FOREIGN):
            old = await run_in_thread(_aligned, old, new)
        elif isinstance(pair[1], _FOREIGN):
            new = await run_in_thread(_aligned, new, old)
        changes = await run_in_thread(compare, old, new)
        if self._dialog is not dialog or self._pair != pair:
            return
        names = {data: text for text, data in self._choices(page)}
        notes = {
            names[one]: self._commits[one] for one in pair if isinstance(one, int) and one in self._commits
        }
        for one in pair:
            if isinstance(one, OtherModel) and one.document is not None:
                lost = without_counterpart(one.document, extended=page.has_extended_options)
                notes |= {names[one]: "; ".join(lost)} if lost else {}
        review = Review(old, new, names[pair[0]], names[pair[1]], changes, notes)
        can_revert = pair[1] == _DRAFT and page.is_editable and not page.busy
        dialog.show_review(review, can_revert=can_revert, is_import=isinstance(pair[0], _FOREIGN))

    async def _document(self, version: Version, page: PageState) -> Document:
        if version == _DRAFT:
            return page.editing.document
        if version == _SAVED:
            return page.editing.head or EMPTY
        if isinstance(version, Path):
            if version not in self._files:
                self._files[version] = await run_in_thread(_read_model, version)
            return self._files[version]
        if isinstance(version, OtherModel):
            return version.document or EMPTY
        if self._versions is None or not isinstance(version, int):
            return EMPTY
        return await self._versions.read(version)

    def _reveal(self, change: Change) -> None:
        """Selects the element on the page, or the table that contained it."""
        page = self._store.page
        key = table_key_of(change.ref)
        ref: ElementRef = change.ref
        if not isinstance(ref, TableRef | ColumnRef) or not page.document.contains(ref):
            ref = TableRef(key) if key in page.document.by_key and key is not None else ref
        self._store.select(ref)
        self._view.show_selection(self._store.page)

    def _revert(self, changes: object) -> None:
        """Undoes changes as one step, unless that needs an element that HEAD has no longer."""
        page, dialog = self._store.page, self._dialog
        review = None if dialog is None else dialog.review
        if dialog is None or review is None or not isinstance(changes, list):
            return
        if page.editing.document is not review.new:
            return
        if not page.file and any(_is_lost(one, review.new, page.editing.head) for one in changes):
            dialog.show_fault(tr("HEAD was saved without it: it would be restored as new and empty."))
            return
        self._tasks.start(_REVERT, self._take(dialog, review, changes), on_error=self._show_error)

    async def _take(self, dialog: VersionComparisonDialog, review: Review, changes: list[Change]) -> None:
        document, left = await run_in_thread(reverted, changes, review.old, review.new)
        page = self._store.page
        if page.editing.document is not review.new or not page.is_editable:
            return
        dialog.show_fault(_left_text(left))
        if len(left) < len(changes):
            title = message(
                "Take over {count:a change|{count} changes} from {version}",
                count=len(changes) - len(left),
                version=review.old_name,
            )
            self._store.put_editing(page.editing.changed(title, document))

    def _ask_report(self, listed: object) -> None:
        dialog = self._dialog
        review = None if dialog is None else dialog.review
        if dialog is None or review is None or not isinstance(listed, list):
            return
        shown = Review(review.old, review.new, review.old_name, review.new_name, listed, review.notes)
        types = {tr("Web page (*.html)"): ".html", tr("Markdown (*.md)"): ".md"}
        name = tr("changes {old} to {new}", old=_plain(review.old_name), new=_plain(review.new_name))
        chooser = ask_save_path(dialog, tr("Save a report"), name, types, partial(self.write_report, shown))
        chooser.setObjectName("schema.compare.report.dialog")

    def write_report(self, review: Review, path: Path) -> None:
        """Writes a report, as Markdown if the name ends in ``.md``."""

        async def write() -> None:
            make = markdown_report if path.suffix.lower() == ".md" else html_report
            content = await run_in_thread(make, review)
            await run_in_thread(write_whole, path, content.encode(errors="replace"), private=False)
            self._view.notice.show_text("accent", tr("The report is in {path}.", path=str(path)))

        def fail(error: Exception) -> None:
            self._view.notice.show_error(write_failure(path, error))

        self._tasks.start(_REPORT, write(), title=tr("Saving {name}", name=path.name), on_error=fail)

    def _show_error(self, error: Exception) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        failure = error_message(error)
        if isinstance(error, FileError):
            failure = read_failure(error.path, error.cause)
        dialog.show_review(None, can_revert=False)
        dialog.counts.setText("")
        dialog.show_failure(failure)


def _first_pair(page: PageState) -> tuple[Version, Version]:
    """What is compared at first: two versions that differ, if there are any."""
    current = page.current_version
    shown = page.shown_version or _DRAFT
    if current is None:
        return _SAVED, shown
    is_equal = not page.editing.changes if shown == _DRAFT else shown == current
    if is_equal and current > 1:
        return current - 1, current
    return current, shown


def _read_model(path: Path) -> Document:
    """The model in a file. Raises FileError."""
    try:
        return read_file(path).model.document
    except (OSError, DocumentError) as error:
        raise FileError(path, error) from error


def _aligned(model: Document, other: Document) -> Document:
    """The model with the ids of the same elements of another one; a service's ids mean nothing elsewhere."""
    return align(model, other, best_match(model, other)).document


def _left_text(left: Sequence[Change]) -> str:
    if not left:
        return ""
    return tr(
        "{count:A change|{count} changes} cannot be taken back alone: {change}",
        count=len(left),
        change=str(left[0].message),
    )


def _is_lost(change: Change, document: Document, head: Document | None) -> bool:
    """Whether a removed element cannot come back with its values, since HEAD does not have it any more.

    Elements of a foreign file are new in any case.
    """
    ref = change.ref
    if not isinstance(ref, TableRef | ColumnRef) or document.contains(ref):
        return False
    if (ref.table if isinstance(ref, TableRef) else ref.column) < 0:
        return False
    return head is None or not head.contains(ref)


def _plain(name: str) -> str:
    """A name of a version as part of the name of a file."""
    return re.sub(r"[^\w. -]", "", name)


_WIDTH = 880
_CHANGE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 5_000


class VersionComparisonDialog(BaseDialog):
    """Stays open beside the page, which shows the element that is revealed.

    Signals: ``pair_chosen`` with the data of both versions, old and new · ``reveal_requested`` with one
    Change · ``revert_requested`` with the selected changes · ``report_requested`` with those that are listed.
    """

    pair_chosen = Signal(object, object)
    reveal_requested = Signal(object)
    revert_requested = Signal(object)
    report_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "schema.compare", parent)
        self.old = named("schema.compare.old", Choice(characters=8))
        self.new = named("schema.compare.new", Choice(characters=8))
        self.kind = named("schema.compare.kind", Choice(characters=8))
        self.risk = named("schema.compare.risk", Choice(characters=8))
        self.changes = ChangeTree(appearance, self)
        self.notes = named("schema.compare.notes", Label(self))
        self.counts = named("schema.compare.counts", ElidedLabel(self))
        self._swap = self.make_button("swap", tr("S&wap"))
        self._reveal = self.make_button("reveal", tr("&Reveal"))
        self._report = self.make_button("report", tr("Re&port…"))
        self._review: Review | None = None
        self._can_revert = self._is_import = False
        self._add_content()
        self._connect()
        self._check()

    @property
    def review(self) -> Review | None:
        """What is shown, None while it is being compared."""
        return self._review

    def show_choices(self, choices: list[tuple[str, object]], old: object, new: object) -> None:
        """Shows the versions that can be chosen, and the chosen ones."""
        self.old.show_choices(choices, old)
        self.new.show_choices(choices, new)

    def show_review(self, review: Review | None, *, can_revert: bool, is_import: bool = False) -> None:
        """Shows the changes; ``can_revert`` if the new version is the draft and may be edited.

        ``is_import``: the old version is a file, so that reverting takes over what the file has.
        """
        self._review = review
        self._can_revert = can_revert
        self._is_import = is_import
        notes = {} if review is None else review.notes
        self.notes.setText("\n".join(f"{name}: {text}" for name, text in notes.items()))
        self.notes.setVisible(bool(notes))
        self._filter()

    def _filter(self) -> None:
        review = self._review
        listed = [] if review is None else [one for one in review.changes if self._is_listed(one)]
        self.changes.show_changes(review, listed)
        text = tr("Comparing…")
        if review is not None:
            text = ", ".join(str(count) for count in summary(listed)) or tr("No differences.")
        self.counts.setText(text)
        self._check()

    def _is_listed(self, change: Change) -> bool:
        kind, risk = self.kind.currentData(), self.risk.currentData()
        return kind in (None, change.kind) and (risk is None or change.risk >= risk)

    def _check(self) -> None:
        count = len(self.changes.selected)
        self.accept_button.setEnabled(self._can_revert and count > 0)
        if self._is_import:
            text = tr("Take over {count:the change|{count} changes}", count=max(count, 1))
        else:
            text = tr("Revert {count:the change|{count} changes}", count=max(count, 1))
        self.accept_button.setText(text)
        self.accept_button.updateGeometry()
        self._reveal.setEnabled(self.changes.current_change is not None)
        self._report.setEnabled(self._review is not None)

    def _request_revert(self) -> None:
        if self.changes.selected and self._can_revert:
            self.revert_requested.emit(self.changes.selected)

    def _request_reveal(self) -> None:
        change = self.changes.current_change
        if change is not None:
            self.reveal_requested.emit(change)

    def _exchange(self) -> None:
        self.pair_chosen.emit(self.new.currentData(), self.old.currentData())

    def _choose(self) -> None:
        self.pair_chosen.emit(self.old.currentData(), self.new.currentData())

    def _add_content(self) -> None:
        text = tr("All changes that lead from one version to the other, by the ids of tables and columns.")
        self.set_texts(tr("Compare versions"), text, "")
        self.setModal(False)
        self.accept_button.setToolTip(tr("HEAD gets what the first version has, as one step"))
        self.accept_button.setDefault(False)
        self.accept_button.setAutoDefault(False)
        self.cancel_button.setText(tr("Close"))
        kinds: list[tuple[str, object]] = [
            (tr("All kinds"), None),
            (tr("Added"), ChangeKind.ADDED),
            (tr("Removed"), ChangeKind.REMOVED),
            (tr("Renamed"), ChangeKind.RENAMED),
            (tr("Type"), ChangeKind.TYPE),
            (tr("Options"), ChangeKind.OPTION),
            (tr("Keys"), ChangeKind.KEY),
            (tr("Moved"), ChangeKind.MOVED),
        ]
        risks: list[tuple[str, object]] = [
            (tr("All risks"), None),
            (tr("May fail or lose values"), Risk.NARROWING),
            (tr("Loses values"), Risk.DESTROYING),
        ]
        self.kind.show_choices(kinds, None)
        self.risk.show_choices(risks, None)
        labels = (
            (self.old, tr("From")),
            (self.new, tr("To")),
            (self.kind, tr("Kind")),
            (self.risk, tr("Risk")),
        )
        for choice, label in labels:
            choice.setAccessibleName(label)
        versions = lay_out(QHBoxLayout(), spacing=GAP)
        for choice, label in labels[:2]:
            choice.setMinimumContentsLength(18)
            versions.addWidget(Label(label, self))
            versions.addWidget(choice, stretch=1)
        versions.addWidget(self._swap)
        self.body.addLayout(versions)
        self.body.addWidget(self.notes)
        self.add_line(self.counts, self.kind, self.risk, wide=self.counts)
        self.body.addWidget(self.changes, stretch=1)
        self._buttons.insertWidget(0, self._report)
        self._buttons.insertWidget(0, self._reveal)
        self._buttons.insertSpacing(2, GROUP)
        self.setMinimumWidth(720)
        self.resize(_WIDTH, self.sizeHint().height())

    def _connect(self) -> None:
        for version in (self.old, self.new):
            version.decided.connect(self._choose)
        for choice in (self.kind, self.risk):
            choice.decided.connect(self._filter)
        self._swap.clicked.connect(self._exchange)
        self._reveal.clicked.connect(self._request_reveal)
        self._report.clicked.connect(lambda: self.report_requested.emit(self.changes.listed))
        self.accept_button.clicked.connect(self._request_revert)
        self.changes.itemSelectionChanged.connect(self._check)
        self.changes.itemActivated.connect(self._request_reveal)
