"""The middle of the page: the diagram or the service's SVG, with toolbar, minimap and the field for names."""

from collections import defaultdict
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.diagram.graph_builder import PADDING
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.accessible import describe_diagrams
from cdb_desktop.ui.schema.diagram.bars import TimeLine, UsageBar
from cdb_desktop.ui.schema.diagram.legend import Legend
from cdb_desktop.ui.schema.diagram.style import box_rect, group_color, mixed, solid_head_color, translucent
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT, scaled
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.svg_view import SvgView

_SEGMENT = """
QPushButton { border: none; padding: 4px 10px; min-height: 16px; color: palette(placeholder-text); }
QPushButton:checked { color: palette(text); background: palette(highlight); border-radius: 3px; }
QPushButton:focus { color: palette(link); }
"""


class DiagramPanel(QWidget):
    """The diagram and the service's SVG, one of which is visible.

    ``shows_part`` is whether only a part of the schema is shown.

    Signals: ``part_left`` when the user goes back from a part of the schema.
    """

    part_left = Signal()

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.appearance = appearance
        self._actions = actions
        # Before the first diagram, as Qt keeps the description of a widget that it finds first.
        describe_diagrams()
        self.diagram = DiagramView(appearance, self, has_toolbar=True)
        self.svg = named("schema.svg", SvgView(self))
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
        layout = lay_out(QVBoxLayout(self))
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
        layout = lay_out(QHBoxLayout(self), margins=(TIGHT, 2, TIGHT, 2), spacing=2)
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


# Why an element cannot have a name; None if it can.
NameCheck = Callable[[ElementRef, str], Message | None]

_LEAST = 140
_OWN_MARGIN = 4  # of the field beside its text
_SMALLEST_FONT = 0.75  # of the size of texts in the window
_WIDEST_REASON = 320
_REASON = "border: 1px solid {line}; border-radius: 3px; background: {ground}; padding: 5px;"


class NameEditor(QLineEdit):
    """Only Enter accepts the name, and only one that is possible; the reason is shown below the field.

    ``check`` tells possible names.

    Signals: ``renamed`` with the ElementRef and the name · ``closed`` when the field is closed.
    """

    renamed = Signal(object, str)
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram.name")
        self._port = parent
        self._appearance = appearance
        # Why a name is not possible.
        self._reason = named("schema.diagram.name.reason", Label(parent, wordWrap=True))
        self._reason.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._reason.hide()
        self._ref: ElementRef = DOCUMENT
        self._name = ""
        self.check: NameCheck = lambda _ref, _name: None
        self._plain_font = QFont(self.font())
        self.returnPressed.connect(self._take)
        self.textChanged.connect(self._show_reason)
        self.setAccessibleName(tr("New name"))
        self.hide()

    @property
    def reason(self) -> str:
        """Why the name is not possible, empty if it is."""
        return "" if self._reason.isHidden() else self._reason.text()

    def begin(self, ref: ElementRef, name: str, rect: QRectF, zoom: float = 1.0) -> None:
        """Opens the field over a rectangle of the parent, with a font for the zoom."""
        self._ref, self._name = ref, name
        self.setFont(scaled(self._plain_font, max(zoom, _SMALLEST_FONT)))
        # The text stays where it is painted.
        self.setTextMargins(max(round(PADDING * zoom) - _OWN_MARGIN, 0), 0, 0, 0)
        self.setText(name)
        self.selectAll()
        found = rect.toRect()
        height = max(found.height(), self.sizeHint().height())
        width = max(found.width(), _LEAST)
        port = self._port.rect()
        left = max(min(found.left(), port.right() - width), 0)
        top = max(min(found.center().y() - height // 2, port.bottom() - height), 0)
        self.setGeometry(left, top, width, height)
        self.show()
        self.raise_()
        self._show_reason()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._hide()

    def _show_reason(self) -> None:
        name = self.text().strip()
        problem = None if name == self._name else self.check(self._ref, name)
        text = "" if problem is None else str(problem)
        self.setAccessibleDescription(text)
        self._reason.setVisible(bool(text))
        if not text:
            return
        tokens, port, field = self._appearance.tokens, self._port.rect(), self.geometry()
        self._reason.setStyleSheet(_REASON.format(line=tokens.danger, ground=tokens.raised))
        self._reason.setText(text)
        self._reason.setFixedWidth(min(_WIDEST_REASON, port.width()))
        height = self._reason.heightForWidth(self._reason.width())
        below = field.bottom() + 2
        top = below if below + height <= port.height() else field.top() - height - 1
        left = max(min(field.left(), port.right() - self._reason.width()), 0)
        self._reason.setGeometry(left, top, self._reason.width(), height)
        self._reason.raise_()

    def _take(self) -> None:
        ref, name = self._ref, self.text().strip()
        if name != self._name and self.check(ref, name) is not None:
            return
        changed = bool(name) and name != self._name
        self._close()
        if changed:
            self.renamed.emit(ref, name)

    def _close(self) -> None:
        self._hide()
        self.closed.emit()

    def _hide(self) -> None:
        self.hide()
        self._reason.hide()


_LARGEST = QSizeF(200, 140)
_SMALLEST = QSizeF(72, 48)
_SHARE = 0.4  # of the width and height of the panel
_DELAY = 80  # milliseconds after the last change of the diagram
_STATE = 0.5  # of the color of a change or problem, in boxes
_LEAST_BOX = 2.0  # pixels
_HEAD = 0.6  # of the color of a head, in boxes
_REGION = 0.35  # opacity of the color of a group
_LEAST_FRAME = QSizeF(14, 10)
_STEP = 0.25  # of the visible part, with an arrow key
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Minimap(QWidget):
    """Shows all boxes, and moves the visible part with pointer or arrow keys. Hidden if all is visible."""

    def __init__(self, appearance: Appearance, view: DiagramView, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.minimap")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._appearance = appearance
        self._view = view
        self._is_wanted = False
        self._room, self._covered = QRect(), QRect()
        self._bounds = QRectF()
        self._picture = QPixmap()
        self._grip: QPointF | None = None
        self._rebuild = QTimer(self, singleShot=True, interval=_DELAY)
        self._rebuild.timeout.connect(self._build)
        view.diagram_scene.content_changed.connect(self._schedule)
        view.zoom_changed.connect(self._follow)
        view.resized.connect(self._follow)
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.valueChanged.connect(self._follow)
        self.setAccessibleName(tr("Minimap of the diagram"))
        self.setToolTip(tr("Drag the frame, or click, to move the visible part"))
        self.hide()

    def set_wanted(self, *, is_wanted: bool) -> None:
        """Whether the user wants to see it."""
        self._is_wanted = is_wanted
        self._build()

    def place(self, room: QRect, covered: QRect) -> None:
        """Moves it to the lower right corner of ``room``, above ``covered`` if that is in its way."""
        if (room, covered) == (self._room, self._covered):
            return
        self._room, self._covered = room, covered
        before = self.size()
        # A bar that opens moves the minimap, but does not change what it shows.
        if self._picture.isNull() or not self._take_place() or self.size() != before:
            self._build()
        else:
            self._follow()

    @property
    def frame(self) -> QRectF:
        """The frame around the visible part, in pixels of the minimap; large enough to be taken."""
        visible = self._visible.intersected(self._bounds)
        corner = (visible.topLeft() - self._bounds.topLeft()) * self._scale
        rect = QRectF(corner, visible.size() * self._scale).translated(TIGHT, TIGHT)
        middle, size = rect.center(), rect.size().expandedTo(_LEAST_FRAME)
        rect.setSize(size)
        rect.moveCenter(middle)
        return rect

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        self._grip = self._visible.center() - self._scene_point(at)
        if not self.frame.contains(at):
            self._grip = QPointF()
            self._show(at)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._grip is not None:
            self._show(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:  # noqa: N802
        self._grip = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._follow()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
            return
        visible = self._visible
        by = QPointF(step[0] * visible.width(), step[1] * visible.height()) * _STEP
        self._center_on(visible.center() + by)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.accent), 1.5))
            painter.setBrush(translucent(QColor(tokens.accent), 0.12))
            painter.drawRoundedRect(self.frame.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.handle), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    @property
    def _visible(self) -> QRectF:
        """What is visible of the scene."""
        port = QRectF(self._view.viewport().rect())
        return self._view.viewportTransform().inverted()[0].mapRect(port)

    @property
    def _scale(self) -> float:
        """Pixels per unit of the scene."""
        if self._bounds.isEmpty():
            return 1.0
        across = (self.width() - 2 * TIGHT) / self._bounds.width()
        return float(min(across, (self.height() - 2 * TIGHT) / self._bounds.height()))

    def _scene_point(self, at: QPointF) -> QPointF:
        return (at - QPointF(TIGHT, TIGHT)) / self._scale + self._bounds.topLeft()

    def _show(self, at: QPointF) -> None:
        self._center_on(self._scene_point(at) + (self._grip or QPointF()))

    def _center_on(self, point: QPointF) -> None:
        bounds = self._bounds
        x = min(max(point.x(), bounds.left()), bounds.right())
        self._view.centerOn(x, min(max(point.y(), bounds.top()), bounds.bottom()))

    def _schedule(self) -> None:
        self._rebuild.start()

    def _follow(self) -> None:
        """Shows another visible part; hides itself if everything is visible."""
        if self._rebuild.isActive():
            return
        is_useful = self._is_wanted and not self._picture.isNull()
        is_useful = is_useful and (self._grip is not None or not self._visible.contains(self._bounds))
        self.setVisible(is_useful)
        if is_useful:
            self.update()

    def _build(self) -> None:
        """Paints all boxes again, and takes its place."""
        self._rebuild.stop()
        diagram = self._view.diagram_scene.diagram
        rects = [box_rect(box) for box in (*diagram.boxes, *diagram.ghosts)]
        self._picture = QPixmap()
        if self._is_wanted and rects:
            left, top = min(rect.left() for rect in rects), min(rect.top() for rect in rects)
            right, bottom = max(rect.right() for rect in rects), max(rect.bottom() for rect in rects)
            self._bounds = QRectF(QPointF(left, top), QPointF(right, bottom))
            if self._take_place():
                self._paint_boxes()
        self._follow()

    def _take_place(self) -> bool:
        """Moves and resizes itself; returns whether there is enough space."""
        room = self._room.adjusted(GAP, GAP, -GAP, -GAP)
        most = _LARGEST.boundedTo(QSizeF(room.width() * _SHARE, room.height() * _SHARE))
        inner = QSizeF(most.width() - 2 * TIGHT, most.height() - 2 * TIGHT)
        fitting = self._bounds.size().scaled(inner, Qt.AspectRatioMode.KeepAspectRatio)
        size = (
            QSizeF(fitting.width() + 2 * TIGHT, fitting.height() + 2 * TIGHT).expandedTo(_SMALLEST).toSize()
        )
        rect = QRect(room.right() - size.width(), room.bottom() - size.height(), size.width(), size.height())
        if rect.adjusted(-GAP, 0, 0, 0).intersects(self._covered):
            rect.moveBottom(self._covered.top() - GAP)
        if not room.contains(rect):
            return False
        self.setGeometry(rect)
        return True

    def _scaled(self, rect: QRectF) -> QRectF:
        """A rectangle of the scene, in pixels of the minimap."""
        corner = (rect.topLeft() - self._bounds.topLeft()) * self._scale + QPointF(TIGHT, TIGHT)
        return QRectF(corner, rect.size() * self._scale)

    def _paint_boxes(self) -> None:
        scene, tokens, ratio = self._view.diagram_scene, self._appearance.tokens, self.devicePixelRatioF()
        style = scene.diagram_style
        self._picture = QPixmap(self.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(Qt.GlobalColor.transparent)
        found: dict[str, list[QRectF]] = defaultdict(list)
        hits = scene.hit_tables
        selected = scene.item_of(style.selection)
        chosen = None if selected is None else selected.box.table
        of_kind: dict[object, str] = {}
        scale, left, top = self._scale, self._bounds.left(), self._bounds.top()
        for box in scene.diagram.boxes:
            state = style.state_color(TableRef(box.table))
            if box.table == chosen:
                color = tokens.accent
            elif box.table in hits:
                color = tokens.mark
            elif state is not None:
                color = mixed(state, QColor(tokens.ground), _STATE).name()
            elif group_of_box(box.table) is not None:
                color = solid_head_color(style, box.table).name()
            else:
                kind = style.kinds.get(box.table)
                if kind not in of_kind:
                    of_kind[kind] = mixed(
                        solid_head_color(style, box.table), QColor(tokens.handle), _HEAD
                    ).name()
                color = of_kind[kind]
            width, height = max(box.width * scale, _LEAST_BOX), max(box.height * scale, _LEAST_BOX)
            x, y = (box.x - left) * scale + TIGHT, (box.y - top) * scale + TIGHT
            found[color].append(QRectF(x, y, width, height))
        with QPainter(self._picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(QRectF(self.rect()), 5, 5)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            for key, region in scene.regions.regions.items():
                group = style.groups.by_key.get(key)
                if group is not None:
                    painter.setBrush(translucent(group_color(group.color, tokens), _REGION))
                    painter.drawRect(self._scaled(box_rect(region)))
            for color, rects in found.items():
                painter.setBrush(QColor(color))
                painter.drawRects(rects)
