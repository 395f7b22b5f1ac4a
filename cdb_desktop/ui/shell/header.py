"""The header of the window: the line in the connection's color, the menus, and the notices below them."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QMenuBar, QVBoxLayout, QWidget

from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions, ActionSpec
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import COLOUR_LINE
from cdb_desktop.ui.widgets.help import help_in
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.notice import FileNotice, NoticeBar


class WindowHeader(QWidget):
    """Menus and notices; spans the whole width of the window."""

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self._colour: QColor | None = None
        self.notice = FileNotice(appearance, self)
        # Separate, because the other one is hidden when a connection is opened or closed.
        self.file_notice = NoticeBar(appearance, self)
        self.file_notice.setObjectName("window.files")
        bar = QMenuBar(self)
        self._menus = [help_in(bar.addMenu(title)) for title in actions.menus()]
        for menu, specs in zip(self._menus, actions.menus().values(), strict=True):
            self._fill(menu, specs, actions)
        self._pages = [_page_of(specs) for specs in actions.menus().values()]
        actions.page_shown.connect(self._show_page_menus)
        self._show_page_menus(actions.page)
        lay_out(QVBoxLayout(self), bar, self.notice, self.file_notice, margins=(0, COLOUR_LINE, 0, 0))

    def menu_of(self, name: str, actions: Actions) -> QMenu:
        """The menu that contains an action."""
        return self._menus[list(actions.menus()).index(actions.spec(name).menu)]

    def _fill(self, menu: QMenu, specs: Sequence[ActionSpec], actions: Actions) -> None:
        place, group = menu, ""
        for spec in specs:
            if spec.group != group:
                group = spec.group
                if spec.separated:
                    menu.addSeparator()
                place = help_in(menu.addMenu(group)) if group else menu
            elif spec.separated:
                place.addSeparator()
            # The tool tip of a disabled action shows the reason.
            place.setToolTipsVisible(True)
            place.addAction(actions[spec.name])

    def _show_page_menus(self, page: str) -> None:
        """Shows the menu of the page, and hides those of the others."""
        for menu, own in zip(self._menus, self._pages, strict=True):
            menu.menuAction().setVisible(own in ("", page))

    def show_colour(self, colour: str | None) -> None:
        """Paints the line in ``colour``, such as ``#1F5FBF``, or no line for None."""
        self._colour = None if colour is None else QColor(colour)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        if self._colour is not None:
            with QPainter(self) as painter:
                painter.fillRect(0, 0, self.width(), COLOUR_LINE, self._colour)


def _page_of(specs: Sequence[ActionSpec]) -> str:
    """The page to which all actions of a menu belong, or an empty string."""
    pages = {spec.page for spec in specs}
    return pages.pop() if len(pages) == 1 else ""


class FileReportNotice(QObject):
    """Shows which files of the program are damaged or could not be written, until it is closed.

    A file that could not be written is removed as soon as it has been written.
    """

    _reported = Signal(object)

    def __init__(self, notice: NoticeBar) -> None:
        super().__init__(notice)
        self._notice = notice
        self._shown: list[Report] = []
        self._unkept: set[Path] = set()  # damaged files that could not be renamed; each is shown once
        self._reported.connect(self._show)
        # Reports may be sent from any thread; the signal delivers them in this one.
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
            title = tr("A file of this program is damaged")
            if all(one.trouble == "unwritten" for one in self._shown):
                title = tr("A file of this program cannot be written")
            self._notice.show_notice("warning", title, "\n".join(map(_description, self._shown)))
        else:
            self._notice.hide()


def _description(report: Report) -> str:
    if report.trouble == "unwritten":
        return tr(
            "“{path}” could not be written: changes will be lost when the program exits. Is the disk full?",
            path=report.path,
        )
    if report.kept is None:
        return tr("“{path}” is damaged and could not be renamed.", path=report.path)
    return tr(
        "“{name}” is damaged and was saved as “{kept}”. Its readable part remains in use.",
        name=report.path.name,
        kept=report.kept,
    )
