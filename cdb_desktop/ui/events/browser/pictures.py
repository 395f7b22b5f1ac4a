"""What stands in the place of the rows when there are none: empty, nothing found, failed, forbidden."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Signal, SignalInstance
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.events.known_values import KnownValues
from cdb_desktop.events.query import Query
from cdb_desktop.ui.events.browser.phrases import whole_query
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class Pictures(QWidget):
    """One picture at a time, with its next step.

    Signals: ``again_requested`` to ask once more · ``clear_requested`` to ask for everything ·
    ``sign_in_requested`` for another session.
    """

    again_requested = Signal()
    clear_requested = Signal()
    sign_in_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = EmptyState(appearance, self)
        self._step: SignalInstance = self.again_requested
        self._show: Callable[[], None] = lambda: None
        self.picture.step_requested.connect(self._go_on)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.picture)

    def show_empty(self, query: Query, seen: KnownValues) -> None:
        """No event is there, or none that passes the filters."""
        if query.parts:
            self._put(lambda: self._filtered(query, seen), self.clear_requested)
        else:
            self._put(self._empty, self.again_requested)

    def show_given_up(self) -> None:
        """Nobody waited until the events were there."""
        self._put(self._given_up, self.again_requested)

    def show_failure(self, said: ErrorMessage) -> None:
        """Asking has failed."""
        self._put(lambda: self.picture.show_failure(said, self.tr("Try again")), self.again_requested)

    def show_forbidden(self, said: ErrorMessage) -> None:
        """The right to see events is missing, or a gateway refuses access, which another try may cure."""

        def show() -> None:
            step = "" if said.code else self.tr("Try again")
            self.picture.show_failure(said, step, EmptyStateKind.FORBIDDEN)

        self._put(show, self.again_requested)

    def show_signed_out(self, said: ErrorMessage) -> None:
        """The service does not know the session."""
        step = self.sign_in_requested
        self._put(
            lambda: self.picture.show_failure(said, self.tr("Sign in again"), EmptyStateKind.FORBIDDEN), step
        )

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    def _put(self, show: Callable[[], None], step: SignalInstance) -> None:
        self._show, self._step = show, step
        show()

    def _go_on(self) -> None:
        self._step.emit()

    def _empty(self) -> None:
        text = self.tr("The service has not written any events yet. New events appear here.")
        self.picture.show_state(EmptyStateKind.EMPTY, self.tr("No events"), text, self.tr("Look again"))

    def _given_up(self) -> None:
        text = self.tr("Loading was cancelled, and no events had been loaded before.")
        self.picture.show_state(EmptyStateKind.EMPTY, self.tr("Cancelled"), text, self.tr("Load again"))

    def _filtered(self, query: Query, seen: KnownValues) -> None:
        text = self.tr("No event passes all of these filters: %1.").replace("%1", whole_query(query, seen))
        self.picture.show_state(
            EmptyStateKind.EMPTY, self.tr("Nothing found"), text, self.tr("Clear filters")
        )
