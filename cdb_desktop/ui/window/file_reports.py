"""Tells the user of the program's own files that were damaged or could not be written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class FileReports(QObject):
    """Shows all reports in one notice until it is closed, each file once.

    What could not be written is shown until it is written again; then the next failure is shown again.
    """

    _reported = Signal(object)

    def __init__(self, notice: NoticeBar) -> None:
        super().__init__(notice)
        self._notice = notice
        self._shown: list[Report] = []
        self._unkept: set[Path] = set()  # damaged files that could not be renamed: each is reported once
        self._reported.connect(self._show)
        # A report may come from a thread; the signal takes it to this one.
        self.destroyed.connect(on_report(self._reported.emit))

    def _show(self, report: Report) -> None:
        if self._notice.isHidden():
            self._shown.clear()
        if report.trouble == "damaged":
            if report.kept is None and report.path in self._unkept:
                return
            if report.kept is None:
                self._unkept.add(report.path)
            self._shown.append(report)
        else:
            others = [one for one in self._shown if (one.trouble, one.path) != ("unwritten", report.path)]
            if report.trouble == "written" and others == self._shown:
                return
            self._shown = [*others, report] if report.trouble == "unwritten" else others
        if self._shown:
            self._notice.show_words("warning", self._words)
        else:
            self._notice.hide()

    def _words(self) -> ErrorMessage:
        title = _("A file of this program is damaged")
        if all(one.trouble == "unwritten" for one in self._shown):
            title = _("A file of this program cannot be written")
        return ErrorMessage(title, "\n".join(map(_told, self._shown)), "")


def _told(report: Report) -> str:
    if report.trouble == "unwritten":
        text = _("“%1” could not be written: changes will be lost when the program exits. Is the disk full?")
        return text.replace("%1", str(report.path))
    if report.kept is None:
        return _("“%1” is damaged and could not be renamed.").replace("%1", str(report.path))
    text = _("“%1” is damaged and was saved as “%2”. Its readable part remains in use.")
    return text.replace("%1", report.path.name).replace("%2", str(report.kept))


def _(text: str) -> str:
    return QCoreApplication.translate("FileReports", text)
