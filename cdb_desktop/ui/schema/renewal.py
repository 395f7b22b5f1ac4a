"""Tells when undo has brought something back that a save had taken: as something new and empty (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject

from cdb_desktop.schema.document.names import element_name
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.schema.page import Node, Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView

_MOST = 3  # names; more of them make nobody wiser


class Renewal(QObject):
    """Watches the steps."""

    def __init__(self, store: Store, view: SchemaView) -> None:
        super().__init__(view)
        self._view = view
        self._known: frozenset[Node] = frozenset()
        self._told = ""
        store.changed.connect(self._watch)

    def _watch(self, page: Page) -> None:
        found = page.editing.recreated
        is_more = not self._known.issuperset(found)
        self._known = frozenset(found)
        if is_more:
            self._told = self._text([element_name(page.editing.document, place) for place in found.values()])
            self._view.offer.show_offer("warning", self._told)
        elif not found and self._told and self._view.offer.text == self._told:
            self._told = ""
            self._view.offer.hide()

    def _text(self, names: Iterable[str]) -> str:
        every = sorted(names)
        listed = ", ".join(every[:_MOST])
        if len(every) > _MOST:
            one, many = self.tr("%1 and 1 more"), self.tr("%1 and %2 more")
            rest = len(every) - _MOST
            listed = plural(rest, one, many, listed, rest)
        text = self.tr(
            "HEAD was saved without %1, so the service has released the id: it is restored as new "
            "and empty. CURRENT keeps the values until the next commit."
        )
        return text.replace("%1", listed)
