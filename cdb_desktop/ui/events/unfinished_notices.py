"""Notices of exports and deletions that were interrupted, by a crash or an error, which offer to continue."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.events.export.checkpoint import discard_unfinished, load_checkpoint
from cdb_desktop.events.job_journal import DeletionJob, ExportJob
from cdb_desktop.events.part_file import part_path
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext, entry_name
from cdb_desktop.ui.events.deletion import DeletionController
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class UnfinishedNotices(QObject):
    """A notice for each interrupted export and deletion, until the user has decided."""

    def __init__(
        self, context: BrowserContext, exporting: ExportController, deleting: DeletionController
    ) -> None:
        super().__init__(context.view)
        self._bars, self._unfinished = context.view.interrupted, context.unfinished
        self._exporting, self._deleting = exporting, deleting
        self._explain = context.view.notice.explain_requested
        self._actions = context.view.actions_by_name
        self._notices: dict[str, ActionNotice] = {}
        self._actions.offered.connect(self._look_again)
        self._unfinished.settled.connect(self._settle)
        exporting.interrupted.connect(self._show_failure)
        for name, note in self._unfinished.interrupted:
            if isinstance(note, ExportJob):
                self._show_export(name, note)
            else:
                self._show_deletion(name, note)

    def _show_export(self, name: str, note: ExportJob) -> None:
        target = Path(note.target)
        if not part_path(target).exists():
            self._unfinished.forget(name)
            return
        rows = load_checkpoint(note.options, note.entered.event_filter, target, note.ids).rows
        self._offer_export(name, note, "warning", _export_message(note, rows))

    def _show_failure(self, note: ExportJob, message: ErrorMessage) -> None:
        self._offer_export(entry_name(Path(note.target)), note, "danger", message)

    def _offer_export(self, name: str, note: ExportJob, tone: NoticeTone, message: ErrorMessage) -> None:
        bar = self._notices[name] = self._bars.add()
        bar.explain_requested.connect(self._explain)
        bar.show_message(tone, message)
        go_on, lack = partial(self._exporting.start, note), partial(self._actions.lacking, "export")
        bar.add_button("unfinished.go_on", tr("Continue"), go_on, lack)
        discard = partial(self._discard, name, Path(note.target))
        bar.add_button("unfinished.discard", tr("Discard"), discard)

    def _show_deletion(self, name: str, note: DeletionJob) -> None:
        backup = Path(note.backup) if note.backup else None
        if note.is_reading and backup is not None:
            with suppress(OSError):
                part_path(backup).unlink(missing_ok=True)  # incomplete; no event has been deleted
        bar = self._notices[name] = self._bars.add()
        bar.show_notice("warning", tr("A deletion was interrupted"), _deletion_text(note))
        if backup is not None and backup.exists():
            bar.add_button("unfinished.show", tr("Show file"), partial(show_folder_of, backup))
        go_on, lack = (
            partial(self._deleting.resume, name, note),
            partial(self._actions.lacking, "delete_found"),
        )
        bar.add_button("unfinished.go_on", tr("Continue…"), go_on, lack)
        # Closing the notice removes the entry; deleted events cannot be restored.
        bar.closed.connect(partial(self._unfinished.forget, name))

    def _discard(self, name: str, target: Path) -> None:
        with suppress(OSError):
            discard_unfinished(target)
        self._unfinished.forget(name)

    def _look_again(self) -> None:
        for bar in self._notices.values():
            bar.update_buttons()

    def _settle(self, name: str) -> None:
        bar = self._notices.pop(name, None)
        if bar is not None:
            bar.hide()
            bar.deleteLater()


def _export_message(note: ExportJob, rows: int) -> ErrorMessage:
    """``An export to … was interrupted at 14,986 of 111,263 rows.``"""
    if note.total is None:
        text = tr(
            "An export to {file} was interrupted after {rows:1 row|{rows} rows}.", file=note.target, rows=rows
        )
    else:
        text = tr(
            "An export to {file} was interrupted after {rows} of {total:1 row|{total} rows}.",
            file=note.target,
            rows=rows,
            total=note.total,
        )
    return ErrorMessage(tr("Export incomplete"), text, "")


def _deletion_text(note: DeletionJob) -> str:
    """``Deleted: at least 8,000 of 18,814 events. The backup of all 18,814 is in …``"""
    if note.is_reading:
        return tr("Nothing was deleted.")
    # The last call may have succeeded without being written to the journal.
    gone = tr(
        "Deleted: at least {deleted} of {count:1 event.|{count} events.}",
        count=note.count,
        deleted=note.deleted,
    )
    if not note.backup:
        return f"{gone} {tr('There is no backup.')}"
    kept = tr(
        "The backup {count:is in {backup}.|of all {count} is in {backup}. The others are still in the log.}",
        count=note.count,
        backup=note.backup,
    )
    return f"{gone} {kept}"
