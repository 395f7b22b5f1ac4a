"""Tests of the messages of a search."""

from __future__ import annotations

import pytest

from cdb_desktop.events.search import SearchProgress
from cdb_desktop.ui.events.search.messages import (
    advice_text,
    progress_text,
    result_text,
    waiting_text,
)
from cdb_desktop.ui.shell.settings.language import LanguageSetting
from cdb_desktop.vocabulary.pattern import Pattern, PatternKind


@pytest.mark.parametrize(
    ("searched", "hits", "total", "english", "german"),
    [
        (49, 1, 49, "1 hit in 49 events", "1 Treffer in 49 Ereignissen"),
        (1, 1, 1, "1 hit in 1 event", "1 Treffer in 1 Ereignis"),
        (1, 0, None, "0 hits in 1 event", "0 Treffer in 1 Ereignis"),
        (20, 2, 49, "2 hits in 20 of 49 events", "2 Treffer in 20 von 49 Ereignissen"),
    ],
)
def test_one_hit_is_in_the_singular(
    language: LanguageSetting, searched: int, hits: int, total: int | None, english: str, german: str
) -> None:
    """In both languages."""
    progress = SearchProgress(searched, hits, total=total)
    assert result_text(progress, ended=True) == progress_text(progress) == english
    language.choose("de")
    assert result_text(progress, ended=True) == german


@pytest.mark.usefixtures("language")
def test_waiting_is_mentioned_with_the_number_of_hits() -> None:
    """Hits are not mentioned before anything was searched."""
    assert (
        waiting_text(SearchProgress(20, 2, total=49)) == "2 hits in 20 of 49 events · waiting for the service"
    )
    assert waiting_text(SearchProgress(total=49)) == "waiting for the service"


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("exception=denied", PatternKind.KEY, "Write exception=*denied* for a part of it."),
        ("type=* info.exception=denied", PatternKind.KEY, "Write info.exception=*denied* for a part of it."),
        ("exception=*denied*", PatternKind.KEY, ""),
        ("exception=denied", PatternKind.TEXT, "Choose key=value to search for a value."),
        ("denied", PatternKind.TEXT, ""),
    ],
)
def test_no_hits_have_advice(text: str, kind: PatternKind, expected: str) -> None:
    """Suggested texts can be typed as they are shown."""
    advice = advice_text(Pattern(text, kind))
    assert advice.endswith(expected)
    assert bool(advice) is bool(expected)
