"""Tests that every colour can be read where it is used."""

from __future__ import annotations

from dataclasses import fields

import pytest

from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens

_GROUNDS = ("ground", "raised", "selected")
_TEXTLESS = {*_GROUNDS, "line", "handle"}


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", _GROUNDS)
@pytest.mark.parametrize("name", [field.name for field in fields(Tokens) if field.name not in _TEXTLESS])
def test_every_text_colour_has_a_contrast_of_five(tokens: Tokens, ground: str, name: str) -> None:
    """On the ground, on raised areas and on the selection, in light and in dark."""
    bright, dim = sorted(
        (_luminance(getattr(tokens, name)), _luminance(getattr(tokens, ground))), reverse=True
    )
    assert (bright + 0.05) / (dim + 0.05) >= 5


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
