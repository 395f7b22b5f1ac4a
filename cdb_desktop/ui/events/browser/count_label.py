"""Tells how many rows there are, how many of them are selected, and for a while what has just been done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import ElidedLabel, caption
from cdb_desktop.vocabulary.times import zone_name

_WHILE = 6000  # milliseconds for which something is told


class CountLabel(QWidget):
    """Words in full colour, and what is beside the point in muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ElidedLabel(self)
        self._words.setObjectName("events.count")
        self._words.setFont(tabular(self.font()))
        self._beside = caption(self)
        self._result: QueryResult | None = None
        self._everything: int | None = None
        self._selected = 0
        self._loading = False
        self._told = ""
        self._while = QTimer(self, singleShot=True, interval=_WHILE)
        self._while.timeout.connect(lambda: self.tell(""))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._words)
        layout.addWidget(self._beside)

    @property
    def text(self) -> str:
        """What is shown."""
        return f"{self._words.text()} {self._beside.text()}"

    def show_loading(self) -> None:
        """Other rows are on their way; those of before may come back."""
        self._loading = True
        self._write()

    def show_refreshing(self, *, refreshing: bool) -> None:
        """The same rows are asked for again, and it takes its time; or they are not any more."""
        self._loading = refreshing
        if refreshing:
            self._told = ""
        self._write()

    def show_result(self, result: QueryResult | None, everything: int | None) -> None:
        """The rows of a result, and of ``everything`` there is where that is known."""
        if result is not self._result or everything is not None:
            self._everything = everything
        self._result, self._loading = result, False
        self._write()

    def show_selected(self, rows: int) -> None:
        """So many rows are selected."""
        if rows != self._selected:
            self._selected = rows
            self._write()

    def tell(self, text: str) -> None:
        """Tells something for a while."""
        self._told = text
        if text:
            self._while.start()
        self._write()

    def clear(self) -> None:
        """There is nothing to count."""
        self._result, self._loading, self._told = None, False, ""
        self._write()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._write()

    def _write(self) -> None:
        self._words.setText(self._counted() if self._loading else self._told or self._counted())
        selected = filled(self.tr("%1 selected"), self._selected) if self._selected > 1 else ""
        zone = zone_name() if self._result is not None else ""
        self._beside.setText(" · ".join(part for part in (self._unread(), selected, zone) if part))

    def _unread(self) -> str:
        unread = 0 if self._result is None else self._result.unreadable
        return filled(self.tr("%1 unreadable"), unread) if unread else ""

    def _counted(self) -> str:
        if self._loading:
            return self.tr("Loading events…")
        if self._result is None:
            return ""
        rows = number_text(self._result.rows) + ("" if self._result.total is not None else "+")
        if self._everything is not None and self._result.total is not None:
            return filled(self.tr("%1 of %2"), rows, max(self._everything, self._result.total))
        is_one = self._result.rows == 1 and self._result.total is not None
        return plural(1 if is_one else 0, self.tr("1 event"), self.tr("%1 events"), rows)
