"""The signals of all feed panes: emitted where something happens, connected where it is handled."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class FeedSignals(QObject):
    """One object for all panes of a live view, so that signals need not be forwarded."""

    changed = Signal()  # rows, filter, position or settings of any pane
    focused = Signal(object)  # the FeedPane that the user has clicked or entered
    close_requested = Signal(object)  # FeedPane
    filter_requested = Signal(object)  # FeedPane
    retry_requested = Signal()  # to connect or sign in again
    events_shown = Signal(object, int)  # FeedPane, number of new rows
    event_chosen = Signal(object)  # Event to be shown in the event browser
    schema_requested = Signal(object)  # Event of a commit whose schema version is to be shown
    copied = Signal(int, int)  # number of copied rows, number of selected ones
    link_requested = Signal(object)  # Event to which a link is to be copied
    ticket_requested = Signal(object, int)  # selected events that a ticket lists, number of selected ones
