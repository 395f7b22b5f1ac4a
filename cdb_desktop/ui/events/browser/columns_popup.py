"""The sheet in which columns are chosen, ordered and pinned, also such from keys of info."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.ui.events.browser.column_list import ColumnList
from cdb_desktop.ui.events.browser.column_setup import ColumnSetup
from cdb_desktop.ui.events.browser.list_buttons import beside, list_button
from cdb_desktop.ui.events.browser.popup import Popup
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.columns import browser_columns
from cdb_desktop.vocabulary.event_json import INFO

_SIZE = 280, 320


class ColumnsPopup(Popup):
    """Columns to tick; what begins with ``info.`` is added by its spelling."""

    def __init__(self, appearance: Appearance, columns: ColumnSetup, parent: QWidget) -> None:
        super().__init__(appearance, self.tr("Columns"), self.tr("Apply"), parent)
        hint = self.tr("Search, or add a key such as info.limit")
        self.list = ColumnList(appearance, hint, _key, self.tr("Add the column “%1”"), self)
        self.list.setMinimumSize(*_SIZE)
        hidden = [column.name for column in columns.choices if column.name not in columns.shown]
        titles = {column.name: column.title for column in columns.choices}
        self.list.show_values([(name, titles[name]) for name in (*columns.shown, *hidden)], columns.shown)
        self.list.show_pinned(columns.pinned)
        self._usual = tuple(column.name for column in browser_columns())
        self._is_usual = False
        self.up = list_button(
            self, "events.columns.up", self.tr("Move &up"), self.tr("Further left (Alt+Up)")
        )
        self.down = list_button(
            self, "events.columns.down", self.tr("Move &down"), self.tr("Further right (Alt+Down)")
        )
        tip = self.tr("Stays on the left while the others scroll")
        self.pin = list_button(self, "events.columns.pin", self.tr("&Pin"), tip)
        self.up.clicked.connect(lambda: self.list.move_current(-1))
        self.down.clicked.connect(lambda: self.list.move_current(1))
        self.pin.clicked.connect(self.list.toggle_pin)
        self.list.changed.connect(self._follow)
        self.add(beside(self, self.list, self.up, self.down, self.pin), stretch=1)
        self.add_note(
            self.tr(
                "Alt+Up and Alt+Down reorder the columns, as does dragging their titles. Keys of info "
                "require complete events, which load more slowly."
            )
        )
        self._keys_note = self.add_note(" ")
        # Room for two lines is kept: what is told changes while the sheet is open.
        self._keys_note.setMinimumHeight(2 * self._keys_note.fontMetrics().lineSpacing())
        reset = QPushButton(self.tr("Reset"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._take_usual)
        self.finish(self.list.search, reset)
        self.list.list.setCurrentRow(0)

    @property
    def is_usual(self) -> bool:
        """Whether the usual columns in their usual widths are wanted."""
        return self._is_usual

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are chosen, in their order; the usual ones if none is."""
        return self._usual if self._is_usual or not self.list.ticked else self.list.ticked

    @property
    def pinned(self) -> tuple[str, ...]:
        """Those of them that stay."""
        return () if self._is_usual else self.list.pinned

    def offer_keys(self, keys: Sequence[tuple[str, int]], events: int, *, looks: bool = False) -> None:
        """Lists keys of info, each with how many of so many events have it; ``looks``: more may come."""
        self.list.offer([(INFO + path, count) for path, count in keys], events)
        if looks:
            self.tell_keys(self.tr("Searching for keys of info…"))
        elif keys:
            one = self.tr("The list ends with the keys of info found in 1 event.")
            many = self.tr("The list ends with the keys of info found in %1 events, most frequent first.")
            self.tell_keys(plural(events, one, many))
        else:
            self.tell_keys(self.tr("None of these events has info."))

    def tell_keys(self, text: str) -> None:
        """Says how far the search for keys is."""
        self._keys_note.setText(text)

    def _follow(self) -> None:
        self.up.setEnabled(self.list.can_move(-1))
        self.down.setEnabled(self.list.can_move(1))
        self.pin.setText(self.tr("Un&pin") if self.list.is_pinned() else self.tr("&Pin"))

    def _take_usual(self) -> None:
        self._is_usual = True
        self.close()


def _key(text: str) -> str | None:
    key = text.strip()
    return key if key.startswith(INFO) and len(key) > len(INFO) else None
