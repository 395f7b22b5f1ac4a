"""Proposes the differences of another model, and takes the chosen ones over as one step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTabBar,
    QTreeWidgetItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.validation import Problem, Severity, find_problems
from cdb_desktop.schema.diff.apply import ImportSource, Proposal, model_source, propose
from cdb_desktop.schema.diff.compare import Change, ItemId, Risk, summary
from cdb_desktop.schema.diff.matching import IdPair, MatchBy
from cdb_desktop.schema.diff.report import Review
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.incoming import without_counterpart
from cdb_desktop.ui.schema.form.dialogs import text_list
from cdb_desktop.ui.schema.page.change_tree import ChangeTree
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionController, OtherModel
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import FLAT_TABS
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTree
from cdb_desktop.vocabulary.error_messages import error_message

_COMPARE, _CHECK, _TAKE = "schema.promotion", "schema.promotion.check", "schema.promotion.take"


class PromotionController(PageController):
    """Opens the dialog for a source, which may be a version of another connection."""

    def __init__(self, page: SchemaContext, connections: OtherConnections | None) -> None:
        super().__init__(page)
        self.others = None
        if connections is not None:
            self.others = OtherConnectionController(page, connections)

    def ask_connection(self) -> None:
        """Asks for another connection, and proposes the differences of its model."""
        if not self._store.page.is_editable or self.others is None:
            return
        text = tr(
            "Its model is read and compared with what you see here. Then you choose what is taken over; "
            "nothing changes there."
        )
        self.others.ask(self._view, text, self._take_model)

    def _take_model(self, model: OtherModel) -> None:
        if model.document is not None:
            source = model_source(model.name, model.document, model.names)
            extended = self._store.page.has_extended_options
            losses = without_counterpart(model.document, extended=extended)
            self.propose(replace(source, losses=losses))

    def propose(self, source: ImportSource) -> None:
        """Opens the dialog with the differences of a source."""
        page = self._store.page
        if not page.is_editable:
            return
        base = page.editing.document
        dialog = PromotionDialog(self._view.appearance, self._view, source, into_file=bool(page.file))
        dialog.show_matching(possible=source.best is not None)
        dialog.match_chosen.connect(lambda by: self._compare(dialog, source, base, by))
        dialog.choice_changed.connect(lambda: self._check(dialog))
        dialog.taken.connect(lambda: self._take(dialog, base))
        dialog.finished.connect(self._cancel)
        dialog.open()
        self._compare(dialog, source, base, None)

    def _cancel(self) -> None:
        for name in (_COMPARE, _CHECK):
            self._tasks.cancel(name)

    def _compare(
        self, dialog: PromotionDialog, source: ImportSource, base: Document, by: MatchBy | None
    ) -> None:
        async def compare() -> None:
            dialog.show_proposal(await run_in_thread(propose, source, base, by))

        dialog.accept_button.setEnabled(False)
        dialog.counts.setText(tr("Comparing…"))
        self._tasks.start(
            _COMPARE, compare(), on_error=lambda error: dialog.show_failure(error_message(error))
        )

    def _check(self, dialog: PromotionDialog) -> None:
        """Shows the errors that the result would have."""
        page = self._store.page
        proposal = dialog.proposal
        if proposal is None:
            return
        current, chosen = page.editing.current, dialog.chosen

        async def check() -> None:
            problems = await run_in_thread(_new_errors, proposal, chosen, current)
            if dialog.chosen == chosen:
                dialog.show_problems(problems)

        self._tasks.start(_CHECK, check())

    def _take(self, dialog: PromotionDialog, base: Document) -> None:
        proposal, chosen = dialog.proposal, dialog.chosen
        if proposal is None or not chosen:
            return
        dialog.accept()
        self._tasks.start(_TAKE, self._put(proposal, chosen, base))

    async def _put(self, proposal: Proposal, chosen: frozenset[ItemId], base: Document) -> None:
        document = await run_in_thread(partial(proposal.result, chosen))
        page = self._store.page
        name = proposal.source.name
        if page.editing.document is not base or not page.is_editable:
            text = tr(
                "The schema has changed in the meantime. Nothing was taken over; import {name} again.",
                name=name,
            )
            self._view.notice.show_text("warning", text)
            return
        self._store.put_editing(page.editing.changed(message("Take over from {name}", name=name), document))


def _new_errors(
    proposal: Proposal, chosen: frozenset[ItemId], current: Document | None
) -> tuple[Problem, ...]:
    """The errors of the result that the target does not have."""
    known = {(one.ref, one.code) for one in find_problems(proposal.differences.target, current)}
    found = find_problems(proposal.result(chosen), current)
    return tuple(one for one in found if one.severity is Severity.ERROR and (one.ref, one.code) not in known)


_WIDTH, _HIGHEST, _LOSSES_HEIGHT = 960, 640, 76


class PromotionDialog(BaseDialog):
    """Shows all differences with a checkbox each, and the ids on both sides.

    At first everything is chosen but what removes something, or may lose or shorten values.

    Signals: ``match_chosen`` with the MatchBy · ``choice_changed`` when differences were chosen or not ·
    ``taken`` when the chosen ones are to be taken over.
    """

    match_chosen = Signal(object)
    choice_changed = Signal()
    taken = Signal()

    def __init__(
        self, appearance: Appearance, parent: QWidget, source: ImportSource, *, into_file: bool
    ) -> None:
        super().__init__(appearance, "schema.promotion", parent)
        self._proposal: Proposal | None = None
        self.chosen: frozenset[ItemId] = frozenset()
        self.match = named("schema.promotion.match", Choice(characters=8))
        self.changes = ChoiceTree(appearance, self)
        self.ids = IdTree(self)
        self.counts = named("schema.promotion.counts", ElidedLabel(self))
        self._hint = named("schema.promotion.hint", Label(self))
        self._tabs = named("schema.promotion.tabs", QTabBar(self))
        self._stack = QStackedWidget(self)
        self.choose_all = self.make_button("all", tr("&All"))
        self.choose_safe = self.make_button("safe", tr("Without &risks"))
        self.choose_none = self.make_button("none", tr("N&one"))
        step = tr("What is checked becomes part of the draft, as one step that Undo takes back.")
        rest = tr("The file changes when you save.")
        if not into_file:
            rest = tr("Nothing is sent to the service before you save.")
        self.set_texts(tr("Take over from {name}", name=source.name), f"{step} {rest}", tr("Take over"))
        self._arrange_content(source.losses)
        self._connect()

    @property
    def proposal(self) -> Proposal | None:
        """What is shown, None while it is being compared."""
        return self._proposal

    def show_proposal(self, proposal: Proposal) -> None:
        """Shows the differences, with everything chosen but what has a risk."""
        self._proposal = proposal
        found = proposal.differences
        if proposal.source.best is not None:
            self.match.show_choices(
                [(tr("ids, then names"), MatchBy.IDS), (tr("names only"), MatchBy.NAMES)], proposal.by
            )
        self.ids.show_ids(proposal.alignment.ids)
        self.chosen = found.all_ids - found.risks
        self.changes.show_items(proposal, found.items, self.chosen)
        self.changes.setFocus()
        self.choose_safe.setEnabled(bool(found.risks))
        for button in (self.choose_all, self.choose_none):
            button.setEnabled(bool(found.items))
        text = ""
        if (proposal.by, proposal.best) == (MatchBy.IDS, MatchBy.NAMES):
            text = tr("Most tables have other ids there, so the same id means something else. Choose names.")
        self._hint.setText(text)
        self._update()

    def choose(self, ids: Collection[ItemId], *, on: bool) -> None:
        """Chooses differences with what they need, or removes them with what needs them."""
        if self._proposal is None:
            return
        found, before = self._proposal.differences, self.chosen
        self.chosen = found.with_ids(before, ids) if on else found.without(before, ids)
        others = len((self.chosen ^ before) - set(ids))
        text = ""
        if others and on:
            text = tr(
                "{count:One more change was checked, which this needs.|"
                "{count} more changes were checked, which this needs.}",
                count=others,
            )
        elif others:
            text = tr(
                "{count:One more change was unchecked, which needs this.|"
                "{count} more changes were unchecked, which need this.}",
                count=others,
            )
        self._hint.setText(text)
        self._update()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Shows the errors that the result would have."""
        if not problems:
            self.show_fault("")
            return
        text = tr(
            "{count:The result would have an error:|The result would have {count} errors, such as:} "
            "{problem}",
            count=len(problems),
            problem=str(problems[0].message),
        )
        self.show_fault(text, "warning")

    def _update(self) -> None:
        proposal = self._proposal
        if proposal is None:
            return
        self.changes.show_chosen(self.chosen)
        items = [item for item in proposal.differences.items if item.id in self.chosen]
        counts = ", ".join(str(count) for count in summary(items))
        if not proposal.differences.items:
            counts = tr("No differences.")
        lossy = sum(item.risk is Risk.DESTROYING for item in items)
        if lossy:
            counts = f"{counts} · {tr('{count:one loses|{count} lose} values', count=lossy)}"
        self.counts.setText(counts or tr("Nothing is checked."))
        self.accept_button.setEnabled(bool(items))
        self.accept_button.setText(
            tr("Take over {count:the change|{count} changes}", count=max(len(items), 1))
        )
        self.accept_button.updateGeometry()
        self.choice_changed.emit()

    def _choose_all(self) -> None:
        if self._proposal is not None:
            self.choose(self._proposal.differences.all_ids, on=True)

    def _choose_none(self) -> None:
        if self._proposal is not None:
            self.choose(self._proposal.differences.all_ids, on=False)

    def _choose_safe(self) -> None:
        if self._proposal is not None:
            found = self._proposal.differences
            self.chosen = found.all_ids
            self.choose(found.risks, on=False)
            self._hint.setText("")

    def _arrange_content(self, losses: Sequence[str]) -> None:
        self._tabs.setStyleSheet(FLAT_TABS)
        self._tabs.setDrawBase(False)
        self._tabs.addTab(tr("Changes"))
        self._tabs.addTab(tr("Ids"))
        self._stack.addWidget(self.changes)
        self._stack.addWidget(self.ids)
        label = Label(tr("Match elements by"), self)
        self.match.setAccessibleName(label.text())
        self.match.setMinimumContentsLength(14)
        top = lay_out(QHBoxLayout(), self._tabs, spacing=GAP)
        top.addStretch(1)
        top.addWidget(label)
        top.addWidget(self.match)
        self._match_label = label
        self.body.addLayout(top)
        self.body.addWidget(self._stack, stretch=1)
        self.add_line(*(self.counts, self.choose_all, self.choose_safe, self.choose_none), wide=self.counts)
        self._hint.setWordWrap(True)
        self.body.addWidget(self._hint)
        if losses:
            self.body.addWidget(Label(tr("Without a counterpart, or changed:"), self))
            listed = text_list(list(losses), self)
            listed.setObjectName("schema.losses.list")
            listed.setAccessibleName(tr("Without a counterpart"))
            listed.setFixedHeight(_LOSSES_HEIGHT)
            self.body.addWidget(listed)
        self.setMinimumWidth(720)
        self.resize(_WIDTH, min(self.sizeHint().height(), _HIGHEST))

    def show_matching(self, *, possible: bool) -> None:
        """Shows or hides the choice how elements are found."""
        for widget in (self.match, self._match_label):
            widget.setVisible(possible)

    def _connect(self) -> None:
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self.match.decided.connect(self.match_chosen)
        self.changes.toggled.connect(lambda ids, on: self.choose(ids, on=on))
        self.choose_all.clicked.connect(self._choose_all)
        self.choose_safe.clicked.connect(self._choose_safe)
        self.choose_none.clicked.connect(self._choose_none)
        self.accept_button.clicked.connect(self.taken)


_MOST_EXPANDED = 500  # elements, so that opening does not take long
_TABLE = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ChoiceTree(ChangeTree):
    """The differences by tables; Space checks or unchecks all selected ones.

    Signals: ``toggled`` with the ids of differences and whether they are to be chosen.
    """

    toggled = Signal(object, bool)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        name, more = "schema.promotion.changes", [tr("Id there → here")]
        super().__init__(appearance, parent, name, more, widths=(420, 88, 88, 150))
        self._chosen: frozenset[ItemId] = frozenset()
        self._pairs: dict[ElementRef, IdPair] = {}
        self._ids: dict[int, ItemId] = {}  # by the identity of the change, since values cannot be hashed
        self.itemChanged.connect(self._toggle)

    def show_items(self, proposal: Proposal, items: Iterable[Change], chosen: frozenset[ItemId]) -> None:
        """Replaces the rows."""
        found = proposal.differences
        listed = list(items)
        self._ids = {id(item): item.id for item in listed}
        self._pairs = {pair.ref: pair for pair in proposal.alignment.ids}
        self._chosen = chosen
        review = Review(found.shells, found.source, "", "", ())
        self.show_changes(review, listed)
        self.show_chosen(chosen)

    def show_chosen(self, chosen: frozenset[ItemId]) -> None:
        """Checks the chosen rows; the row of a table is checked if all of its rows are."""
        self._chosen = chosen
        with QSignalBlocker(self):
            for at in range(self.topLevelItemCount()):
                group = self.topLevelItem(at)
                if group is None:
                    continue
                states = {self._state(change) for change in self.changes_of(group)}
                both = len(states) > 1
                group.setCheckState(0, Qt.CheckState.PartiallyChecked if both else states.pop())
                for row in range(group.childCount()):
                    self._show_state(group.child(row))
        self.viewport().update()

    def _add(self, group: QTreeWidgetItem, review: Review, change: Change) -> QTreeWidgetItem:
        with QSignalBlocker(self):
            item = super()._add(group, review, change)
            pair = self._pairs.get(change.ref)
            item.setText(4, "" if pair is None else pair_text(pair))
            self._show_state(item)
        return item

    def _state(self, change: Change) -> Qt.CheckState:
        return _CHECKED if self._ids[id(change)] in self._chosen else _UNCHECKED

    def _show_state(self, item: QTreeWidgetItem | None) -> None:
        change = None if item is None else self.change_of(item)
        if item is not None and change is not None:
            item.setCheckState(0, self._state(change))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Space toggles all selected rows like the current one."""
        item = self.currentItem()
        if event.key() != Qt.Key.Key_Space or item is None:
            super().keyPressEvent(event)
            return
        on = item.checkState(0) != _CHECKED
        self.toggled.emit([self._ids[id(change)] for change in self.selected], on)

    def _toggle(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 0:
            ids = [self._ids[id(change)] for change in self.changes_of(item)]
            self.toggled.emit(ids, item.checkState(0) == _CHECKED)


class IdTree(PlainTree):
    """All tables and columns of both sides with their ids there and here."""

    def __init__(self, parent: QWidget) -> None:
        headings = [tr("Element"), tr("Id there"), tr("Id here")]
        super().__init__("schema.promotion.ids", tr("Ids"), headings, parent)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            self.headerItem().setTextAlignment(column, _RIGHT)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._columns: dict[int, list[IdPair]] = {}  # by the key of the table
        self.itemExpanded.connect(self._add_columns)

    def show_ids(self, pairs: Sequence[IdPair]) -> None:
        """Replaces the rows. The columns of a table are added when its row is expanded."""
        self.clear()
        self._columns.clear()
        for pair in pairs:
            if isinstance(pair.ref, ColumnRef):
                self._columns.setdefault(pair.ref.table, []).append(pair)
        items: list[QTreeWidgetItem] = []
        for pair in pairs:
            if isinstance(pair.ref, TableRef):
                item = _id_row(pair)
                item.setData(0, _TABLE, pair.ref.table)
                if pair.ref.table in self._columns:
                    shown = QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator
                    item.setChildIndicatorPolicy(shown)
                items.append(item)
        is_expanded = len(pairs) <= _MOST_EXPANDED
        for item in items if is_expanded else ():
            self._add_columns(item)
        self.addTopLevelItems(items)
        # Not expandAll(), which crashes with a slot that takes the item.
        for item in items if is_expanded else ():
            item.setExpanded(True)

    def _add_columns(self, item: QTreeWidgetItem) -> None:
        for pair in self._columns.pop(item.data(0, _TABLE), ()):
            item.addChild(_id_row(pair))


def _id_row(pair: IdPair) -> QTreeWidgetItem:
    here = id_text(pair.target, is_new=not pair.in_target)
    item = QTreeWidgetItem([pair.name, id_text(pair.source), here])
    for column in (1, 2):
        item.setTextAlignment(column, _RIGHT)
    return item


def pair_text(pair: IdPair) -> str:
    """The ids of an element there and here."""
    if not pair.in_source:
        return id_text(pair.target)
    here = id_text(pair.target, is_new=not pair.in_target)
    return here if pair.source is None else f"{pair.source} → {here}"


def id_text(id_: int | None, *, is_new: bool = False) -> str:
    """An id as it is shown: ``new`` if the service will assign it, a dash if there is none."""
    if is_new:
        return tr("new", context="id")
    return "–" if id_ is None else str(id_)
