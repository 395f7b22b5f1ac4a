"""The bars at the diagram: the part that is shown, hits, compared versions, and the use of tables."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.heat import HeatKind
from cdb_desktop.schema.diagram.scope import Direction
from cdb_desktop.schema.diff.compare import summary
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.heat_item import heat_title
from cdb_desktop.ui.schema.diagram.legend import LegendStrip, change_sample, use_lines
from cdb_desktop.ui.schema.page.findings import REMOVED, Findings
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, ROW, STRIP, TIGHT, demi_bold, scaled
from cdb_desktop.ui.theme.style_sheets import FLAT_BUTTONS
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.form import Choice
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import entry_text, shortened_text
from cdb_desktop.ui.widgets.object_names import named

_NAME = 10  # characters of a version
_KIND = 19  # characters of what is painted
PERIODS = (30, 90, 365, 0)  # days; 0 is the whole log
_EDGE = 3
_MOST_LISTED = 30

VersionChoice = tuple[str, object]  # the name of a version and what identifies it


class _Bar(QWidget):
    """A bar with a hairline towards the diagram, hidden at first."""

    def __init__(self, name: str, appearance: Appearance, parent: QWidget, *, is_above: bool) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._appearance = appearance
        self._is_above = is_above
        appearance.changed.connect(self.update)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.raised))
            painter.fillRect(
                0, self.height() - 1 if self._is_above else 0, self.width(), 1, QColor(tokens.line)
            )

    def _add_lines(self, *lines: QHBoxLayout) -> None:
        """Arranges a bar of several lines."""
        layout = lay_out(QVBoxLayout(self), margins=(GAP, TIGHT, GAP, TIGHT), spacing=2)
        for line in lines:
            layout.addLayout(line)

    def _add_line(self, *widgets: QWidget, wide: QWidget) -> None:
        """Arranges a bar of one line, of which ``wide`` takes the rest."""
        line = _line(*widgets, wide=wide)
        line.setContentsMargins(GROUP, 0, GAP, 0)
        self.setLayout(line)
        self.setFixedHeight(STRIP + TIGHT)

    def _icon_button(self, name: str, picture: str, text: str) -> IconButton:
        button = IconButton(icon(picture, self._appearance), text, self)
        return named(f"{self.objectName()}.{name}", button)

    def _choice(self, name: str, text: str, characters: int) -> Choice:
        field = named(f"{self.objectName()}.{name}", Choice(characters=characters))
        field.setAccessibleName(text)
        return field

    def _push_button(self, name: str, text: str = "") -> QPushButton:
        return named(f"{self.objectName()}.{name}", QPushButton(text, self, autoDefault=False))


def _line(*widgets: QWidget, wide: QWidget | None = None) -> QHBoxLayout:
    """Widgets beside one another; ``wide`` takes the rest of the width."""
    line = lay_out(QHBoxLayout(), spacing=TIGHT)
    for widget in widgets:
        line.addWidget(widget, stretch=int(widget is wide))
    return line


class TimeLine(_Bar):
    """The bar while versions are compared: both of them, a slider, and what changed.

    With its slider focused, arrows, Home and End go through the versions.

    Signals: ``pair_chosen`` with what identifies the old and the new version · ``stepped`` with the index of
    a version · ``cancelled`` to stop reading versions · ``closed``.
    """

    pair_chosen = Signal(object, object)
    stepped = Signal(int)
    cancelled = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("schema.timeline", appearance, parent, is_above=False)
        self.slider = named("schema.timeline.slider", QSlider(Qt.Orientation.Horizontal, self))
        self.slider.setAccessibleName(tr("Version"))
        self.slider.setPageStep(5)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.old = self._choice("old", tr("Older version"), _NAME)
        self.new = self._choice("new", tr("Newer version"), _NAME)
        self._previous = self._icon_button("previous", "previous", tr("Previous version"))
        self._next = self._icon_button("next", "next", tr("Next version"))
        close = self._icon_button("close", "close", tr("Back to editing (Esc)"))
        self.cancel = self._push_button("cancel", tr("Cancel"))
        self.cancel.hide()
        self.note = named("schema.timeline.note", ElidedLabel(self))
        self.note.setFont(scaled(self.font(), CAPTION))
        self.counts = LegendStrip(appearance, "schema.timeline.counts", self)
        self.counts.setAccessibleName(tr("Changes"))
        self._note = self._progress = ""
        versions = _line(self.old, Label("→", self), self.new)
        versions.addStretch(1)
        versions.addWidget(self.cancel)
        first = _line(self._previous, self._next, self.slider, close, wide=self.slider)
        self._add_lines(
            first, versions, _line(self.note, wide=self.note), _line(self.counts, wide=self.counts)
        )
        self.show_findings(Findings())
        self.slider.valueChanged.connect(self.stepped)
        self._previous.clicked.connect(lambda: self.stepped.emit(self.slider.value() - 1))
        self._next.clicked.connect(lambda: self.stepped.emit(self.slider.value() + 1))
        self.cancel.clicked.connect(self.cancelled)
        close.clicked.connect(self.closed)
        self.old.decided.connect(lambda chosen: self.pair_chosen.emit(chosen, self.new.currentData()))
        self.new.decided.connect(lambda chosen: self.pair_chosen.emit(self.old.currentData(), chosen))

    def show_versions(self, choices: Sequence[VersionChoice], old: object, new: object) -> None:
        """Shows the versions that can be chosen, and the two that are compared.

        The last one, nothing at all, can only be the older one.
        """
        every = list(choices)
        self.old.show_choices(every, old)
        self.new.show_choices(every[:-1] if every[-1][1] == 0 else every, new)

    @property
    def text(self) -> str:
        """Which versions are compared."""
        return f"{self.old.currentText()} → {self.new.currentText()}"

    def show_place(self, index: int, count: int, text: str) -> None:
        """Shows which of ``count`` versions is the newer one; ``text`` is its name."""
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(count - 1, 0))
            self.slider.setValue(index)
        self.slider.setTickInterval(1 if count <= 60 else count // 30)
        for widget in (self.slider, self._previous, self._next):
            widget.setVisible(count > 2)
        self._previous.setEnabled(index > 0)
        self._next.setEnabled(index < count - 1)
        self.slider.setAccessibleDescription(text)
        self.slider.setToolTip(text)

    def show_note(self, text: str) -> None:
        """Shows author and time of the newer version."""
        self._note = text
        self.note.setText(self._progress or self._note)

    def show_progress(self, text: str) -> None:
        """Shows how many versions have been read; empty if none are being read."""
        self._progress = text
        self.cancel.setVisible(bool(text))
        self.note.setText(self._progress or self._note)

    def show_findings(self, findings: Findings) -> None:
        """Shows the numbers of changes."""
        numbers = Counter(change.sign for change in findings.changes)
        texts = {
            "+": tr("{count} added", count=numbers["+"]),
            "~": tr("{count} changed", count=numbers["~"]),
            "→": tr("{count} renamed", count=numbers["→"]),
            REMOVED: tr("{count} removed", count=numbers[REMOVED]),
        }
        self.counts.show_lines([(partial(change_sample, sign), text) for sign, text in texts.items()])
        whole = ", ".join(str(each) for each in summary(findings.changes)) or tr("no changes")
        self.counts.setToolTip(whole)
        self.counts.setAccessibleDescription(whole)


class UsageBar(_Bar):
    """The bar while the use of tables is shown: what the colors mean, the period, the scan.

    Signals: ``closed``.
    """

    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__("schema.usage", appearance, parent, is_above=False)
        self.kind = self._choice("kind", tr("What the colors mean"), _KIND)
        self.period = self._choice("period", tr("Period"), 8)
        self.note = named("schema.usage.note", ElidedLabel(self))
        self.scan = self._push_button("scan", tr("Scan again"))
        self.list = self._push_button("list", tr("List…"))
        close = self._icon_button("close", "close", tr("Stop showing the use of tables (Esc)"))
        close.clicked.connect(self.closed)
        self.legend = LegendStrip(appearance, "schema.usage.legend", self, columns=3)
        self.legend.setToolTip(tr("The bar at the bottom of a table grows with the number of its rows."))
        first = _line(self.kind, self.period)
        first.addStretch(1)
        first.addWidget(self.list)
        first.addWidget(close)
        second = _line(self.note, self.scan, wide=self.note)
        self._add_lines(first, second, _line(self.legend, wide=self.legend))
        self.show_choice(HeatKind.WRITES, PERIODS[1])

    def show_choice(self, kind: HeatKind, period: int) -> None:
        """Shows what is painted, and the period in days."""
        self.kind.show_choices([(heat_title(each), each) for each in (HeatKind.WRITES, HeatKind.READS)], kind)
        periods: list[tuple[str, object]] = [
            (tr("{count:1 day|{count} days}", count=days) if days else tr("whole log"), days)
            for days in PERIODS
        ]
        self.period.show_choices(periods, period)
        self.legend.show_lines(use_lines(kind))

    @property
    def text(self) -> str:
        """What is painted, and where the numbers come from."""
        return " · ".join(filter(None, (self.kind.currentText(), self.note.text())))

    def show_note(self, text: str, *, is_scanning: bool, may_scan: bool) -> None:
        """Shows how far the scan is, or what its result is."""
        self.note.setText(text)
        self.scan.setVisible(may_scan or is_scanning)
        self.scan.setText(tr("Cancel") if is_scanning else tr("Scan again"))


class FindBar(_Bar):
    """Says how many hits there are and which one is shown; hidden without a search.

    ``show_button`` is for the tables of hits that are not shown, ``close_button`` ends the search.
    """

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__("schema.hits", appearance, parent, is_above=True)
        self._count = named("schema.hits.count", Label(self))
        self._hit = named("schema.hits.hit", ElidedLabel(self))
        self._hit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        previous = named("schema.hits.previous", ActionButton(actions["find_previous"], self))
        following = named("schema.hits.next", ActionButton(actions["find_next"], self))
        self.show_button = self._push_button("show")
        self.show_button.setStyleSheet(FLAT_BUTTONS)
        self.show_button.setToolTip(tr("Hits are in tables that the diagram does not show"))
        self.close_button = self._icon_button("close", "close", tr("End the search"))
        buttons = self.show_button, previous, following, self.close_button
        self._add_line(self._count, self._hit, *buttons, wide=self._hit)

    @property
    def text(self) -> str:
        """All that it says."""
        shown = "" if self.show_button.isHidden() else self.show_button.text()
        return " · ".join(filter(None, (self._count.text(), self._hit.text(), shown)))

    def show_hits(self, number: int, count: int, hit: str, hidden: int) -> None:
        """Shows the hit ``number`` of ``count``, 0 for none; ``hidden`` tables with hits are not shown."""
        found = tr("{count:1 hit|{count} hits}", count=count) if count else tr("No hits")
        self._count.setText(tr("{number} of {hits}", number=number, hits=found) if number else found)
        self._hit.setText(hit)
        self.show_button.setText(tr("Show {count:1 hidden table|{count} hidden tables}", count=hidden))
        self.show_button.setVisible(hidden > 0)
        self.setAccessibleName(self.text)
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Adds a sample of the color of the hits."""
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(self._appearance.tokens.handle))
            painter.setBrush(QColor(self._appearance.tokens.mark))
            painter.drawEllipse(QPointF(GAP, self.height() / 2), 3.5, 3.5)


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


class ScopeBar(_Bar):
    """Says what is shown, if it is not everything; hidden otherwise.

    Signals: ``direction_chosen`` with a Direction · ``show_requested`` with the keys of tables.
    """

    direction_chosen = Signal(object)
    show_requested = Signal(object)

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__("schema.scope", appearance, parent, is_above=True)
        self._content = BarContent()
        self._title = named("schema.scope.title", ElidedLabel(self))
        self._title.setFont(demi_bold(self.font()))
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        # Elided first, down to nothing; the tooltip has all of it.
        self._text = named("schema.scope.text", ElidedLabel(self))
        self._text.setMinimumWidth(1)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setForegroundRole(self._text.foregroundRole().PlaceholderText)
        self._steps = named("schema.scope.steps", Label(self))
        self._fewer = named("schema.scope.fewer", ActionButton(actions["scope_fewer"], self))
        self._more = named("schema.scope.more", ActionButton(actions["scope_more"], self))
        self._direction = self._menu_button("direction", self._fill_directions)
        self.paths = self._push_button("paths", tr("Paths…"))
        self.update_view = self._push_button("update", tr("Update view"))
        self.update_view.setToolTip(tr("Keep tables, positions and zoom in the view as they are now"))
        self._missing = self._push_button("missing")
        self._missing.clicked.connect(self._show_missing)
        self._hidden = self._menu_button("hidden", self._fill_hidden)
        self._hidden.setText(tr("Hidden ▾"))
        self._hidden.setToolTip(tr("Show single hidden tables or groups again"))
        self._hidden.setAccessibleName(tr("Hidden tables"))
        self._all = self._push_button("all", tr("Show all"))
        self._all.clicked.connect(actions["scope_show_all"].trigger)
        self.back = self._push_button("back", tr("Back"))
        self.back.setToolTip(tr("Back to what was shown before (Escape)"))
        buttons = self.paths, self.update_view, self._missing, self._hidden, self._all, self.back
        for button in buttons:
            button.setStyleSheet(FLAT_BUTTONS)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setMinimumHeight(ROW)
        of_focus = self._fewer, self._steps, self._more, self._direction
        self._add_line(self._title, self._text, *of_focus, *buttons, wide=self._text)

    @property
    def title(self) -> str:
        """What is shown, empty for everything."""
        return self._content.title

    @property
    def text(self) -> str:
        """All that it says."""
        return " · ".join(filter(None, (self._content.title, self._content.text)))

    def show_content(self, content: BarContent) -> None:
        """Shows what is shown; an empty title hides the bar."""
        if content == self._content:
            return
        self._content = content
        self.setVisible(bool(content.title))
        self.setAccessibleName(self.text)
        self.setToolTip(self.text)
        self._title.setText(content.title)
        self._text.setText(content.text)
        self._steps.setText(tr("{count:1 step|{count} steps}", count=content.steps or 0))
        self._direction.setText(
            {Direction.BOTH: "⇄", Direction.OUTGOING: "→", Direction.INCOMING: "←"}[content.direction]
        )
        self._direction.setToolTip(direction_text(content.direction))
        self._direction.setAccessibleName(direction_text(content.direction))
        if content.missing is not None:
            name = shortened_text(content.missing[0])
            self._missing.setText(tr("Show {name}", name=name))
            self._missing.setToolTip(tr("{name} is selected, but not shown.", name=name))
        for widget in (self._fewer, self._steps, self._more, self._direction):
            widget.setVisible(content.steps is not None)
        self.paths.setVisible(content.has_paths)
        self.update_view.setVisible(content.is_changed_view)
        self._missing.setVisible(content.missing is not None)
        self._hidden.setVisible(bool(content.hidden))
        self._all.setVisible(bool(content.hidden))
        self.back.setVisible(content.is_part)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The edge is wider while only a part is shown."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            if self._content.is_part:
                painter.fillRect(0, 0, _EDGE, self.height(), QColor(tokens.accent))
                painter.fillRect(0, self.height() - 2, self.width(), 2, QColor(tokens.accent))
            else:
                painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.line))

    def _menu_button(self, name: str, fill: Callable[[QMenu], None]) -> QToolButton:
        """A button with a menu that is filled when it opens."""
        button = named(f"schema.scope.{name}", QToolButton(self))
        button.setStyleSheet(FLAT_BUTTONS)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = named(f"schema.scope.{name}.menu", QMenu(button))
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(partial(fill, menu))
        button.setMenu(menu)
        return button

    def _show_missing(self) -> None:
        if self._content.missing is not None:
            self.show_requested.emit((self._content.missing[1],))

    def _fill_hidden(self, menu: QMenu) -> None:
        for name, tables in self._content.hidden_groups:
            text = tr("{name}, group of {tables:one table|{tables} tables}", name=name, tables=len(tables))
            menu.addAction(entry_text(text)).triggered.connect(partial(self.show_requested.emit, tables))
        if self._content.hidden_groups:
            menu.addSeparator()
        fill_with_tables(menu, self._content.hidden, self.show_requested.emit)

    def _fill_directions(self, menu: QMenu) -> None:
        for direction in Direction:
            action = menu.addAction(direction_text(direction))
            action.setCheckable(True)
            action.setChecked(direction is self._content.direction)
            action.triggered.connect(partial(self.direction_chosen.emit, direction))


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
        target.addAction(entry_text(name)).triggered.connect(partial(show, (key,)))
