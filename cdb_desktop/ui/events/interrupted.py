"""Tells what was cut short by the end of the program before, and offers to go on. Does no work itself."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from cdb_desktop.events.backup import part_of
from cdb_desktop.events.export_wish import discard_part, kept_of
from cdb_desktop.events.unfinished import DeletionNote, ExportNote
from cdb_desktop.ui.events.deleting import Deleting
from cdb_desktop.ui.events.exporting import Exporting
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.unfinished_words import deletion_words, export_words
from cdb_desktop.ui.widgets.offer_bar import OfferBar


class Interrupted(QObject):
    """A notice for each export and deletion that was cut short, until the user has decided."""

    def __init__(self, means: Means, exporting: Exporting, deleting: Deleting) -> None:
        super().__init__(means.view)
        self._bars, self._unfinished = means.view.interrupted, means.unfinished
        self._exporting, self._deleting = exporting, deleting
        self._told: dict[str, OfferBar] = {}
        self._unfinished.settled.connect(self._settle)
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
        bar = self._told[name] = self._bars.add()
        bar.show_words("warning", partial(export_words, note, rows))
        bar.offer("unfinished.go_on", lambda: self.tr("Continue"), partial(self._exporting.go_on, note))
        bar.offer("unfinished.discard", lambda: self.tr("Throw away"), partial(self._discard, name, target))

    def _tell_deletion(self, name: str, note: DeletionNote) -> None:
        backup = Path(note.backup) if note.backup else None
        if note.is_reading and backup is not None:
            with suppress(OSError):
                part_of(backup).unlink(missing_ok=True)  # half a backup of events that are all there
        bar = self._told[name] = self._bars.add()
        bar.show_words("warning", partial(deletion_words, note))
        if backup is not None and backup.exists():
            bar.offer("unfinished.show", lambda: self.tr("Show file"), partial(_show, backup))
        bar.offer("unfinished.go_on", lambda: self.tr("Go on…"), partial(self._deleting.go_on, name, note))
        # Whoever closes it has read it; what is gone stays gone.
        bar.closed.connect(partial(self._unfinished.forget, name))

    def _discard(self, name: str, target: Path) -> None:
        with suppress(OSError):
            discard_part(target)
        self._unfinished.forget(name)

    def _settle(self, name: str) -> None:
        bar = self._told.pop(name, None)
        if bar is not None:
            bar.hide()
            bar.deleteLater()


def _show(file: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
