"""Hides tables, and limits the diagram to those near some tables or on paths between two."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import Groups
from cdb_desktop.schema.diagram.model import Edge
from cdb_desktop.schema.diagram.scope import (
    MOST_STEPS,
    Direction,
    GroupTables,
    LinkStep,
    Neighborhood,
    Part,
    PathsBetween,
    Scope,
    ViewTables,
    distances,
    names_of,
    shortest_paths,
    tables_beyond,
)
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.ui.schema.diagram.bars import BarContent, ScopeBar, fill_with_tables
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.schema.named_views import NamedViewController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field
from cdb_desktop.ui.widgets.menus import context_menu


class ScopeController(PageController):
    """Connects the actions that change what is shown, and the bar that says what it is.

    Signals: ``shown_changed`` when other tables are shown.
    """

    shown_changed = Signal()

    def __init__(
        self, page: SchemaContext, layout: DiagramLayoutController, views: NamedViewController
    ) -> None:
        super().__init__(page)
        store, actions = page.store, page.actions
        self._panel = panel = page.view.diagram_panel
        self._layout = layout
        self._views = views
        self.bar = ScopeBar(panel.appearance, actions, panel)
        panel.add_bar(self.bar, lambda: self.bar.title)
        self._names: dict[int, str] = {}
        actions["scope_focus"].triggered.connect(self._focus)
        self._on("scope_more", self._step, 1)
        self._on("scope_fewer", self._step, -1)
        actions["scope_related"].triggered.connect(self._show_related)
        actions["scope_path"].triggered.connect(self._ask_path)
        actions["scope_hide"].triggered.connect(self._hide)
        actions["group_only"].triggered.connect(self._show_group)
        actions["group_hide"].triggered.connect(self._hide_group)
        actions["scope_show_all"].triggered.connect(self._show_all)
        actions["scope_back"].triggered.connect(self._back)
        self.bar.direction_chosen.connect(self._follow)
        self.bar.show_requested.connect(self.show_tables)
        self.bar.paths.clicked.connect(self._ask_path)
        self.bar.update_view.clicked.connect(views.update_shown)
        self.bar.back.clicked.connect(layout.leave_part)
        panel.part_left.connect(layout.leave_part)
        panel.diagram.beyond_requested.connect(self._open_beyond)
        for changed in (store.changed, store.selected, layout.applied, views.changed, panel.diagram.settled):
            changed.connect(self._update)
        panel.diagram.diagram_scene.boxes_chosen.connect(self._update)
        # Groups are selected in the diagram only, and not on the page.
        panel.diagram.diagram_scene.selection_changed.connect(self._update)
        layout.scope_changed.connect(self._show_diagram)
        layout.applied.connect(self.shown_changed)
        self._update()

    def show_tables(self, tables: Iterable[int]) -> None:
        """Shows tables that are not shown, in addition to the others."""
        found = tuple(tables)
        self._layout.show(self._layout.state.scope.showing(found))
        self._panel.diagram.show_tables(found)

    def not_shown(self, refs: Iterable[ElementRef]) -> frozenset[int]:
        """The top-level tables of elements that are not shown."""
        left_out = {table for box in self._layout.shown.left_out for table in box.tables}
        if not left_out:
            return frozenset()
        return self.tables_of(ref for ref in refs if table_key_of(ref) in left_out)

    def tables_of(self, refs: Iterable[ElementRef]) -> frozenset[int]:
        """The top-level tables of elements."""
        keys = {table_key_of(ref) for ref in refs}
        return frozenset(self._top_of(key) for key in keys if key is not None)

    @property
    def _chosen(self) -> frozenset[int]:
        """The top-level tables of the selection, also removed ones."""
        page, group = self._store.page, self._panel.diagram.chosen_group
        several = self._panel.diagram.chosen_boxes
        if group is not None:
            return self._groups.by_key[group].tables.intersection(self._names)
        keys = several or {table_key_of(page.selection)}
        found = {self._top_of(key) for key in keys if key is not None}
        return frozenset(found & self._names.keys())

    @property
    def _groups(self) -> Groups:
        return self._panel.diagram.diagram_scene.diagram_style.groups

    @property
    def _group(self) -> int | None:
        """The selected group, or the one of the selected table."""
        found = {self._groups.by_table.get(table) for table in self._chosen}
        group = next(iter(found)) if len(found) == 1 else None
        return self._panel.diagram.chosen_group or (None if group is None else group.key)

    def _top_of(self, key: int) -> int:
        """The top-level table that contains a table."""
        page = self._store.page
        seen = {key}
        while key in page.document.by_key and key not in self._names:
            owner = page.document.by_key[key].owner
            if owner is None or owner in seen:
                break
            key = owner
            seen.add(key)
        return key

    def _focus(self) -> None:
        tables = self._chosen
        if tables:
            self._layout.show(Scope(Neighborhood(tables)))

    def _step(self, by: int) -> None:
        part = self._layout.state.scope.part
        if isinstance(part, Neighborhood) and 1 <= part.steps + by <= MOST_STEPS:
            self._adjust(replace(part, steps=part.steps + by))

    def _follow(self, direction: Direction) -> None:
        part = self._layout.state.scope.part
        if isinstance(part, Neighborhood):
            self._adjust(replace(part, direction=direction))

    def _adjust(self, part: Neighborhood) -> None:
        """Shows another neighborhood instead, to which there is no way back."""
        state = self._layout.state
        self._layout.go_to(state.in_scope(replace(state.scope, part=part)))

    def _hide(self) -> None:
        tables = self._chosen & self._shown
        if tables:
            self._layout.show(self._layout.state.scope.hiding(tables))

    def _hide_group(self) -> None:
        """Hides all tables of the group; they are listed as one in the menu of what is hidden."""
        tables = self._tables_of_group & self._shown
        if tables:
            diagram = self._panel.diagram
            diagram.choose(DOCUMENT, reveal=False)
            self._layout.show(self._layout.state.scope.hiding(tables))

    def _show_group(self) -> None:
        """Shows nothing but the tables of the group, with its name and positions as they were."""
        group, tables = self._group, self._tables_of_group
        if group is not None and tables:
            self._layout.show(Scope(GroupTables(group, tables)))

    @property
    def _tables_of_group(self) -> frozenset[int]:
        """The tables of `_group` that there are, also removed ones."""
        group = self._group
        tables = frozenset[int]() if group is None else self._groups.by_key[group].tables
        return tables.intersection(self._names)

    def _hidden_groups(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The names and tables of groups of which all tables are hidden."""
        hidden, found = self._layout.state.scope.hidden, []
        for group in self._groups:
            tables = group.tables.intersection(self._names)
            if len(tables) > 1 and tables <= hidden:
                found.append((group.name, tuple(sorted(tables))))
        return tuple(sorted(found, key=lambda each: each[0].casefold()))

    def _back(self) -> None:
        self._layout.go_to(*self._layout.state.back())

    def _show_all(self) -> None:
        self._layout.show(self._layout.state.scope.showing_all())

    def _show_related(self) -> None:
        beyond = {other for table in self._chosen for other in self._beyond(table)}
        if beyond:
            self.show_tables((*self._chosen, *beyond))

    def _beyond(self, table: int) -> tuple[int, ...]:
        return tables_beyond(self._layout.whole, self._shown, table)

    @property
    def _shown(self) -> frozenset[int]:
        graph = self._layout.graph
        return frozenset(box.table for box in (*graph.boxes, *graph.ghosts))

    def _ask_path(self) -> None:
        page, part = self._store.page, self._layout.state.scope.part
        ends = sorted(self._chosen, key=self._name)[:2]
        if isinstance(part, PathsBetween):
            ends = [part.start, part.end]
        tables = [(box.name, box.table) for box in self._layout.whole.boxes]
        dialog = PathDialog(
            self._panel.appearance, self._panel, page.document, self._layout.whole.edges, tables, ends
        )
        dialog.chosen.connect(self._show_path)
        dialog.open()

    def _show_path(self, start: int, end: int) -> None:
        self._layout.show(Scope(PathsBetween(start, end)))

    def _open_beyond(self, table: int, at: QPoint) -> None:
        """Offers the tables to which the links of a table lead; a single one is shown at once."""
        found = self._beyond(table)
        if len(found) == 1:
            self.show_tables((table, *found))
            return
        menu = context_menu(self._panel, "schema.scope.beyond")
        text = tr("Show {count:one linked table|all {count} linked tables}", count=len(found))
        menu.addAction(text).triggered.connect(lambda: self.show_tables((table, *found)))
        menu.addSeparator()
        fill_with_tables(menu, self._named(found), lambda keys: self.show_tables((table, *keys)))
        menu.popup(at)

    def _show_diagram(self) -> None:
        """Shows the diagram instead of the service's drawing, which is always complete."""
        self._actions["schema_svg"].setChecked(False)

    def _name(self, table: int) -> str:
        return self._names.get(table, "?")

    def _named(self, tables: Iterable[int]) -> list[tuple[str, int]]:
        return sorted(((self._name(table), table) for table in tables), key=lambda each: each[0].casefold())

    def _update(self, _page: object = None) -> None:
        """Updates the bar and the actions."""
        whole, page = self._layout.whole, self._store.page
        self._names = {box.table: box.name for box in (*whole.ghosts, *whole.boxes)}
        scope, shown, chosen = self._layout.state.scope, self._shown, self._chosen
        part = scope.part
        hidden = self._named(scope.hidden & self._names.keys())
        missing = next(iter(sorted(chosen - shown)), None)
        content = BarContent(
            *self._texts(len(hidden)),
            is_part=part is not None,
            steps=part.steps if isinstance(part, Neighborhood) else None,
            direction=part.direction if isinstance(part, Neighborhood) else Direction.BOTH,
            has_paths=isinstance(part, PathsBetween),
            is_changed_view=self._views.is_changed,
            hidden=tuple(hidden),
            hidden_groups=self._hidden_groups(),
            missing=None if missing is None else (self._name(missing), missing),
        )
        self.bar.show_content(content)
        self._panel.shows_part = content.is_part
        beyond = any(self._beyond(table) for table in chosen) if self._layout.shown.left_out else False
        steps = content.steps or 0
        possible = {
            "scope_focus": bool(chosen),
            "scope_more": 0 < steps < MOST_STEPS,
            "scope_fewer": steps > 1,
            "scope_related": beyond,
            "scope_path": len(whole.boxes) > 1,
            "scope_hide": bool(chosen & shown),
            "scope_show_all": bool(hidden),
            "scope_back": bool(self._layout.state.former),
            "group_only": bool(self._tables_of_group) and not self._shows_group(part),
            "group_hide": bool(self._tables_of_group & shown),
        }
        for name, is_possible in possible.items():
            self._actions.set_possible(name, is_possible, self._reason(name, page))

    def _reason(self, name: str, page: PageState) -> str:
        """Why an action is not possible."""
        if not page.is_read:
            return ""
        no_focus = tr("Only while the diagram is focused on tables.")
        return {
            "scope_focus": tr("Select a table first."),
            "scope_hide": tr("Select a table first."),
            "scope_more": no_focus,
            "scope_fewer": no_focus,
            "scope_related": tr("All tables that the selection is linked with are shown."),
            "group_only": tr("Select a group or a table in one first.") if self._group is None else "",
            "group_hide": tr("Select a group or a table in one first.") if self._group is None else "",
            "scope_show_all": tr("No table is hidden."),
            "scope_back": tr("Nothing else was shown before."),
        }.get(name, "")

    def _shows_group(self, part: Part) -> bool:
        """Whether only the selected group is shown."""
        return isinstance(part, GroupTables) and part.group == self._group

    def _texts(self, hidden: int) -> tuple[str, str]:
        """The title of the bar and what it means."""
        shown, every = len(self._layout.graph.boxes), len(self._layout.whole.boxes)
        amount = tr("{shown} of {count:one table|{count} tables}", shown=shown, count=every)
        hiding = tr("{count:1 table hidden|{count} tables hidden}", count=hidden)
        match self._layout.state.scope.part:
            case Neighborhood(tables=tables):
                first, *others = names_of(tables, self._name)
                title = tr("Focus on {name}", name=first)
                if others:
                    title = tr(
                        "Focus on {name} and {count:one other table|{count} other tables}",
                        name=first,
                        count=len(others),
                    )
            case PathsBetween(start, end):
                title = tr("From {start} to {end}", start=self._name(start), end=self._name(end))
                amount = self._path_text()
            case GroupTables(group=key):
                group = self._groups.by_key.get(key)
                title = tr("Group “{name}”", name="?" if group is None else group.name)
            case ViewTables(view=view):
                title = tr("View “{name}”", name=self._views.name_of(view))
            case _:
                return (hiding, amount) if hidden else ("", "")
        return title, f"{amount} · {hiding}" if hidden else amount

    def _path_text(self) -> str:
        paths = self._layout.shown.paths
        if paths is None or paths.length is None:
            return tr("No links lead from one to the other any more")
        number = tr("{count:One path|{count} shortest paths}", count=paths.total)
        return tr("{paths} of {count:one link|{count} links}", paths=number, count=paths.length)


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
        self.start = FilterField("schema.path.start")
        self.end = FilterField("schema.path.end")
        self.add_form(Field("start", self.start, tr("From table")), Field("end", self.end, tr("To table")))
        choices: list[tuple[str, object]] = sorted(tables)
        for field, end in ((self.start, ends[:1]), (self.end, ends[1:2])):
            field.setPlaceholderText(tr("Choose a table or type its name"))
            field.show_choices(choices, end[0] if end else None)
            field.decided.connect(self._find)
        self.list = QListWidget(self)
        self.list.setObjectName("schema.path.list")
        self.list.setAccessibleName(tr("Paths"))
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
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
            name, reached = self._names[key], len(distances(self._edges, (key,))) - 1
            if reached:
                text = tr(
                    "{name} can be reached from {count:one other table|{count} other tables}.",
                    name=name,
                    count=reached,
                )
            else:
                text = tr("No link leads from or to {name}.", name=name)
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
