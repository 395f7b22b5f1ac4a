"""What the schema page tells about one thing, and what it offers to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.describing import described
from cdb_desktop.schema.problems import Problem
from cdb_desktop.ui.schema.page.state import Node, Page
from cdb_desktop.ui.schema.page.store import Store
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
        if not self.offers:
            self.hide()

    def _show_offers(self, offers: tuple[Offer, ...]) -> None:
        self.take_back()
        for place, (text, does) in enumerate(offers):
            self.offer(f"schema.offer.{place}", partial(str, text), partial(self._take, does))

    def _take(self, does: Does) -> None:
        self.hide()
        does()


_MOST = 3  # names; more of them make nobody wiser


class Renewal(QObject):
    """Watches the steps."""

    def __init__(self, store: Store, notice: SchemaNotice) -> None:
        super().__init__(notice)
        self._notice = notice
        self._known: frozenset[Node] = frozenset()
        self._told = ""
        store.changed.connect(self._watch)

    def _watch(self, page: Page) -> None:
        found = page.editing.renewed
        is_more = not self._known.issuperset(found)
        self._known = frozenset(found)
        if is_more:
            self._told = self._text([described(page.editing.document, place) for place in found.values()])
            self._notice.show_offer("warning", self._told)
        elif not found and self._told and self._notice.text == self._told:
            self._told = ""
            self._notice.hide()

    def _text(self, names: Iterable[str]) -> str:
        every = sorted(names)
        listed = ", ".join(every[:_MOST])
        if len(every) > _MOST:
            rest = len(every) - _MOST
            listed = tr("{names} and {count} more", names=listed, count=rest)
        return tr(
            "HEAD was saved without {names}, so the service has released the id: it is restored "
            "as new and empty. CURRENT keeps the values until the next commit.",
            names=listed,
        )
