"""The view of the schema page: header, tree, diagram, form and findings, or an empty state instead."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QByteArray, QModelIndex, QObject, QPoint, QSettings, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPalette
from PySide6.QtWidgets import QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Edge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.schema.bottom_panel import BottomPanel
from cdb_desktop.ui.schema.diagram.panel import DiagramPanel
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.form.panel import FormPanel
from cdb_desktop.ui.schema.page.findings import Findings
from cdb_desktop.ui.schema.page.notice import SchemaNotice
from cdb_desktop.ui.schema.page.state import UNREAD, PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.tree.panel import TreePanel
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW, STRIP, demi_bold
from cdb_desktop.ui.widgets.buttons import ActionButton, FilledButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.form import Choice
from cdb_desktop.ui.widgets.labels import DotTone, ElidedLabel, StatusDot
from cdb_desktop.ui.widgets.layout import Splitter, lay_out
from cdb_desktop.ui.widgets.menus import context_menu, on_context_menu
from cdb_desktop.ui.widgets.notice import NoticeBar
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import ErrorMessage

# What the context menus contain: at most 12 entries, the rest in submenus. Entries and submenus have the
# names of the main menu, so that what was found in one is found in the other.


@dataclass(frozen=True, slots=True)
class Submenu:
    """Some actions below the title of the submenu that ``action`` has in the main menu."""

    action: str
    names: tuple[str, ...]


# Names of actions; an empty one is a separator.
Entries = tuple[str | Submenu, ...]

_COPY = ("element_copy", "element_paste", "element_duplicate")
_SCOPE = ("scope_focus", "scope_related", "scope_path", "scope_hide")
_SHOWN = Submenu("scope_focus", _SCOPE)
_OF_TABLE = Submenu(
    "group_assign",
    (
        *("group_assign", "", "group_toggle", "group_only", "group_hide", "group_edit", "group_remove"),
        *("", "columns_fold"),
    ),
)
_ALL_GROUPS = (
    *("groups_by_links", "groups_by_prefix", "", "groups_collapse", "groups_expand", "groups_remove"),
    *("", "columns_fold_all"),
)
_VIEWS = ("schema_views", "schema_view_save", "", "scope_path", "scope_show_all", "scope_back")
_PAINTED = (*("arrange_down", "", "schema_legend", "schema_minimap", "schema_changes", "schema_usage"),)
_FILES = Submenu("diagram_export", ("diagram_export", "diagram_print", "diagram_copy", "", "schema_copy"))

TABLE_MENU: Entries = (
    *("column_new", "link_to", "nested_new", "", "element_rename", *_COPY, "element_delete", ""),
    *(_SHOWN, _OF_TABLE, "table_events"),
)
NESTED_TABLE_MENU: Entries = (
    *("column_new", "link_to", "nested_new", "", "element_rename", *_COPY),
    *("element_up", "element_down", "element_delete", "", _SHOWN, _OF_TABLE),
)
_MOVES = ("element_rename", "element_up", "element_down")
COLUMN_MENU: Entries = (*_MOVES, "", *_COPY, "", "column_new", "link_to", "", "element_delete")
LINK_MENU: Entries = ("link_to", "element_rename", "", "element_delete")
REMOVED_TABLE_MENU: Entries = ("scope_hide",)
BOXES_MENU: Entries = (
    *("element_copy", "element_duplicate", "element_delete", "", "boxes_arrange"),
    Submenu("boxes_left", ("boxes_left", "boxes_top", "boxes_across", "boxes_down", "", "arrange_down")),
    *("", _SHOWN, Submenu("group_assign", ("group_assign", "columns_fold"))),
)
GROUP_MENU: Entries = (
    *("group_toggle", "group_only", "group_hide", "group_edit", "boxes_arrange", ""),
    Submenu("group_assign", ("group_remove", "", *_ALL_GROUPS)),
    Submenu("scope_focus", ("scope_focus", "scope_related", "", *_VIEWS)),
    Submenu("schema_arrange", ("fit", "schema_arrange", *_PAINTED)),
    _FILES,
)
# Below the entry for a new table at the point that was clicked.
PLACE_MENU: Entries = ("element_paste", "")
DIAGRAM_MENU: Entries = (
    *(*PLACE_MENU, "boxes_all", "schema_find", "fit", "schema_arrange", ""),
    Submenu("group_assign", _ALL_GROUPS),
    Submenu("scope_focus", _VIEWS),
    Submenu("schema_arrange", _PAINTED),
    _FILES,
)
TREE_MENU: Entries = ("table_new", "element_paste", "", "schema_find", "schema_copy")


def fill_menu(menu: QMenu, entries: Iterable[str | Submenu], actions: Actions) -> None:
    """Adds entries to a menu; the reasons why they are not available are their tooltips."""
    menu.setToolTipsVisible(True)
    for entry in entries:
        if isinstance(entry, Submenu):
            fill_menu(menu.addMenu(actions.spec(entry.action).group), entry.names, actions)
        elif entry:
            menu.addAction(actions[entry])
        else:
            menu.addSeparator()


_COLUMN_WIDTHS = (180, 760, 300)  # leave room for a legible diagram of the demo at 1366 pixels
_COLUMNS_KEY, _HEIGHT_KEY, _TAB_KEY = "schema/across", "schema/foot", "schema/tab"
_MINIMAP_KEY = "schema/minimap"
_DOWN_KEY = "schema/arrange-down"
_BOTTOM_HEIGHT = STRIP + 5 * ROW  # of the open bottom panel: whole rows, or the last one is clipped


class SchemaView(QWidget):
    """The schema page.

    Signals: ``again_requested`` when the schema is to be read again · ``begin_requested`` for the first table
    of a service without a schema · ``merge_output_requested`` as in `MergeDiagram` · ``chosen`` with an
    ElementRef · ``renamed`` with an ElementRef and a name.
    """

    again_requested = Signal()
    begin_requested = Signal()
    merge_output_requested = Signal(object, object, str)
    chosen = Signal(object)
    renamed = Signal(object, str)

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self.appearance = appearance
        self.settings = settings
        self.header = SchemaHeader(appearance, actions, self)
        self.notice = SchemaNotice(appearance, self)
        self.draft_notice = named("schema.drafts", SchemaNotice(appearance, self))
        self.progress_notice = named("schema.progress", NoticeBar(appearance, self))
        self.tables = TreePanel(appearance, self)
        self.diagram_panel = DiagramPanel(appearance, actions, self)
        self.form = FormPanel(appearance, actions, self)
        self.bottom = BottomPanel(appearance, self)
        self._empty_state = EmptyState(appearance, self)
        self._stack = QStackedWidget(self)
        self._across = Splitter(Qt.Orientation.Horizontal, self)
        self._down = Splitter(Qt.Orientation.Vertical, self)
        self._page = UNREAD
        self._is_scrolling_disabled = False
        self._actions = actions
        self._arrange()
        self._connect()
        # Adds the context menus, and the shortcuts of the actions on the selection.
        # Their shortcuts work only while the focus is on this page.
        self.addActions([self._actions[name] for name in self._actions if self._actions.spec(name).scoped])
        on_context_menu(self.tables.tree, self._open_tree_menu)
        self.diagram_panel.diagram.menu_requested.connect(self._open_diagram_menu)
        self._restore_sizes()

    @property
    def diagram(self) -> DiagramView:
        """The diagram; the start of the program waits until it is painted."""
        return self.diagram_panel.diagram

    def show_page(self, page: PageState) -> None:
        """Shows the document and the selection in all parts."""
        self._page = page
        for part in (self.header, self.tables, self.form, self.bottom, self.notice):
            part.show_page(page)
        if page.document.tables:
            self._stack.setCurrentWidget(self._down)
        else:
            self._show_no_tables(page)

    def show_selection(self, page: PageState) -> None:
        """Shows the selection in all parts; the diagram scrolls to it if necessary."""
        self._page = page
        self.tables.show_page(page)
        self.form.show_page(page)
        self.bottom.show_page(page)
        self.diagram.choose(page.selection, reveal=not self._is_scrolling_disabled, readable=True)

    def show_findings(self, findings: Findings) -> None:
        """Shows the changes and problems in all parts."""
        for part in (self.header, self.tables, self.bottom):
            part.show_findings(findings)
        self.diagram.diagram_scene.show_findings(findings)
        self.diagram_panel.time_line.show_findings(findings)
        self.notice.show_problems(findings.problems)

    def show_loading(self) -> None:
        """Shows that the schema is being read, unless one is shown already."""
        if not self._page.is_read:
            text = tr("Reading the working version and the version in use.")
            self._empty_state.show_state(EmptyStateKind.LOADING, tr("Reading the schema"), text, "")
            self._stack.setCurrentWidget(self._empty_state)

    def show_failure(self, error: ErrorMessage) -> None:
        """Shows why the schema could not be read."""
        self._show_failure(error, tr("Try again"), EmptyStateKind.FAILED)

    def show_forbidden(self, error: ErrorMessage) -> None:
        """Shows that access is denied: by the service if there is an error code, else maybe by a gateway."""
        self._show_failure(error, "" if error.code else tr("Try again"), EmptyStateKind.FORBIDDEN)

    @property
    def chosen_tables(self) -> list[int]:
        """The tables that actions are for: those selected in the diagram, if it has the focus."""
        page = self._page
        if not self.diagram.hasFocus() or self.diagram_panel.shows_svg:
            return []
        return sorted(self.diagram.chosen_boxes & page.document.by_key.keys())

    def rename(self, ref: ElementRef) -> None:
        """Opens a field for the name in the part that has the focus: tree or search, diagram, else form."""
        page = self._page
        if not page.is_editable or not isinstance(ref, TableRef | ColumnRef):
            return
        if self.tables.tree.hasFocus() or self.tables.search.hasFocus():
            self.tables.rename(ref)
        elif self.diagram.hasFocus() and not self.diagram_panel.shows_svg:
            self.diagram_panel.rename(ref, self.tables.model.tree.name(ref))
        else:
            self.form.edit_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape closes the focused tab or a notice, or leaves column, part of the schema, table or tab."""
        page = self._page
        if event.key() != Qt.Key.Key_Escape or not page.is_read:
            super().keyPressEvent(event)
        elif self.bottom.has_focus:
            self.bottom.leave()
        elif self.notice.isVisible():
            self.notice.hide()
        elif self.draft_notice.isVisible():
            self.draft_notice.hide()
        elif self.diagram_panel.leave_mode():
            event.accept()
        elif isinstance(page.selection, ColumnRef):
            self._choose_in_place(TableRef(page.selection.table))
        elif self.diagram_panel.shows_part:
            self.diagram_panel.part_left.emit()
        elif page.selection != DOCUMENT:
            self._choose_in_place(DOCUMENT)
        elif self.bottom.open_tab >= 0:
            self.bottom.close_tabs()
        else:
            super().keyPressEvent(event)

    def _show_no_tables(self, page: PageState) -> None:
        """Shows that there is no schema yet (§4.6: before the first update every version is unknown)."""
        text = tr("The service has no tables yet. Saving the first table creates the first version.")
        if page.file:
            text = tr("The model in this file has no tables yet.")
        step = tr("Create the first table") if page.is_editable else tr("Look again")
        if not page.may_develop:
            text = f"{text} {tr('This requires the right system.datamodel.development.')}"
        self._empty_state.show_state(EmptyStateKind.EMPTY, tr("No schema"), text, step)
        self._stack.setCurrentWidget(self._empty_state)

    def _show_failure(self, error: ErrorMessage, step: str, kind: EmptyStateKind) -> None:
        self._empty_state.show_failure(error, step, kind)
        self._stack.setCurrentWidget(self._empty_state)

    def _run_step(self) -> None:
        (self.begin_requested if self._page.is_editable else self.again_requested).emit()

    def _arrange(self) -> None:
        self.setObjectName("schema")
        for widget in (self.tables, self.diagram_panel, self.form):
            self._across.addWidget(widget)
        self._down.addWidget(self._across)
        self._down.addWidget(self.bottom)
        for splitter in (self._across, self._down):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self._across.setSizes(list(_COLUMN_WIDTHS))
        self._down.setSizes([_BOTTOM_HEIGHT * 4, STRIP])
        for at in (0, 2):
            self._across.setStretchFactor(at, 0)
        self._across.setStretchFactor(1, 1)
        self._down.setStretchFactor(0, 1)
        self._down.setStretchFactor(1, 0)
        self.tables.setMinimumWidth(120)
        self._stack.addWidget(self._down)
        self._stack.addWidget(self._empty_state)
        lay_out(
            QVBoxLayout(self),
            self.header,
            self.draft_notice,
            self.progress_notice,
            self.notice,
            self._stack,
            growing=self._stack,
        )

    def _choose_in_place(self, ref: ElementRef) -> None:
        """Selects an element without scrolling the diagram."""
        self._is_scrolling_disabled = True
        self.chosen.emit(ref)
        self._is_scrolling_disabled = False

    def _open_tree_menu(self, index: QModelIndex, at: QPoint) -> None:
        if index.isValid():
            ref = self.tables.model.node(index)
            self.chosen.emit(ref)
            self._open_menu(self._menu_of(ref), at)
        else:
            self.chosen.emit(DOCUMENT)
            self._open_menu(TREE_MENU, at)

    def _open_diagram_menu(self, ref: ElementRef, edge: Edge | None, at: QPoint) -> None:
        group = group_of_box(table_key_of(ref) or 0)
        if group is not None:
            # A collapsed group has no place for a new table, which has to be visible.
            is_place = table_key_of(ref) not in self.diagram.diagram_scene.tables
            entries = PLACE_MENU + GROUP_MENU if is_place else GROUP_MENU
            self._open_menu(entries, at, inserts=is_place)
        elif edge is None and self.diagram.chosen_boxes:
            self._open_menu(BOXES_MENU, at)
        elif edge is not None:
            self._open_menu(LINK_MENU, at, edge)
        elif isinstance(ref, TableRef | ColumnRef):
            self._open_menu(self._menu_of(ref), at)
        else:
            self._open_menu(DIAGRAM_MENU, at, inserts=True)

    def _menu_of(self, ref: TableRef | ColumnRef) -> Entries:
        page = self._page
        if page.removed_element is not None:
            return REMOVED_TABLE_MENU if isinstance(ref, TableRef) else ()
        if isinstance(ref, ColumnRef):
            return COLUMN_MENU
        is_nested = page.document.by_key[ref.table].is_nested
        return NESTED_TABLE_MENU if is_nested else TABLE_MENU

    def _open_menu(
        self, entries: Entries, at: QPoint, edge: Edge | None = None, *, inserts: bool = False
    ) -> None:
        """Opens a menu of actions on the selection; with ``inserts`` also for a new table at this point."""
        page = self._page
        menu = context_menu(self, "schema.menu")
        if page.removed_element is not None:
            restore = menu.addAction(tr("Restore"))
            restore.setEnabled(page.can_restore)
            restore.triggered.connect(self.form.removed.restore.click)
        if edge is not None:
            self._add_link_ends(menu, page, edge)
        if inserts:
            self._add_insertion(menu, at)
        fill_menu(menu, entries, self._actions)
        menu.popup(at)

    def _add_insertion(self, menu: QMenu, at: QPoint) -> None:
        """Adds the entry for a new table at a point of the screen."""
        action, diagram = self._actions["table_new"], self.diagram
        point = diagram.mapToScene(diagram.viewport().mapFromGlobal(at))
        entry = menu.addAction(action.icon(), plain(action.text()))
        entry.setEnabled(action.isEnabled())
        entry.setToolTip(action.toolTip())
        entry.triggered.connect(lambda: diagram.insert_requested.emit(point))
        # Triggering comes after the menu has been hidden.
        diagram.chosen_center = point

        def forget() -> None:
            diagram.chosen_center = None

        menu.destroyed.connect(forget)

    def _add_link_ends(self, menu: QMenu, page: PageState, edge: Edge) -> None:
        """Adds an entry for each of the two tables that a link connects."""
        for key in dict.fromkeys((edge.ref.table, edge.linked)):
            if key not in page.document.by_key:
                continue  # a collapsed group
            text = tr("Go to table {name}", name=page.document.by_key[key].name)
            menu.addAction(text).triggered.connect(
                lambda _checked=False, key=key: self.chosen.emit(TableRef(key))
            )
        menu.addSeparator()

    def _restore_sizes(self) -> None:
        """Restores the sizes of the parts, the minimap and the open tab from the settings."""
        minimap = self._actions["schema_minimap"]
        minimap.setChecked(self.settings.value(_MINIMAP_KEY, True, type=bool) is not False)
        minimap.toggled.connect(self._save_minimap)
        kept = self.settings.value(_COLUMNS_KEY)
        if isinstance(kept, QByteArray):
            self._across.restoreState(kept)
        downwards = self._actions["arrange_down"]
        downwards.setChecked(self.settings.value(_DOWN_KEY, False, type=bool) is True)
        downwards.toggled.connect(self._save_direction)
        tab = self.settings.value(_TAB_KEY, -1, type=int)
        if isinstance(tab, int) and tab >= 0:
            self.bottom.open(tab)

    @property
    def document(self) -> Document | None:
        """The document that is shown."""
        return self._page.document if self._page.is_read else None

    def go_to_match(self, ref: ElementRef) -> None:
        """Selects a match of the search; scrolls to it if it is selected already."""
        if self._page.selection == ref:
            self.show_selection(self._page)
        else:
            self.chosen.emit(ref)

    def _save_minimap(self, on: bool) -> None:
        self.settings.setValue(_MINIMAP_KEY, on)

    def _save_direction(self, on: bool) -> None:
        self.settings.setValue(_DOWN_KEY, on)

    def _save_widths(self) -> None:
        self.settings.setValue(_COLUMNS_KEY, self._across.saveState())

    def _save_height(self) -> None:
        if self.bottom.open_tab >= 0:
            self.settings.setValue(_HEIGHT_KEY, self._down.sizes()[1])

    def _resize_bottom(self, tab: int) -> None:
        """Resizes the splitter, which does not follow the maximum height of its widgets."""
        foot = self.settings.value(_HEIGHT_KEY, _BOTTOM_HEIGHT, type=int)
        height = foot if isinstance(foot, int) and tab >= 0 else STRIP
        self._down.setSizes([max(sum(self._down.sizes()) - height, 0), height])
        self.settings.setValue(_TAB_KEY, tab)

    def _connect(self) -> None:
        self._empty_state.step_requested.connect(self._run_step)
        self.header.version_chosen.connect(self.notice.hide_without_actions)
        self.bottom.folded.connect(self._resize_bottom)
        self._across.splitterMoved.connect(self._save_widths)
        self._down.splitterMoved.connect(self._save_height)
        for part in (self.tables, self.form.requests, self.bottom):
            part.chosen.connect(self.chosen)
        self.diagram_panel.diagram.chosen.connect(self._choose_in_place)
        self.tables.renamed.connect(self.renamed)
        self.diagram_panel.name_editor.renamed.connect(self.renamed)
        self.diagram_panel.diagram.rename_requested.connect(self.rename)


class SchemaContext(Protocol):
    """What the controllers of the schema page share; the page and its tests provide it."""

    store: PageStore
    view: SchemaView
    tasks: Tasks
    actions: Actions
    local_store: LocalStore


class PageController(QObject):
    """A part of what the page does; it is deleted with the view."""

    def __init__(self, page: SchemaContext) -> None:
        super().__init__(page.view)
        self._store, self._view, self._tasks = page.store, page.view, page.tasks
        self._actions, self._local_store = page.actions, page.local_store

    def _on(self, action: str, act: Callable[..., object], *arguments: object) -> None:
        """Calls a function when an action is triggered, until the page is deleted; actions outlive it."""
        self._actions[action].triggered.connect(_Slot(partial(act, *arguments), self).run)


class _Slot(QObject):
    """A function that Qt disconnects when ``parent`` is deleted."""

    def __init__(self, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._act = act

    def run(self) -> None:
        self._act()


HEAD = "HEAD"

_FEWEST, _MOST = 13, 32  # characters of a version or file name


class SchemaHeader(Toolbar):
    """The toolbar.

    Signals: ``version_chosen`` with HEAD or the number of a committed version.
    """

    version_chosen = Signal(object)

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.version = named("schema.version", Choice(characters=8))
        self._dot = StatusDot(appearance, self)
        self._badge = ElidedLabel(self)
        self._note = ElidedLabel(self)
        self._note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._save = FilledButton(appearance, self)
        self._commit = QPushButton(self)
        self._page = UNREAD
        self._findings = Findings()
        self._arrange(actions)
        self.version.decided.connect(self.version_chosen)

    @property
    def badge(self) -> str:
        """The text about the difference to CURRENT."""
        return self._badge.text()

    @property
    def note(self) -> str:
        """The text about the state of the version."""
        return self._note.text()

    def show_page(self, page: PageState) -> None:
        """Shows the version."""
        self._page = page
        self._update_version_field()
        chosen: object = page.shown_version or HEAD
        self.version.show_choices(self._versions(page), chosen)
        self.version.setMinimumContentsLength(min(max(len(page.file), _FEWEST), _MOST))
        self._note.setText(self._note_text(page))
        self._show_badge()

    def show_findings(self, findings: Findings) -> None:
        """Shows the number of changes."""
        self._findings = findings
        self._show_badge()

    def _update_version_field(self) -> None:
        """Enables the list of versions once one has been read."""
        is_read = self._page.is_read
        self.version.setEnabled(is_read)
        self.version.setPlaceholderText(tr("No version read"))
        self.version.setToolTip(
            tr("The version that is shown")
            if is_read
            else tr("No version has been read; the message below explains why")
        )

    def _versions(self, page: PageState) -> list[tuple[str, object]]:
        if page.file:
            return [(page.file, HEAD)]
        current = page.current_version
        head = page.editing.head
        number = head.version if head is not None else 1
        found: list[tuple[str, object]] = [(f"HEAD v{number}", HEAD)]
        if current is not None:
            found.append((f"CURRENT v{current}", current))
            found.extend((f"v{older}", older) for older in range(current - 1, 0, -1))
        return found

    def _note_text(self, page: PageState) -> str:
        if page.compared is not None:
            return tr("compared, read-only")
        if page.past is not None:
            return tr("committed, read-only")
        if not page.may_develop:
            return tr("read-only: the right system.datamodel.development is missing")
        if not page.editing.is_saved:
            return tr("not saved")
        may = page.may_commit or page.file
        return "" if may else tr("Committing requires the right system.datamodel.commit")

    def _show_badge(self) -> None:
        tone, text = self._difference(self._page)
        self._dot.show_tone(tone)
        self._dot.setVisible(bool(text))
        self._badge.setText(text)

    def _difference(self, page: PageState) -> tuple[DotTone, str]:
        if not page.has_changes:
            return "muted", ""
        count = len(self._findings.changes)
        changes = tr("{count:1 change|{count} changes}", count=count)
        if page.file or page.compared is not None:
            return ("warning", changes) if count else ("good", tr("no changes"))
        if page.current_version is None:
            return "accent", tr("nothing committed yet")
        against = tr("vs CURRENT v{version}", version=str(page.current_version))
        if count == 0:
            return "good", f"{against} · {tr('no changes')}"
        return "warning", f"{against} · {changes}"

    def _arrange(self, actions: Actions) -> None:
        self.setObjectName("schema.header")
        self.version.setFont(demi_bold(self.font()))
        self.version.setMinimumContentsLength(_FEWEST)
        self._badge.setObjectName("schema.badge")
        self._note.setObjectName("schema.note")
        self._save.setObjectName("schema.save")
        self._commit.setObjectName("schema.commit")
        self._commit.setFixedHeight(self._save.sizeHint().height())
        ActionBinding(self._save, actions["schema_save"])
        ActionBinding(self._commit, actions["schema_commit"])
        self.add(self.version)
        self.add(self._dot, self._badge, gap=GAP)
        self.add(self._note, gap=GAP)
        self.push()
        self.add(*(ActionButton(actions[name], self) for name in ("table_new", "nested_new")))
        self.add(*(ActionButton(actions[name], self) for name in ("schema_undo", "schema_redo")), gap=GAP)
        self.add(ActionButton(actions["refresh"], self), gap=GAP)
        self.add(self._commit, self._save, gap=GROUP)
        self._update_version_field()
        self.version.setAccessibleName(tr("Version"))


class ActionBinding(QObject):
    """Makes a button trigger an action and show its text and state. Deleted with the button."""

    def __init__(self, button: QPushButton, action: QAction) -> None:
        super().__init__(button)
        self._button = button
        self._action = action
        button.clicked.connect(action.trigger)
        action.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        name = plain(self._action.text())
        self._button.setText(name)
        self._button.setToolTip(self._action.toolTip())
        self._button.setAccessibleName(name)
        self._button.setEnabled(self._action.isEnabled())
