"""The foot of the page: problems, changes and the document as JSON, one of which is seen or none."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.schema.diff.change import Risk
from cdb_desktop.schema.document.json_format import write_document, write_table
from cdb_desktop.ui.schema.findings_list import FindingsList, of_change, of_problem
from cdb_desktop.ui.schema.page import Findings, Page
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW, STRIP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.toolbar import Toolbar

_PROBLEMS, _CHANGES, _JSON = range(3)
_UNLIMITED = 16_777_215  # as Qt has it
_LEAST = 2 * ROW  # of a tab's height, in a small window
_MOST = 400_000  # characters; more of them take long to be laid out
_TAB = """
QPushButton { border: none; padding: 4px 10px; min-height: 16px; color: palette(placeholder-text); }
QPushButton:checked { color: palette(text); border-bottom: 2px solid palette(accent); }
QPushButton:focus { color: palette(link); }
"""


class BottomPanel(QWidget):
    """Three tabs; a click on the one that is open closes it.

    Signals: ``chosen`` with a place · ``folded`` when a tab has been opened or closed, with the number of
    the open one, -1 for none.
    """

    chosen = Signal(object)
    folded = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.problems = FindingsList(appearance, self)
        self.changes = FindingsList(appearance, self)
        self.json = QPlainTextEdit(self, readOnly=True)
        self._stack = QStackedWidget(self)
        self._tabs = [QPushButton(self) for _ in range(3)]
        self._told = caption(self)
        self._page: Page | None = None
        self._findings = Findings()
        self._arrange()
        self.close_tabs()

    @property
    def titles(self) -> tuple[str, ...]:
        """The tabs as they are shown."""
        return tuple(tab.text() for tab in self._tabs)

    def show_page(self, page: Page) -> None:
        """Shows the document as JSON when somebody looks at it."""
        self._page = page
        self._show_json()

    def show_findings(self, findings: Findings) -> None:
        """Shows problems and changes with their numbers."""
        self._findings = findings
        problems = tuple(of_problem(problem) for problem in findings.problems)
        self.problems.show_findings(problems, self.tr("No problems."))
        notes = risk_notes()
        changes = tuple(of_change(change, notes) for change in findings.changes)
        self.changes.show_findings(changes, self.tr("Nothing changed."))
        self._show_titles()

    @property
    def open_tab(self) -> int:
        """The number of the tab that is open, -1 for none."""
        return -1 if self._stack.isHidden() else self._stack.currentIndex()

    @property
    def has_focus_inside(self) -> bool:
        """Whether the keys go to the tab that is open."""
        is_open = not self._stack.isHidden()
        return is_open and any(widget.hasFocus() for widget in (self.problems, self.changes, self.json))

    def leave(self) -> None:
        """Closes the tab that is open and goes to its title."""
        self._tabs[self._stack.currentIndex()].setFocus()
        self.close_tabs()

    def open_problems(self) -> None:
        """Shows the problems."""
        self.open(_PROBLEMS)

    def open(self, at: int) -> None:
        """Shows a tab."""
        self._tabs[at].setChecked(True)
        self._stack.setCurrentIndex(at)
        self._stack.setVisible(True)
        self.setMaximumHeight(_UNLIMITED)
        self.folded.emit(at)
        self._show_json()

    def close_tabs(self) -> None:
        """Leaves only the strip with the tabs."""
        self._stack.setVisible(False)
        self.setMaximumHeight(STRIP)
        self.folded.emit(-1)
        self._group.setExclusive(False)
        for tab in self._tabs:
            tab.setChecked(False)
        self._group.setExclusive(True)

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self.show_findings(self._findings)
        self.problems.setAccessibleName(self.tr("Problems"))
        self.changes.setAccessibleName(self.tr("Changes"))
        self.json.setAccessibleName(self.tr("JSON"))

    def _toggle(self, at: int) -> None:
        if not self._stack.isHidden() and self._stack.currentIndex() == at:
            self.close_tabs()
        else:
            self.open(at)

    def _show_titles(self) -> None:
        problems, changes = len(self._findings.problems), len(self._findings.changes)
        self._tabs[_PROBLEMS].setText(f"{self.tr('Problems')} {problems}")
        self._tabs[_CHANGES].setText(f"{self.tr('Changes')} {changes}")
        self._tabs[_JSON].setText(self.tr("JSON"))

    def _show_json(self) -> None:
        page = self._page
        if page is None or self._stack.currentIndex() != _JSON or self._stack.isHidden():
            self._told.clear()
            return
        table = page.document.by_key.get(page.selected_table or 0)
        content = write_document(page.document) if table is None else write_table(table)
        text = msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
        if len(text) > _MOST:
            text = f"{text[:_MOST]}\n…"
        if text != self.json.toPlainText():
            self.json.setPlainText(text)
        whole = self.tr("the whole document; select a table to see only that")
        self._told.setText(whole if table is None else table.name)

    def _arrange(self) -> None:
        self.setObjectName("schema.bottom")
        self._group = QButtonGroup(self)
        bar = Toolbar(self, STRIP)
        for at, tab in enumerate(self._tabs):
            tab.setObjectName(f"schema.bottom.{('problems', 'changes', 'json')[at]}")
            tab.setCheckable(True)
            tab.setStyleSheet(_TAB)
            self._group.addButton(tab)
            tab.clicked.connect(partial(self._toggle, at))
            bar.add(tab)
        bar.push()
        bar.add(self._told)
        for widget in (self.problems, self.changes, self.json):
            widget.setMinimumHeight(_LEAST)
            self._stack.addWidget(widget)
        self.json.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.json.setFrameShape(QFrame.Shape.NoFrame)
        self.json.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.problems.setObjectName("schema.problems")
        self.changes.setObjectName("schema.changes")
        self.json.setObjectName("schema.json")
        for each in (self.problems, self.changes):
            each.chosen.connect(self.chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self._stack)
        self.retranslate()


def risk_notes() -> dict[Risk, str]:
    """What each risk means, in the language of the moment."""
    translate = QCoreApplication.translate
    return {
        Risk.SAFE: "",
        Risk.NARROWING: translate("Risks", "may fail where values do not fit"),
        Risk.DESTROYING: translate("Risks", "values are lost"),
    }
