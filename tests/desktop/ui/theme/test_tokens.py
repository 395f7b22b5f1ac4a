"""Tests that every colour can be read where it is used."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import fields

from cdb_desktop.ui.events.search.hits_table import MATCH
from cdb_desktop.ui.theme.tokens import DARK, HIGH_CONTRAST, LIGHT, Tokens
from cdb_desktop.ui.widgets.event_table.delegate import TINT
from cdb_desktop.ui.widgets.event_table.marks import TONES

_GROUNDS = ("ground", "raised", "selected")
_TEXTLESS = {*_GROUNDS, "line", "handle", "edge"}
_TABLES = pytest.mark.parametrize(
    ("tokens", "ratio"),
    [(LIGHT, 5), (DARK, 5), (HIGH_CONTRAST, 7)],
    ids=["light", "dark", "contrast"],
)


@_TABLES
@pytest.mark.parametrize("ground", _GROUNDS)
@pytest.mark.parametrize("name", [field.name for field in fields(Tokens) if field.name not in _TEXTLESS])
def test_every_text_colour_can_be_read(tokens: Tokens, ratio: float, ground: str, name: str) -> None:
    """On the ground, on raised areas and on the selection, with the contrast that its table promises."""
    assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= ratio


@_TABLES
def test_what_carries_no_text_can_be_seen(tokens: Tokens, ratio: float) -> None:
    """Outlines, drawn lines and handles in every table; hairlines, which decorate, in high contrast."""
    names = ("edge", "line", "handle") if ratio >= 7 else ("edge", "handle")
    for name in names:
        for ground in ("ground", "raised"):
            assert contrast(getattr(tokens, name), getattr(tokens, ground)) >= 3, (name, ground)


def test_highlights_are_not_taken_for_the_selection() -> None:
    """Their grounds differ from its ground, in light and in dark."""
    for tokens in (LIGHT, DARK):
        for tone in TONES:
            tint = _tint(getattr(tokens, tone), tokens.ground)
            assert math.dist(tint, _parts(tokens.selected)) >= 20, tone


@_TABLES
@pytest.mark.parametrize("ground", ["ground", "selected"])
def test_a_match_can_be_read(tokens: Tokens, ratio: float, ground: str) -> None:
    """On the ground that marks it, in a row that is selected too."""
    marked = _tint(tokens.mark, getattr(tokens, ground), MATCH)
    below = "#" + "".join(f"{round(part):02X}" for part in marked)
    assert contrast(tokens.text, below) >= ratio


def _tint(colour: str, ground: str, strength: float = TINT) -> list[float]:
    both = zip(_parts(colour), _parts(ground), strict=True)
    return [strength * over + (1 - strength) * below for over, below in both]


def _parts(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2 between two colours such as ``#1F5FBF``, from 1 to 21."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
