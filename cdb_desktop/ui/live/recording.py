"""Records incoming events, or those that a full feed removes, to files that the user chooses."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.recording import FileChangedError, FileInUseError, Recording
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.files import documents_folder
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import in_zone


class RecordingController(QObject):
    """Two independent recordings: ``incoming`` events, and events ``removed`` from the feed."""

    def __init__(self, view: LiveView, actions: Actions) -> None:
        super().__init__(view)
        self._view = view
        title = tr("Record incoming events to")
        self.incoming = FileRecorder(view, actions["live_record"], "live.record.notice", title, "feed")
        title = tr("Archive dropped events in")
        self.removed = FileRecorder(view, actions["live_keep"], "live.keep.notice", title, "feed before")
        view.marked.connect(self.incoming.mark)
        view.removing.connect(self._record_removed)
        view.ticked.connect(self.show_progress)

    def write(self, events: Sequence[Event]) -> None:
        """Records received events."""
        self.incoming.write(events)

    def show_progress(self) -> None:
        """Checks both files and shows their progress in the strip."""
        texts: list[tuple[str, str]] = []
        file = ""
        for recorder in (self.incoming, self.removed):
            recorder.check()
            if (recording := recorder.recording) is not None:
                texts.append(_progress_texts(recording, is_removed=recorder is self.removed))
                file = file or recording.path.name
        short = texts[0][0] if texts else ""
        self._view.strip.show_recording(short, file, "\n".join(long for _short, long in texts))

    def _record_removed(self, oldest: Callable[[], list[Event]]) -> None:
        if self.removed.recording is not None:
            self.removed.write(oldest())


class FileRecorder(QObject):
    """Records to one file while its action is checked; the ``notice`` shows how it ended."""

    def __init__(
        self, view: LiveView, action: QAction, notice_name: str, title: str, file_prefix: str
    ) -> None:
        """``title`` is that of the file dialog."""
        super().__init__(view)
        self._view = view
        self.notice = RecordingNotice(notice_name, view.appearance, view)
        view.add_notice(self.notice)
        self._action = action
        self._title = title
        self._file_prefix = file_prefix
        self._folder = documents_folder()
        self._open: list[Recording] = []  # at most one; a list that outlives this object
        action.setChecked(False)
        action.toggled.connect(self._on_toggled)
        self.notice.another_requested.connect(partial(action.setChecked, True))
        # This object is deleted with the view, before the file could be closed.
        view.destroyed.connect(partial(_close_all, self._open))

    @property
    def recording(self) -> Recording | None:
        """The open file."""
        return self._open[0] if self._open else None

    def begin(self, path: Path) -> None:
        """Begins to record to a file."""
        self._folder = str(path.parent)
        self.notice.hide()
        try:
            self._open.append(Recording(path))
        except OSError as error:
            self._action.setChecked(False)
            self.notice.show_not_begun(path, error)
        else:
            self._action.setChecked(True)

    def end(self) -> None:
        """Closes the file if there is one."""
        self.check()
        recording = self.recording
        if recording is not None:
            self._close(recording)
            self.notice.show_complete(recording)

    def check(self) -> None:
        """Ends the recording if the file is no longer there."""
        if self.recording is not None:
            self._do(self.recording.check)

    def write(self, events: Sequence[Event]) -> None:
        """Writes events if there is a file."""
        if self.recording is not None and events:
            self._do(partial(self.recording.write, events))

    def mark(self, moment: datetime, name: str) -> None:
        """Writes a mark if there is a file."""
        if self.recording is not None:
            self._do(partial(self.recording.mark, moment, name))

    def _do(self, operation: Callable[[], None]) -> None:
        recording = self.recording
        try:
            operation()
        except OSError as error:
            if recording is not None:
                self._close(recording)
                self.notice.show_broken(recording, error)

    def _close(self, recording: Recording) -> None:
        self._open.clear()
        recording.close()
        self._action.setChecked(False)

    def _on_toggled(self, checked: bool) -> None:
        if checked and self.recording is None:
            self._choose_file()
        elif not checked and self.recording is not None:
            self.end()

    def _choose_file(self) -> None:
        dialog = QFileDialog(self._view, self._title, self._folder, defaultSuffix="jsonl")
        dialog.setObjectName("live.record.dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([tr("Events, one a line (*.jsonl)")])
        dialog.selectFile(f"{self._file_prefix} {in_zone(datetime.now().astimezone()):%Y-%m-%d %H%M}.jsonl")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.begin(Path(path)))
        dialog.rejected.connect(partial(self._action.setChecked, False))
        dialog.open()


class RecordingNotice(ActionNotice):
    """Shows how a recording ended, and offers another file if that was too early.

    Signals: ``another_requested`` · ``open_requested`` with the Path of a complete recording.
    """

    another_requested = Signal()
    open_requested = Signal(object)

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName(name)
        self._path: Path | None = None
        self.add_button(f"{name}.another", tr("Record to another file…"), self.another_requested.emit)
        self.add_button(f"{name}.open", tr("Open the recording"), self._request_open)

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows an error without the button for copying details, since there are none."""
        self.show_notice("danger", message.title, f"{message.text} {message.remedy}")

    def show_complete(self, recording: Recording) -> None:
        """The user has ended the recording."""
        self._path = recording.path
        self._show_buttons(is_over=True, has_events=recording.events > 0)
        lines = tr("Lines in the file: {count}.", count=recording.lines)
        title = tr("Events written: {count}", count=recording.events)
        self.show_passing(ErrorMessage(title, f"{recording.path} · {lines}", ""))

    def show_not_begun(self, path: Path, error: OSError) -> None:
        """The file cannot be created."""
        self._show_buttons()
        self.show_failure(_not_begun(path, error))

    def show_broken(self, recording: Recording, error: OSError) -> None:
        """The file cannot be written any more."""
        self._show_buttons()
        self.show_failure(_broken(recording, error))

    def _show_buttons(self, *, is_over: bool = False, has_events: bool = False) -> None:
        another, opens = self.buttons
        another.setVisible(not is_over)
        opens.setVisible(has_events)

    def _request_open(self) -> None:
        self.open_requested.emit(self._path)


class EndRecordingDialog(BaseDialog):
    """Asks whether the recordings of a window may end with it or with its connection."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "live.record.end", parent)
        text = tr("The file is complete up to now. Events that arrive later are not recorded.")
        self.set_texts(tr("End the recording?"), text, tr("End it"))
        self.accept_button.clicked.connect(self.accept)


def _close_all(recordings: list[Recording]) -> None:
    for recording in recordings:
        recording.close()


def _progress_texts(recording: Recording, *, is_removed: bool) -> tuple[str, str]:
    """The progress, short and long."""
    count, path = recording.events, str(recording.path)
    if is_removed:
        return (
            tr("● archiving {count}", count=count),
            tr("Dropped events are archived in {file}. Events so far: {count}", file=path, count=count),
        )
    return (
        tr("● recording {count}", count=count),
        tr(
            "All incoming events are recorded to {file}, regardless of filters. Events so far: {count}",
            file=path,
            count=count,
        ),
    )


def _not_begun(path: Path, error: OSError) -> ErrorMessage:
    if isinstance(error, FileInUseError):
        text = tr("{file} is being recorded to already, here or in another window.", file=str(path))
        remedy = tr("The file was not changed; choose another one.")
    else:
        text, remedy = f"{path}: {_reason(error)}.", tr("The feed continues.")
    return ErrorMessage(tr("Not recorded"), text, remedy)


def _broken(recording: Recording, error: OSError) -> ErrorMessage:
    if isinstance(error, FileChangedError):
        lines = tr("Lines written to it before: {count}.", count=recording.lines)
    else:
        lines = tr("Whole lines in the file: {count}.", count=recording.lines)
    parts = (_cause_text(str(recording.path), error), lines, _missing_text(recording))
    text = " ".join(part for part in parts if part)
    return ErrorMessage(tr("The recording has ended"), text, tr("The feed continues."))


def _cause_text(file: str, error: OSError) -> str:
    match error:
        case FileChangedError(change="gone"):
            return tr("{file} is no longer there: it was deleted, moved or renamed.", file=file)
        case FileChangedError(change="replaced"):
            return tr("{file} was replaced by another file.", file=file)
        case FileChangedError():
            return tr("Another program has changed {file}.", file=file)
    return f"{file}: {_reason(error)}."


def _missing_text(recording: Recording) -> str:
    if recording.missing is not None:
        return tr("The first event that is missing has the id {id}.", id=recording.missing)
    if recording.last is not None:
        return tr("Events after id {id} are not recorded.", id=recording.last)
    return ""


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
