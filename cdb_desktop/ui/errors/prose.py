"""Makes rich text of an explanation, in which the places of parameters can be told from words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

_PLACE = re.compile(r"\{(\w+)\}")


def prose(text: str, parameters: Mapping[str, str], colour: str) -> str:
    """``text`` with values in the places of parameters, or with their names where there is no value."""

    def put(place: re.Match[str]) -> str:
        name = place.group(1)
        shown = escape(parameters.get(name, f"‹{name}›"))
        return f'<span style="color:{colour}; font-weight:600">{shown}</span>'

    return _PLACE.sub(put, escape(text))
