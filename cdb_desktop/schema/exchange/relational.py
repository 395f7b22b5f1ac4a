"""A schema as other tools describe it: tables, columns, primary keys and foreign keys, without ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message

# The names of automatic columns, as our server stores them. No column of a document can have such a name.
PRIMARY_KEY, UPLINK, PARENT = "_id", "_uplink_id", "_parent_id"
AUTOMATIC_TYPE = "BIGINT"
MOST_BYTES = 10_000_000

_SHOWN = 5  # elements in the text of a loss
_MARKER = re.compile(r"cdb ([a-z][a-z0-9_]*) ([\w.:-]+)")

# Called with the part that is done, from 0 to 1; may raise an exception to end the work.
Progress = Callable[[float], None]


class ExchangeError(Exception):
    """A file that cannot be imported; ``line`` counts from 1, 0 if the error has no place."""

    def __init__(self, line: int, what: Message, remedy: Message) -> None:
        super().__init__(f"{line}: {what}" if line else str(what))
        self.line = line
        self.message = what
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Loss:
    """What has no counterpart on the other side, and the names of the elements that it concerns."""

    what: Message
    elements: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = len(self.elements) - _SHOWN
        names = ", ".join(self.elements[:_SHOWN])
        text = f"{self.what}: {names}" if names else str(self.what)
        return f"{text} … +{more}" if more > 0 else text


class LossList:
    """Collects losses: those of one kind become one with all of their elements."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Message, dict[str, None]]] = {}

    def add(self, what: Message, *elements: str) -> None:
        """Adds a loss of some elements."""
        _, names = self._found.setdefault(str(what), (what, {}))
        names.update(dict.fromkeys(elements))

    def extend(self, losses: Iterable[Loss]) -> None:
        """Adds losses."""
        for loss in losses:
            self.add(loss.what, *loss.elements)

    def all(self) -> tuple[Loss, ...]:
        """All losses in the order in which their kinds were found."""
        return tuple(Loss(what, tuple(names)) for what, names in self._found.values())


@dataclass(frozen=True, slots=True)
class RelationalColumn:
    """A column that is no automatic one.

    ``type`` is a type of the document. ``is_vague``: the file's type has several counterparts or none, so a
    type that the column already has is better. ``is_counter``: the database assigns its values.
    ``required`` is None if the format cannot say.
    """

    name: str
    type: str
    required: bool | None = False
    is_vague: bool = False
    is_counter: bool = False


@dataclass(frozen=True, slots=True)
class RelationalLink:
    """A foreign key. ``target_columns`` is empty for the primary key of the target."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...] = ()
    on_delete: str = ""
    on_update: str = ""


@dataclass(frozen=True, slots=True)
class RelationalTable:
    """A table; ``owner`` is the table in which it is nested, ``line`` where it begins in its file.

    ``primary_key`` is empty, or holds the columns of a key that is not the automatic one.
    """

    name: str
    columns: tuple[RelationalColumn, ...] = ()
    links: tuple[RelationalLink, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    primary_key: tuple[str, ...] = ()
    owner: str = ""
    is_hierarchical: bool = False
    comment: str = ""
    line: int = 0


# Called with the types of a key's columns.
KeyTest = Callable[[Sequence[str]], bool]


def has_any_key(_types: Sequence[str]) -> bool:
    """True: there are unique keys of any columns."""
    return True


@dataclass(frozen=True, slots=True)
class RelationalModel:
    """All tables, and what could not be described by them.

    ``can_have_key``: whether the format has unique keys of columns with these types of documents.
    """

    tables: tuple[RelationalTable, ...]
    losses: tuple[Loss, ...] = ()
    can_have_key: KeyTest = has_any_key


def type_marker(name: str, type_: str) -> str:
    """The text of a comment that says which type a column has in the document, empty if it cannot."""
    text = f"cdb {name} {type_}"
    return text if _MARKER.fullmatch(text) and "--" not in text else ""


def find_type_markers(text: str) -> dict[str, str]:
    """The types by columns in the markers of a text."""
    return {found[1]: found[2] for found in _MARKER.finditer(text)}


def with_automatic_columns(table: RelationalTable) -> RelationalTable:
    """A table as a file holds it, without its automatic columns: they become owner and hierarchy."""
    names = {column.name for column in table.columns}
    owner, is_hierarchical, links = table.owner, table.is_hierarchical, []
    for link in table.links:
        if link.columns == (UPLINK,) and table.name.startswith(f"{link.target}__"):
            owner = link.target
        elif link.columns == (PARENT,) and link.target == table.name:
            is_hierarchical = True
        else:
            links.append(link)
    gone = {PRIMARY_KEY} if table.primary_key == (PRIMARY_KEY,) else set()
    gone |= {UPLINK} if owner else set()
    gone |= {PARENT} if is_hierarchical else set()
    if not gone & names:
        return replace(table, owner=owner, is_hierarchical=is_hierarchical, links=tuple(links))
    return replace(
        table,
        columns=tuple(column for column in table.columns if column.name not in gone),
        links=tuple(links),
        primary_key=() if PRIMARY_KEY in gone else table.primary_key,
        owner=owner,
        is_hierarchical=is_hierarchical,
    )
