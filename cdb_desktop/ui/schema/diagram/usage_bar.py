"""The bar under the diagram while the use of tables is shown: what the colors mean, the period, the scan."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.heat import HeatKind
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.ui.schema.diagram.heat_item import GAUGE, heat_texts, heat_title, paint_level
from cdb_desktop.ui.schema.diagram.style import DiagramFonts
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.object_names import named

_KIND = 19  # characters of what is painted
PERIODS = (30, 90, 365, 0)  # days; 0 is the whole log


class UsageBar(QWidget):
    """The bar.

    Signals: ``kind_chosen`` with the HeatKind · ``period_chosen`` with the days, 0 for the whole log ·
    ``scan_requested`` · ``cancelled`` · ``list_requested`` · ``closed``.
    """

    kind_chosen = Signal(object)
    period_chosen = Signal(object)
    scan_requested = Signal()
    cancelled = Signal()
    list_requested = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.usage")
        self._appearance = appearance
        self.kind = ChoiceField("schema.usage.kind", self)
        self.period = ChoiceField("schema.usage.period", self)
        self.note = named("schema.usage.note", ElidedLabel(self))
        self.scan = named("schema.usage.scan", QPushButton(tr("Scan again"), self))
        self.list = named("schema.usage.list", QPushButton(tr("List…"), self))
        self._close = named("schema.usage.close", IconButton(icon("close", appearance), "", self))
        self.legend = HeatLegend(appearance, self)
        self._is_scanning = False
        self._chosen: tuple[HeatKind, int] = (HeatKind.WRITES, PERIODS[1])
        self._arrange()
        self._connect()
        self.kind.setAccessibleName(tr("What the colors mean"))
        self.period.setAccessibleName(tr("Period"))
        self._close.setToolTip(tr("Stop showing the use of tables (Esc)"))
        self._close.setAccessibleName(tr("Close"))
        self.show_choice(*self._chosen)
        self.hide()

    def show_choice(self, kind: HeatKind, period: int) -> None:
        """Shows what is painted, and the period in days."""
        self._chosen = kind, period
        self.kind.show_choices([(heat_title(each), each) for each in (HeatKind.WRITES, HeatKind.READS)], kind)
        periods: list[tuple[str, object]] = [
            (tr("{count:1 day|{count} days}", count=days) if days else tr("whole log"), days)
            for days in PERIODS
        ]
        self.period.show_choices(periods, period)
        self.legend.show_kind(kind)

    @property
    def text(self) -> str:
        """What is painted, and where the numbers come from."""
        return " · ".join(filter(None, (heat_title(self._chosen[0]), self.note.text())))

    def show_note(self, text: str, *, is_scanning: bool, may_scan: bool) -> None:
        """Shows how far the scan is, or what its result is."""
        self._is_scanning = is_scanning
        self.note.setText(text)
        self.note.setToolTip(text)
        self.scan.setVisible(may_scan or is_scanning)
        self.scan.setText(tr("Cancel") if is_scanning else tr("Scan again"))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._appearance.tokens.raised))
            painter.fillRect(0, 0, self.width(), 1, QColor(self._appearance.tokens.line))

    def _arrange(self) -> None:
        self.kind.setMinimumContentsLength(_KIND)
        for button in (self.scan, self.list):
            button.setAutoDefault(False)
        line = QHBoxLayout()
        line.setSpacing(TIGHT)
        line.addWidget(self.kind)
        line.addWidget(self.period)
        line.addStretch(1)
        line.addWidget(self.list)
        line.addWidget(self._close)
        second = QHBoxLayout()
        second.setSpacing(TIGHT)
        second.addWidget(self.note, stretch=1)
        second.addWidget(self.scan)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addLayout(second)
        layout.addWidget(self.legend)

    def _scan_or_cancel(self) -> None:
        if self._is_scanning:
            self.cancelled.emit()
        else:
            self.scan_requested.emit()

    def _connect(self) -> None:
        self.kind.decided.connect(self.kind_chosen)
        self.period.decided.connect(self.period_chosen)
        self.scan.clicked.connect(self._scan_or_cancel)
        self.list.clicked.connect(self.list_requested)
        self._close.clicked.connect(self.closed)
        self._appearance.changed.connect(self.update)


class HeatLegend(QWidget):
    """What each gauge and color means, in two lines."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.usage.legend")
        self._appearance = appearance
        self._fonts = DiagramFonts(self.font())
        self._parts: Sequence[tuple[int | None, str]] = []
        self.setFixedHeight(2 * _PITCH)

    def show_kind(self, kind: HeatKind) -> None:
        """Explains a kind of colors."""
        self._parts = heat_texts(kind)
        self.setAccessibleName(tr("Legend of the diagram"))
        self.setAccessibleDescription(" · ".join(text for _, text in self._parts))
        self.setToolTip(tr("The bar at the bottom of a table grows with the number of its rows."))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(round(sum(self._widths())), self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens, widths = self._appearance.tokens, self._widths()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for at, (level, text) in enumerate(self._parts):
                left = sum(widths[: at % _COLUMNS])
                rect = QRectF(left, (at // _COLUMNS) * _PITCH, widths[at % _COLUMNS], _PITCH)
                swatch = QRectF(rect.left(), rect.top() + 2, GAUGE[0] + 2 * TIGHT, _PITCH - 4)
                painter.setFont(self._fonts.font(Role.TYPE))
                paint_level(painter, swatch, level, tokens)
                painter.setPen(QColor(tokens.text))
                rest = rect.adjusted(swatch.width() + TIGHT, 0, 0, 0)
                painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)

    def _widths(self) -> list[float]:
        """The widths of the columns."""
        widths = [
            max(self._fonts.width(text, Role.TYPE) for _, text in self._parts[at::_COLUMNS])
            for at in range(_COLUMNS)
        ]
        return [width + GAUGE[0] + 3 * TIGHT + GROUP for width in widths]


_COLUMNS = 3
_PITCH = 19
