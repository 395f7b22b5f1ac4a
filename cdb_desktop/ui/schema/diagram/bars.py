"""The bars at the diagram: the part that is shown, hits, compared versions, and the use of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
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
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.diagram.scope import Direction
from cdb_desktop.schema.diff.compare import Change, summary
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.heat_item import GAUGE, heat_texts, heat_title, paint_level
from cdb_desktop.ui.schema.diagram.style import BADGE, DiagramFonts, paint_badge
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.schema.page.findings import REMOVED, Findings, sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, ROW, STRIP, TIGHT
from cdb_desktop.ui.theme.style_sheets import FLAT_BUTTONS
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.menus import entry_text, shortened_text
from cdb_desktop.ui.widgets.object_names import named

_NARROW = 600  # pixels, below which the note has a line of its own
_NOTE_AT = 4  # index of the note beside the versions
_NAME = 10  # characters of a version

Choice = tuple[str, object]  # the name of a version and what identifies it


class TimeLine(QWidget):
    """The bar. With its slider focused, arrows, Home and End go through the versions.

    Signals: ``pair_chosen`` with what identifies the old and the new version · ``stepped`` with the index of
    a version · ``cancelled`` to stop reading versions · ``closed``.
    """

    pair_chosen = Signal(object, object)
    stepped = Signal(int)
    cancelled = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.timeline")
        self._appearance = appearance
        self.slider = named("schema.timeline.slider", QSlider(Qt.Orientation.Horizontal, self))
        self.old = ChoiceField("schema.timeline.old", self)
        self.new = ChoiceField("schema.timeline.new", self)
        self._previous = self._button("previous", "previous")
        self._next = self._button("next", "next")
        self._close = self._button("close", "close")
        self.cancel = named("schema.timeline.cancel", QPushButton(tr("Cancel"), self))
        self.note = named("schema.timeline.note", ElidedLabel(self))
        self.counts = SignCounts(appearance, self)
        self._arrow = Label("→", self)
        self._is_narrow = False
        self._note = self._progress = ""
        self._arrange()
        self._connect()
        self.slider.setAccessibleName(tr("Version"))
        self.old.setAccessibleName(tr("Older version"))
        self.new.setAccessibleName(tr("Newer version"))
        for button, text in (
            (self._previous, tr("Previous version")),
            (self._next, tr("Next version")),
            (self._close, tr("Back to editing (Esc)")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.hide()

    def show_versions(self, choices: Sequence[Choice], old: object, new: object) -> None:
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
        self._show_note()

    def show_progress(self, text: str) -> None:
        """Shows how many versions have been read; empty if none are being read."""
        self._progress = text
        self.cancel.setVisible(bool(text))
        self._show_note()

    def show_findings(self, findings: Findings) -> None:
        """Shows the numbers of changes."""
        self.counts.show_changes(findings.changes)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            if is_narrow:
                self._versions.removeWidget(self.note)
                self._rows.insertWidget(2, self.note)
            else:
                self._rows.removeWidget(self.note)
                self._versions.insertWidget(_NOTE_AT, self.note, 1)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._appearance.tokens.raised))
            painter.fillRect(0, 0, self.width(), 1, QColor(self._appearance.tokens.line))

    def _show_note(self) -> None:
        self.note.setText(self._progress or self._note)
        self.note.setToolTip(self._progress or self._note)

    def _button(self, name: str, picture: str) -> IconButton:
        button = IconButton(icon(picture, self._appearance), "", self)
        return named(f"schema.timeline.{name}", button)

    def _arrange(self) -> None:
        self.note.setFont(scaled(self.font(), CAPTION))
        for field in (self.old, self.new):
            field.setMinimumContentsLength(_NAME)
        self.slider.setPageStep(5)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.cancel.setAutoDefault(False)
        self.cancel.hide()
        line = QHBoxLayout()
        line.setSpacing(TIGHT)
        line.addWidget(self._previous)
        line.addWidget(self._next)
        line.addWidget(self.slider, stretch=1)
        line.addWidget(self._close)
        self._versions = versions = QHBoxLayout()
        versions.setSpacing(TIGHT)
        versions.addWidget(self.old)
        versions.addWidget(self._arrow)
        versions.addWidget(self.new)
        versions.addSpacing(GAP)
        versions.addWidget(self.note, stretch=1)
        versions.addStretch(0)
        versions.addWidget(self.cancel)
        self._rows = layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addLayout(versions)
        layout.addWidget(self.counts)

    def _connect(self) -> None:
        self.slider.valueChanged.connect(self.stepped)
        self._previous.clicked.connect(lambda: self.stepped.emit(self.slider.value() - 1))
        self._next.clicked.connect(lambda: self.stepped.emit(self.slider.value() + 1))
        self.cancel.clicked.connect(self.cancelled)
        self._close.clicked.connect(self.closed)
        self.old.decided.connect(lambda chosen: self.pair_chosen.emit(chosen, self.new.currentData()))
        self.new.decided.connect(lambda chosen: self.pair_chosen.emit(self.old.currentData(), chosen))
        self._appearance.changed.connect(self.update)


class SignCounts(QWidget):
    """The signs of changes, what they mean, and how many there are of each."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.timeline.counts")
        self._appearance = appearance
        self._fonts = DiagramFonts(self.font())
        self._parts: list[tuple[str, str]] = []
        self.setFixedHeight(22)
        self.setAccessibleName(tr("Changes"))
        self.show_changes(())

    @property
    def texts(self) -> tuple[str, ...]:
        """What is shown, one text for each sign."""
        return tuple(text for _, text in self._parts)

    def show_changes(self, changes: Sequence[Change]) -> None:
        """Counts the changes by their signs."""
        numbers = Counter(change.sign for change in changes)
        self._parts = [
            ("+", tr("{count} added", count=numbers["+"])),
            ("~", tr("{count} changed", count=numbers["~"])),
            ("→", tr("{count} renamed", count=numbers["→"])),
            (REMOVED, tr("{count} removed", count=numbers[REMOVED])),
        ]
        whole = ", ".join(str(each) for each in summary(changes)) or tr("no changes")
        self.setToolTip(whole)
        self.setAccessibleDescription(whole)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(round(sum(map(self._width, self.texts))), self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens, left = self._appearance.tokens, 2.0
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for sign, text in self._parts:
                colors = sign_color(sign, tokens), QColor(tokens.ground)
                middle = QPointF(left + BADGE + 2, self.height() / 2)
                paint_badge(painter, middle, sign, colors, self._fonts.font(Role.MARK))
                painter.setFont(self._fonts.font(Role.TYPE))
                painter.setPen(QColor(tokens.text))
                room = QRectF(left + 2 * BADGE + GAP, 0, self._width(text), self.height())
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
                left += self._width(text)

    def _width(self, text: str) -> float:
        return 2 * BADGE + GAP + self._fonts.width(text, Role.TYPE) + GROUP


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


class FindBar(QWidget):
    """Says how many hits there are and which one is shown; hidden without a search.

    Signals: ``show_requested`` for the tables of hits that are not shown · ``closed`` to end the search.
    """

    show_requested = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.hits")
        self._appearance = appearance
        self._count = named("schema.hits.count", Label(self))
        self._hit = named("schema.hits.hit", ElidedLabel(self))
        self._previous = named("schema.hits.previous", ActionButton(actions["find_previous"], self))
        self._next = named("schema.hits.next", ActionButton(actions["find_next"], self))
        self._hidden = named("schema.hits.show", QPushButton(self))
        self._close = named(
            "schema.hits.close", IconButton(icon("close", appearance), tr("End the search"), self)
        )
        self._hidden.setStyleSheet(FLAT_BUTTONS)
        self._hidden.clicked.connect(self.show_requested)
        self._close.clicked.connect(self.closed)
        self._hit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, 0, GAP, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._count)
        layout.addSpacing(GAP)
        layout.addWidget(self._hit, stretch=1)
        for widget in (self._hidden, self._previous, self._next, self._close):
            layout.addWidget(widget)
        self.setFixedHeight(STRIP + TIGHT)
        appearance.changed.connect(self.update)
        self._hidden.setToolTip(tr("Hits are in tables that the diagram does not show"))
        self.hide()

    @property
    def text(self) -> str:
        """All that it says."""
        texts = (self._count.text(), self._hit.text(), "" if self._hidden.isHidden() else self._hidden.text())
        return " · ".join(text for text in texts if text)

    def show_hits(self, number: int, count: int, hit: str, hidden: int) -> None:
        """Shows the hit ``number`` of ``count``, 0 for none; ``hidden`` tables with hits are not shown."""
        found = tr("{count:1 hit|{count} hits}", count=count) if count else tr("No hits")
        self._count.setText(tr("{number} of {hits}", number=number, hits=found) if number else found)
        self._hit.setText(hit)
        self._hidden.setText(tr("Show {count:1 hidden table|{count} hidden tables}", count=hidden))
        self._hidden.setVisible(hidden > 0)
        self.setAccessibleName(self.text)
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.raised))
            painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.line))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(tokens.handle))
            painter.setBrush(QColor(tokens.mark))
            painter.drawEllipse(QPointF(GAP, self.height() / 2), 3.5, 3.5)


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
