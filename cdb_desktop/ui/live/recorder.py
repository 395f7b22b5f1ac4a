"""Writes what comes, or what leaves a bounded feed, to files that the user names. Knows no service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Event
from cdb_desktop.live.recording import Recording
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import recording_words
from cdb_desktop.ui.live.recording_notice import RecordingNotice
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.widgets.files import documents_folder
from cdb_desktop.vocabulary.times import in_zone

translate = QCoreApplication.translate


class Writer(QObject):
    """One action that is checked while its file is written; the ``notice`` tells what became of it."""

    def __init__(
        self, view: LiveView, action: QAction, notice: RecordingNotice, title: Callable[[], str], name: str
    ) -> None:
        """``title`` is the dialog's in the language of the moment, ``name`` the beginning of the file's."""
        super().__init__(view)
        self._view = view
        self._notice = notice
        self._action = action
        self._title = title
        self._name = name
        self._folder = documents_folder()
        self._open: list[Recording] = []
        action.setChecked(False)
        action.toggled.connect(self._toggled)
        notice.another_requested.connect(partial(action.setChecked, True))
        # When the view has gone, so has this: what is left to do is done without both.
        view.destroyed.connect(partial(_close_all, self._open))

    @property
    def recording(self) -> Recording | None:
        """What is written to at the moment."""
        return self._open[0] if self._open else None

    def begin(self, path: Path) -> None:
        """Writes to a file from now on; what was told of the one before is over."""
        self._folder = str(path.parent)
        self._notice.hide()
        try:
            self._open.append(Recording(path))
        except OSError as error:
            self._action.setChecked(False)
            self._notice.tell_unwritten(path, error)
        else:
            self._action.setChecked(True)

    def end(self) -> None:
        """Closes the file, if there is one."""
        self.check()
        recording = self.recording
        if recording is not None:
            self._let_go(recording)
            self._notice.tell_complete(recording)

    def check(self) -> None:
        """Ends where the file is not there any more."""
        if self.recording is not None:
            self._do(self.recording.check)

    def write(self, events: Sequence[Event]) -> None:
        """Writes them, if there is a file."""
        if self.recording is not None and events:
            self._do(partial(self.recording.write, events))

    def mark(self, moment: datetime) -> None:
        """Writes a mark, if there is a file."""
        if self.recording is not None:
            self._do(partial(self.recording.mark, moment))

    def _do(self, act: Callable[[], None]) -> None:
        recording = self.recording
        try:
            act()
        except OSError as error:
            if recording is not None:
                self._let_go(recording)
                self._notice.tell_broken(recording, error)

    def _let_go(self, recording: Recording) -> None:
        self._open.clear()
        recording.close()
        self._action.setChecked(False)

    def _toggled(self, wanted: bool) -> None:
        if wanted and self.recording is None:
            self._ask()
        elif not wanted and self.recording is not None:
            self.end()

    def _ask(self) -> None:
        dialog = QFileDialog(self._view, self._title(), self._folder)
        dialog.setObjectName("live.record.dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([translate("Live", "Events, one a line (*.jsonl)")])
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile(f"{self._name} {in_zone(datetime.now().astimezone()):%Y-%m-%d %H%M}.jsonl")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.begin(Path(path)))
        dialog.rejected.connect(partial(self._action.setChecked, False))
        dialog.open()


class Recorder(QObject):
    """The file of what comes, and that of what leaves the feed."""

    def __init__(self, view: LiveView, actions: Actions) -> None:
        super().__init__(view)
        self._view = view
        record, keep = actions["live_record"], actions["live_keep"]
        self.coming = Writer(view, record, view.record_notice, _record_title, "feed")
        self.leaving = Writer(view, keep, view.keep_notice, _keep_title, "feed before")
        view.marked.connect(self.coming.mark)
        view.leaving.connect(self._keep)
        view.ticked.connect(self.tell)

    def write(self, events: Sequence[Event]) -> None:
        """Events have come."""
        self.coming.write(events)

    def _keep(self, oldest: Callable[[], list[Event]]) -> None:
        if self.leaving.recording is not None:
            self.leaving.write(oldest())

    def tell(self) -> None:
        """Shows in the strip how much is written to which file, once both were looked for."""
        told: list[tuple[str, str]] = []
        file = ""
        for writer in (self.coming, self.leaving):
            writer.check()
            if (recording := writer.recording) is not None:
                told.append(recording_words.going_on(recording, is_leaving=writer is self.leaving))
                file = file or recording.path.name
        short = told[0][0] if told else ""
        self._view.strip.show_recording(short, file, "\n".join(whole for _short, whole in told))


def _record_title() -> str:
    return translate("Live", "Record incoming events to")


def _keep_title() -> str:
    return translate("Live", "Archive dropped events in")


def _close_all(recordings: list[Recording]) -> None:
    for recording in recordings:
        recording.close()
