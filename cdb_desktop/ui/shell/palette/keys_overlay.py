"""The overlay of all keys, menu by menu."""

from collections.abc import Sequence
from itertools import combinations, pairwise

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions, key_of, plain
from cdb_desktop.ui.shell.palette.palette import Overlay
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN, TIGHT, scaled
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named


def balanced_columns(heights: Sequence[int], columns: int) -> list[range]:
    """The range of ``heights`` for each column, so that the highest column is as low as possible.

    Of several such divisions the most even one is returned.
    """
    cuts = combinations(range(1, len(heights)), min(columns, max(1, len(heights))) - 1)
    choices = [[range(*pair) for pair in pairwise((0, *cut, len(heights)))] for cut in cuts]

    def unevenness(choice: Sequence[range]) -> tuple[int, int]:
        sums = [sum(heights[place] for place in each) for each in choice]
        return max(sums), sum(one * one for one in sums)

    return min(choices, key=unevenness)


_WIDTH = 1240
_MOST_COLUMNS = 3

_Group = tuple[str, list[tuple[str, str]]]  # a title, and names with keys


class KeysOverlay(Overlay):
    """Every action that has a key. Pressing one of them closes the overlay, so that its effect is visible."""

    def __init__(self, window: QWidget, appearance: Appearance, actions: Actions) -> None:
        super().__init__(window, appearance, _WIDTH)
        self.setObjectName("keys")
        self._actions = actions
        self._title = Label(self)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self._close = IconButton(icon("close", appearance), "", self)
        self._close.clicked.connect(self.close_overlay)
        self._scroll = named("keys.list", _Scroll(self, widgetResizable=True))
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        head = QHBoxLayout()
        head.setContentsMargins(GROUP, 0, 0, 0)
        head.addWidget(self._title, stretch=1)
        head.addWidget(self._close)
        self.column.addLayout(head)
        self.column.addWidget(self._scroll)

    def open_keys(self, menu: str = "") -> None:
        """Shows the keys, those of ``menu`` first, or closes the overlay if it is open."""
        if not self.isHidden():
            self.close_overlay()
            return
        self._title.setText(tr("Keys"))
        for set_text in (self._close.setToolTip, self._close.setAccessibleName):
            set_text(tr("Close (Esc)"))
        self._scroll.setAccessibleName(tr("Keys"))
        self._scroll.setWidget(self._content(plain(menu)))
        self.open_overlay(self._scroll)

    def event(self, event: QEvent) -> bool:
        """Closes before the shortcut of an action is executed; the overlay's own key closes it anyway."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            pressed = QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.NativeText)
            actions = (self._actions[name] for name in self._actions if name != "keys")
            if any(action.isEnabled() and key_of(action) == pressed for action in actions):
                self.close_overlay()
        return super().event(event)

    def _content(self, first: str) -> QWidget:
        """As many columns as fit beside one another."""
        groups = [group for group in self._groups() if group[1]]
        groups.sort(key=lambda group: group[0] != first)  # the others remain in the order of the menus
        room = self.inner_width - self._scroll.verticalScrollBar().sizeHint().width()
        for number in range(_MOST_COLUMNS, 1, -1):
            content = _columns(groups, number)
            if content.minimumSizeHint().width() <= room:
                return content
        return _columns(groups, 1)

    def _groups(self) -> list[_Group]:
        table = [
            (plain(title), [(plain(spec.text), key_of(self._actions[spec.name])) for spec in specs])
            for title, specs in self._actions.menus().items()
        ]
        return [*((title, [row for row in rows if row[1]]) for title, rows in table), _diagram_gestures()]


def _columns(groups: Sequence[_Group], number: int) -> QWidget:
    content = QWidget(autoFillBackground=True)
    content.setBackgroundRole(QPalette.ColorRole.Base)
    sides = QHBoxLayout(content)
    sides.setContentsMargins(GROUP, GAP, GROUP, GROUP)
    sides.setSpacing(MARGIN)
    for places in balanced_columns([_height(rows) for _title, rows in groups], number):
        column = QVBoxLayout()
        column.setSpacing(0)
        for title, rows in (groups[place] for place in places):
            column.addLayout(_table(title, rows))
            column.addSpacing(GROUP)
        column.addStretch(1)
        sides.addLayout(column, stretch=1)
    return content


def _diagram_gestures() -> _Group:
    """What the pointer and the arrow keys do in the diagram of the schema, which no action is for."""
    return tr("In the diagram"), [
        (tr("Draw a link"), tr("Drag the handle beside a row")),
        (tr("Draw a link as a new column"), tr("The same with Ctrl")),
        (tr("New table, new name"), tr("Double click")),
        (tr("Select several tables"), tr("Shift+drag, Ctrl+click")),
        (tr("Extend the selection"), tr("Shift+arrow")),
        (tr("Move tables"), tr("Drag, Ctrl+arrow")),
        (tr("Move tables farther"), tr("Ctrl+Shift+arrow")),
        (tr("Scroll, zoom"), tr("Drag the background, wheel")),
    ]


class _Scroll(QScrollArea):
    """As high as its contents, if they fit."""

    def sizeHint(self) -> QSize:  # noqa: N802
        content = self.widget()
        return super().sizeHint() if content is None else content.sizeHint()


def _height(rows: list[tuple[str, str]]) -> int:
    """The lines of a group, including its title and the space below."""
    return len(rows) + 2


def _table(title: str, rows: list[tuple[str, str]]) -> QBoxLayout:
    """The rows are not aligned as in a grid, so that long names do not need space beside long keys."""
    head = Label(title)
    font = QFont(head.font())
    font.setWeight(QFont.Weight.Bold)
    head.setFont(font)
    table = lay_out(QVBoxLayout(), head, spacing=TIGHT)
    for name, key in rows:
        shown = Label(key)
        shown.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = QHBoxLayout()
        row.setSpacing(GROUP)
        row.addWidget(Label(name), stretch=1)
        row.addWidget(shown)
        table.addLayout(row)
    return table
