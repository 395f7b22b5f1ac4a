"""A notice that can lead to the file it tells of; knows no content of any file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.file_manager import show_folder_of
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.notice_bar import NoticeBar, Tone
from cdb_desktop.vocabulary.sentences import Sentence


class FileNotice(NoticeBar):
    """The way to the file stands beside the words as long as they do; the last file stays known after that.

    Signals: ``file_told`` when there is one to be shown.
    """

    file_told = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._file: Path | None = None
        super().__init__(appearance, parent)
        self._show_file = named("notice.show_file", QPushButton(self))
        self._show_file.setAutoDefault(False)
        self._show_file.clicked.connect(self.show_folder)
        self._line.insertWidget(self._line.indexOf(self._close), self._show_file)
        self._show_file.hide()
        self._name_button()

    def show_done(self, say: Callable[[], Sentence], file: Path) -> None:
        """Shows what has gone well and passes, with the way to the file that came of it."""
        self._file = file
        self.show_passing(say)
        self._offer(offered=True)
        self.file_told.emit()

    def show_folder(self) -> None:
        """Shows the last file that was told of where it lies."""
        if self._file is not None and not show_folder_of(self._file):
            told = self.tr("The file is in %1.").replace("%1", str(self._file.parent))
            self.show_notice("warning", self.tr("Folders cannot be opened on this system"), told)

    def show_notice(self, tone: Tone, title: str, text: str) -> None:
        """Shows a notice in place of the one before, which may have told of a file."""
        self._offer(offered=False)
        super().show_notice(tone, title, text)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another; the file is the same."""
        if event.type() != QEvent.Type.LanguageChange:
            super().changeEvent(event)
            return
        offered = not self._show_file.isHidden()
        super().changeEvent(event)
        self._name_button()
        self._offer(offered=offered)

    def _offer(self, *, offered: bool) -> None:
        self._show_file.setVisible(offered)
        self.fit()

    def _name_button(self) -> None:
        self._show_file.setText(self.tr("Show file"))
        self._show_file.setToolTip(self.tr("Open the folder of the file"))
