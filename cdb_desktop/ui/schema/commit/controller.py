"""Commits HEAD (§4.8) after a dialog that lists the changes and what they do to the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QWidget

from cdb_desktop.client import Client, ClientError, CommitQuestion, Event, NotFoundError
from cdb_desktop.foundation.i18n import Message, message, number_text, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.commit.plan import (
    QUIET_SECONDS,
    CommitPlan,
    CommitPlanLine,
    CommitStep,
    Reindexing,
    expected_reindexing,
    objecttypes_at_risk,
    plan_lines,
    read_commit_plan,
    values_at_stake,
)
from cdb_desktop.schema.commit.rehearsal import RehearsalError, RehearsalServer, rehearse
from cdb_desktop.schema.diff.compare import Change, Risk, risk_text, summary
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import int_attribute
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import WriteRows
from cdb_desktop.ui.schema.commit.questions import REINDEX, QuestionPanel
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalDialog, RehearsalReport, rehearsal_text
from cdb_desktop.ui.schema.files.file_access import FileError, write_failure
from cdb_desktop.ui.schema.page.notice import NoticeAction
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import MARGIN, ROW, TIGHT
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import short_path, show_folder_of
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.notice import NoticeBar, NoticeTone
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import RowHeightDelegate
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_Json = Mapping[str, object]

# Opens a server for one rehearsal.
OpenRehearsal = Callable[[], AbstractAsyncContextManager[RehearsalServer]]

_COMMIT, _PLAN, _REHEARSAL = "schema.commit", "schema.plan", "schema.rehearsal"


class CommitController(PageController):
    """Opens the dialog, reads the service's commit plan and commits what the user has confirmed."""

    def __init__(
        self,
        page: SchemaContext,
        client: Client,
        rehearsals: OpenRehearsal | None = None,
        write_rows: WriteRows | None = None,
        *,
        committed: Callable[[], None],
    ) -> None:
        """``write_rows`` writes values of the service into a copy, None if they cannot be read.

        ``committed`` is called when the versions of the service have changed.
        """
        super().__init__(page)
        self._copies = page.local_store.safety_copies
        self._client = client
        self._rehearsals = rehearsals
        self._write_rows = write_rows
        self._committed = committed
        self.reindexing = ReindexingController(self._view.progress_notice)
        self._dialog: CommitDialog | None = None
        self._plan: CommitPlan | None = None
        self._reviewed = self._store.page.editing  # what the dialog shows
        self._kept: tuple[Path, int] | None = None  # the copy for this commit, and its rows with values
        self._rehearsed: list[Message] = []  # steps of the last rehearsal

    def open_dialog(self) -> None:
        """Opens the dialog and requests the commit plan for it."""
        page = self._store.page
        if not page.shows_head or page.editing.head is None:
            return
        self._kept, self._reviewed = None, page.editing
        self._dialog = CommitDialog(
            self._view.appearance,
            self._view,
            page.editing.head.version or 1,
            page.editing.changes,
            self._copies.folder,
            self._commit,
            keeps_values=self._write_rows is not None,
        )
        if self._client.capabilities.asks_before_commit:
            self._dialog.offer_reindexing()
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
        raw = await self._client.schema_plan()
        self._plan = None if raw is None else read_commit_plan(raw)
        counts: Mapping[str, int] = {}
        editing = self._store.page.editing
        if self._plan is None and editing.current is not None:
            with suppress(ClientError):  # Then they are not known.
                tables = objecttypes_at_risk(editing.current, editing.changes)
                counts = await self._client.object_counts(tables)
        if self._dialog is not None:
            self._dialog.show_plan(self._plan, counts)

    def _rehearse(self) -> None:
        page, rehearsals = self._store.page, self._rehearsals
        if page.editing.head is None or rehearsals is None:
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
        failure = msgspec.structs.replace(found, title=title, text=text, remedy=remedy)
        self._dialog.show_rehearsal(failure, report=report)

    def _rehearsal_given_up(self) -> None:
        if self._dialog is not None:
            self._dialog.show_rehearsal(tr("The rehearsal was cancelled."))

    def _commit(self, options: CommitOptions) -> None:
        self._store.set_busy(busy=True)
        # The dialog may be closed, and its plan forgotten, while the commit runs.
        stamp = self._plan.stamp if self._plan is not None else None
        work = self._check_and_commit(options, stamp)
        self._tasks.start(_COMMIT, work, title=tr("Committing the schema"), on_error=self._show_error)

    async def _check_and_commit(self, options: CommitOptions, stamp: tuple[str, int | None] | None) -> None:
        versions = await self._read_versions() if options.keeps_copy or stamp is None else None
        # Only the confirmed changes are committed, not those saved by others since.
        plan = await self._client.schema_plan()
        if stamp is not None and plan is not None:
            is_reviewed = read_commit_plan(plan).stamp == stamp
        else:
            is_reviewed = versions is None or await self._are_reviewed(versions)
        if not is_reviewed:
            text = tr(
                "HEAD or CURRENT has changed in the meantime. "
                "Nothing was committed; review the changes again."
            )
            self._finish("warning", text)
            return
        if versions is not None and options.keeps_copy:
            self._kept = await self._keep_copy(*versions, plan)
        if options.reindex_events:
            self.reindexing.begin(self._expected_reindexing(plan))
        questions = await self._client.commit_schema(
            reindex_generate_events=options.reindex_events, answers=options.answers
        )
        if questions:
            self._ask(questions)
            return
        version, kept = await self._committed_version(), self._kept
        text = tr("HEAD is committed and in use. See its commit in the event log.")
        if version is not None:
            text = tr(
                "Version {version} is committed and in use. See its commit in the event log.",
                version=str(version),
            )
        if options.answers.get(REINDEX) == "skip":
            text = f"{text} {tr('Searches find changed objects once the service indexes them again.')}"
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

    def _ask(self, questions: Sequence[CommitQuestion]) -> None:
        """Shows what the service wants to know first; it has not committed anything."""
        self._store.set_busy(busy=False)
        self.reindexing.cancel()
        if self._dialog is not None:
            self._dialog.show_questions(questions)
            return
        text = tr("The service has a question before it commits. Nothing was committed.")
        self._view.notice.show_text("warning", text, (tr("Commit again…"), self.open_dialog))

    async def _committed_version(self) -> int | None:
        """The number of the new version: as the plan said, else as the service has it now, if it says so."""
        head = self._store.page.editing.head
        if self._client.capabilities.commit_plan:
            return None if head is None else head.version
        with suppress(ClientError):  # The commit has succeeded nevertheless.
            return int_attribute(await self._client.schema("CURRENT"), "version")
        return None

    def _expected_reindexing(self, plan: _Json | None) -> Reindexing:
        page = self._store.page
        if page.editing.head is None:
            return Reindexing(None)
        editing, read = page.editing, None if plan is None else read_commit_plan(plan)
        return expected_reindexing(page.editing.head, editing.current, editing.changes, read)

    async def _read_versions(self) -> tuple[_Json, _Json | None]:
        """HEAD and CURRENT as the service has them now, with all of their attributes."""
        head = await self._client.schema("HEAD")
        with suppress(NotFoundError):
            return head, await self._client.schema("CURRENT")
        return head, None

    async def _are_reviewed(self, versions: Iterable[_Json | None]) -> bool:
        """Whether HEAD and CURRENT are those that the dialog shows."""
        read = [raw if raw is None else await run_in_thread(read_document, raw) for raw in versions]
        return read == [self._reviewed.head, self._reviewed.current]

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


_INDEX = "OBJECT_INDEX"


class ReindexingController(QObject):
    """Shows how many objects were indexed; ends when all are, or when no more events come.

    Closing the notice ends it as well.
    """

    def __init__(self, notice: NoticeBar) -> None:
        super().__init__(notice)
        self._notice = notice
        self._reindexing: Reindexing | None = None
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_SECONDS * 1000)
        self._quiet.timeout.connect(self._end)

    @property
    def is_following(self) -> bool:
        """Whether events are counted."""
        return self._reindexing is not None

    def begin(self, expected: Reindexing) -> None:
        """Counts events from now on; to be called before the commit, whose first events follow at once."""
        self._notice.hide()
        self._reindexing = expected

    def show(self) -> None:
        """Shows the count, after the commit has succeeded."""
        if self._reindexing is None:
            return
        if self._reindexing.total == 0:
            self._reindexing = None
            return
        self._quiet.start()
        self._notice.show_message("accent", self._progress())
        self._check()

    def cancel(self) -> None:
        """Stops counting without a message, after a commit that failed."""
        self._reindexing = None
        self._quiet.stop()

    def add(self, events: Iterable[Event]) -> None:
        """Counts the indexed objects among new events."""
        if self._reindexing is None:
            return
        found = [
            (one.objecttype or "", one.object_id)
            for one in events
            if one.type == _INDEX and one.object_id is not None
        ]
        if not found:
            return
        self._reindexing = self._reindexing.with_objects(found)
        if not self._quiet.isActive():
            return  # The commit has not been answered yet.
        if self._notice.isHidden():
            self.cancel()
            return
        self._quiet.start()
        self._notice.show_message("accent", self._progress())
        self._check()

    def _check(self) -> None:
        if self._reindexing is not None and self._reindexing.is_complete:
            self._end()

    def _end(self) -> None:
        """Says how it has ended, unless the notice was closed."""
        ended = self._reindexing
        self.cancel()
        if ended is not None and not self._notice.isHidden():
            self._notice.show_passing(_result(ended))

    def _progress(self) -> ErrorMessage:
        found = self._reindexing
        if found is None or not found.indexed:
            text = tr("Reindexing: waiting for the first OBJECT_INDEX event…")
        elif found.total is None:
            text = tr(
                "Reindexing: {indexed:1 object|{indexed} objects} so far; how many there are is not known.",
                indexed=found.indexed,
            )
        else:
            text = tr(
                "Reindexing: {indexed} of {total:1 object|{total} objects} indexed.",
                indexed=found.indexed,
                total=found.total,
            )
        return ErrorMessage("", text, "")


def _result(found: Reindexing) -> ErrorMessage:
    if found.is_complete:
        text = tr(
            "Reindexing is complete: {indexed:1 object|{indexed} objects} indexed.", indexed=found.indexed
        )
    elif found.indexed:
        text = tr(
            "{indexed:1 object was|{indexed} objects were} indexed; no more OBJECT_INDEX events for "
            "{seconds:1 second|{seconds} seconds}.",
            indexed=found.indexed,
            seconds=QUIET_SECONDS,
        )
    else:
        text = tr(
            "No OBJECT_INDEX event for {seconds:1 second|{seconds} seconds}: there may be nothing to index, "
            "or live events are not followed.",
            seconds=QUIET_SECONDS,
        )
    return ErrorMessage("", text, "")


_MOST_COUNTS = 4  # in the button's text
_WIDTH = 680
_FEWEST_LINES, _MOST_LINES = 3, 14
_CHECKABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable
_LOSING_ACTIONS = ("drop_column", "convert_column")


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """Whether reindexing generates OBJECT_INDEX events (§4.8), and whether both versions are copied.

    ``answers`` are those to questions of the service, by their names.
    """

    reindex_events: bool
    keeps_copy: bool
    answers: Mapping[str, str] = field(default_factory=dict)


class CommitDialog(BaseDialog):
    """Stays open until the service has committed, unless the user closes it; the commit goes on then.

    Commit is enabled when the plan has arrived, or is not available, and all losses are confirmed.
    """

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        version: int,
        changes: tuple[Change, ...],
        folder: Path,
        commit: Callable[[CommitOptions], None],
        *,
        keeps_values: bool = False,
    ) -> None:
        """``folder`` is that of copies of both versions; ``commit`` is called with the user's choice.

        ``keeps_values``: the copies also have the affected values.
        """
        super().__init__(appearance, "schema.commit.dialog", parent)
        self._start_commit = commit
        self._changes = changes
        self._verb = tr("Commit v{version}", version=str(version))
        self._button_text = ""
        self._has_plan = False
        self._answers: dict[str, str] = {}
        self._rehearse: QPushButton | None = None
        self._report: RehearsalReport | None = None
        self._show_report = self.make_button("report", tr("Steps and rows…"))
        self._show_report.clicked.connect(self._open_report)
        self._show_report.hide()
        self.list = CommitList(self)
        text = tr("Let the reindexing write OBJECT_INDEX events")
        self.events = named("schema.commit.events", QCheckBox(text, self))
        self.body.addWidget(self.list)
        self.body.addWidget(self.events)
        self.reindex = Choice(
            {
                "reindex": tr("now, in the background"),
                "skip": tr("later"),
                "reindex_block": tr("now, with the frontend locked meanwhile"),
            }
        )
        self._questions: QuestionPanel | None = None
        self._reindexing = self.add_form(Field("reindex", self.reindex, tr("&Reindexing")))
        self._reindexing.hide()
        text = tr("Keep a copy of HEAD and CURRENT first")
        self.keeps_copy = named("schema.commit.copy", QCheckBox(text, self))
        self.keeps_copy.setChecked(True)
        self._precautions = QHBoxLayout()
        self._precautions.addWidget(self.keeps_copy)
        self._precautions.addStretch(1)
        self._precautions.addWidget(self._show_report)
        self.body.addLayout(self._precautions)
        self._folder = named("schema.commit.folder", ElidedLabel(short_path(folder), self))
        self._contents = Label(_copy_contents(has_values=keeps_values), self, wordWrap=True)
        for label in (self._folder, self._contents):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self.keeps_copy.toggled.connect(label.setVisible)
            self.body.addWidget(label)
        self._show(None, tr("Counting affected values…"))
        self.list.itemChanged.connect(self._enable_commit)
        self.accept_button.clicked.connect(self._commit)
        self.list.setFocus()

    def offer_reindexing(self) -> None:
        """Lets the user choose when objects are indexed again, instead of whether this writes events."""
        self._reindexing.show()
        self.events.hide()

    def offer_rehearsal(self, rehearse: Callable[[], None]) -> None:
        """Adds a button that calls ``rehearse``; it is disabled until a rehearsal has ended."""
        button = self.make_button("rehearse", tr("Rehearse"))
        button.setToolTip(tr("Runs this commit on a server of our own first. The service is not changed."))
        self._precautions.addWidget(button)
        self._rehearse = button
        button.clicked.connect(rehearse)

    def show_rehearsal_step(self, step: str) -> None:
        """Shows what the rehearsal is doing."""
        self._enable_rehearsal(on=False)
        self.show_fault(tr("Rehearsal: {step}…", step=step), "muted")

    def show_rehearsal(
        self, result: str | ErrorMessage, *, is_good: bool = False, report: RehearsalReport | None = None
    ) -> None:
        """Shows the result of the rehearsal, or why it failed; a button opens the ``report``.

        The commit stays possible.
        """
        self._enable_rehearsal(on=True)
        self._report = report
        self._show_report.setVisible(report is not None)
        if isinstance(result, ErrorMessage):
            super().show_failure(result)
        else:
            self.show_fault(result, "good" if is_good else "warning")

    def _open_report(self) -> None:
        if self._report is not None:
            RehearsalDialog(self._appearance, self, self._report).open()

    def _enable_rehearsal(self, *, on: bool) -> None:
        if self._rehearse is not None:
            self._rehearse.setEnabled(on)

    def show_plan(self, plan: CommitPlan | None, counts: Mapping[str, int] | None = None) -> None:
        """Shows how much data each change affects; None if the service does not count it.

        ``counts`` are the numbers of objects in the tables that lose something, as far as known.
        """
        self._has_plan = True
        if plan is not None:
            self._show(plan, "")
            return
        self._contents.setText(
            tr("It contains both data models, but no values: this program reads no rows of this service.")
        )
        note = tr("The service does not report how many values are lost, nor whether rows block the commit.")
        if counts:
            listed = ", ".join(f"{name} ({number_text(count)})" for name, count in counts.items())
            note = f"{note} {tr('Objects in the tables concerned: {list}.', list=listed)}"
        self._show(plan, note)

    def show_questions(self, questions: Sequence[CommitQuestion]) -> None:
        """Shows what the service asks before it commits, in place of the button to commit."""
        self._forget_questions()
        self.show_fault(tr("The service asks before it commits. Nothing was committed yet."), "warning")
        for widget in (self.accept_button, self.cancel_button, self._reindexing):
            widget.hide()
        self._questions = panel = QuestionPanel(self._appearance, questions, self)
        panel.answered.connect(self._answer)
        panel.declined.connect(self.reject)
        self.body.addWidget(panel)
        panel.show()  # the layout would do so later, and leave it out until then
        self.fit()

    def _answer(self, answers: Mapping[str, str]) -> None:
        self._forget_questions()
        self._begin({**self._answers, **answers}, keeps_copy=False)

    def _forget_questions(self) -> None:
        self.accept_button.show()
        self.cancel_button.show()
        if self._questions is not None:
            self._reindexing.show()
            self._questions.hide()
            self._questions.deleteLater()
            self._questions = None

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why the commit failed; nothing has been changed (wire §5)."""
        self._has_plan = True
        super().show_failure(message)
        self.accept_button.setText(self._button_text)
        self.cancel_button.setText(tr("Cancel"))
        self._enable_rehearsal(on=True)
        self._enable_commit()

    def _show(self, plan: CommitPlan | None, note: str) -> None:
        lines = plan_lines(self._changes, plan)
        self.list.show_lines(lines, self._appearance.tokens)
        self._button_text = _button_text(self._verb, self._changes, sum(line.lost for line in lines))
        self.set_texts(self._verb, " ".join((_introduction(lines), note)).strip(), self._button_text)
        if self.list.is_blocked:
            self.show_fault(tr("The service would refuse this commit: existing rows block it."))
        self._enable_commit()
        self._buttons.invalidate()  # it has the size of the texts before
        self.resize(max(self.width(), _WIDTH, self._buttons.sizeHint().width() + 2 * MARGIN), self.height())
        if self.isVisible():
            self._grow()
        else:
            self.fit()

    def _enable_commit(self) -> None:
        can_commit = self.list.is_confirmed and not self.list.is_blocked
        self.accept_button.setEnabled(self._has_plan and can_commit)

    def _commit(self) -> None:
        answers = {} if self._reindexing.isHidden() else {REINDEX: str(self.reindex.value)}
        self._begin(answers, keeps_copy=self.keeps_copy.isChecked())

    def _begin(self, answers: Mapping[str, str], *, keeps_copy: bool) -> None:
        self._answers = dict(answers)
        self.show_fault(
            tr("The commit goes on when this is closed; the page then shows its result."), "muted"
        )
        self.accept_button.setEnabled(False)
        self.accept_button.setText(tr("Committing…"))
        self.cancel_button.setText(tr("Close"))
        self._enable_rehearsal(on=False)
        self._start_commit(CommitOptions(self.events.isChecked(), keeps_copy, self._answers))


class CommitList(QListWidget):
    """The changes in order; check boxes keep their state when the plan arrives."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.commit.changes")
        self.setAccessibleName(tr("Changes"))
        self.setItemDelegate(RowHeightDelegate(self))
        self.setWordWrap(True)
        self._lines: tuple[CommitPlanLine, ...] = ()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as its lines; a larger dialog gives it more."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    @property
    def is_confirmed(self) -> bool:
        """Whether all check boxes are checked."""
        items = (self.item(row) for row in range(self.count()))
        checkable = (item for item in items if item.flags() & Qt.ItemFlag.ItemIsUserCheckable)
        return all(item.checkState() == Qt.CheckState.Checked for item in checkable)

    @property
    def is_blocked(self) -> bool:
        """Whether existing rows block one of the changes."""
        return any(line.blocking for line in self._lines)

    def show_lines(self, lines: Sequence[CommitPlanLine], tokens: Tokens) -> None:
        """Replaces the lines."""
        checked, row = self._checked_changes(), self.currentRow()
        self._lines = tuple(lines)
        with QSignalBlocker(self):
            self.clear()
            for line in lines:
                self._add(line, tokens, is_checked=line.change is not None and line.change in checked)
        with_check_box = [index for index, line in enumerate(lines) if line.needs_consent]
        self.setCurrentRow(row if row >= 0 else with_check_box[0] if with_check_box else 0)
        visible = min(max(len(lines), _FEWEST_LINES), _MOST_LINES)
        self.setMinimumHeight(visible * max(ROW, self.sizeHintForRow(0)) + TIGHT)

    def _checked_changes(self) -> list[Change]:
        states = ((line.change, self.item(row).checkState()) for row, line in enumerate(self._lines))
        return [change for change, state in states if change and state == Qt.CheckState.Checked]

    def _add(self, line: CommitPlanLine, tokens: Tokens, *, is_checked: bool) -> None:
        item = QListWidgetItem(plan_line_text(line), self)
        item.setFlags(_CHECKABLE if line.needs_consent else Qt.ItemFlag.ItemIsEnabled)
        if line.needs_consent:
            item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        if line.needs_consent or line.blocking:
            item.setForeground(QColor(tokens.danger))
        elif line.change is not None and line.change.risk is not Risk.SAFE and not line.steps:
            item.setForeground(QColor(tokens.warning))


def _copy_contents(*, has_values: bool) -> str:
    if has_values:
        return tr(
            "It contains both data models, the counts of this plan, and the values "
            "that are removed or converted, as CSV files."
        )
    return tr(
        "It contains both data models and the counts of this plan, but no values: "
        "this program reads no rows of this service."
    )


def plan_line_text(line: CommitPlanLine) -> str:
    """The sign of a change, the change, and what it does to the data."""
    change = line.change
    sign, text = ("!", line.steps[0].name) if change is None else (change.sign, str(change.message))
    notes = [note for note in (*map(_step_text, line.steps), _uncounted_risk(line)) if note]
    return "  ·  ".join((f"{sign}  {text}", *notes))


def _uncounted_risk(line: CommitPlanLine) -> str:
    """The risk of a change whose effect the service has not counted."""
    is_counted = line.is_counted and (line.steps or line.change is None)
    return "" if is_counted or line.change is None else risk_text(line.change.risk)


def _step_text(step: CommitStep) -> str:
    if step.blocking:
        if step.rows == 1:
            return tr("the only row blocks this")
        return tr(
            "{blocking:1 of {rows} rows blocks|{blocking} of {rows} rows block} this",
            blocking=step.blocking,
            rows=step.rows,
        )
    if step.action == "drop_table" and not step.rows:
        return tr("the table is empty")
    if step.action == "drop_table":
        return tr(
            "{rows:1 row|{rows} rows} with {values:1 value|{values} values} {rows:is|are} lost",
            rows=step.rows,
            values=step.values,
        )
    if step.lost:
        return _lost_text(step.lost)
    return tr("nothing is lost") if step.action in _LOSING_ACTIONS else ""


def _lost_text(lost: int) -> str:
    return tr("{count:1 value is|{count} values are} lost", count=lost)


def _introduction(lines: tuple[CommitPlanLine, ...]) -> str:
    text = tr("The service applies all changes in one transaction: all of them, or none if it fails.")
    has_check_boxes = any(line.needs_consent for line in lines)
    return f"{text} {tr('Select what may be lost.')}" if has_check_boxes else text


def _button_text(title: str, changes: tuple[Change, ...], lost: int) -> str:
    """``Commit v8: 1 table added, 1 column removed (1,204 values are lost)``."""
    counts = [str(count) for count in summary(changes)]
    more = ["…"] if len(counts) > _MOST_COUNTS else []
    text = f"{title}: {', '.join([*counts[:_MOST_COUNTS], *more])}" if counts else title
    return f"{text} ({_lost_text(lost)})" if lost else text
