"""A document with unsaved edits: undo and redo, its changes and problems, and the effects of saving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.checks.validation import Problem, find_problems
from cdb_desktop.schema.commit.saved_ids import AssignedIds, LostIds, assigned_ids, with_assigned_ids
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.model import Document, LocalNames, NamedRef
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.files.drafts import DraftStep, DraftSteps

EMPTY = Document({"type": "user"}, ())


@dataclass(frozen=True, slots=True)
class EditState:
    """A document and the title of the step that led to it.

    ``heads`` are the HEADs before and after a step that merged another one, until the result is saved.
    """

    title: Message
    document: Document
    heads: tuple[Document | None, Document | None] | None = None


@dataclass(frozen=True, slots=True)
class EditHistory:
    """All states, the position among them, and the position that is saved (None: no longer among them).

    ``lost_ids`` are the elements of any state with an id that HEAD was saved without.
    """

    states: tuple[EditState, ...]
    position: int = 0
    saved: int | None = 0
    lost_ids: LostIds = field(default_factory=LostIds)

    @property
    def document(self) -> Document:
        """The current document."""
        return self.states[self.position].document

    @property
    def is_saved(self) -> bool:
        """Whether there is nothing to save."""
        return self.position == self.saved

    @property
    def undo_title(self) -> Message | None:
        """The title of the edit to undo, or None."""
        return self.states[self.position].title if self.position else None

    @property
    def redo_title(self) -> Message | None:
        """The title of the edit to redo, or None."""
        following = self.states[self.position + 1 : self.position + 2]
        return following[0].title if following else None

    def applied(self, edit: Edit) -> EditHistory:
        """After an edit, without the undone states. Raises EditError."""
        return self.changed(edit.title(self.document), edit.apply_to(self.document))

    def changed(self, title: Message, document: Document) -> EditHistory:
        """After a step that led to this document, without the undone states."""
        states = (*self.states[: self.position + 1], EditState(title, document))
        saved = None if self.saved is not None and self.saved > self.position else self.saved
        return replace(self, states=states, position=self.position + 1, saved=saved)

    def undone(self) -> EditHistory:
        """One step back, as far as there is one."""
        return self.jumped(self.position - 1)

    def redone(self) -> EditHistory:
        """One step forward, as far as there is one."""
        return self.jumped(self.position + 1)

    def jumped(self, position: int) -> EditHistory:
        """The history at another state, limited to the existing ones."""
        return replace(self, position=min(max(position, 0), len(self.states) - 1))

    def saved_as(self, sent: Document, answer: Document) -> EditHistory:
        """After saving one of the documents: the service's answer replaces it, its ids go into all states.

        So undoing past a commit does not turn a table with data into a new one. Ids that the service has lost
        are removed from all states, since undo cannot bring back their values.
        """
        ids = assigned_ids(sent, answer)
        documents = with_assigned_ids((state.document for state in self.states), ids)
        pairs = zip(self.states, documents, strict=True)
        documents = tuple(answer if state.document is sent else each for state, each in pairs)
        documents, lost_ids = self.lost_ids.renumbered(ids).with_new_keys(documents, answer)
        states = tuple(
            EditState(state.title, each) for state, each in zip(self.states, documents, strict=True)
        )
        return replace(self.written(sent), states=states, lost_ids=lost_ids)

    def written(self, document: Document) -> EditHistory:
        """The history after one of the documents has been written unchanged."""
        found = (index for index, state in enumerate(self.states) if state.document is document)
        # What was merged is saved: from now on undo changes what others have saved, like any other edit.
        states = tuple(replace(state, heads=None) if state.heads else state for state in self.states)
        return replace(self, states=states, saved=next(found, None))


def new_history(document: Document) -> EditHistory:
    """The history of an unchanged document."""
    return EditHistory((EditState(Message(""), document),))


@dataclass(frozen=True)
class WorkingCopy:
    """``head`` is HEAD as it was last read, ``current`` is CURRENT; None if it does not exist yet (§4.6)."""

    head: Document | None
    current: Document | None
    history: EditHistory

    @property
    def document(self) -> Document:
        """The current document."""
        return self.history.document

    @property
    def is_saved(self) -> bool:
        """Whether the document is saved; steps that only arrange the diagram do not count."""
        saved = self.history.saved
        return saved is not None and self.history.states[saved].document is self.document

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What a commit of this document would change (wire §5); without CURRENT that is every table."""
        return compare(self.current or replace(self.document, tables=()), self.document)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the document."""
        return find_problems(self.document, self.current)

    @cached_property
    def recreated(self) -> Mapping[NamedRef, NamedRef]:
        """Elements that were restored without their ids: current references by those in CURRENT."""
        return {} if self.current is None else self.history.lost_ids.recreated(self.document, self.current)

    def applied(self, edit: Edit) -> WorkingCopy:
        """After an edit. Raises EditError."""
        return replace(self, history=self.history.applied(edit))

    def changed(self, title: Message, document: Document) -> WorkingCopy:
        """After a step that gave this document; one that only changed the diagram leaves it as it was."""
        return replace(self, history=self.history.changed(title, document))

    def restored(
        self, head: Document | None, document: Document, steps: DraftSteps | None = None
    ) -> WorkingCopy:
        """With a draft; ``head`` is the HEAD on which it is based. Its ``steps`` can be undone one by one."""
        if steps is None:
            found = self.changed(message("Restore unsaved work"), document)
        else:
            history = self.history
            for step in steps.steps:
                history = history.changed(step.title, step.document)
            last = history.position
            found = replace(self, history=history.jumped(last - len(steps.steps) + 1 + steps.position))
        # With the HEAD of that time, saving detects whether another user has saved since.
        return found if head == self.head else replace(found, head=head)

    def with_steps(self, draft: DraftSteps) -> WorkingCopy:
        """With the steps of an earlier run, if they led to this document and nothing has been done since."""
        current = draft.steps[draft.position].document
        if len(self.history.states) > 1 or current.tables != self.document.tables:
            return self
        states = [EditState(step.title, step.document) for step in draft.steps]
        states[draft.position] = replace(states[draft.position], document=self.document)
        saved = draft.position if self.history.saved is not None else None
        return replace(self, history=EditHistory(tuple(states), draft.position, saved))

    @property
    def steps(self) -> DraftSteps:
        """All states of the history, to be stored."""
        states = tuple(DraftStep(state.title, state.document) for state in self.history.states)
        return DraftSteps(states, self.history.position)

    def replaced(self, file: str, document: Document) -> WorkingCopy:
        """With the model of a file instead of the document, as one step."""
        return self.changed(message("Bring {file} into HEAD", file=file), document)

    def merged(self, head: Document | None, document: Document) -> WorkingCopy:
        """With the result of a merge with another HEAD, as one step.

        From then on the working copy is based on that HEAD; undo returns to the former one as well, so that
        saving finds that HEAD has changed.
        """
        found = self.changed(message("Merge with HEAD"), document)
        *before, last = found.history.states
        states = (*before, replace(last, heads=(self.head, head)))
        return replace(found, head=head, history=replace(found.history, states=states))

    def jumped(self, position: int) -> WorkingCopy:
        """At another state of the history."""
        was, history, head = self.history.position, self.history.jumped(position), self.head
        now = history.position
        for state in reversed(history.states[now + 1 : was + 1]):
            head = state.heads[0] if state.heads else head
        for state in history.states[was + 1 : now + 1]:
            head = state.heads[1] if state.heads else head
        return replace(self, history=history, head=head)

    def saved_as(self, sent: Document, answer: Document) -> tuple[WorkingCopy, AssignedIds]:
        """After saving ``sent``, a document of the history, and the ids that new elements were given."""
        ids = assigned_ids(sent, answer)
        return replace(self, head=answer, history=self.history.saved_as(sent, answer)), ids

    def with_saved_names(self, former: LocalNames) -> WorkingCopy:
        """After the localized names of the document were saved, too; ``former`` are those of before.

        In other states the former ones are edits, so that undo returns to them.
        """
        current = self.document
        saved = replace(current, local_names={})

        def with_former(state: EditState) -> EditState:
            if state.document is current:
                return replace(state, document=saved)
            own = state.document.local_names
            names = {ref: {**texts, **own.get(ref, {})} for ref, texts in former.items()}
            document = replace(state.document, local_names={**own, **names})
            return replace(state, document=document)

        states = tuple(with_former(state) for state in self.history.states)
        head = saved if self.head is current else self.head
        return replace(self, head=head, history=replace(self.history, states=states))

    def without_saved_names(self) -> WorkingCopy:
        """After the localized names could not be saved with the document: they are unsaved."""
        return replace(self, history=replace(self.history, saved=None))

    def refreshed(self, head: Document, current: Document | None) -> WorkingCopy:
        """The working copy with the service's versions; the history is kept if HEAD is unchanged.

        Unsaved steps are kept in any case: saving them finds that HEAD has changed (§4.7).
        """
        if head == self.head or not self.is_saved:
            return replace(self, current=current)
        if self.head is not None and head.tables == self.head.tables:
            return replace(self.saved_as(self.document, head)[0], current=current)
        return WorkingCopy(head, current, new_history(head))


@dataclass(frozen=True)
class FileWorkingCopy(WorkingCopy):
    """The same for a model file: ``head`` is the content of the file, and nothing is committed."""

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What saving would change in the file."""
        return compare(self.head or EMPTY, self.document)

    def saved_as(self, sent: Document, answer: Document) -> tuple[WorkingCopy, AssignedIds]:
        """The working copy after ``sent`` was written: files do not assign ids."""
        return replace(self, head=answer, history=self.history.written(sent)), AssignedIds({}, {})


def open_model_file(document: Document) -> FileWorkingCopy:
    """The working copy of a model file."""
    return FileWorkingCopy(document, None, new_history(document))


def open_head(head: Document | None, current: Document | None) -> WorkingCopy:
    """The working copy of HEAD."""
    return WorkingCopy(head, current, new_history(head or EMPTY))
