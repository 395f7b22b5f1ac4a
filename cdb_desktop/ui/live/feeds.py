"""Several feeds: all hold the same events, each has its own choice and place. Knows no service."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.feed import CAPACITY, Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.live.layout import Layout
from cdb_desktop.ui.live.feed_pane import FeedPane, Said
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.marks import load_marks
from cdb_desktop.ui.widgets.layout import Splitter

MOST = 4  # feeds side by side
_NARROWEST = 360  # pixels in which id, time and type of one feed can be read
_NARROW = 180  # of one among several


class Feeds(Splitter):
    """One feed at first; keys and actions mean the ``current`` one.

    They stand side by side, or one above the other where there is more height than width.

    Signals: ``changed`` when rows, choices, places or the current feed have · ``filter_requested`` ·
    ``step_requested`` · ``event_chosen`` and ``schema_requested`` (Event) · ``copied`` (number, selected) as
    those of a feed · ``alarmed`` (number, label) when something has come to a feed that is to tell of it ·
    ``leaving`` as the model's, once for all feeds.
    """

    changed = Signal()
    filter_requested = Signal()
    step_requested = Signal()
    event_chosen = Signal(object)
    schema_requested = Signal(object)
    copied = Signal(int, int)
    alarmed = Signal(int, str)
    leaving = Signal(object)

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self._appearance, self._settings = appearance, settings
        self._link = ConnectionState()
        self._said: Said | None = None
        self.panes: list[FeedPane] = []
        self._marks: Mapping[str, str] = load_marks(settings).texts
        self._capacity = CAPACITY
        self.current = self._made(Feed())
        self._show_current()

    @property
    def are_several(self) -> bool:
        """Whether there is more than one."""
        return len(self.panes) > 1

    def add(self, events: Sequence[Event]) -> None:
        """Events have come, oldest first."""
        for pane in self.panes:
            pane.add(events)

    def show_link(self, link: ConnectionState, said: Said | None) -> None:
        """How it stands with the service, and what is ``said`` about a trouble."""
        self._link, self._said = link, said
        for pane in self.panes:
            pane.show_link(link, said)

    def forget_ids(self) -> None:
        """From now on ids mean other events than before."""
        for pane in self.panes:
            pane.model.forget_ids()

    def highlight(self, texts: Mapping[str, str]) -> None:
        """Marks rows by these texts, by tone, in every feed."""
        self._marks = texts
        for pane in self.panes:
            pane.model.show_marks(texts)

    def mark(self, moment: datetime) -> None:
        """A line in every feed between what has come and what will."""
        for pane in self.panes:
            pane.table.mark(moment)

    def look_away(self) -> None:
        """What comes from now on is new to who returns."""
        for pane in self.panes:
            pane.table.look_away()

    def open(self, choice: FeedFilter) -> None:
        """Another feed with the same events, as long as there is room; it becomes the current one."""
        if len(self.panes) < MOST:
            before = self.current
            self.current = self._made(before.model.feed.copy(choice))
            self.current.table.take_marks(before.table)
            self.current.show_link(self._link, self._said)
        else:
            self.current.set_filter(choice)
        self._show_current()
        if self.orientation() == Qt.Orientation.Vertical:
            # As high as it was, the one before would leave the new one nothing but its head.
            self.setSizes([max(1, self.height())] * len(self.panes))
        self.current.table.setFocus()

    def arrange(self, layout: Layout) -> None:
        """Has the feeds of a layout, as many as there is room for; nobody is taken to them."""
        for place, kept in enumerate(layout[:MOST]):
            if place:
                pane = self._made(self.current.model.feed.copy(kept.choice))
            else:
                pane = self.panes[0]
                pane.set_filter(kept.choice)
            pane.notify(on=kept.notifies)
        widths = [kept.width for kept in layout[:MOST]]
        if self.are_several and all(widths):
            self.setSizes(widths)
        self._show_current()

    def keep_at_most(self, events: int) -> None:
        """Each feed is bounded so from now on."""
        self._capacity = events
        for pane in self.panes:
            pane.keep_at_most(events)

    def take_away(self, pane: FeedPane) -> None:
        """One feed less; the last one stays."""
        if self.are_several:
            self.panes.remove(pane)
            pane.hide()
            pane.deleteLater()
            self.enter(self.panes[-1] if pane is self.current else self.current)

    def enter(self, pane: FeedPane) -> None:
        """From now on this one is meant."""
        self.current = pane
        self._show_current()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """A dock at the side is too narrow for two feeds abreast."""
        is_high = event.size().height() > event.size().width()
        way = Qt.Orientation.Vertical if is_high else Qt.Orientation.Horizontal
        if way != self.orientation():
            parts = self.sizes()
            self.setOrientation(way)
            self.setSizes(parts if all(parts) else [1] * len(self.panes))  # Qt shares the room so
        super().resizeEvent(event)

    def _made(self, feed: Feed) -> FeedPane:
        pane = FeedPane(feed, self._appearance, self._settings, self)
        pane.model.show_marks(self._marks)
        pane.keep_at_most(self._capacity)
        self.panes.append(pane)
        self.addWidget(pane)
        pane.changed.connect(self.changed)
        pane.entered.connect(partial(self.enter, pane))
        pane.model.leaving.connect(partial(self._let_go, pane))
        pane.arrived.connect(partial(self._alarm, pane))
        pane.close_requested.connect(partial(self.take_away, pane))
        pane.filter_requested.connect(partial(self._filter, pane))
        pane.step_requested.connect(self.step_requested)
        pane.event_chosen.connect(self.event_chosen)
        pane.schema_requested.connect(self.schema_requested)
        pane.copied.connect(self.copied)
        return pane

    def _show_current(self) -> None:
        for pane in self.panes:
            pane.header.setVisible(self.are_several)
            pane.header.show_current(pane is self.current)
            pane.setMinimumWidth(_NARROW if self.are_several else _NARROWEST)
        self.changed.emit()

    def _filter(self, pane: FeedPane) -> None:
        self.enter(pane)
        self.filter_requested.emit()

    def _alarm(self, pane: FeedPane, number: int) -> None:
        told = pane.alarm.note(number, time.monotonic())
        if told:
            self.alarmed.emit(told, pane.label)

    def _let_go(self, pane: FeedPane, oldest: object) -> None:
        # All hold the same events, so one of them tells for all.
        if pane is self.panes[0]:
            self.leaving.emit(oldest)
