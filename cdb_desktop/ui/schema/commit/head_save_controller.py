"""Saves HEAD (§4.7) and replaces HEAD with a model file.

    page ── problems? ── prepare ── read HEAD ── as it was read? ── post ── read HEAD ── as it was answered?
                                                      │ no                                    │ no
                                       MergeDialog: the result is a step of the draft      notice

A service that offers tags of HEAD refuses to save if another user has saved in the meantime. Other services
cannot detect that, since saving does not change the version: HEAD is read immediately before it is posted and
once more afterwards. If HEAD is what was posted by a save whose answer was lost, that save took place and
there is nothing to merge. What was merged is saved only against the HEAD that it was merged with.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cdb_desktop.client import Client, ClientError, NotFoundError, ServiceError, VersionMismatchError
from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.commit.saved_ids import assigned_ids, save_request, with_assigned_ids
from cdb_desktop.schema.diff.apply import Restore
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.diff.matching import MatchBy, align
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.local_names import with_edited_names, with_own_names
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import ChangeType, SeveralEdits
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.files.local_store import ConflictCopy
from cdb_desktop.schema.files.model_files import read_file
from cdb_desktop.schema.files.renamed_elements import RenamedElements
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.schema.working_copy import EMPTY
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.file_access import FileError, ask_model_file, read_failure, write_failure
from cdb_desktop.ui.schema.merge.dialog import open_merge_dialog
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import PageController
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import day_and_time

_SAVE, _ADOPT = "schema.save", "schema.adopt"


class HeadSaveController(PageController):
    """Saves HEAD, merges it with what others have saved, and adopts models as HEAD."""

    def __init__(self, editor: SchemaEditor, client: Client) -> None:
        super().__init__(editor)
        self._layout = editor.layout
        self._client = client
        self._unanswered: Document | None = None  # posted, without an answer

    def save(self) -> None:
        """Saves HEAD unless it has errors for which the service would refuse it."""
        page = self._store.page
        if page.busy or page.editing.is_saved:
            return
        errors = [problem for problem in page.problems if problem.severity is Severity.ERROR]
        if errors:
            self._view.bottom.open_problems()
            self._store.select(errors[0].ref)
            text = tr("HEAD cannot be saved yet: {problem}", problem=str(errors[0].message))
            self._view.notice.show_problem(text, errors[0])
            return
        self._store.set_busy(busy=True)
        self._view.notice.hide()
        self._tasks.start(_SAVE, self._save(), title=tr("Saving HEAD"), on_error=self._save_failed)

    def adopt(self) -> None:
        """Lets the user choose a model that replaces HEAD."""
        self._tasks.start(_ADOPT, self._open_adopt_dialog(), on_error=self._save_failed)

    async def _save(self) -> None:
        editing = self._store.page.editing
        body = await run_in_thread(save_request, editing.document, editing.head)
        tag = "" if editing.head is None else editing.head.tag
        if not tag and (before := await self._read_head()) != editing.head:
            await self._merge(before)
            return
        answer = await run_in_thread(read_document, await self._post(editing.document, body, tag))
        whole = self._take_answer(editing.document, answer)
        await self._save_names(editing.head, whole)
        if not tag and (after := await self._read_head()) != answer:
            self._show_overtaken(editing.head, after)

    async def _post(self, document: Document, body: Mapping[str, object], tag: str) -> dict[str, object]:
        try:
            answer = await self._client.update_schema(body, tag)
        except ServiceError:
            raise
        except ClientError:
            self._unanswered = document
            raise
        self._unanswered = None
        return answer

    async def _take_lost_answer(self, head: Document | None) -> bool:
        """Continues after a save whose answer was lost if HEAD is what it sent; returns whether it is."""
        sent, self._unanswered = self._unanswered, None
        if sent is None or head is None or not await run_in_thread(is_saved_as, sent, head):
            return False
        before = self._store.page.editing.head
        await self._save_names(before, self._take_answer(sent, head))
        if not self._store.page.editing.is_saved:
            # There are edits since then.
            self._store.set_busy(busy=True)
            await self._save()
        return True

    def _take_answer(self, sent: Document, answer: Document) -> Document:
        """Makes the answer HEAD; returns it with the localized names, which are still to be saved."""
        page = self._store.page
        (named,) = with_assigned_ids((sent,), assigned_ids(sent, answer))
        whole = replace(answer, local_names=named.local_names)
        editing, ids = page.editing.saved_as(sent, whole)
        self._layout.take_ids(ids)
        selection, busy = ids.ref(page.selection), bool(whole.local_names)
        self._store.put(replace(page, editing=editing, busy=busy, selection=selection))
        return whole

    async def _save_names(self, before: Document | None, head: Document) -> None:
        """Saves the localized names after HEAD: what was edited, under the present names of elements.

        Names that others have saved meanwhile stay. If it fails, the edits stay unsaved.
        """
        page = self._store.page
        names = page.checks.names
        base = before if names is None or names.base is None else names.base
        if names is None or base is None:
            self._forget_names(head)
            return
        if not head.local_names and RenamedElements(base, head).names(names.texts) == names.texts:
            return
        try:
            read = await self._client.l10n("HEAD")
            texts = with_edited_names(RenamedElements(base, head).names(read), head)
            if texts != read:
                await self._client.update_l10n(texts)
        except ClientError as error:
            self._show_unsaved_names(error, head)
            return
        former = {
            ref: {language: names.as_read(head, ref, language) for language in languages}
            for ref, languages in head.local_names.items()
        }
        page = self._store.page
        is_current = page.editing.document is head
        editing = page.editing.with_saved_names(former) if is_current else page.editing
        checks = replace(page.checks, names=LocalizedNames(texts, head))
        self._store.put(replace(page, editing=editing, checks=checks, busy=False))

    def _forget_names(self, head: Document) -> None:
        """Goes on without localized names, which the service does not offer."""
        page = self._store.page
        if head.local_names:
            editing = page.editing
            editing = editing.with_saved_names({}) if editing.document is head else editing
            self._store.put(replace(page, editing=editing, busy=False))

    def _show_unsaved_names(self, error: ClientError, head: Document) -> None:
        page = self._store.page
        if page.editing.document is head and head.local_names:
            self._store.put(replace(page, editing=page.editing.without_saved_names(), busy=False))
        self._store.set_busy(busy=False)
        found = error_message(error)
        title = tr("HEAD is saved, but not the localized names")
        text = f"{found.title}. {found.text}"
        self._view.notice.show_error(
            msgspec.structs.replace(found, title=title, text=text), (tr("Save again"), self.save)
        )

    def _show_overtaken(self, base: Document | None, theirs: Document | None) -> None:
        """HEAD of somebody else is not based on what was just saved, but perhaps on ``base`` as well."""
        text = tr(
            "Your version of HEAD was saved, but somebody else saved another one at the same time. "
            "You see your version; HEAD is theirs."
        )
        merge_now = partial(self._start_merge, base, theirs)
        self._view.notice.show_text("warning", text, (tr("Merge…"), merge_now))

    def show_moved(self, head: Document | None) -> None:
        """Offers to merge if HEAD, as it was just read, is not the one that the unsaved work is based on."""
        page = self._store.page
        if page.busy or page.editing.is_saved or head == page.editing.head:
            return
        text = tr("Somebody else has saved HEAD since your unsaved work began.")
        merge_now = partial(self._start_merge, page.editing.head, head)
        self._view.notice.show_text("warning", text, (tr("Merge…"), merge_now))

    def _start_merge(self, base: Document | None, theirs: Document | None) -> None:
        self._tasks.start(_SAVE, self._open_merge_dialog(base, theirs), on_error=self._show_error)

    def _save_failed(self, error: Exception) -> None:
        self._store.set_busy(busy=False)
        if isinstance(error, VersionMismatchError):
            # HEAD was committed or saved before it was posted.
            self._tasks.start(_SAVE, self._read_and_merge(), on_error=self._save_failed)
        elif isinstance(error, FileError):
            self._view.notice.show_error(write_failure(error.path, error.cause))
        else:
            self._show_error(error)

    def _show_error(self, error: Exception) -> None:
        found = error_message(error)
        found = msgspec.structs.replace(found, remedy=f"{found.remedy} {tr('Your changes are kept.')}")
        fix = refusal_fix(error, self._store.page)
        if fix is not None:
            title, edit = fix
            self._view.notice.show_error(found, (title, partial(self._apply_fix, edit)))
        else:
            self._view.notice.show_error(found, (tr("Save again"), self.save))

    def _apply_fix(self, edit: Edit) -> None:
        if self._store.apply(edit):
            self._view.notice.hide()

    async def _read_and_merge(self) -> None:
        theirs, page = await self._read_head(), self._store.page
        if theirs is None or theirs != page.editing.head or not page.editing.head.tag:
            await self._merge(theirs)
            return
        # A proxy has changed the tag.
        untagged = replace(page.editing, head=replace(theirs, tag=""))
        self._store.put(replace(page, editing=untagged, busy=True))
        await self._save()

    async def _merge(self, theirs: Document | None) -> None:
        if not await self._take_lost_answer(theirs):
            await self._open_merge_dialog(self._store.page.editing.head, theirs)

    async def _open_merge_dialog(self, base: Document | None, theirs: Document | None) -> None:
        """Merges ``theirs`` with the document since ``base``, and shows the result for confirmation."""
        self._store.set_busy(busy=False)

        def take(found: Merge, mine: Document) -> None:
            work = self._take_merge(theirs, mine, found)
            self._tasks.start(_SAVE, work, title=tr("Merging"), on_error=self._save_failed)

        title = tr("Somebody else has saved HEAD")
        others = base or EMPTY, theirs or EMPTY
        await open_merge_dialog(self._view, self._tasks, title, others, self._store.draft, take)

    async def _take_merge(self, theirs: Document | None, mine: Document, merged: Merge) -> None:
        """Makes the result the draft, after both versions were kept as model files."""
        await self._keep_both(mine, theirs)
        page = self._store.page
        if page.editing.document is not mine:
            return
        self._store.put(replace(page, past=None, editing=page.editing.merged(theirs, merged.document)))
        text = tr("Your work is merged with the other version of HEAD. Look at the changes, then save.")
        self._view.notice.show_step(self._store.page, text, (tr("Save HEAD"), self.save))

    async def _keep_both(self, mine: Document, theirs: Document | None) -> None:
        """Writes both versions as model files. Raises FileError; HEAD is not replaced then."""
        now = datetime.now().astimezone()
        try:
            await run_in_thread(self._local_store.keep_model, mine, "mine", now)
            await run_in_thread(self._local_store.keep_model, theirs or EMPTY, "theirs", now)
        except OSError as error:
            raise FileError(self._local_store.folder, error) from error

    async def _open_adopt_dialog(self) -> None:
        kept = await run_in_thread(self._local_store.kept_models)

        def adopt(path: Path, same_service: bool) -> None:
            self._start_adopt(path, same_service=same_service)

        AdoptModelDialog(self._view.appearance, self._view, kept, adopt).open()

    def _start_adopt(self, path: Path, *, same_service: bool) -> None:
        def show_error(error: Exception) -> None:
            is_of_file = isinstance(error, OSError | DocumentError)
            self._view.notice.show_error(read_failure(path, error) if is_of_file else error_message(error))

        work = self._adopt(path, same_service=same_service)
        self._tasks.start(_ADOPT, work, title=tr("Reading the model"), on_error=show_error)

    async def _adopt(self, path: Path, *, same_service: bool) -> None:
        model = (await run_in_thread(read_file, path)).model.document
        page = self._store.page
        if not same_service:
            found, head = model.raw, page.editing.document
            model = (await run_in_thread(align, model, head, MatchBy.NAMES)).document
            model = replace(model, raw={**found, **head.raw})
            # With what was edited or selected meanwhile.
            page = self._store.page
        self._store.put(replace(page, past=None, editing=page.editing.replaced(path.name, model)))

    async def _read_head(self) -> Document | None:
        try:
            return await run_in_thread(read_document, await self._client.schema("HEAD"))
        except NotFoundError:
            return None


def refusal_fix(error: Exception, page: PageState) -> tuple[str, Edit] | None:
    """What takes back that for which the service has refused to save: its title and the edit."""
    head, document = page.editing.head, page.document
    if head is None or not isinstance(error, ServiceError):
        return None
    edits: list[Edit] = []
    heading = message("Restore tables")
    if error.code == "ObjecttypeNotEmpty":
        named = re.findall(r"\w+", error.parameters.get("stats", ""))
        gone = {table.key for table in head.tables if table.name in named} - document.by_key.keys()
        edits += (Restore(TableRef(key), head) for key in sorted(gone))
        # Links there were removed with them.
        for table in head.referring_to(frozenset(gone)):
            lost = table.by_key.keys() - document.column_keys if table.key in document.by_key else ()
            links = (key for key in lost if any(one.target in gone for one in table.links.get(key, ())))
            edits += (Restore(ColumnRef(table.key, key), head) for key in sorted(links))
        title = tr("Put the {count:table|tables} back", count=len(gone))
    elif error.code == "TypeChangeUnsupported":
        *_, where, name = ("", *error.parameters.get("column", "").split("."))
        committed = {} if page.editing.current is None else page.editing.current.by_key
        for table in document.tables:
            now = committed.get(table.key)
            is_meant = where in ("", table.name, "" if now is None else now.name)
            before = now.by_key if now is not None and is_meant else {}
            for column in table.columns:
                was = before.get(column.key)
                if was is not None and was.type != column.type and name in (was.name, column.name):
                    edits.append(ChangeType(ColumnRef(table.key, column.key), was.type))
        title, heading = tr("Give the column its type back"), message("Give columns their types back")
    if not edits:
        return None
    return title, edits[0] if len(edits) == 1 else SeveralEdits(heading, tuple(edits))


def is_saved_as(sent: Document, head: Document) -> bool:
    """Whether HEAD is a document that was sent, with the ids that the service has assigned."""
    (document,) = with_assigned_ids((with_own_names(sent),), assigned_ids(sent, head))
    return not compare(replace(document, local_names={}), head)


_WIDTH = 600


class AdoptModelDialog(BaseDialog):
    """Chooses the model that replaces HEAD: a version kept in a conflict, or any model file."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        kept: Sequence[ConflictCopy],
        adopt: Callable[[Path, bool], None],
    ) -> None:
        """``adopt`` is called with the file, and with whether its ids are those of this service."""
        super().__init__(appearance, "schema.adopt", parent)
        self._adopt = adopt
        text = tr(
            "HEAD becomes the chosen model, as one step that Undo takes back. Nothing is sent to "
            "the service before you save."
        )
        self.setMinimumWidth(_WIDTH)
        self.set_texts(tr("Bring a model into HEAD"), text, tr("Bring into HEAD"))
        self.kept = QListWidget(self)
        self.kept.setObjectName("schema.adopt.kept")
        self.kept.setAccessibleName(tr("Versions kept in conflicts"))
        self.kept.setSpacing(2)
        self.kept.setFixedHeight(200)
        for model in kept:
            item = QListWidgetItem(f"{day_and_time(model.kept_at)}  ·  {_side_text(model)}", self.kept)
            item.setData(Qt.ItemDataRole.UserRole, model.path)
            item.setToolTip(str(model.path))
        if kept:
            self.body.addWidget(Label(tr("Versions kept in conflicts:"), self))
            self.body.addWidget(self.kept)
        else:
            self.kept.hide()
            self.body.addWidget(Label(tr("No versions have been kept in conflicts."), self))
        choose = self.make_button("file", tr("Choose a file…"))
        choose.clicked.connect(self._choose_file)
        self._show_file = self.make_button("show", tr("Show file"))
        self._show_file.clicked.connect(self._show)
        for button in (choose, self._show_file):
            self._buttons.insertWidget(0, button)
        self.kept.itemSelectionChanged.connect(self._check)
        self.kept.itemActivated.connect(lambda _item: self._take())
        self.accept_button.clicked.connect(self._take)
        self._check()

    @property
    def _path(self) -> Path | None:
        items = self.kept.selectedItems()
        return Path(items[0].data(Qt.ItemDataRole.UserRole)) if items else None

    def _check(self) -> None:
        for button in (self.accept_button, self._show_file):
            button.setEnabled(self._path is not None)

    def _take(self) -> None:
        path = self._path
        if path is not None:
            self.accept()
            self._adopt(path, True)

    def _show(self) -> None:
        if self._path is not None:
            show_folder_of(self._path)

    def _choose_file(self) -> None:
        parent, adopt = self.parentWidget(), self._adopt
        self.reject()
        ask_model_file(parent, "schema.adopt.dialog", lambda path: adopt(path, False))


def _side_text(model: ConflictCopy) -> str:
    if model.side == "mine":
        return tr("my version")
    return tr("the other side's version")
