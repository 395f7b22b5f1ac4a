"""HEAD while somebody works on it, as one frozen value: what the service has, steps, problems, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.assigned import Assigned, assigned
from cdb_desktop.schema.changes import Change
from cdb_desktop.schema.describing import table_name
from cdb_desktop.schema.diff import compare
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.edit import Edit
from cdb_desktop.schema.given_up import Element
from cdb_desktop.schema.history import History, begun
from cdb_desktop.schema.problems import Problem
from cdb_desktop.schema.validation import problems

EMPTY = Document({"type": "user"}, ())


@dataclass(frozen=True)
class Editing:
    """``head`` is HEAD as it was last read, ``current`` CURRENT; None where there is none yet (§4.6)."""

    head: Document | None
    current: Document | None
    history: History

    @property
    def document(self) -> Document:
        """The document as it is now."""
        return self.history.document

    @property
    def is_saved(self) -> bool:
        """Whether the service has what is seen here; steps that only arrange the diagram do not count."""
        saved = self.history.saved
        return saved is not None and self.history.states[saved].document is self.document

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What a commit of this document would change (wire §5); without CURRENT that is every table."""
        return compare(self.current or replace(self.document, tables=()), self.document)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the document."""
        return problems(self.document, self.current)

    @cached_property
    def renewed(self) -> Mapping[Element, Element]:
        """What has come back without its id: the places now by those in CURRENT, which has the values."""
        return {} if self.current is None else self.history.given_up.renewed(self.document, self.current)

    def applied(self, edit: Edit) -> Editing:
        """After an edit; raises EditError."""
        return replace(self, history=self.history.applied(edit))

    def changed(self, title: Message, document: Document) -> Editing:
        """After a step that gave this document."""
        return replace(self, history=self.history.changed(title, document))

    def arranged(self) -> Editing:
        """After a step that arranged the diagram and left the document as it was."""
        return self.changed(message("Arrange the diagram"), self.document)

    def moved(self, table: int | None) -> Editing:
        """After a step that moved a table in the diagram and left the document as it was."""
        name = table_name(self.document, table)
        return self.changed(message("Move {table} in the diagram", table=name), self.document)

    def restored(self, head: Document | None, document: Document) -> Editing:
        """With work that was not saved the last time; ``head`` is the HEAD on which it began."""
        found = self.changed(message("Restore unsaved work"), document)
        # Saving sees by the HEAD of that time whether somebody else has saved since.
        return found if head == self.head else replace(found, head=head)

    def replaced(self, file: str, document: Document) -> Editing:
        """With the model of a file in the place of the document, as one step."""
        return self.changed(message("Bring {file} into HEAD", file=file), document)

    def jumped(self, position: int) -> Editing:
        """At another state of the history."""
        return replace(self, history=self.history.jumped(position))

    def saved_as(self, sent: Document, answer: Document) -> tuple[Editing, Assigned]:
        """After saving ``sent``, a document of the history, and the ids that new elements were given."""
        ids = assigned(sent, answer)
        return replace(self, head=answer, history=self.history.saved_as(sent, answer)), ids

    def refreshed(self, head: Document, current: Document | None) -> Editing:
        """With what the service has now; steps are kept where HEAD is the one that they began with.

        Unsaved steps are kept in any case: saving them finds that HEAD has changed (§4.7).
        """
        if head == self.head or not self.is_saved:
            return replace(self, current=current)
        if self.head is not None and head.tables == self.head.tables:
            return replace(self.saved_as(self.document, head)[0], current=current)
        return Editing(head, current, begun(head))


@dataclass(frozen=True)
class FileEditing(Editing):
    """The same for a model in a file: ``head`` is what stands in the file, and nothing is committed."""

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What saving would change in the file."""
        return compare(self.head or EMPTY, self.document)

    def saved_as(self, sent: Document, answer: Document) -> tuple[Editing, Assigned]:
        """After writing ``sent``: a file gives no ids and takes none."""
        return replace(self, head=answer, history=self.history.written(sent)), Assigned({}, {})


def opened_file(document: Document) -> FileEditing:
    """The work on a file before the first step."""
    return FileEditing(document, None, begun(document))


def opened(head: Document | None, current: Document | None) -> Editing:
    """The work on HEAD before the first step."""
    return Editing(head, current, begun(head or EMPTY))
