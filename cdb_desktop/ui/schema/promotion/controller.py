"""Proposes the differences of another model, and takes the chosen ones over as one step."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diff.differences import ItemId
from cdb_desktop.schema.diff.matching import MatchBy
from cdb_desktop.schema.diff.proposal import ImportSource, Proposal, model_source, propose
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.schema.validation.validate import find_problems
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionController, OtherModel
from cdb_desktop.ui.schema.promotion.dialog import PromotionDialog
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message

_COMPARE, _CHECK, _TAKE = "schema.promotion", "schema.promotion.check", "schema.promotion.take"


class PromotionController(QObject):
    """Opens the dialog for a source, which may be a version of another connection."""

    def __init__(
        self, store: PageStore, view: SchemaView, tasks: Tasks, connections: OtherConnections | None
    ) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self.others = None
        if connections is not None:
            self.others = OtherConnectionController(view, tasks, connections)

    def ask_connection(self) -> None:
        """Asks for another connection, and proposes the differences of its model."""
        page = self._store.page
        if page is None or not page.is_editable or self.others is None:
            return
        text = tr(
            "Its model is read and compared with what you see here. Then you choose what is taken over; "
            "nothing changes there."
        )
        self.others.ask(self._view, text, self._take_model)

    def _take_model(self, model: OtherModel) -> None:
        if model.document is not None:
            self.propose(model_source(model.name, model.document, model.names))

    def propose(self, source: ImportSource) -> None:
        """Opens the dialog with the differences of a source."""
        page = self._store.page
        if page is None or not page.is_editable:
            return
        base = page.editing.document
        dialog = PromotionDialog(self._view.appearance, self._view, source.name, source.losses)
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
        if page is None or proposal is None:
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
        if page is None or page.editing.document is not base or not page.is_editable:
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
