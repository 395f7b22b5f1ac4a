"""The dialog that chooses which differences of another model are taken over."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QTabBar, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.change import Risk, summary
from cdb_desktop.schema.diff.differences import ItemId
from cdb_desktop.schema.diff.matching import MatchBy
from cdb_desktop.schema.diff.proposal import Proposal
from cdb_desktop.schema.validation.problem import Problem
from cdb_desktop.ui.schema.form.dialogs import text_list
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.schema.promotion.choice_tree import ChoiceTree, IdTree
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import FLAT_TABS
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named

_WIDTH, _LOSSES_HEIGHT = 960, 76


class PromotionDialog(BaseDialog):
    """Shows all differences with a checkbox each, and the ids on both sides.

    At first everything is chosen but what removes something or loses values.

    Signals: ``match_chosen`` with the MatchBy · ``choice_changed`` when differences were chosen or not ·
    ``taken`` when the chosen ones are to be taken over.
    """

    match_chosen = Signal(object)
    choice_changed = Signal()
    taken = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget, name: str, losses: Sequence[str]) -> None:
        super().__init__(appearance, "schema.promotion", parent)
        self._proposal: Proposal | None = None
        self.chosen: frozenset[ItemId] = frozenset()
        self.match = ChoiceField("schema.promotion.match", self)
        self.changes = ChoiceTree(appearance, self)
        self.ids = IdTree(self)
        self.counts = named("schema.promotion.counts", ElidedLabel(self))
        self._hint = named("schema.promotion.hint", Label(self))
        self._tabs = named("schema.promotion.tabs", QTabBar(self))
        self._stack = QStackedWidget(self)
        self.choose_all = self._button("all", tr("&All"))
        self.choose_safe = self._button("safe", tr("Without &removals"))
        self.choose_none = self._button("none", tr("N&one"))
        text = tr(
            "What is checked becomes part of the draft, as one step that Undo takes back. Nothing is sent to "
            "the service before you save."
        )
        self.set_texts(tr("Take over from {name}", name=name), text, tr("Take over"))
        self._arrange_content(losses)
        self._connect()

    @property
    def proposal(self) -> Proposal | None:
        """What is shown, None while it is being compared."""
        return self._proposal

    def show_proposal(self, proposal: Proposal) -> None:
        """Shows the differences, with everything chosen but removals."""
        self._proposal = proposal
        found = proposal.differences
        if proposal.source.best is not None:
            self.match.show_choices(
                [(tr("ids, then names"), MatchBy.IDS), (tr("names only"), MatchBy.NAMES)], proposal.by
            )
        self.ids.show_ids(proposal.alignment.ids)
        self.chosen = found.all_ids - found.removals
        self.changes.show_items(proposal, found.items, self.chosen)
        self.changes.setFocus()
        self.choose_safe.setEnabled(bool(found.removals))
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
        counts = ", ".join(str(count) for count in summary(item.change for item in items))
        if not proposal.differences.items:
            counts = tr("No differences.")
        lossy = sum(item.change.risk is Risk.DESTROYING for item in items)
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
            self.choose(found.removals, on=False)
            self._hint.setText("")

    def _button(self, name: str, text: str) -> QPushButton:
        button = named(f"schema.promotion.{name}", QPushButton(text, self))
        button.setAutoDefault(False)
        return button

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
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self._tabs)
        top.addStretch(1)
        top.addWidget(label)
        top.addWidget(self.match)
        self._match_label = label
        marks = QHBoxLayout()
        marks.setSpacing(GAP)
        marks.addWidget(self.counts, stretch=1)
        for button in (self.choose_all, self.choose_safe, self.choose_none):
            self._level(button)
            marks.addWidget(button)
        self.body.addLayout(top)
        self.body.addWidget(self._stack, stretch=1)
        self.body.addLayout(marks)
        self._hint.setWordWrap(True)
        self.body.addWidget(self._hint)
        if losses:
            self.body.addWidget(Label(tr("Not taken over, or changed:"), self))
            listed = text_list(list(losses), self)
            listed.setObjectName("schema.losses.list")
            listed.setAccessibleName(tr("Without a counterpart"))
            listed.setFixedHeight(_LOSSES_HEIGHT)
            self.body.addWidget(listed)
        self.setMinimumWidth(720)
        self.resize(_WIDTH, self.sizeHint().height())

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
