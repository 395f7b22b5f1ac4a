"""What the schema page tells about one thing, and what it offers to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.validation.problem import Problem
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage

Does = Callable[[], None]
Offer = tuple[str, Does]


class SchemaNotice(ActionNotice):
    """Hidden while there is nothing to tell; other offers come with every notice."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("schema.offer")
        self._problem: Problem | None = None

    def show_offer(self, tone: NoticeTone, text: str, *offers: Offer) -> None:
        """Tells something; each offer is a button that takes it and closes the strip."""
        self._problem = None
        self.show_notice(tone, "", text)
        self._show_offers(offers)

    def show_fault(self, said: ErrorMessage, *offers: Offer) -> None:
        """Tells what went wrong, with its details to copy and an explanation where there is one."""
        self._problem = None
        self.show_failure(said)
        self._show_offers(offers)

    def show_obstacle(self, text: str, problem: Problem) -> None:
        """Tells what stands in the way, until that problem is no longer there."""
        self.show_offer("danger", text)
        self._problem = problem

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Hides what is told about a problem that is not among these."""
        if self._problem is not None and self._problem not in problems:
            self._problem = None
            self.hide()

    def pass_by(self) -> None:
        """What was only told is over; what offers something stays until somebody decides."""
        if not self.buttons:
            self.hide()

    def _show_offers(self, offers: tuple[Offer, ...]) -> None:
        self.clear_buttons()
        for place, (text, does) in enumerate(offers):
            self.add_button(f"schema.offer.{place}", partial(str, text), partial(self._take, does))

    def _take(self, does: Does) -> None:
        self.hide()
        does()
