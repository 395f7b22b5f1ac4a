"""Tests of the sentence about an event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.foundation.resources import resource
from cdb_desktop.vocabulary.event_summary import event_sentences
from cdb_desktop.vocabulary.event_types import known_types

UPDATE = Event(
    id=1,
    type="OBJECT_UPDATE",
    timestamp=datetime(2026, 11, 27, 13, 42, tzinfo=UTC),
    objecttype="work",
    object_id=24,
    object_version=2,
    user_id=7,
    user_displayname="Tilda Lindqvist",
    ipv4_address="10.20.2.41",
    session_created=datetime(2026, 11, 27, 13, 38, 41, tzinfo=UTC),
    info=msgspec.Raw(b'{"batch_id": "c74c"}'),
)
ERROR = b'{"error": {"code": "error.user.no_system_right", "parameters": {"right": "system.root"}}}'


@pytest.mark.usefixtures("utc")
def test_it_says_who_did_what_when_and_from_where() -> None:
    """Shorter ones leave out the session, details, and then the rest."""
    what, brief = "Tilda Lindqvist changed work 24 v2 (batch c74c).", "Tilda Lindqvist changed work 24 v2."
    time, address, session = (
        "On 2026-11-27 13:42:00",
        "from 10.20.2.41",
        "in the session since 13:38:41",
    )
    assert event_sentences(UPDATE) == (
        f"{what} {time}, {address}, {session}.",
        f"{what} {time}, {address}.",
        f"{brief} {time}, {address}, {session}.",
        f"{brief} {time}, {address}.",
        f"{brief} {time}.",
        brief,
    )


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("spoken", "what"),
    [
        ("en", "Tilda Lindqvist could not export export 24. System right missing: "),
        ("de", "Tilda Lindqvist konnte nicht exportieren: export 24. Systemrecht fehlt: "),
    ],
)
def test_the_reason_comes_before_when_and_where(
    set_language: Callable[[Language], None], spoken: Language, what: str
) -> None:
    """It is in all of them, the shortest too."""
    set_language(spoken)
    event = replace(UPDATE, type="EXPORT_FAILED", objecttype="export", object_version=None)
    sentences = event_sentences(replace(event, info=msgspec.Raw(ERROR)))
    reason = sentences[-1].removeprefix(what)
    assert "system.root" in reason
    assert sentences[-1] == what + reason
    assert all(reason in text for text in sentences)
    assert all(text.index(reason) < text.index("2026-11-27") for text in sentences[:2])


def test_of_a_short_record_it_says_what_is_known() -> None:
    """Who did something is unknown if the service does not say it."""
    assert event_sentences(Event(id=1, type="OBJECT_INDEX", objecttype="image", object_id=3)) == (
        "The service indexed image 3.",
    )
    assert event_sentences(Event(id=1, type="FROBNICATE")) == ("The service caused FROBNICATE.",)


def test_large_info_is_not_decoded() -> None:
    """It would take too long for the selection of a row."""
    large = b'{"error": "error.user.no_system_right", "text": "%s"}' % (b"x" * 200_000)
    assert event_sentences(replace(UPDATE, info=msgspec.Raw(large)))[-1] == (
        "Tilda Lindqvist changed work 24 v2."
    )


def test_every_known_type_has_a_text_in_both_languages() -> None:
    """The German ones name the same values."""
    texts = msgspec.json.decode(resource("sentences.json").read_bytes(), type=dict[str, dict[str, str]])
    assert set(texts) == {*known_types(), "other"}
    for text in texts.values():
        names = [
            {name for name in ("user", "object", "about", "type") if f"{{{name}}}" in text[spoken]}
            for spoken in ("en", "de")
        ]
        assert names[0] == names[1]


@given(
    kind=st.sampled_from((*known_types(), "UNKNOWN")),
    info=st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    user=st.none() | st.text(),
)
def test_it_never_raises(kind: str, info: object, user: str | None) -> None:
    """Whatever a service sends; values with braces are values."""
    event = replace(UPDATE, type=kind, info=msgspec.Raw(msgspec.json.encode(info)), user_displayname=user)
    sentences = event_sentences(event)
    assert all(sentences)
    assert sentences[0].startswith(sentences[-1][:5])
