"""The foot of the page: problems, changes and the document as JSON, one of which is seen or none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.changes import Change, Risk
from cdb_desktop.schema.places import Place
from cdb_desktop.schema.problems import Problem, Severity
from cdb_desktop.schema.writing import write, write_table
from cdb_desktop.ui.schema.page.findings import Findings, sign_colour
from cdb_desktop.ui.schema.page.state import Page
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW, STRIP
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
        self.problems.show_findings(problems, tr("No problems."))
        notes = risk_notes()
        changes = tuple(of_change(change, notes) for change in findings.changes)
        self.changes.show_findings(changes, tr("Nothing changed."))
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
        self.problems.setAccessibleName(tr("Problems"))
        self.changes.setAccessibleName(tr("Changes"))
        self.json.setAccessibleName(tr("JSON"))

    def _toggle(self, at: int) -> None:
        if not self._stack.isHidden() and self._stack.currentIndex() == at:
            self.close_tabs()
        else:
            self.open(at)

    def _show_titles(self) -> None:
        problems, changes = len(self._findings.problems), len(self._findings.changes)
        self._tabs[_PROBLEMS].setText(f"{tr('Problems')} {problems}")
        self._tabs[_CHANGES].setText(f"{tr('Changes')} {changes}")
        self._tabs[_JSON].setText(tr("JSON"))

    def _show_json(self) -> None:
        page = self._page
        if page is None or self._stack.currentIndex() != _JSON or self._stack.isHidden():
            self._told.clear()
            return
        table = page.document.by_key.get(page.selected_table or 0)
        content = write(page.document) if table is None else write_table(table)
        text = msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
        if len(text) > _MOST:
            text = f"{text[:_MOST]}\n…"
        if text != self.json.toPlainText():
            self.json.setPlainText(text)
        whole = tr("the whole document; select a table to see only that")
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
    return {
        Risk.SAFE: "",
        Risk.NARROWING: tr("may fail where values do not fit"),
        Risk.DESTROYING: tr("values are lost"),
    }


Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ROOT = QModelIndex()
_SIGN = 28
_ELIDE = Qt.TextElideMode.ElideRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


@dataclass(frozen=True, slots=True)
class Finding:
    """One line; ``colour`` names a colour of the theme for the sign and for ``note``."""

    place: Place
    sign: str
    colour: str
    text: str
    note: str = ""


class FindingsList(QListView):
    """Lines of one height.

    Signals: ``chosen`` with a place when a line is clicked or Enter is pressed on it.
    """

    chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = _Model(self)
        self.setModel(self._lines)
        self.setItemDelegate(_Delegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self._nothing = ""
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    @property
    def nothing(self) -> str:
        """What is said in the place of lines, empty where there are any."""
        return "" if self._lines.findings else self._nothing

    def show_findings(self, findings: tuple[Finding, ...], nothing: str) -> None:
        """Shows lines in the place of those before; ``nothing`` says what it means that there are none."""
        self._nothing = nothing
        self._lines.show_findings(findings)
        self.setAccessibleDescription(self.nothing)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The lines, or that there are none."""
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(QRect(GROUP, 0, self.viewport().width() - 2 * GROUP, ROW), _LEFT, self.nothing)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._lines.findings[index.row()].place)


class _Model(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        if findings != self.findings:
            self.beginResetModel()
            self.findings = findings
            self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.findings)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        finding = self.findings[index.row()]
        if role in (_DISPLAY, _TOOLTIP):
            return f"{finding.text} · {finding.note}" if finding.note else finding.text
        return None


class _Delegate(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802
        return QSize(0, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, _Model):
            return
        tokens, finding, rect = self._appearance.tokens, model.findings[index.row()], QRect(option.rect)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(tokens.selected))
        colour = QColor(getattr(tokens, finding.colour))
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(sign_colour(finding.sign, tokens) if finding.sign != "!" else colour)
        painter.drawText(
            QRect(rect.left(), rect.top(), _SIGN, rect.height()), Qt.AlignmentFlag.AlignCenter, finding.sign
        )
        painter.setFont(option.font)
        painter.setPen(QColor(tokens.text))
        rect.adjust(_SIGN, 0, -GAP, 0)
        text = painter.fontMetrics().elidedText(finding.text, _ELIDE, rect.width())
        painter.drawText(rect, _LEFT, text)
        rect.adjust(painter.fontMetrics().horizontalAdvance(text) + 2 * GAP, 0, 0, 0)
        painter.setPen(colour)
        painter.drawText(rect, _LEFT, painter.fontMetrics().elidedText(finding.note, _ELIDE, rect.width()))


def of_problem(problem: Problem) -> Finding:
    """The line of a problem."""
    colour = "danger" if problem.severity is Severity.ERROR else "warning"
    return Finding(problem.place, "!", colour, str(problem.message))


def of_change(change: Change, notes: dict[Risk, str]) -> Finding:
    """The line of a change; ``notes`` says what each risk means."""
    colour = {Risk.SAFE: "muted", Risk.NARROWING: "warning", Risk.DESTROYING: "danger"}[change.risk]
    return Finding(change.place, change.sign, colour, str(change.message), notes[change.risk])
