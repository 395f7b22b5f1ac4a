"""A list of problems or changes: a sign, a sentence, and a way to the place that it speaks of."""

from __future__ import annotations

from dataclasses import dataclass

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
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cdb_desktop.schema.diff.change import Change, Risk
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.ui.schema.look import sign_colour
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

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

    place: ElementRef
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
    return Finding(problem.ref, "!", colour, str(problem.message))


def of_change(change: Change, notes: dict[Risk, str]) -> Finding:
    """The line of a change; ``notes`` says what each risk means."""
    colour = {Risk.SAFE: "muted", Risk.NARROWING: "warning", Risk.DESTROYING: "danger"}[change.risk]
    return Finding(change.ref, change.sign, colour, str(change.message), notes[change.risk])
