"""The commands of the page: edits, undo and redo, the search, the diagram, remedies and the policy."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF

from cdb_desktop.foundation.i18n import Message, message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.lint import LocalizedNames, Policy, PolicyError, read_policy_file
from cdb_desktop.schema.checks.validation import new_name_problem
from cdb_desktop.schema.diagram.placement import BoxOrder, aligned
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import own_name, unused_name
from cdb_desktop.schema.document.search import SearchHit, SearchIndex, Where
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    ChangeType,
    LinkProposal,
    MoveColumns,
    RenameColumn,
    propose_link,
)
from cdb_desktop.schema.edits.edit import NEW_COLUMN_TYPE, Edit, EditError
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable, Remove, RenameTable, dependents
from cdb_desktop.schema.files.json_text import JsonTextError, edited_document, edited_table
from cdb_desktop.schema.files.local_store import StoredChecks
from cdb_desktop.ui.schema.diagram.bars import FindBar
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.files.file_access import ask_open_path
from cdb_desktop.ui.schema.form.dialogs import LinkDialog, RemovalDialog
from cdb_desktop.ui.schema.form.type_choices import targets_of
from cdb_desktop.ui.schema.page.state import CheckSettings, PageState, entry_of
from cdb_desktop.ui.schema.scope_controller import ScopeController
from cdb_desktop.ui.schema.view import PageController, SchemaContext

AddEdit = AddTable | AddNestedTable | AddColumn


class EditCommands(PageController):
    """Applies edits to the store when actions are triggered and forms are changed."""

    def __init__(self, page: SchemaContext) -> None:
        super().__init__(page)
        view, actions = page.view, page.actions
        # The last edit and its result if it added an element whose name has not been typed yet.
        self._unnamed: tuple[AddEdit, Document] | None = None
        # Bound methods of a QObject, so that Qt disconnects them with the page: the actions outlive it.
        actions["table_new"].triggered.connect(self.add_table)
        actions["nested_new"].triggered.connect(self._add_nested)
        actions["column_new"].triggered.connect(self._add_column)
        actions["link_new"].triggered.connect(self._add_link)
        actions["element_rename"].triggered.connect(self._rename)
        actions["element_delete"].triggered.connect(self._delete)
        self._on("element_up", self._move_selection, -1)
        self._on("element_down", self._move_selection, 1)
        self._on("schema_undo", self._go, -1)
        self._on("schema_redo", self._go, 1)
        actions["link_to"].triggered.connect(self._link_to)
        view.diagram.insert_requested.connect(self._insert_table)
        view.renamed.connect(self._rename_to)
        view.bottom.history.jump_requested.connect(self._jump_to)
        view.form.requests.edit_requested.connect(self._apply)
        view.form.requests.link_requested.connect(self._make_link)
        view.form.requests.removal_requested.connect(self._remove)
        view.form.requests.move_requested.connect(self._move)

    def add_table(self) -> None:
        """Adds a table and lets the user type its name."""
        edit = AddTable(unused_name("new_table", (table.name for table in self._store.page.document.tables)))
        self._add(edit, TableRef(edit.key))

    def _insert_table(self, at: QPointF) -> None:
        """Adds a table at a point of the diagram, and lets the user type its name there."""
        page = self._store.page
        if not page.is_editable:
            return
        edit = AddTable(unused_name("new_table", (table.name for table in page.document.tables)))
        self._view.diagram.wanted_places = {edit.key: (at.x(), at.y())}
        if self._store.apply(edit, TableRef(edit.key)):
            self._unnamed = edit, self._store.page.editing.document
            self._view.diagram_panel.rename(TableRef(edit.key), edit.name)

    def _apply(self, edit: Edit, then: ElementRef | None = None) -> None:
        """Applies an edit; the name that is typed for a new element becomes part of adding it."""
        page, unnamed = self._store.page, self._unnamed
        self._unnamed = None
        if unnamed is not None and unnamed[1] is page.editing.document:
            added, is_saved = unnamed[0], page.editing.is_saved
            match edit:
                case RenameTable(table=key, name=name) | RenameColumn(ref=ColumnRef(column=key), name=name):
                    if key == added.key and not is_saved:
                        self._store.apply_instead(replace(added, name=name), then)
                        return
                case _:
                    pass
        self._store.apply(edit, then)

    def _add_nested(self) -> None:
        document, table = self._selected()
        if table is not None:
            below = (document.by_key[key].name for key in document.nested.get(table.key, ()))
            name = unused_name("part", (own_name(other, table.name) for other in below))
            edit = AddNestedTable(table.key, name)
            self._add(edit, TableRef(edit.key))

    def _add_column(self) -> None:
        _, table = self._selected()
        if table is not None:
            name = unused_name("new_column", (column.name for column in table.columns))
            edit = AddColumn(table.key, name, NEW_COLUMN_TYPE, self._index_after(table))
            self._add(edit, ColumnRef(table.key, edit.key))

    def _add_link(self) -> None:
        document, table = self._selected()
        if table is None:
            return

        def add(name: str, target: int) -> None:
            edit = AddColumn(table.key, name, "link", self._index_after(table), target=target)
            self._store.apply(edit, ColumnRef(table.key, edit.key))

        LinkDialog(self._view.appearance, self._view, targets_of(document), "", add).open()

    def _link_to(self) -> None:
        """Makes the selected column a link, or adds one to the selected table; asks for its target."""
        page = self._store.page
        if not isinstance(page.selection, ColumnRef):
            self._add_link()
            return
        ref = page.selection
        column = page.document.by_key[ref.table].by_key[ref.column]

        def link(_name: str, target: int) -> None:
            found = propose_link(self._store.page.document, page.editing.current, ref, target)
            if found.edit is None:
                self._view.notice.show_text("warning", str(found.text))
            elif self._store.apply(found.edit, found.ref) and found.note is not None:
                self._view.notice.show_step(self._store.page, str(found.note))

        targets = targets_of(page.document)
        LinkDialog(self._view.appearance, self._view, targets, column.name, link).open()

    def _make_link(self, ref: ColumnRef) -> None:
        """Turns a column of another type into a link."""
        page = self._store.page

        def change(_name: str, target: int) -> None:
            self._store.apply(ChangeType(ref, "link", target), ref)

        name = page.document.by_key[ref.table].by_key[ref.column].name
        dialog = LinkDialog(self._view.appearance, self._view, targets_of(page.document), name, change)
        # After a cancel the form still shows the new type.
        dialog.rejected.connect(lambda: self._view.form.show_page(page))
        dialog.open()

    def _add(self, edit: AddEdit, ref: ElementRef) -> None:
        if self._store.apply(edit, ref):
            self._unnamed = edit, self._store.page.editing.document
            self._view.diagram.choose(ref, reveal=True)
            self._view.form.edit_name()

    def _rename(self) -> None:
        self._view.rename(self._store.page.selection)

    def _rename_to(self, ref: ElementRef, name: str) -> None:
        match ref:
            case TableRef(table):
                self._apply(RenameTable(table, name), ref)
            case ColumnRef():
                self._apply(RenameColumn(ref, name), ref)
            case _:
                return

    def _delete(self) -> None:
        page = self._store.page
        several = tuple(TableRef(table) for table in self._view.chosen_tables)
        self._remove(several or (page.selection,))

    def _remove(self, refs: tuple[ElementRef, ...]) -> None:
        """Removes elements in one edit; asks first if others would be removed with them."""
        page = self._store.page
        found = tuple(ref for ref in refs if isinstance(ref, TableRef | ColumnRef))
        if not found:
            return
        document, edit, then = page.document, Remove(found), None
        owner = document.by_key[found[0].table].owner
        if len(found) == 1 and isinstance(found[0], TableRef) and owner is not None:
            then = TableRef(owner)
        dependent = [str(one.message) for one in dependents(document, *found)]
        masks = page.masks.of(*found)
        if masks:
            dependent.append(tr("Fields in masks: {masks}", masks=", ".join(masks)))
        if not dependent:
            self._store.apply(edit, then)
            return

        def remove() -> None:
            self._store.apply(replace(edit, dependents=True), then)

        RemovalDialog(self._view.appearance, self._view, edit.removed(document), dependent, remove).open()

    def _move_selection(self, step: int) -> None:
        self._move((self._store.page.selection,), step)

    def _go(self, step: int) -> None:
        self._jump_to(self._store.page.editing.history.position + step)

    def _move(self, refs: tuple[ElementRef, ...], step: int) -> None:
        """Moves entries of one table by ``step``, unless they are at its end already."""
        page = self._store.page
        found = [entry for entry in (entry_of(page.document, ref) for ref in refs) if entry is not None]
        if found:
            edit = MoveColumns(found[0][0].key, tuple(entry[1] for entry in found), step)
            if edit.apply_to(page.document) is not page.document:
                self._store.apply(edit)

    def _jump_to(self, position: int) -> None:
        self._store.put_editing(self._store.page.editing.jumped(position))

    def _selected(self) -> tuple[Document, Table | None]:
        page = self._store.page
        return page.document, page.document.by_key.get(page.selected_table or 0)

    def _index_after(self, table: Table) -> int | None:
        """The index after the selected entry of ``table``, None (the end) if none is selected."""
        page = self._store.page
        found = entry_of(page.document, page.selection)
        return found[2] + 1 if found and found[0].key == table.key else None


_APPLY = "schema.json.apply"


def _edit(document: Document, table: int | None, text: str) -> Edit:
    return edited_document(document, text) if table is None else edited_table(document, table, text)


class JsonCommands(PageController):
    """Reads edited JSON in a thread and applies it as one step, or shows the error at its line."""

    def __init__(self, page: SchemaContext) -> None:
        super().__init__(page)
        page.view.bottom.json_entered.connect(self._enter)

    def _enter(self, table: int | None, text: str) -> None:
        self._tasks.start(_APPLY, self._apply(table, text))

    async def _apply(self, table: int | None, text: str) -> None:
        page, editor = self._store.page, self._view.bottom.json
        document = page.document
        try:
            edit = await run_in_thread(_edit, document, table, text)
        except JsonTextError as error:
            editor.show_error(error.line, str(error.message))
            return
        except EditError as error:
            self._view.notice.show_text("warning", str(error.message))
            return
        if self._store.page.document is not document:
            text = tr("The document has changed meanwhile. Apply the text again.")
            self._view.notice.show_text("warning", text)
            return
        # Before the edit, so that the text of the new document is shown.
        editor.accept()
        self._store.apply(edit)


_LOAD, _KEEP = "schema.checks", "schema.checks.keep"


class CheckCommands(PageController):
    """The commands of the lists of problems and hints, and the policy of the model."""

    def __init__(self, page: SchemaContext) -> None:
        super().__init__(page)
        self._was_loaded = False
        page.view.bottom.fix_requested.connect(lambda fix: page.store.apply(fix.edit))
        page.view.bottom.silence_requested.connect(self._silence)
        page.actions["schema_policy"].triggered.connect(self._ask_policy)
        page.store.changed.connect(self._load_once)

    def _load_once(self, _page: PageState) -> None:
        if not self._was_loaded:
            self._was_loaded = True
            self._tasks.start(_LOAD, self._load())

    async def _load(self) -> None:
        stored = await run_in_thread(self._local_store.checks)
        if stored.silenced:
            self._put(silenced=stored.silenced)
        if stored.policy:
            await self._read_policy(Path(stored.policy))

    def _silence(self, silencer: str) -> None:
        """Silences a rule or hint; an empty text ends all silence."""
        silenced = self._store.page.checks.silenced | {silencer} if silencer else frozenset[str]()
        self._put(silenced=silenced)
        self._keep()

    def _ask_policy(self) -> None:
        """Lets the user choose a policy, or end the use of the one that is used."""
        page = self._store.page
        if page.checks.policy_file:
            text = tr("The model is checked against {file}.", file=page.checks.policy_file)
            self._view.notice.show_text(
                "accent",
                text,
                (tr("Choose another…"), self._choose_policy),
                (tr("Use none"), self._remove_policy),
            )
        else:
            self._choose_policy()

    def _choose_policy(self) -> None:
        filters = (f"{tr('Policies')} (*.toml *.json)",)
        ask_open_path(self._view, "schema.policy", tr("Policy"), filters, self._start_using)

    def _start_using(self, path: Path, _filter: str) -> None:
        self._tasks.start(_LOAD, self._use_policy(path))

    async def _use_policy(self, path: Path) -> None:
        """Reads a policy and checks the model against it from now on."""
        if await self._read_policy(path):
            self._keep()
            self._view.bottom.open_problems()

    async def _read_policy(self, path: Path) -> bool:
        try:
            policy: Policy = await run_in_thread(read_policy_file, path)
        except (OSError, PolicyError) as error:
            reason = str(error.message) if isinstance(error, PolicyError) else error.strerror or str(error)
            text = tr("The policy {file} cannot be used. {reason}", file=path.name, reason=reason)
            self._view.notice.show_text("danger", text)
            return False
        self._put(policy_file=str(path), policy=policy)
        return True

    def _remove_policy(self) -> None:
        self._put(policy_file="", policy=None)
        self._keep()

    def _put(self, **changed: object) -> None:
        page = self._store.page
        checks: CheckSettings = replace(page.checks, **changed)  # type: ignore[arg-type]
        self._store.put(replace(page, checks=checks))

    def _keep(self) -> None:
        page = self._store.page
        stored = StoredChecks(page.checks.silenced, page.checks.policy_file)
        self._tasks.start(_KEEP, self._write(stored))

    async def _write(self, stored: StoredChecks) -> None:
        try:
            await run_in_thread(self._local_store.keep_checks, stored)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._view.notice.show_text("warning", tr("The choice cannot be kept: {reason}.", reason=reason))


_OF_SEVERAL = {
    "boxes_left": BoxOrder.LEFT,
    "boxes_top": BoxOrder.TOP,
    "boxes_across": BoxOrder.ACROSS,
    "boxes_down": BoxOrder.DOWN,
}


class DiagramCommands(PageController):
    """Applies to the store and the layout what is done in the diagram."""

    def __init__(self, page: SchemaContext, layout: DiagramLayoutController) -> None:
        super().__init__(page)
        self._layout = layout
        diagram, actions = page.view.diagram, page.actions
        page.view.diagram_panel.name_editor.check = self._name_problem
        diagram.link_drawn.connect(self._link)
        diagram.nudged.connect(self._nudge)
        actions["boxes_all"].triggered.connect(diagram.choose_all_boxes)
        for name, how in _OF_SEVERAL.items():
            self._on(name, self._align, how)
        actions["boxes_arrange"].triggered.connect(self._arrange)
        actions["arrange_down"].toggled.connect(layout.arranger.set_downwards)
        layout.arranger.set_downwards(actions["arrange_down"].isChecked())
        diagram.diagram_scene.boxes_chosen.connect(self._update_actions)
        diagram.diagram_scene.selection_changed.connect(self._update_actions)
        layout.drawn.connect(self._update_actions)
        page.store.changed.connect(self._follow)
        self._update_actions()

    def _follow(self, page: PageState) -> None:
        self._view.diagram.set_propose_link(self._propose if page.is_editable else None)

    def _update_actions(self) -> None:
        """Enables what is for several selected tables."""
        has_several = bool(self._view.diagram.chosen_boxes)
        why = "" if has_several else tr("Select several tables in the diagram first.")
        for name in _OF_SEVERAL:
            self._actions.set_possible(name, has_several, why)
        can_arrange = bool(self._arranged_tables)
        self._actions.set_possible("boxes_arrange", can_arrange, "" if can_arrange else why)

    def _propose(self, source: TableRef | ColumnRef, target: int, as_new: bool) -> LinkProposal:
        page = self._store.page
        return propose_link(page.document, page.editing.current, source, target, as_new=as_new)

    def _link(self, proposal: LinkProposal) -> None:
        if proposal.edit is not None:
            self._store.apply(proposal.edit, proposal.ref)
        else:
            self._view.notice.show_text("warning", str(proposal.text))

    def _name_problem(self, ref: ElementRef, name: str) -> Message | None:
        page = self._store.page
        if not isinstance(ref, TableRef | ColumnRef) or not page.document.contains(ref):
            return None
        return new_name_problem(page.document, ref, name)

    def _nudge(self, across: float, down: float) -> None:
        tables = self._view.diagram.moving_boxes
        boxes = [box for box in map(self._layout.box_of, tables) if box is not None]
        if boxes:
            positions = {box.table: (box.x + across, box.y + down) for box in boxes}
            self._layout.move_boxes(positions, kind=f"nudge {sorted(tables)}")

    def _align(self, how: BoxOrder) -> None:
        found = map(self._layout.box_of, sorted(self._view.diagram.chosen_boxes))
        boxes = [box for box in found if box is not None]
        if len(boxes) > 1:
            title = (
                message("Align {count} tables", count=len(boxes))
                if how in (BoxOrder.LEFT, BoxOrder.TOP)
                else message("Space {count} tables evenly", count=len(boxes))
            )
            self._layout.move_boxes(aligned(boxes, how), title)

    def _arrange(self) -> None:
        self._layout.arranger.arrange_part(self._arranged_tables)

    @property
    def _arranged_tables(self) -> frozenset[int]:
        """The selected boxes, or those of the selected group."""
        diagram = self._view.diagram
        group = self._layout.arrangement.groups.by_key.get(diagram.chosen_group or 0)
        shown = diagram.diagram_scene.tables.keys()
        return diagram.chosen_boxes or (frozenset() if group is None else group.tables.intersection(shown))


_FIND = "schema.hits"
_SMALL = 1500  # entries of tables


@dataclass(frozen=True, slots=True)
class _Found:
    """The hits of a search; ``at`` is the index of the one that is walked to, None before the first."""

    wanted: str = ""
    hits: tuple[SearchHit, ...] = ()
    at: int | None = None


class SearchController(PageController):
    """Searches the names, types, comments and localized names while the search field has a text."""

    def __init__(self, page: SchemaContext, scope: ScopeController) -> None:
        super().__init__(page)
        view, actions = page.view, page.actions
        self._scope = scope
        self._index: tuple[Document, LocalizedNames | None, SearchIndex] | None = None
        self._found = _Found()
        self._is_asked = False  # for the next hit, while the index is being made
        self.bar = FindBar(view.appearance, actions, view.diagram_panel)
        view.diagram_panel.add_bar(self.bar, self._result_text)
        self.bar.show_button.clicked.connect(self._show_hidden)
        self.bar.close_button.clicked.connect(view.tables.search.clear)
        self._on("find_next", self._go, 1)
        self._on("find_previous", self._go, -1)
        view.tables.search.textChanged.connect(self._search)
        view.tables.entered.connect(partial(self._go, 1))
        page.store.changed.connect(self._update)
        scope.shown_changed.connect(self._show)
        self._show()

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The hits, best first."""
        return self._found.hits

    def _result_text(self) -> str:
        """What was searched, and how many hits there are."""
        count = len(self._found.hits)
        hits = tr("{count:1 hit|{count} hits}", count=count) if count else tr("No hits")
        return tr("Search: “{text}”", text=self._view.tables.search.text().strip()) + f" · {hits}"

    @property
    def _wanted(self) -> str:
        return self._view.tables.search.text().strip().lower()

    def _search(self) -> None:
        page, wanted = self._store.page, self._wanted
        if not wanted:
            self._tasks.cancel(_FIND)
            self._take(_Found())
            return
        index = self._known_index(page)
        if index is None:
            self._make_index(page.document, page.checks.names)
        else:
            self._take(_Found(wanted, index.find(wanted)))

    def _known_index(self, page: PageState) -> SearchIndex | None:
        document, names, index = self._index or (None, None, None)
        return index if document is page.document and names is page.checks.names else None

    def _make_index(self, document: Document, names: LocalizedNames | None) -> None:
        """Makes the index of a small document at once, that of a large one on a thread."""
        self._is_asked = False
        if sum(len(table.entries) for table in document.tables) <= _SMALL:
            self._take_index(document, names, _index_of(document, names))
        else:
            self._tasks.start(_FIND, self._find(document, names))

    async def _find(self, document: Document, names: LocalizedNames | None) -> None:
        self._take_index(document, names, await run_in_thread(_index_of, document, names))
        if self._is_asked:
            self._walk(1)

    def _take_index(self, document: Document, names: LocalizedNames | None, index: SearchIndex) -> None:
        self._index = document, names, index
        wanted, before = self._wanted, self._found
        hits = index.find(wanted)
        at = None
        if before.wanted == wanted and before.at is not None:
            # After an edit the walk goes on from the same element.
            ref = before.hits[before.at].ref
            at = next((n for n, hit in enumerate(hits) if hit.ref == ref), None)
        self._take(_Found(wanted, hits, at))

    def _update(self, page: PageState) -> None:
        """Searches again after an edit."""
        if self._wanted:
            if self._known_index(page) is None:
                self._make_index(page.document, page.checks.names)
        elif self._index is not None and self._index[0] is not page.document:
            self._index = None

    def _take(self, found: _Found) -> None:
        self._found = found
        others = (hit.ref for hit in found.hits if hit.where in (Where.COMMENT, Where.LOCALIZED_NAME))
        self._view.tables.show_found(frozenset(others))
        self._show()

    def _show(self) -> None:
        """Shows the hits in the diagram and in the bar."""
        found = self._found
        refs: frozenset[ElementRef] = frozenset(hit.ref for hit in found.hits)
        hit = None if found.at is None else found.hits[found.at]
        tables = self._scope.tables_of(refs)
        self._view.diagram.diagram_scene.show_hits(refs, DOCUMENT if hit is None else hit.ref, tables)
        for name in ("find_next", "find_previous"):
            self._actions.set_possible(name, bool(found.hits), tr("Search for something first (Ctrl+F)."))
        if found.wanted:
            number = 0 if found.at is None else found.at + 1
            hidden = len(self._scope.not_shown(refs))
            self.bar.show_hits(number, len(found.hits), "" if hit is None else self._text(hit), hidden)
        else:
            self.bar.hide()

    def _text(self, hit: SearchHit) -> str:
        """What the search has found in an element."""
        found = {
            Where.NAME: hit.name,
            Where.TYPE: tr("{name}: type {text}", name=hit.name, text=hit.text),
            Where.COMMENT: tr("{name}: comment “{text}”", name=hit.name, text=hit.text),
            Where.LOCALIZED_NAME: tr("{name}: localized “{text}”", name=hit.name, text=hit.text),
        }[hit.where]
        return tr("{hit} – not shown", hit=found) if self._scope.not_shown((hit.ref,)) else found

    def _go(self, by: int) -> None:
        """Walks to the next hit; after the last one comes the first."""
        self._is_asked = self._tasks.is_running(_FIND)
        if not self._is_asked:
            self._walk(by)

    def _walk(self, by: int) -> None:
        found = self._found
        if not found.hits:
            return
        at = (0 if by > 0 else -1) if found.at is None else found.at + by
        self._found = _Found(found.wanted, found.hits, at % len(found.hits))
        self._view.go_to_match(found.hits[at % len(found.hits)].ref)
        self._show()

    def _show_hidden(self) -> None:
        self._scope.show_tables(self._scope.not_shown(hit.ref for hit in self._found.hits))


def _index_of(document: Document, names: LocalizedNames | None) -> SearchIndex:
    return SearchIndex(document, lambda ref: {} if names is None else names.of(document, ref))
