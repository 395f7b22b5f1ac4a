"""The edit of a localized name."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.local_names import with_local_name
from cdb_desktop.schema.document.model import Document, NamedRef
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.edits.edit import require_column, require_table


@dataclass(frozen=True, slots=True)
class SetLocalName:
    """Sets the name of a table or column in a language; empty for none, None for the one that was read."""

    ref: NamedRef
    language: str
    text: str | None

    def title(self, document: Document) -> Message:
        return message(
            "Name {element} in {language}", element=element_name(document, self.ref), language=self.language
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the name. Raises EditError if the element does not exist."""
        if isinstance(self.ref, ColumnRef):
            require_column(document, self.ref)
        else:
            require_table(document, self.ref.table)
        return with_local_name(document, self.ref, self.language, self.text)
