"""Tells the user of the program's own files that were damaged or could not be written."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.files import Report, on_report
from cdb_desktop.ui.widgets.notice_bar import NoticeBar
from cdb_desktop.vocabulary.sentences import Sentence


class FileReports(QObject):
    """Shows all reports of this run in one notice, each file once, until it is closed."""

    _reported = Signal(object)

    def __init__(self, notice: NoticeBar) -> None:
        super().__init__(notice)
        self._notice = notice
        self._reports: list[Report] = []
        self._shown: list[Report] = []
        self._reported.connect(self._show)
        # A report may come from a thread; the signal takes it to this one.
        self.destroyed.connect(on_report(self._reported.emit))

    def _show(self, report: Report) -> None:
        told = [(one.trouble, one.path) for one in self._reports]
        if report.trouble == "unwritten" and ("unwritten", report.path) in told:
            return
        if self._notice.isHidden():
            self._shown.clear()
        self._reports.append(report)
        self._shown.append(report)
        self._notice.show_words("warning", self._words)

    def _words(self) -> Sentence:
        title = _("A file of this program is damaged")
        if all(one.trouble == "unwritten" for one in self._shown):
            title = _("A file of this program cannot be written")
        return Sentence(title, "\n".join(map(_told, self._shown)), "")


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
