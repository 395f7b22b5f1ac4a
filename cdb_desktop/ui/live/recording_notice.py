"""What became of one file that events were written to, with the way to another. Writes nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.live.recording import Recording
from cdb_desktop.ui.live import recording_words as words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class RecordingNotice(ActionNotice):
    """A file that is complete is told for a while; one that is not, until something is done.

    Signals: ``another_requested`` when events shall go to another file.
    """

    another_requested = Signal()

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName(name)
        self.add_button(f"{name}.another", _another, self.another_requested.emit)

    def show_failure(self, said: ErrorMessage) -> None:
        """Nothing is known beyond its words, so there are no details to copy."""
        self.show_notice("danger", said.title, f"{said.text} {said.remedy}")

    def tell_complete(self, recording: Recording) -> None:
        """All that was to be in it is in it."""
        self._show_offers(wanted=False)
        self.show_passing(partial(words.complete, recording))

    def tell_unwritten(self, path: Path, error: OSError) -> None:
        """It cannot be begun."""
        self._show_offers(wanted=True)
        self.show_message("danger", partial(words.unwritten, path, error))

    def tell_broken(self, recording: Recording, error: OSError) -> None:
        """It cannot be written on."""
        self._show_offers(wanted=True)
        self.show_message("danger", partial(words.broken, recording, error))

    def _show_offers(self, *, wanted: bool) -> None:
        for button in self.buttons:
            button.setVisible(wanted)


def _another() -> str:
    return QCoreApplication.translate("Live", "Record to another file…")
