"""Undo and redo without a limit: the states of a document in order, where we stand, and what is saved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.assigned import assigned, with_assigned
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.edit import Edit, apply
from cdb_desktop.schema.given_up import GivenUp


@dataclass(frozen=True, slots=True)
class State:
    """A document and the step that led to it."""

    title: Message
    document: Document


@dataclass(frozen=True, slots=True)
class History:
    """All states, the position among them, and the position that is saved (None: no longer among them).

    ``given_up`` are the elements that were there in a state with an id that HEAD was saved without.
    """

    states: tuple[State, ...]
    position: int = 0
    saved: int | None = 0
    given_up: GivenUp = field(default_factory=GivenUp)

    @property
    def document(self) -> Document:
        """The document as it is now."""
        return self.states[self.position].document

    @property
    def is_saved(self) -> bool:
        """Whether there is nothing to save."""
        return self.position == self.saved

    @property
    def undo_title(self) -> Message | None:
        """The step that would be undone, None when there is none."""
        return self.states[self.position].title if self.position else None

    @property
    def redo_title(self) -> Message | None:
        """The step that would be made again, None when there is none."""
        following = self.states[self.position + 1 : self.position + 2]
        return following[0].title if following else None

    def applied(self, edit: Edit) -> History:
        """After an edit; what had been undone is gone. Raises EditError."""
        return self.changed(edit.title(self.document), apply(self.document, edit))

    def changed(self, title: Message, document: Document) -> History:
        """After a step that gave this document; what had been undone is gone."""
        states = (*self.states[: self.position + 1], State(title, document))
        saved = None if self.saved is not None and self.saved > self.position else self.saved
        return replace(self, states=states, position=self.position + 1, saved=saved)

    def undone(self) -> History:
        """One step back, as far as there is one."""
        return self.jumped(self.position - 1)

    def redone(self) -> History:
        """One step forward, as far as there is one."""
        return self.jumped(self.position + 1)

    def jumped(self, position: int) -> History:
        """At another state; beyond the ends it is the nearest one."""
        return replace(self, position=min(max(position, 0), len(self.states) - 1))

    def saved_as(self, sent: Document, answer: Document) -> History:
        """After saving one of the documents: the service's stands in its place, its new ids in every state.

        So undoing past a commit cannot make a new table of one that holds data; ids that the service has no
        longer are in no state, so that nothing looks as if undo brought back the values.
        """
        ids = assigned(sent, answer)
        documents = with_assigned((state.document for state in self.states), ids)
        pairs = zip(self.states, documents, strict=True)
        documents = tuple(answer if state.document is sent else each for state, each in pairs)
        documents, given_up = self.given_up.renumbered(ids).without(documents, answer)
        states = tuple(
            replace(state, document=each) for state, each in zip(self.states, documents, strict=True)
        )
        return replace(self.written(sent), states=states, given_up=given_up)

    def written(self, document: Document) -> History:
        """After one of the documents has been written as it is."""
        found = (index for index, state in enumerate(self.states) if state.document is document)
        return replace(self, saved=next(found, None))


def begun(document: Document, title: Message | None = None) -> History:
    """The history of a document that nobody has changed yet."""
    return History((State(title or message("Open"), document),))
