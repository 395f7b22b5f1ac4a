"""The bar above the diagram: which part of the schema is shown, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.paths import Direction
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW, STRIP, TIGHT
from cdb_desktop.ui.theme.style_sheets import FLAT_BUTTONS
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.menus import entry_text, shortened_text
from cdb_desktop.ui.widgets.object_names import named

_EDGE = 3
_MOST_LISTED = 30


@dataclass(frozen=True, slots=True)
class BarContent:
    """What the bar says: a title and what it means, and which controls it has.

    ``steps`` and ``direction`` are those of a focus, None for anything else. ``hidden`` are the names of
    hidden tables by their keys, ``hidden_groups`` those of groups of which all tables are hidden, with
    the keys of these. ``missing`` is the selected table, by name and key, if it is not shown.
    """

    title: str = ""
    text: str = ""
    is_part: bool = False
    steps: int | None = None
    direction: Direction = Direction.BOTH
    has_paths: bool = False
    is_changed_view: bool = False
    hidden: tuple[tuple[str, int], ...] = ()
    hidden_groups: tuple[tuple[str, tuple[int, ...]], ...] = ()
    missing: tuple[str, int] | None = None


class ScopeBar(QWidget):
    """Says what is shown, if it is not everything; hidden otherwise.

    Signals: ``direction_chosen`` with a Direction · ``show_requested`` with the keys of tables ·
    ``paths_requested`` · ``update_requested`` of the view that is shown · ``left`` to go back.
    """

    direction_chosen = Signal(object)
    show_requested = Signal(object)
    paths_requested = Signal()
    update_requested = Signal()
    left = Signal()

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.scope")
        self._appearance = appearance
        self._content = BarContent()
        self._title = named("schema.scope.title", ElidedLabel(self))
        self._text = named("schema.scope.text", ElidedLabel(self))
        self._steps = named("schema.scope.steps", Label(self))
        self._fewer = named("schema.scope.fewer", ActionButton(actions["scope_fewer"], self))
        self._more = named("schema.scope.more", ActionButton(actions["scope_more"], self))
        self._direction = named("schema.scope.direction", QToolButton(self))
        self._paths = named("schema.scope.paths", QPushButton(self))
        self._update = named("schema.scope.update", QPushButton(self))
        self._missing = named("schema.scope.missing", QPushButton(self))
        self._hidden = named("schema.scope.hidden", QToolButton(self))
        self._all = named("schema.scope.all", QPushButton(self))
        self._back = named("schema.scope.back", QPushButton(self))
        self._arrange()
        self._paths.clicked.connect(self.paths_requested)
        self._update.clicked.connect(self.update_requested)
        self._missing.clicked.connect(self._show_missing)
        self._all.clicked.connect(actions["scope_show_all"].trigger)
        self._back.clicked.connect(self.left)
        appearance.changed.connect(self.update)
        self.hide()

    @property
    def title(self) -> str:
        """What is shown, empty for everything."""
        return self._content.title

    @property
    def text(self) -> str:
        """All that it says."""
        parts = (self._content.title, self._content.text)
        return " · ".join(part for part in parts if part)

    def show_content(self, content: BarContent) -> None:
        """Shows what is shown; an empty title hides the bar."""
        if content == self._content:
            return
        self._content = content
        self.setVisible(bool(content.title))
        self.setAccessibleName(self.text)
        self.setToolTip(self.text)
        self._retext()
        for widget, is_shown in (
            (self._fewer, content.steps is not None),
            (self._steps, content.steps is not None),
            (self._more, content.steps is not None),
            (self._direction, content.steps is not None),
            (self._paths, content.has_paths),
            (self._update, content.is_changed_view),
            (self._missing, content.missing is not None),
            (self._hidden, bool(content.hidden)),
            (self._all, bool(content.hidden)),
            (self._back, content.is_part),
        ):
            widget.setVisible(is_shown)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            if self._content.is_part:
                painter.fillRect(0, 0, _EDGE, self.height(), QColor(tokens.accent))
                painter.fillRect(0, self.height() - 2, self.width(), 2, QColor(tokens.accent))
            else:
                painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.line))

    def _retext(self) -> None:
        content = self._content
        self._title.setText(content.title)
        self._text.setText(content.text)
        steps = content.steps or 0
        self._steps.setText(tr("{count:1 step|{count} steps}", count=steps))
        self._direction.setText(
            {Direction.BOTH: "⇄", Direction.OUTGOING: "→", Direction.INCOMING: "←"}[content.direction]
        )
        text = direction_text(content.direction)
        self._direction.setToolTip(text)
        self._direction.setAccessibleName(text)
        self._paths.setText(tr("Paths…"))
        self._update.setText(tr("Update view"))
        self._update.setToolTip(tr("Keep tables, positions and zoom in the view as they are now"))
        if content.missing is not None:
            name = shortened_text(content.missing[0])
            self._missing.setText(tr("Show {name}", name=name))
            self._missing.setToolTip(tr("{name} is selected, but not shown.", name=name))
        self._hidden.setText(tr("Hidden ▾"))
        self._hidden.setToolTip(tr("Show single hidden tables or groups again"))
        self._hidden.setAccessibleName(tr("Hidden tables"))
        self._all.setText(tr("Show all"))
        self._back.setText(tr("Back"))
        self._back.setToolTip(tr("Back to what was shown before (Escape)"))

    def _show_missing(self) -> None:
        if self._content.missing is not None:
            self.show_requested.emit((self._content.missing[1],))

    def _fill_hidden(self) -> None:
        menu = self._hidden.menu()
        menu.clear()
        for name, tables in self._content.hidden_groups:
            text = tr("{name}, group of {tables:one table|{tables} tables}", name=name, tables=len(tables))
            menu.addAction(entry_text(text)).triggered.connect(
                partial(_call, self.show_requested.emit, tables)
            )
        if self._content.hidden_groups:
            menu.addSeparator()
        fill_with_tables(menu, self._content.hidden, self.show_requested.emit)

    def _arrange(self) -> None:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(bold)
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        # Elided first, down to nothing; the tooltip has all of it.
        self._text.setMinimumWidth(1)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setForegroundRole(self._text.foregroundRole().PlaceholderText)
        menu = QMenu(self._hidden)
        menu.setObjectName("schema.scope.hidden.menu")
        menu.aboutToShow.connect(self._fill_hidden)
        self._hidden.setMenu(menu)
        self._direction.setMenu(self._direction_menu())
        for with_menu in (self._hidden, self._direction):
            with_menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, 0, GAP, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._title)
        layout.addWidget(self._text, stretch=1)
        for widget in (self._fewer, self._steps, self._more, self._direction):
            layout.addWidget(widget)
        for button in (self._paths, self._update, self._missing, self._hidden, self._all, self._back):
            button.setStyleSheet(FLAT_BUTTONS)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setMinimumHeight(ROW)
            layout.addWidget(button)
        self._direction.setStyleSheet(FLAT_BUTTONS)
        self.setFixedHeight(STRIP + TIGHT)

    def _direction_menu(self) -> QMenu:
        menu = QMenu(self._direction)
        menu.setObjectName("schema.scope.direction.menu")

        def fill() -> None:
            menu.clear()
            for direction in Direction:
                action = menu.addAction(direction_text(direction))
                action.setCheckable(True)
                action.setChecked(direction is self._content.direction)
                action.triggered.connect(partial(self.direction_chosen.emit, direction))

        menu.aboutToShow.connect(fill)
        return menu


def direction_text(direction: Direction) -> str:
    """Which links are followed."""
    return {
        Direction.BOTH: tr("Links in both directions"),
        Direction.OUTGOING: tr("Only tables that it links to"),
        Direction.INCOMING: tr("Only tables that link to it"),
    }[direction]


def fill_with_tables(
    menu: QMenu, tables: Sequence[tuple[str, int]], show: Callable[[tuple[int, ...]], object]
) -> None:
    """Adds an entry for each table by its name, in submenus if there are many; ``show`` takes the keys."""
    target = menu
    for number, (name, key) in enumerate(tables):
        if len(tables) > _MOST_LISTED and number % _MOST_LISTED == 0:
            last = tables[min(number + _MOST_LISTED, len(tables)) - 1][0]
            target = menu.addMenu(entry_text(f"{name} – {last}"))
        target.addAction(entry_text(name)).triggered.connect(partial(_call, show, (key,)))


def _call(show: Callable[[tuple[int, ...]], object], keys: tuple[int, ...], _checked: bool = False) -> None:
    show(keys)
