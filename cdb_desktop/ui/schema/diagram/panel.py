"""The middle of the page: the diagram or the service's SVG, with a toolbar on top of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.accessible import describe_diagrams
from cdb_desktop.ui.schema.diagram.legend import Legend
from cdb_desktop.ui.schema.diagram.minimap import Minimap
from cdb_desktop.ui.schema.diagram.name_editor import NameEditor
from cdb_desktop.ui.schema.diagram.time_line import TimeLine
from cdb_desktop.ui.schema.diagram.usage_bar import UsageBar
from cdb_desktop.ui.schema.diagram.view import DiagramView
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


class DiagramPanel(QWidget):
    """The diagram and the service's SVG, one of which is visible.

    ``shows_part`` is whether only a part of the schema is shown.

    Signals: ``renamed`` with an ElementRef and a name · ``part_left`` when the user goes back from a part of
    the schema.
    """

    renamed = Signal(object, str)
    part_left = Signal()

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.appearance = appearance
        self._actions = actions
        # Before the first diagram, as Qt keeps the description of a widget that it finds first.
        describe_diagrams()
        self.diagram = DiagramView(appearance, self, has_toolbar=True)
        self.svg = SvgView(self)
        self.svg.setObjectName("schema.svg")
        self.shows_part = False
        self._bars = QVBoxLayout()
        self._says: list[tuple[QWidget, Callable[[], str]]] = []  # the bars above the diagram
        self._top = 0  # of the diagram
        self._stack = QStackedWidget(self)
        self.minimap = Minimap(appearance, self.diagram, self)
        self._toolbar = _DiagramToolbar(appearance, actions, self)
        self._legend = Legend(appearance, self)
        self.time_line = TimeLine(appearance, self)
        self.usage = UsageBar(appearance, self)
        self.name_editor = NameEditor(appearance, self.diagram.viewport())
        self._arrange()
        self.svg.setAccessibleName(tr("Picture of the schema"))

    @property
    def shows_svg(self) -> bool:
        """Whether the SVG is visible."""
        return self._stack.currentWidget() is self.svg

    def show_svg(self, *, on: bool) -> None:
        """Shows the SVG or the diagram."""
        self._stack.setCurrentWidget(self.svg if on else self.diagram)
        self._toolbar.show_svg(on=on)
        self._toolbar.show_zoom(self._visible_view.zoom)
        self._show_legend()

    @property
    def state_text(self) -> str:
        """What the visible bars say of the diagram: a part of it, hits of a search, the use of tables."""
        says = [*self._says, (self.usage, lambda: self.usage.text)]
        return " · ".join(filter(None, (text() for bar, text in says if bar.isVisible())))

    def add_bar(self, bar: QWidget, says: Callable[[], str]) -> None:
        """Adds a bar above the diagram, which stays where it is on the screen when the bar appears.

        ``says`` is what it says of the diagram.
        """
        self._bars.addWidget(bar)
        self._says.append((bar, says))
        bar.installEventFilter(self)

    def button(self, name: str) -> QWidget:
        """The button of an action in the toolbar; the toolbar if it has none."""
        return self._toolbar.buttons.get(name, self._toolbar)

    def corner_below(self, name: str, width: int) -> QPoint:
        """Where on the screen to open a menu below the button of an action, inside of the panel."""
        button = self.button(name)
        corner = button.mapToGlobal(QPoint(0, button.height()))
        corner.setX(min(corner.x(), self.mapToGlobal(QPoint(self.width() - width, 0)).x()))
        return corner

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Moves what is in front of the diagram when that changes its size.

        The boxes stay in place when a bar appears or disappears.
        """
        if watched is self._stack:
            if event.type() == QEvent.Type.Resize:
                self._place_toolbar()
        elif event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            layout = self.layout()
            if layout is not None:
                self._bars.invalidate()  # Qt does that only after this event.
                layout.invalidate()
                layout.activate()
            before, self._top = self._top, self._stack.y()
            self.diagram.scroll_down(self._top - before)
            self._place_toolbar()
        return False

    def rename(self, ref: ElementRef, name: str) -> None:
        """Opens a field over the name of an element in the diagram, in the size of its text there."""
        self.diagram.choose(ref, reveal=True)
        rect = self.diagram.line_rect(ref)
        if rect is not None:
            self.name_editor.begin(ref, name, rect, self.diagram.zoom)

    def leave_mode(self) -> bool:
        """Ends a comparison or the view of the use of tables. Returns whether one of them was shown."""
        for bar in (self.time_line, self.usage):
            if bar.isVisible():
                bar.closed.emit()
                return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._place_toolbar()

    @property
    def _visible_view(self) -> DiagramView | SvgView:
        return self.svg if self.shows_svg else self.diagram

    def _zoom_in(self) -> None:
        self._visible_view.zoom_in()

    def _zoom_out(self) -> None:
        self._visible_view.zoom_out()

    def _fit(self) -> None:
        self._visible_view.fit()

    def _place_toolbar(self) -> None:
        self._toolbar.adjustSize()
        # The toolbar is not in the layout, because it is in front of the diagram.
        self.setMinimumWidth(self._toolbar.width() + 2 * GAP)
        self._toolbar.move(QPoint(self.width() - self._toolbar.width() - GAP - TIGHT, self._stack.y() + GAP))
        self._toolbar.raise_()
        self._legend.set_room(self.width() - 2 * GAP)
        self._legend.move(GAP, self._stack.geometry().bottom() + 1 - self._legend.height() - GAP)
        self._legend.raise_()
        self._place_minimap()

    def _place_minimap(self) -> None:
        """Keeps the minimap in its corner, above the legend if that is too wide for both."""
        legend = self._legend.geometry() if self._legend.isVisibleTo(self) else QRect()
        room = QRect(0, self._toolbar.geometry().bottom(), self.width(), self.height())
        # Bars below the diagram take a part of the panel.
        self.minimap.place(room.intersected(self._stack.geometry()), legend)

    def _show_legend(self) -> None:
        self._legend.setVisible(self._actions["schema_legend"].isChecked() and not self.shows_svg)
        is_on = self._actions["schema_minimap"].isChecked()
        self.minimap.set_wanted(is_wanted=is_on and not self.shows_svg)
        self._place_minimap()

    def _arrange(self) -> None:
        self._stack.addWidget(self.diagram)
        self._stack.addWidget(self.svg)
        self._stack.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._bars.setSpacing(0)
        layout.addLayout(self._bars)
        layout.addWidget(self._stack, stretch=1)
        layout.addWidget(self.time_line)
        layout.addWidget(self.usage)
        self._actions["zoom_in"].triggered.connect(self._zoom_in)
        self._actions["zoom_out"].triggered.connect(self._zoom_out)
        self._actions["fit"].triggered.connect(self._fit)
        self._actions["schema_legend"].toggled.connect(self._show_legend)
        self._actions["schema_minimap"].toggled.connect(self._show_legend)
        for view in (self.diagram, self.svg):
            view.zoom_changed.connect(self._toolbar.show_zoom)
        self.name_editor.renamed.connect(self.renamed)
        self.name_editor.closed.connect(self.diagram.setFocus)


class _DiagramToolbar(QWidget):
    """The toolbar: which view, its zoom, and arranging."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram.toolbar")
        self._appearance = appearance
        self._action = actions["schema_svg"]
        self._group = QButtonGroup(self)
        self._views = [QPushButton(text, self) for text in (tr("Diagram"), tr("SVG"))]
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
        self.buttons: dict[str, QWidget] = {}
        for name in ("zoom_out", "zoom_in", "fit", "schema_arrange", "schema_views", "schema_legend"):
            self.buttons[name] = ActionButton(actions[name], self)
            layout.addWidget(self.buttons[name])
        self._action.changed.connect(self._follow)
        self.show_svg(on=False)
        self._follow()

    def show_svg(self, *, on: bool) -> None:
        self._views[int(on)].setChecked(True)

    def show_zoom(self, zoom: float) -> None:
        self._zoom.setText(f"{zoom * 100:.0f} %")

    def _follow(self) -> None:
        """Enables the SVG button; a model file has no service that could draw it."""
        tips = (tr("As the service draws what it has saved"), self._action.toolTip())
        self._views[1].setEnabled(self._action.isEnabled())
        self._views[1].setToolTip(tips[not self._action.isEnabled()])

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)
