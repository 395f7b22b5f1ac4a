"""Conflicts of a merge as values: what both sides have changed, and the result of each choice."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ElementRef

Side = Literal["mine", "theirs"]
Choice = Literal["mine", "theirs", "base"]
ConflictId = tuple[ElementRef, str]
Choices = Mapping[ConflictId, Choice]
Text = Message | str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that both sides have changed in different ways.

    ``element`` is the name of the element, empty for the document itself; ``aspect`` tells the conflicts of
    one element apart, ``what`` is its name for users. The values are those of the three versions; the results
    are what is in the merged document after choosing that side. With ``has_base`` the former value can be
    chosen as well; removals, orders, keys and types depend on other elements, so that they have only sides.
    """

    ref: ElementRef
    aspect: str
    element: str
    what: Text
    base: Text
    mine: Text
    theirs: Text
    mine_result: Message
    theirs_result: Message
    has_base: bool = False

    @property
    def base_result(self) -> Message:
        """What choosing the former value leads to."""
        return _value_result(self.what, self.base)

    @property
    def id(self) -> ConflictId:
        """What identifies it when the same versions are merged again."""
        return self.ref, self.aspect


def only_changed_by(was: object, theirs: object, mine: object) -> Side | None:
    """The side whose value is the result, None if both have changed it in different ways."""
    if mine in (was, theirs):
        return "theirs"
    return "mine" if theirs == was else None


def value_conflict(
    ref: ElementRef, aspect: str, element: str, what: Text, values: Iterable[Text], *, has_base: bool = False
) -> Conflict:
    """A conflict of values of an attribute: before, mine and theirs; an empty text is no value."""
    base, mine, theirs = values
    results = _value_result(what, mine), _value_result(what, theirs)
    return Conflict(ref, aspect, element, what, base, mine, theirs, *results, has_base)


def _value_result(what: Text, value: Text) -> Message:
    if value == "":
        return message("{attribute}: not set", attribute=what)
    return message("{attribute}: {value}", attribute=what, value=value)


def side_of(choice: Choice) -> Side:
    """The side of a choice where there is no former value to choose."""
    return "theirs" if choice == "theirs" else "mine"


def removal_conflict(
    ref: ElementRef, element: str, remover: Side, changes: Text, dependents: str = ""
) -> Conflict:
    """One side has removed an element that the other has changed or begun to use.

    ``changes`` is what the other side did; ``dependents`` are what else goes if the element does.
    """
    gone = message("{element} is removed", element=element)
    if dependents:
        gone = message("{element} is removed, with {others}", element=element, others=dependents)
    stays = message("{element} stays, with its changes", element=element)
    removed, kept = message("Removed"), changes
    sides = (removed, kept, gone, stays) if remover == "mine" else (kept, removed, stays, gone)
    return Conflict(ref, "removed", element, message("Removal"), message("There"), *sides)


def order_conflict(ref: ElementRef, element: str) -> Conflict:
    """Both sides have moved entries of a table."""
    moved = message("Another order")
    results = message("The columns have my order"), message("The columns have their order")
    return Conflict(ref, "order", element, message("Order"), message("Former order"), moved, moved, *results)


def key_conflict(ref: ElementRef, aspect: str, element: str, values: Iterable[Text]) -> Conflict:
    """Both sides have changed a key in different ways; values as for `value_conflict`."""
    base, mine, theirs = values
    results = (
        message("The key is as in my version: {value}", value=mine),
        message("The key is as in their version: {value}", value=theirs),
    )
    return Conflict(ref, aspect, element, message("Key"), base, mine, theirs, *results)


def name_collision(ref: ElementRef, name: str, mine: tuple[str, str], theirs: tuple[str, str]) -> Conflict:
    """Two elements get the same name; each pair is the element before, and its name if it gives way."""
    return Conflict(
        ref,
        "same name",
        name,
        message("Same name"),
        "",
        message("{element} is named {name}", element=mine[0], name=name),
        message("{element} is named {name}", element=theirs[0], name=name),
        message(
            "{mine} is named {name}, {theirs} is named {other}",
            mine=mine[0],
            name=name,
            theirs=theirs[0],
            other=theirs[1],
        ),
        message(
            "{theirs} is named {name}, {mine} is named {other}",
            mine=mine[0],
            name=name,
            theirs=theirs[0],
            other=mine[1],
        ),
    )
