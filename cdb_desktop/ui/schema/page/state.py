"""The state of the schema page as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass

from cdb_desktop.schema.checks.lint import LocalizedNames, Policy
from cdb_desktop.schema.checks.validation import Problem, problems_for_service
from cdb_desktop.schema.document.element_ref import (
    DOCUMENT,
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    table_key_of,
)
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.edits.columns import EntryRef
from cdb_desktop.schema.exchange.incoming import is_described
from cdb_desktop.schema.files.renamed_elements import NO_MASKS, MaskUse
from cdb_desktop.schema.working_copy import WorkingCopy, open_head

Node = TableRef | ColumnRef


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """Silenced hints, the policy and its path (empty: none), and localized names (None: not known)."""

    silenced: frozenset[str] = frozenset()
    policy_file: str = ""
    policy: Policy | None = None
    names: LocalizedNames | None = None


@dataclass(frozen=True)
class PageState:
    """What the page shows.

    ``editing`` holds HEAD with its history; ``past`` is the committed version that is shown instead, None for
    HEAD. ``file`` is the name of the model file that is edited instead of a service's HEAD. ``re2_only`` is
    whether the service accepts only regular expressions of RE2, ``has_extended_options`` whether it knows the
    options of the newer interface, such as ``polyhierarchical``. ``checks`` are chosen by the user.
    ``masks`` are those of the file that show tables and columns. ``compared`` is the document whose
    differences to the shown one are painted; meanwhile nothing can be edited. None: HEAD is edited.
    ``is_read`` is False only for `UNREAD`.
    """

    editing: WorkingCopy
    past: Document | None = None
    selection: ElementRef = DOCUMENT
    may_develop: bool = False
    may_commit: bool = False
    busy: bool = False
    file: str = ""
    re2_only: bool = False
    has_extended_options: bool = True
    checks: CheckSettings = CheckSettings()
    masks: MaskUse = NO_MASKS
    compared: Document | None = None
    is_read: bool = True

    @property
    def document(self) -> Document:
        """The document that is shown."""
        return self.past or self.editing.document

    def describes(self, option: str) -> bool:
        """Whether the service describes an option; a model file may have any."""
        return bool(self.file) or is_described(option, extended=self.has_extended_options)

    @property
    def is_editable(self) -> bool:
        """Whether edits are possible: HEAD is shown and the user may change it (§4.7)."""
        return self.shows_head and self.may_develop

    @property
    def shows_head(self) -> bool:
        """Whether HEAD is shown to be edited: no committed version, and no comparison."""
        return self.past is None and self.compared is None

    @property
    def has_changes(self) -> bool:
        """Whether changes relative to ``base`` are shown: those of HEAD, or of a comparison."""
        return self.past is None or self.compared is not None

    @property
    def current_version(self) -> int | None:
        """The number of CURRENT, None before the first commit."""
        return self.editing.current.version if self.editing.current else None

    @property
    def shown_version(self) -> int | None:
        """The number of the committed version that is shown, None for HEAD, also for HEAD as it was saved."""
        version = None if self.past is None else self.past.version
        return version if version is not None and version <= (self.current_version or 0) else None

    @property
    def base(self) -> Document | None:
        """What changes are relative to: the compared document, CURRENT, or the file as it was read."""
        if self.compared is not None:
            return self.compared
        return self.editing.head if self.file else self.editing.current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the document for which the service would refuse it or warn."""
        return problems_for_service(self.editing.problems, re2_only=self.re2_only)

    @property
    def removed_element(self) -> Node | None:
        """The selected table or column if it has been removed since ``base``, else None."""
        ref = self.selection
        if not self.has_changes or self.base is None or not isinstance(ref, TableRef | ColumnRef):
            return None
        return ref if self.base.contains(ref) and not self.document.contains(ref) else None

    @property
    def can_restore(self) -> bool:
        """Whether the removed element is still in HEAD as it was last read or saved."""
        head, removed = self.editing.head, self.removed_element
        return self.is_editable and removed is not None and head is not None and head.contains(removed)

    @property
    def selected_element(self) -> Node | None:
        """The selected table or column, None if it has been removed."""
        if not isinstance(self.selection, TableRef | ColumnRef) or self.removed_element is not None:
            return None
        return self.selection

    def localized_names(self, ref: Node) -> Mapping[str, str]:
        """The localized names of a table or column by language, as far as they are known."""
        names = self.checks.names
        return {} if names is None else names.of(self.document, ref)

    @property
    def selected_table(self) -> int | None:
        """The key of the table that is selected or contains the selection."""
        table = table_key_of(self.selection)
        return table if table in self.document.by_key else None


UNREAD = PageState(open_head(None, None), is_read=False)  # before anything has been read


def entry_of(document: Document, ref: ElementRef) -> tuple[Table, EntryRef, int] | None:
    """The table that has ``ref`` as an entry, the reference of the entry and its index; None if none has."""
    if isinstance(ref, TableRef):
        nested = document.by_key.get(ref.table)
        owner = None if nested is None or nested.owner is None else document.by_key.get(nested.owner)
        ref = ref if owner is None else NestedTableRef(owner.key, ref.table)
    if not isinstance(ref, ColumnRef | NestedTableRef | ReverseLinkRef):
        return None
    table = document.by_key.get(ref.table)
    refs = [entry.ref(table.key) for entry in table.entries] if table else []
    return (table, ref, refs.index(ref)) if table and ref in refs else None
