"""The dialog that finds the shortest paths between two tables."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QListWidget, QListWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.model import Edge
from cdb_desktop.schema.diagram.paths import LinkStep, distances, shortest_paths
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label

_LINES = 5  # paths that the list shows without scrolling
_WIDTH = 560


class PathDialog(BaseDialog):
    """Asks for two tables and lists the shortest paths between them.

    Signals: ``chosen`` with the keys of both tables when the paths are to be shown.
    """

    chosen = Signal(object, object)

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        document: Document,
        edges: Sequence[Edge],
        tables: Sequence[tuple[str, int]],
        ends: Sequence[int],
    ) -> None:
        """``tables`` are all top-level tables by name, ``ends`` those that are chosen at first."""
        super().__init__(appearance, "schema.path", parent)
        self._document = document
        self._edges = edges
        self._names = {key: name for name, key in tables}
        text = tr("Links are followed in both directions.")
        self.set_texts(tr("Paths between two tables"), text, tr("Show in the diagram"))
        self.setMinimumWidth(_WIDTH)
        content = QWidget(self)
        form = QFormLayout(content)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(GAP)
        choices: list[tuple[str, object]] = sorted(tables)
        self.start = FilterField("schema.path.start", content)
        self.end = FilterField("schema.path.end", content)
        for field, title, end in (
            (self.start, tr("From table"), ends[:1]),
            (self.end, tr("To table"), ends[1:2]),
        ):
            field.setPlaceholderText(tr("Choose a table or type its name"))
            field.setAccessibleName(title)
            field.show_choices(choices, end[0] if end else None)
            field.decided.connect(self._find)
            form.addRow(Label(title, content), field)
        self.body.addWidget(content)
        self.list = QListWidget(self)
        self.list.setObjectName("schema.path.list")
        self.list.setAccessibleName(tr("Paths"))
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.list.setSpacing(2)
        self.list.setMinimumHeight(_LINES * 2 * ROW)
        self.body.addWidget(self.list, stretch=1)
        self.accept_button.clicked.connect(self._accept)
        self._find()
        (self.end if len(ends) == 1 else self.start).setFocus()

    def _find(self) -> None:
        start, end = self.start.chosen, self.end.chosen
        self.list.clear()
        self.show_fault("")
        self.accept_button.setEnabled(False)
        if not isinstance(start, int) or not isinstance(end, int):
            return
        if start == end:
            self.show_fault(tr("Choose two different tables."), "warning")
            return
        paths = shortest_paths(self._edges, start, end)
        if paths.length is None:
            self.show_fault(self._why_none(start, end), "warning")
            return
        for path in paths.paths:
            QListWidgetItem(path_text(self._document, path, self._names), self.list)
        if paths.total > len(paths.paths):
            more = tr("and {count:one more|{count} more}", count=paths.total - len(paths.paths))
            QListWidgetItem(more, self.list)
        self.accept_button.setEnabled(True)

    def _why_none(self, start: int, end: int) -> str:
        """Why there is no path: how many tables can be reached from either end."""
        names = {"start": self._names[start], "end": self._names[end]}
        lines = [tr("No links lead from {start} to {end}, in either direction.", **names)]
        for key in (start, end):
            reached = len(distances(self._edges, (key,))) - 1
            if reached:
                text = tr(
                    "{name} can be reached from {count:one other table|{count} other tables}.",
                    name=self._names[key],
                    count=reached,
                )
            else:
                text = tr("No link leads from or to {name}.", name=self._names[key])
            lines.append(text)
        return " ".join(lines)

    def _accept(self) -> None:
        start, end = self.start.chosen, self.end.chosen
        self.accept()
        self.chosen.emit(start, end)


def path_text(document: Document, path: Sequence[LinkStep], names: dict[int, str]) -> str:
    """A path in words: the tables with arrows in the directions of the links, and their columns below."""
    tables = names[path[0].table]
    columns = []
    for step in path:
        forth = any(edge.source == step.table for edge in step.edges)
        back = any(edge.source == step.following for edge in step.edges)
        arrow = "↔" if forth and back else "→" if forth else "←"
        tables += f" {arrow} {names[step.following]}"
        columns.append(", ".join(sorted(element_name(document, edge.ref) for edge in step.edges)))
    return f"{tables}\n{tr('by {columns}', columns=' · '.join(columns))}"
