"""Tests of the contrast of every color."""

import math
from itertools import product

import pytest
from msgspec.structs import fields

from cdb_desktop.ui.theme.tokens import DARK, HIGH_CONTRAST, LIGHT, Tokens
from cdb_desktop.ui.widgets.event_table.model import TONES
from cdb_desktop.ui.widgets.event_table.table import MATCH, TINT

_GROUNDS = ("ground", "raised", "selected")
_TEXTLESS = {*_GROUNDS, "line", "handle", "edge"}
_TABLES = pytest.mark.parametrize(
    ("tokens", "ratio"),
    [(LIGHT, 5), (DARK, 5), (HIGH_CONTRAST, 7)],
    ids=["light", "dark", "contrast"],
)


@_TABLES
def test_every_text_color_is_readable(tokens: Tokens, ratio: float) -> None:
    """On the background, on raised areas and on the selection, with the contrast of its table."""
    names = [field.name for field in fields(Tokens) if field.name not in _TEXTLESS]
    for name, ground in product(names, _GROUNDS):
        assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= ratio, (name, ground)


@_TABLES
def test_colors_without_text_are_visible(tokens: Tokens, ratio: float) -> None:
    """Outlines, lines and handles in every table; decorative hairlines in high contrast."""
    names = ("edge", "line", "handle") if ratio >= 7 else ("edge", "handle")
    for name in names:
        for ground in ("ground", "raised"):
            assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= 3, (name, ground)


def test_highlights_differ_from_the_selection() -> None:
    """Their backgrounds differ, in light and in dark."""
    for tokens in (LIGHT, DARK):
        for tone in TONES:
            tint = _tint(getattr(tokens, tone), tokens.ground)
            assert math.dist(tint, _parts(tokens.selected)) >= 20, tone


@_TABLES
def test_a_match_is_readable(tokens: Tokens, ratio: float) -> None:
    """On its background, in a selected row too."""
    for ground in (tokens.ground, tokens.selected):
        marked = _tint(tokens.mark, ground, MATCH)
        below = "#" + "".join(f"{round(part):02X}" for part in marked)
        assert contrast(tokens.text, below) >= ratio, ground


def _tint(colour: str, ground: str, strength: float = TINT) -> list[float]:
    both = zip(_parts(colour), _parts(ground), strict=True)
    return [strength * over + (1 - strength) * below for over, below in both]


def _parts(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast of two colors such as ``#1F5FBF``, from 1 to 21."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
