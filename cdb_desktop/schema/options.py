"""Plain attributes of elements: setting them, and saying so."""

from __future__ import annotations

from collections.abc import Mapping

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.elements import Raw, shown_value


def with_options(raw: Raw, options: Mapping[str, object]) -> dict[str, object]:
    """The attributes with other values; None takes one away."""
    merged = {**raw, **options}
    return {name: value for name, value in merged.items() if name not in options or value is not None}


def option_title(element: str, options: Mapping[str, object]) -> Message:
    """The title of an edit that sets options of an element."""
    if len(options) != 1:
        return message("Change {options} of {element}", options=", ".join(options), element=element)
    name, value = next(iter(options.items()))
    if value is None:
        return message("Clear {option} of {element}", option=name, element=element)
    told = shown_value(value)
    return message("Set {option} of {element} to {value}", option=name, element=element, value=told)
