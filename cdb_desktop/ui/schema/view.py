"""What the schema page looks like: strip, tree, drawing, form and findings, or a picture in their place."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QModelIndex, QPoint, QSettings, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.schema.diagram.model import Edge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.bottom_panel import BottomPanel
from cdb_desktop.ui.schema.drawing_panel import DrawingPanel
from cdb_desktop.ui.schema.form_panel import FormPanel
from cdb_desktop.ui.schema.header import Header
from cdb_desktop.ui.schema.notice import SchemaNotice
from cdb_desktop.ui.schema.page import Findings, Page
from cdb_desktop.ui.schema.tree_panel import TreePanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW, STRIP
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.menus import on_context_menu
from cdb_desktop.vocabulary.error_messages import ErrorMessage

# What the context menus offer, by what was clicked; an empty name is a line.
_TABLE_MENU = ("column_new", "link_new", "nested_new", "", "element_rename", "", "element_delete")
_NESTED_MENU = (*_TABLE_MENU[:5], "element_up", "element_down", *_TABLE_MENU[5:])
_COLUMN_MENU = ("element_rename", "element_up", "element_down", "", "column_new", "", "element_delete")
_LINK_MENU = ("element_rename", "", "element_delete")
_GROUND_MENU = ("table_new", "", "fit", "schema_arrange", "", "schema_find", "diagram_export", "schema_copy")
_TREE_MENU = ("table_new", "", "schema_find", "schema_copy")
_WIDTHS = (230, 760, 330)
_ACROSS, _HEIGHT, _TAB = "schema/across", "schema/foot", "schema/tab"
_FOOT = STRIP + 5 * ROW  # the height of the findings while they are open: whole lines, or the last is cut


class SchemaView(QWidget):
    """The page of the schema.

    Signals: ``again_requested`` when the way out of a failure is taken · ``begin_requested`` for the first
    table of a service without a schema · ``chosen`` with a place · ``renamed`` with a place and a name.
    """

    again_requested = Signal()
    begin_requested = Signal()
    chosen = Signal(object)
    renamed = Signal(object, str)

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self.appearance = appearance
        self._settings = settings
        self.header = Header(appearance, actions, self)
        self.offer = SchemaNotice(appearance, self)
        self.draft_offer = SchemaNotice(appearance, self)
        self.draft_offer.setObjectName("schema.drafts")
        self.tables = TreePanel(appearance, self)
        self.drawing = DrawingPanel(appearance, actions, self)
        self.form = FormPanel(appearance, actions, self)
        self.bottom = BottomPanel(appearance, self)
        self._picture = EmptyState(appearance, self)
        self._stack = QStackedWidget(self)
        self._across = Splitter(Qt.Orientation.Horizontal, self)
        self._down = Splitter(Qt.Orientation.Vertical, self)
        self._page: Page | None = None
        self._is_empty = False
        self._keeps_still = False
        self._actions = actions
        self._arrange()
        self._connect()
        self._offer_menus()
        self._remember()
        # The diagram is the first thing to be painted, so it is known to those who wait for it.
        self.diagram = self.drawing.diagram

    def show_page(self, page: Page) -> None:
        """Shows the document, the selection, and what may be done."""
        self._page = page
        for part in (self.header, self.tables, self.form, self.bottom):
            part.show_page(page)
        if page.document.tables:
            self._stack.setCurrentWidget(self._down)
        else:
            self._show_no_tables(page)

    def show_selection(self, page: Page) -> None:
        """Shows that something else is selected, in all parts; the diagram scrolls there if need be."""
        self._page = page
        self.tables.show_page(page)
        self.form.show_page(page)
        self.bottom.show_page(page)
        self.diagram.choose(page.selection, reveal=not self._keeps_still, readable=True)

    def show_findings(self, findings: Findings) -> None:
        """Shows changes and problems in all parts."""
        for part in (self.header, self.tables, self.bottom):
            part.show_findings(findings)
        self.diagram.drawing.show_findings(findings)
        self.offer.show_problems(findings.problems)

    def show_loading(self) -> None:
        """The schema is on its way; one that is there stays."""
        if self._page is None:
            text = self.tr("Reading the working version and the version in use.")
            self._show_picture(EmptyStateKind.LOADING, self.tr("Reading the schema"), text, "")

    def show_failure(self, said: ErrorMessage) -> None:
        """Nothing can be shown, and why."""
        self._show_failure(said, self.tr("Try again"), EmptyStateKind.FAILED)

    def show_forbidden(self, said: ErrorMessage) -> None:
        """The session may not read the schema, or a gateway refuses access, which another try may cure."""
        self._show_failure(said, "" if said.code else self.tr("Try again"), EmptyStateKind.FORBIDDEN)

    def rename(self, place: ElementRef) -> None:
        """Lets the name be typed where the keys go: in the tree, in the diagram, else in the form."""
        page = self._page
        if page is None or not page.is_editable or not isinstance(place, TableRef | ColumnRef):
            return
        if self.tables.tree.hasFocus():
            self.tables.rename(place)
        elif self.diagram.hasFocus() and not self.drawing.shows_svg:
            self.drawing.rename(place, _own_name(page, place))
        else:
            self.form.edit_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape closes what is innermost: an open tab with the focus, the notice, the column, the table."""
        page = self._page
        if event.key() != Qt.Key.Key_Escape or page is None:
            super().keyPressEvent(event)
        elif self.bottom.has_focus_inside:
            self.bottom.leave()
        elif self.offer.isVisible():
            self.offer.hide()
        elif self.draft_offer.isVisible():
            self.draft_offer.hide()
        elif isinstance(page.selection, ColumnRef):
            self._choose_in_place(TableRef(page.selection.table))
        elif page.selection != DOCUMENT:
            self._choose_in_place(DOCUMENT)
        elif self.bottom.open_tab >= 0:
            self.bottom.close_tabs()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            for part in (self.header, self.tables, self.drawing, self.form, self.bottom):
                part.retranslate()
            if self._page is not None:
                self.show_page(self._page)

    def _show_no_tables(self, page: Page) -> None:
        """There is no schema yet (§4.6: before the first update every version is unknown)."""
        self._is_empty = True
        text = self.tr("The service has no tables yet. Saving the first table creates the first version.")
        if page.file:
            text = self.tr("The model in this file has no tables yet.")
        step = self.tr("Create the first table") if page.is_editable else self.tr("Look again")
        if not page.may_develop:
            text = f"{text} {self.tr('This requires the right system.datamodel.development.')}"
        self._show_picture(EmptyStateKind.EMPTY, self.tr("No schema"), text, step)

    def _show_picture(self, kind: EmptyStateKind, title: str, text: str, step: str) -> None:
        self._is_empty = kind is EmptyStateKind.EMPTY
        self._picture.show_state(kind, title, text, step)
        self._stack.setCurrentWidget(self._picture)

    def _show_failure(self, said: ErrorMessage, step: str, kind: EmptyStateKind) -> None:
        self._is_empty = False
        self._picture.show_failure(said, step, kind)
        self._stack.setCurrentWidget(self._picture)

    def _step(self) -> None:
        page = self._page
        begins = self._is_empty and page is not None and page.is_editable
        (self.begin_requested if begins else self.again_requested).emit()

    def _arrange(self) -> None:
        self.setObjectName("schema")
        for widget in (self.tables, self.drawing, self.form):
            self._across.addWidget(widget)
        self._down.addWidget(self._across)
        self._down.addWidget(self.bottom)
        for splitter in (self._across, self._down):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self._across.setSizes(list(_WIDTHS))
        self._down.setSizes([_FOOT * 4, STRIP])
        for at in (0, 2):
            self._across.setStretchFactor(at, 0)
        self._across.setStretchFactor(1, 1)
        self._down.setStretchFactor(0, 1)
        self._down.setStretchFactor(1, 0)
        self.tables.setMinimumWidth(150)
        self._stack.addWidget(self._down)
        self._stack.addWidget(self._picture)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.draft_offer)
        layout.addWidget(self.offer)
        layout.addWidget(self._stack, stretch=1)

    def _choose_in_place(self, place: ElementRef) -> None:
        """Selects something without moving the diagram."""
        self._keeps_still = True
        self.chosen.emit(place)
        self._keeps_still = False

    def _offer_menus(self) -> None:
        """Context menus of what was clicked, and keys that mean what is selected here."""
        # Their keys mean nothing while the focus is in a dock.
        self.addActions([self._actions[name] for name in self._actions if self._actions.spec(name).scoped])
        on_context_menu(self.tables.tree, self._open_tree_menu)
        self.drawing.diagram.menu_requested.connect(self._open_diagram_menu)

    def _open_tree_menu(self, index: QModelIndex, at: QPoint) -> None:
        if index.isValid():
            place = self.tables.model.node(index)
            self.chosen.emit(place)
            self._open_menu(self._menu_of(place), at)
        else:
            self.chosen.emit(DOCUMENT)
            self._open_menu(_TREE_MENU, at)

    def _open_diagram_menu(self, place: ElementRef, wire: Edge | None, at: QPoint) -> None:
        if wire is not None:
            self._open_menu(_LINK_MENU, at, wire)
        elif isinstance(place, TableRef | ColumnRef):
            self._open_menu(self._menu_of(place), at)
        else:
            self._open_menu(_GROUND_MENU, at)

    def _menu_of(self, place: TableRef | ColumnRef) -> tuple[str, ...]:
        page = self._page
        if page is None or page.ghost is not None:
            return ()
        if isinstance(place, ColumnRef):
            return _COLUMN_MENU
        return _NESTED_MENU if page.document.by_key[place.table].is_nested else _TABLE_MENU

    def _open_menu(self, names: tuple[str, ...], at: QPoint, wire: Edge | None = None) -> None:
        """Opens a menu of actions, all of which mean what is selected by now."""
        page = self._page
        if page is None:
            return
        menu = QMenu(self)
        menu.setObjectName("schema.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        if page.ghost is not None:
            restore = menu.addAction(self.tr("Restore"))
            restore.setEnabled(page.can_restore)
            restore.triggered.connect(self.form.ghost.restore.click)
        if wire is not None:
            self._add_ends(menu, page, wire)
        for name in names:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()
        menu.popup(at)

    def _add_ends(self, menu: QMenu, page: Page, wire: Edge) -> None:
        """The two tables that a link connects."""
        for key in dict.fromkeys((wire.ref.table, wire.linked)):
            text = self.tr("Go to table %1").replace("%1", page.document.by_key[key].name)
            menu.addAction(text).triggered.connect(
                lambda _checked=False, key=key: self.chosen.emit(TableRef(key))
            )
        menu.addSeparator()

    def _remember(self) -> None:
        """Takes up how wide, how high and how open the parts were left."""
        kept = self._settings.value(_ACROSS)
        if isinstance(kept, QByteArray):
            self._across.restoreState(kept)
        tab = self._settings.value(_TAB, -1, type=int)
        if isinstance(tab, int) and tab >= 0:
            self.bottom.open(tab)

    def _go_to(self, place: ElementRef) -> None:
        """Selects what was searched for; what is selected already is brought into sight again."""
        if self._page is not None and self._page.selection == place:
            self.show_selection(self._page)
        else:
            self.chosen.emit(place)

    def _keep_widths(self) -> None:
        self._settings.setValue(_ACROSS, self._across.saveState())

    def _keep_foot(self) -> None:
        if self.bottom.open_tab >= 0:
            self._settings.setValue(_HEIGHT, self._down.sizes()[1])

    def _fold(self, tab: int) -> None:
        """A splitter does not follow the largest height of its parts by itself."""
        foot = self._settings.value(_HEIGHT, _FOOT, type=int)
        height = foot if isinstance(foot, int) and tab >= 0 else STRIP
        self._down.setSizes([max(sum(self._down.sizes()) - height, 0), height])
        self._settings.setValue(_TAB, tab)

    def _connect(self) -> None:
        self._picture.step_requested.connect(self._step)
        self.header.version_chosen.connect(self.offer.pass_by)
        self.bottom.folded.connect(self._fold)
        self._across.splitterMoved.connect(self._keep_widths)
        self._down.splitterMoved.connect(self._keep_foot)
        for part in (self.tables, self.form.wishes, self.bottom):
            part.chosen.connect(self.chosen)
        self.tables.found.connect(self._go_to)
        self.drawing.diagram.chosen.connect(self._choose_in_place)
        self.tables.renamed.connect(self.renamed)
        self.drawing.renamed.connect(self.renamed)
        self.drawing.diagram.rename_requested.connect(self.rename)


def _own_name(page: Page, place: TableRef | ColumnRef) -> str:
    table = page.document.by_key[place.table]
    if isinstance(place, ColumnRef):
        return table.by_key[place.column].name
    owner = None if table.owner is None else page.document.by_key.get(table.owner)
    return table.name if owner is None else own_name(table.name, owner.name)
