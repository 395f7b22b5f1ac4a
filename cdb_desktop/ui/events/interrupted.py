"""Tells what was cut short, by the end of the program before or by a failure, and offers to go on.

Does no work itself.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.events.backup import part_of
from cdb_desktop.events.export_wish import discard_part, kept_of
from cdb_desktop.events.unfinished import DeletionNote, ExportNote
from cdb_desktop.ui.events.browser.means import Means
from cdb_desktop.ui.events.browser.unfinished_work import note_name
from cdb_desktop.ui.events.deletion.deleting import Deleting
from cdb_desktop.ui.events.export.exporting import Exporting
from cdb_desktop.ui.events.unfinished_words import deletion_words, export_words
from cdb_desktop.ui.widgets.files import show_folder_of
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class Interrupted(QObject):
    """A notice for each export and deletion that was cut short, until the user has decided."""

    def __init__(self, means: Means, exporting: Exporting, deleting: Deleting) -> None:
        super().__init__(means.view)
        self._bars, self._unfinished = means.view.interrupted, means.unfinished
        self._exporting, self._deleting = exporting, deleting
        self._explain = means.view.notice.explain_requested
        self._actions = means.view.actions_by_name
        self._told: dict[str, ActionNotice] = {}
        self._actions.offered.connect(self._look_again)
        self._unfinished.settled.connect(self._settle)
        exporting.cut_short.connect(self._tell_failure)
        for name, note in self._unfinished.interrupted:
            if isinstance(note, ExportNote):
                self._tell_export(name, note)
            else:
                self._tell_deletion(name, note)

    def _tell_export(self, name: str, note: ExportNote) -> None:
        target = Path(note.target)
        if not part_of(target).exists():
            self._unfinished.forget(name)
            return
        rows = kept_of(note.wish, note.asked.asked, target, note.ids).rows
        self._offer_export(name, note, "warning", partial(export_words, note, rows))

    def _tell_failure(self, note: ExportNote, say: Callable[[], ErrorMessage]) -> None:
        self._offer_export(note_name(Path(note.target)), note, "danger", say)

    def _offer_export(
        self, name: str, note: ExportNote, tone: NoticeTone, say: Callable[[], ErrorMessage]
    ) -> None:
        bar = self._told[name] = self._bars.add()
        bar.explain_requested.connect(self._explain)
        bar.show_words(tone, say)
        go_on, lack = partial(self._exporting.go_on, note), partial(self._actions.lacking, "export")
        bar.offer("unfinished.go_on", lambda: self.tr("Continue"), go_on, lack)
        discard = partial(self._discard, name, Path(note.target))
        bar.offer("unfinished.discard", lambda: self.tr("Discard"), discard)

    def _tell_deletion(self, name: str, note: DeletionNote) -> None:
        backup = Path(note.backup) if note.backup else None
        if note.is_reading and backup is not None:
            with suppress(OSError):
                part_of(backup).unlink(missing_ok=True)  # half a backup of events that are all there
        bar = self._told[name] = self._bars.add()
        bar.show_words("warning", partial(deletion_words, note))
        if backup is not None and backup.exists():
            bar.offer("unfinished.show", lambda: self.tr("Show file"), partial(show_folder_of, backup))
        go_on, lack = (
            partial(self._deleting.go_on, name, note),
            partial(self._actions.lacking, "delete_found"),
        )
        bar.offer("unfinished.go_on", lambda: self.tr("Continue…"), go_on, lack)
        # Whoever closes it has read it; what is gone stays gone.
        bar.closed.connect(partial(self._unfinished.forget, name))

    def _discard(self, name: str, target: Path) -> None:
        with suppress(OSError):
            discard_part(target)
        self._unfinished.forget(name)

    def _look_again(self) -> None:
        for bar in self._told.values():
            bar.look_again()

    def _settle(self, name: str) -> None:
        bar = self._told.pop(name, None)
        if bar is not None:
            bar.hide()
            bar.deleteLater()
