"""Named views of the diagram: their menu and storage."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.scope import Scope, ViewTables
from cdb_desktop.schema.diagram.views import NamedView, saved_tables, unused_id, with_view, without_view
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.widgets.menus import context_menu, entry_text
from cdb_desktop.ui.widgets.popup import NamePopup

_NUMBERED = 9  # views that have their number as a key in the menu


class NamedViewController(PageController):
    """Saves what the diagram shows under names, and shows it again. ``views`` are all of them by name.

    Signals: ``changed`` when views were saved, renamed or deleted.
    """

    changed = Signal()

    def __init__(self, page: SchemaContext, layout: DiagramLayoutController) -> None:
        super().__init__(page)
        self._panel = page.view.diagram_panel
        self._layout = layout
        self.views = page.local_store.views()
        self._deleted: NamedView | None = None
        self._last_id = unused_id(self.views) - 1
        self._on("schema_views", self.open_menu)
        self._on("schema_view_save", self._ask_name)
        self._on("schema_view_next", self._go, 1)
        self._on("schema_view_previous", self._go, -1)
        layout.renumbered.connect(self._take_ids)

    @property
    def shown(self) -> NamedView | None:
        """The view that is shown, if one is."""
        part = self._layout.state.scope.part
        return self._view_of(part.view) if isinstance(part, ViewTables) else None

    @property
    def is_changed(self) -> bool:
        """Whether the view that is shown has other tables or positions now than when it was saved."""
        view, page = self.shown, self._store.page
        if view is None:
            return False
        before, now = view.positions(page.document), self._layout.arrangement.positions
        tables = self._tables()
        known = before.keys() & self._scope_keys
        collapsed = {key for key in before if group_of_box(key) is not None}
        moved = any(before[key] != now.get(key) for key in known | collapsed)
        return tables != known or collapsed != self._collapsed or moved

    def name_of(self, id_: int) -> str:
        """The name of a view."""
        view = self._view_of(id_)
        return view.name if view else "?"

    def show(self, view: NamedView) -> None:
        """Shows a view as it was saved."""
        positions = view.positions(self._store.page.document)
        part = ViewTables(view.id, None if view.everything else _tables_among(positions))
        self._layout.show(Scope(part), view.viewport, positions)

    def show_everything(self) -> None:
        """Shows all tables."""
        self._layout.show(Scope())

    def save(self, name: str) -> None:
        """Saves what is shown under a name, in place of a view of this name."""
        same = next((view for view in self.views if view.name == name), None)
        self._save(self._new_id() if same is None else same.id, name)

    def update_shown(self) -> None:
        """Replaces the view that is shown by what is shown now."""
        view = self.shown
        if view is not None:
            self._save(view.id, view.name)

    def rename(self, view: NamedView, name: str) -> None:
        """Gives a view another name; a view that has it already is replaced."""
        self._write(with_view(self.views, replace(view, name=name)))

    def delete(self, view: NamedView) -> None:
        """Deletes a view; the menu offers to bring the last one back."""
        self._deleted = view
        self._write(without_view(self.views, view.id))

    def open_menu(self) -> None:
        """Opens the menu of the views; its first entries have numbers as keys."""
        menu = context_menu(self._panel, "schema.views.menu")
        self._add_choices(menu)
        menu.addSeparator()
        menu.addAction(tr("&Save as a view…")).triggered.connect(self._ask_name)
        if self.views:
            for title, act in (
                (tr("&Update"), self._update),
                (tr("&Rename"), self._ask_new_name),
                (tr("&Delete"), self.delete),
            ):
                below = menu.addMenu(title)
                for view in self.views:
                    below.addAction(entry_text(view.name)).triggered.connect(partial(act, view))
        if self._deleted is not None:
            text = tr("&Bring “{name}” back", name=entry_text(self._deleted.name))
            menu.addAction(text).triggered.connect(self._restore)
        menu.popup(self._panel.corner_below("schema_views", menu.sizeHint().width()))

    def _add_choices(self, menu: QMenu) -> None:
        everything = menu.addAction(tr("&0  All tables"))
        everything.setCheckable(True)
        everything.setChecked(self._layout.state.scope == Scope())
        everything.triggered.connect(self.show_everything)
        shown = self.shown
        for number, view in enumerate(self.views, 1):
            name = entry_text(view.name)
            action = menu.addAction(f"&{number}  {name}" if number <= _NUMBERED else name)
            action.setCheckable(True)
            action.setChecked(shown is not None and view.id == shown.id)
            action.triggered.connect(partial(self.show, view))

    def _go(self, by: int) -> None:
        """Shows the next view; after the last one comes everything, then the first."""
        shown = self.shown
        at = next((n for n, view in enumerate(self.views, 1) if shown and view.id == shown.id), 0)
        following = (at + by) % (len(self.views) + 1)
        if following:
            self.show(self.views[following - 1])
        elif at:
            self.show_everything()

    def _ask_name(self) -> None:
        shown = self.shown
        name = shown.name if shown is not None else ""
        self._ask(tr("Save as a view"), name, [view.name for view in self.views], self.save)

    def _ask_new_name(self, view: NamedView) -> None:
        taken = [one.name for one in self.views if one.id != view.id]
        self._ask(tr("Rename the view"), view.name, taken, partial(self.rename, view))

    def _ask(self, title: str, name: str, taken: Collection[str], act: Callable[[str], None]) -> None:
        kept = tr("Tables, positions and zoom are kept.")
        popup = NamePopup(self._panel.appearance, title, taken, kept, self._panel, act)
        popup.line.setObjectName("schema.view.name")
        popup.line.setText(name)
        popup.line.selectAll()
        popup.open_below(self._panel.button("schema_views"))

    def _update(self, view: NamedView) -> None:
        self._save(view.id, view.name)

    def _save(self, id_: int, name: str) -> None:
        page, scope = self._store.page, self._layout.state.scope
        is_all = not self._layout.shown.left_out and not scope.hidden
        everything = is_all and (scope.part is None or _is_everything(scope))
        shown = self._tables() | self._collapsed
        found = saved_tables(page.document, shown, self._layout.arrangement.positions)
        view = NamedView(id_, name, everything, found, self._panel.diagram.visible_part)
        self._write(with_view(self.views, view))
        positions = view.positions(page.document)
        part = ViewTables(id_, None if everything else _tables_among(positions))
        if scope != Scope(part):
            self._layout.show(Scope(part), view.viewport, positions)

    @property
    def _scope_keys(self) -> frozenset[int]:
        whole = self._layout.whole
        return frozenset(box.table for box in (*whole.boxes, *whole.ghosts))

    def _tables(self) -> frozenset[int]:
        graph = self._layout.shown.graph
        return frozenset(box.table for box in (*graph.boxes, *graph.ghosts))

    @property
    def _collapsed(self) -> frozenset[int]:
        """The boxes of collapsed groups."""
        return frozenset(group.box for group in self._layout.arrangement.groups.collapsed)

    def _restore(self) -> None:
        view, self._deleted = self._deleted, None
        if view is not None:
            self._write(with_view(self.views, replace(view, id=self._new_id())))

    def _new_id(self) -> int:
        """An id that no view has or has had since the start, so that nothing kept for that one is taken."""
        self._last_id = max(self._last_id + 1, unused_id(self.views))
        return self._last_id

    def _take_ids(self, tables: Mapping[int, int]) -> None:
        if any(table.key in tables for view in self.views for table in view.tables):
            self._write(tuple(view.renumbered(tables) for view in self.views))

    def _view_of(self, id_: int) -> NamedView | None:
        return next((view for view in self.views if view.id == id_), None)

    def _write(self, views: tuple[NamedView, ...]) -> None:
        gone = {view.id for view in self.views} - {view.id for view in views}
        self.views = views
        for id_ in gone:
            self._layout.go_to(*self._layout.state.without_view(id_))
        try:
            self._local_store.keep_views(views)
        except OSError as error:
            text = tr("The view cannot be stored: {reason}", reason=error.strerror or str(error))
            self._view.notice.show_text("warning", text)
        self.changed.emit()


def _is_everything(scope: Scope) -> bool:
    return isinstance(scope.part, ViewTables) and scope.part.tables is None


def _tables_among(boxes: Iterable[int]) -> frozenset[int]:
    """The tables among boxes, which may be those of collapsed groups too."""
    return frozenset(key for key in boxes if group_of_box(key) is None)
