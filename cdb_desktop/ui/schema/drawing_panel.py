"""The middle of the page: the diagram or the service's own drawing, with the tools for both on top of it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram_view import DiagramView
from cdb_desktop.ui.schema.name_editor import NameEditor
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.svg_view import SvgView

_SEGMENT = """
QPushButton { border: none; padding: 4px 10px; min-height: 16px; color: palette(placeholder-text); }
QPushButton:checked { color: palette(text); background: palette(highlight); border-radius: 3px; }
QPushButton:focus { color: palette(link); }
"""


class DrawingPanel(QWidget):
    """Diagram and SVG.

    Signals: ``renamed`` with a place and a name.
    """

    renamed = Signal(object, str)

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self.diagram = DiagramView(appearance, self)
        self.svg = SvgView(self)
        self.svg.setObjectName("schema.svg")
        self._stack = QStackedWidget(self)
        self._tools = _Tools(appearance, actions, self)
        self._editor = NameEditor(self.diagram.viewport())
        self._arrange()
        self._name_picture()

    @property
    def shows_svg(self) -> bool:
        """Whether the service's drawing is seen."""
        return self._stack.currentWidget() is self.svg

    def show_svg(self, *, on: bool) -> None:
        """Shows the service's drawing or the diagram."""
        self._stack.setCurrentWidget(self.svg if on else self.diagram)
        self._tools.show_svg(on=on)
        self._tools.show_zoom(self._seen.zoom)

    def rename(self, place: ElementRef, name: str) -> None:
        """Opens a field over a name in the diagram."""
        self.diagram.choose(place, reveal=True)
        rect = self.diagram.line_rect(place)
        if rect is not None:
            self._editor.begin(place, name, rect)

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self._name_picture()
        self._tools.retranslate()
        self._place_tools()

    def _name_picture(self) -> None:
        self.svg.setAccessibleName(self.tr("Picture of the schema"))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """The tools stay at the right."""
        super().resizeEvent(event)
        self._place_tools()

    @property
    def _seen(self) -> DiagramView | SvgView:
        return self.svg if self.shows_svg else self.diagram

    def _zoom_in(self) -> None:
        self._seen.zoom_in()

    def _zoom_out(self) -> None:
        self._seen.zoom_out()

    def _fit(self) -> None:
        self._seen.fit()

    def _place_tools(self) -> None:
        self._tools.adjustSize()
        # They lie over the drawing, so no layout makes room for them.
        self.setMinimumWidth(self._tools.width() + 2 * (GAP + TIGHT))
        self._tools.move(QPoint(self.width() - self._tools.width() - GAP - TIGHT, GAP))
        self._tools.raise_()

    def _arrange(self) -> None:
        self._stack.addWidget(self.diagram)
        self._stack.addWidget(self.svg)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._actions["zoom_in"].triggered.connect(self._zoom_in)
        self._actions["zoom_out"].triggered.connect(self._zoom_out)
        self._actions["fit"].triggered.connect(self._fit)
        for view in (self.diagram, self.svg):
            view.zoom_changed.connect(self._tools.show_zoom)
        self._editor.renamed.connect(self.renamed)
        self._editor.closed.connect(self.diagram.setFocus)


class _Tools(QWidget):
    """A small strip on the drawing."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._action = actions["schema_svg"]
        self._group = QButtonGroup(self)
        self._views = [QPushButton(self) for _ in range(2)]
        self._zoom = caption(self)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._zoom.setFixedWidth(self.fontMetrics().horizontalAdvance("100 %") + GAP)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(TIGHT, 2, TIGHT, 2)
        layout.setSpacing(2)
        for at, button in enumerate(self._views):
            button.setObjectName(("schema.view.diagram", "schema.view.svg")[at])
            button.setCheckable(True)
            button.setStyleSheet(_SEGMENT)
            button.clicked.connect(lambda _checked=False, at=at: self._action.setChecked(bool(at)))
            self._group.addButton(button)
            layout.addWidget(button)
        layout.addWidget(self._zoom)
        for name in ("zoom_out", "zoom_in", "fit", "schema_arrange"):
            layout.addWidget(ActionButton(actions[name], self))
        self._action.changed.connect(self._follow)
        self.show_svg(on=False)
        self.retranslate()

    def show_svg(self, *, on: bool) -> None:
        self._views[int(on)].setChecked(True)

    def show_zoom(self, zoom: float) -> None:
        self._zoom.setText(f"{zoom * 100:.0f} %")

    def retranslate(self) -> None:
        self._views[0].setText(self.tr("Diagram"))
        self._views[1].setText(self.tr("SVG"))
        self._follow()

    def _follow(self) -> None:
        """A model file has no service that could draw it."""
        tips = (self.tr("As the service draws what it has saved"), self._action.toolTip())
        self._views[1].setEnabled(self._action.isEnabled())
        self._views[1].setToolTip(tips[not self._action.isEnabled()])

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)
