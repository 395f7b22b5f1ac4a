"""The window that compares two versions: the changes by tables, with filters, Reveal, Revert and reports."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.change import Change, ChangeKind, Risk, summary
from cdb_desktop.schema.diff.report import Review
from cdb_desktop.ui.schema.form.fields import ChoiceField
from cdb_desktop.ui.schema.page.change_tree import ChangeTree
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named

_WIDTH = 880
_CHANGE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 5_000


class VersionComparisonDialog(BaseDialog):
    """Stays open beside the page, which shows the element that is revealed.

    Signals: ``pair_chosen`` with the data of both versions, old and new · ``reveal_requested`` with one
    Change · ``revert_requested`` with the selected changes · ``report_requested`` with those that are listed.
    """

    pair_chosen = Signal(object, object)
    reveal_requested = Signal(object)
    revert_requested = Signal(object)
    report_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "schema.compare", parent)
        self.old = ChoiceField("schema.compare.old", self)
        self.new = ChoiceField("schema.compare.new", self)
        self.kind = ChoiceField("schema.compare.kind", self)
        self.risk = ChoiceField("schema.compare.risk", self)
        self.changes = ChangeTree(appearance, self)
        self.notes = named("schema.compare.notes", Label(self))
        self.counts = named("schema.compare.counts", ElidedLabel(self))
        self._swap = self._button("swap", tr("S&wap"))
        self._reveal = self._button("reveal", tr("&Reveal"))
        self._report = self._button("report", tr("Re&port…"))
        self._review: Review | None = None
        self._can_revert = self._is_import = False
        self._add_content()
        self._connect()
        self._check()

    @property
    def review(self) -> Review | None:
        """What is shown, None while it is being compared."""
        return self._review

    def show_choices(self, choices: list[tuple[str, object]], old: object, new: object) -> None:
        """Shows the versions that can be chosen, and the chosen ones."""
        self.old.show_choices(choices, old)
        self.new.show_choices(choices, new)

    def show_review(self, review: Review | None, *, can_revert: bool, is_import: bool = False) -> None:
        """Shows the changes; ``can_revert`` if the new version is the draft and may be edited.

        ``is_import``: the old version is a file, so that reverting takes over what the file has.
        """
        self._review = review
        self._can_revert = can_revert
        self._is_import = is_import
        notes = {} if review is None else review.notes
        self.notes.setText("\n".join(f"{name}: {text}" for name, text in notes.items()))
        self.notes.setVisible(bool(notes))
        self._filter()

    def _filter(self) -> None:
        review = self._review
        listed = [] if review is None else [one for one in review.changes if self._is_listed(one)]
        self.changes.show_changes(review, listed)
        text = tr("Comparing…")
        if review is not None:
            text = ", ".join(str(count) for count in summary(listed)) or tr("No differences.")
        self.counts.setText(text)
        self._check()

    def _is_listed(self, change: Change) -> bool:
        kind, risk = self.kind.currentData(), self.risk.currentData()
        return kind in (None, change.kind) and (risk is None or change.risk >= risk)

    def _check(self) -> None:
        count = len(self.changes.selected)
        self.accept_button.setEnabled(self._can_revert and count > 0)
        if self._is_import:
            text = tr("Take over {count:the change|{count} changes}", count=max(count, 1))
        else:
            text = tr("Revert {count:the change|{count} changes}", count=max(count, 1))
        self.accept_button.setText(text)
        self.accept_button.updateGeometry()
        self._reveal.setEnabled(self.changes.current_change is not None)
        self._report.setEnabled(self._review is not None)

    def _request_revert(self) -> None:
        if self.changes.selected and self._can_revert:
            self.revert_requested.emit(self.changes.selected)

    def _request_reveal(self) -> None:
        change = self.changes.current_change
        if change is not None:
            self.reveal_requested.emit(change)

    def _exchange(self) -> None:
        self.pair_chosen.emit(self.new.currentData(), self.old.currentData())

    def _choose(self) -> None:
        self.pair_chosen.emit(self.old.currentData(), self.new.currentData())

    def _button(self, name: str, text: str) -> QPushButton:
        button = named(f"schema.compare.{name}", QPushButton(text, self))
        button.setAutoDefault(False)
        return button

    def _add_content(self) -> None:
        text = tr("All changes that lead from one version to the other, by the ids of tables and columns.")
        self.set_texts(tr("Compare versions"), text, "")
        self.setModal(False)
        self.accept_button.setToolTip(tr("HEAD gets what the first version has, as one step"))
        self.accept_button.setDefault(False)
        self.accept_button.setAutoDefault(False)
        self.cancel_button.setText(tr("Close"))
        kinds: list[tuple[str, object]] = [
            (tr("All kinds"), None),
            (tr("Added"), ChangeKind.ADDED),
            (tr("Removed"), ChangeKind.REMOVED),
            (tr("Renamed"), ChangeKind.RENAMED),
            (tr("Type"), ChangeKind.TYPE),
            (tr("Options"), ChangeKind.OPTION),
            (tr("Keys"), ChangeKind.KEY),
            (tr("Moved"), ChangeKind.MOVED),
        ]
        risks: list[tuple[str, object]] = [
            (tr("All risks"), None),
            (tr("May fail or lose values"), Risk.NARROWING),
            (tr("Loses values"), Risk.DESTROYING),
        ]
        self.kind.show_choices(kinds, None)
        self.risk.show_choices(risks, None)
        labels = (
            (self.old, tr("From")),
            (self.new, tr("To")),
            (self.kind, tr("Kind")),
            (self.risk, tr("Risk")),
        )
        for choice, label in labels:
            choice.setAccessibleName(label)
        versions = QHBoxLayout()
        versions.setSpacing(GAP)
        for choice, label in labels[:2]:
            choice.setMinimumContentsLength(18)
            versions.addWidget(Label(label, self))
            versions.addWidget(choice, stretch=1)
        versions.addWidget(self._swap)
        filters = QHBoxLayout()
        filters.setSpacing(GAP)
        filters.addWidget(self.counts, stretch=1)
        filters.addWidget(self.kind)
        filters.addWidget(self.risk)
        self.body.addLayout(versions)
        self.body.addWidget(self.notes)
        self.body.addLayout(filters)
        self.body.addWidget(self.changes, stretch=1)
        self._buttons.insertWidget(0, self._report)
        self._buttons.insertWidget(0, self._reveal)
        self._buttons.insertSpacing(2, GROUP)
        for button in (self._swap, self._reveal, self._report):
            self._level(button)
        self.setMinimumWidth(720)
        self.resize(_WIDTH, self.sizeHint().height())

    def _connect(self) -> None:
        for version in (self.old, self.new):
            version.decided.connect(self._choose)
        for choice in (self.kind, self.risk):
            choice.decided.connect(self._filter)
        self._swap.clicked.connect(self._exchange)
        self._reveal.clicked.connect(self._request_reveal)
        self._report.clicked.connect(lambda: self.report_requested.emit(self.changes.listed))
        self.accept_button.clicked.connect(self._request_revert)
        self.changes.itemSelectionChanged.connect(self._check)
        self.changes.itemActivated.connect(self._request_reveal)
