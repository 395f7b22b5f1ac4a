"""Tests of the summary of an event."""

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.event_summary import LONGEST, SIZE_KEYS, event_sentences, event_summary
from cdb_desktop.vocabulary.event_types import event_types, known_types

EXPORT = {"_id": 77, "name": "Union catalogue", "format": "lido"}
WORK = Event(id=1, objecttype="work", object_id=24, object_version=2)
FOLDER = Event(id=1, basetype="collection", object_id=119)

# For each known type: the event, its info and the summary; last that of a short record.
SUMMARIES: dict[str, tuple[Event, object, str, str]] = {
    "API_CALL": (
        Event(id=1),
        {"method": "POST", "url": "/api/v1/search", "payload": {"limit": 100, "format": "short"}},
        "POST /api/v1/search: limit=100, format=short",
        "",
    ),
    "API_PROGRESS": (
        Event(id=1),
        {"uuid": "39174276", "status": "running", "progress_info": {"done": 161, "total": 4840}},
        "running: 161 of 4,840",
        "",
    ),
    "ASSET_DOWNLOAD": (
        Event(id=1, basetype="asset", object_id=1574),
        {"version": "original", "filesize": 27_095_726, "original_filename": "MK_001574.tif"},
        "MK_001574.tif: original, 27.1 MB",
        "asset 1574",
    ),
    "BASE_CONFIG_UPDATE": (
        Event(id=1),
        {"changed": {"frontend.page_size": 140, "mail.password": "hunter2"}},
        f"Settings changed: frontend.page_size=140, mail.password={MASK}",
        "",
    ),
    "COLLECTION_OWNER_RIGHTS_ERROR": (
        FOLDER,
        {"collection_id": 119, "owner_id": 15, "items": [{"objecttype": "work", "_id": 243}] * 5},
        "Owner 15 of collection 119 lacks rights: work 243, work 243, work 243, …",
        "The owner of collection 119 lacks rights",
    ),
    "DETAIL_VIEW": (WORK, {"mask": "work__full"}, "Viewed work 24 v2 (work__full)", "Viewed work 24 v2"),
    "DOWNLOAD_EXPORT": (
        Event(id=1, basetype="export", object_id=77),
        {"bytes_total": 2_015_376, "url": "/api/v1/export/77/file", "export": EXPORT},
        "“Union catalogue”: 2.0 MB, /api/v1/export/77/file",
        "export 77",
    ),
    "EMAIL_SENT": (
        Event(id=1),
        {"type": "welcome", "recipients": ["a@example.org", "b@example.org"], "subject": "Your account"},
        "“Your account” to a@example.org, b@example.org",
        "",
    ),
    "EXPORT_ASSET": (
        WORK,
        {"version": "full", "state": "copied", "export": EXPORT},
        "“Union catalogue”: copied, full",
        "work 24 v2",
    ),
    "EXPORT_FAILED": (
        Event(id=1, basetype="export", object_id=77),
        {"state": "failed", "exception": "denied: no right", "protocol": ["connect"], "export": EXPORT},
        "“Union catalogue”: denied: no right",
        "export 77",
    ),
    "EXPORT_FINISH": (
        WORK,
        {"state": "done", "objects": 484, "export": EXPORT},
        "“Union catalogue”: done, 484 objects",
        "work 24 v2",
    ),
    "EXPORT_INSERT": (
        WORK,
        {"state": "created", "export": EXPORT},
        "“Union catalogue”: created",
        "work 24 v2",
    ),
    "EXPORT_OBJECT": (WORK, {"export": EXPORT, "count": 1}, "“Union catalogue”: 1 object", "work 24 v2"),
    "EXPORT_START": (
        WORK,
        {"state": "processing", "export": EXPORT},
        "“Union catalogue”: processing",
        "work 24 v2",
    ),
    "EXPORT_STOPPED": (
        WORK,
        {"state": "stopped", "export": EXPORT},
        "“Union catalogue”: stopped",
        "work 24 v2",
    ),
    "EXPORT_UPDATE": (WORK, {"state": "open", "name": "Nightly"}, "“Nightly”: open", "work 24 v2"),
    "FRONTEND_ERROR": (
        Event(id=1),
        {"message": "TypeError: Failed to fetch", "stack": "at base.js:1", "url": "/search"},
        "TypeError: Failed to fetch (/search)",
        "",
    ),
    "LOGIN_FAILED": (
        Event(id=1),
        {"method": "easydb", "login": "h.brandt", "reason": "wrong login or password"},
        "“h.brandt”: wrong login or password",
        "",
    ),
    "MAPPING_DELETE": (Event(id=1), {"mapping_id": 10}, "10", ""),
    "MAPPING_INSERT": (Event(id=1), {"mapping_file": "i.json", "displayname": "IPTC"}, "IPTC: i.json", ""),
    "MAPPING_UPDATE": (Event(id=1), {"displayname": "IPTC"}, "IPTC", ""),
    "OBJECT_DELETE": (WORK, {"batch_id": "c74c"}, "Deleted work 24 v2 (batch c74c)", "Deleted work 24 v2"),
    "OBJECT_INDEX": (Event(id=1), {"count": 1200}, "Indexed 1,200 objects", ""),
    "OBJECT_INSERT": (WORK, {}, "Created work 24 v2", "Created work 24 v2"),
    "OBJECT_UPDATE": (
        WORK,
        {"changes": {"title": "Boat", "year": 1890}, "comment": "typo"},
        "Changed work 24 v2: title=Boat, year=1890, typo",
        "Changed work 24 v2",
    ),
    "RESOURCE_NOT_AVAILABLE": (
        Event(id=1),
        {"schema": "USER", "type": "image", "id": 77, "reason": "deleted"},
        "image 77: deleted",
        "",
    ),
    "SCHEMA_COMMIT": (Event(id=1), {"schema": 1204}, "Schema version 1204 committed", "Schema committed"),
    "SEARCH": (
        Event(id=1),
        {
            "search": [
                {"type": "match", "string": "stillleben", "bool": "must"},
                {"type": "range", "field": "work.dating", "from": "1640", "to": "1680"},
                {"type": "complex", "search": [{"fields": ["_pool"], "in": [12, 5], "bool": "must_not"}]},
            ],
            "objecttypes": ["work"],
            "count": 1111,
        },
        "“stillleben”, work.dating 1640–1680, not _pool 12, 5 in work: 1,111 hits",
        "",
    ),
    "SERVER_SHUTDOWN": (Event(id=1), {"reason": "update"}, "Server stopped: reason=update", "Server stopped"),
    "SERVER_START": (Event(id=1), {"version": "5.140"}, "Server started: version=5.140", "Server started"),
    "USER_ACCEPTED_MESSAGE": (
        Event(id=1, object_id=5),
        {"message_id": 6},
        "Accepted message 6",
        "Accepted message 5",
    ),
    "USER_CREATED": (
        Event(id=1, basetype="user", object_id=29),
        {"login": "j.roth"},
        "Created the account j.roth",
        "Created the account user 29",
    ),
    "USER_LOGIN": (Event(id=1), {"method": "ldap"}, "Signed in: ldap", "Signed in"),
    "USER_LOGOUT": (Event(id=1), {"reason": "session expired"}, "Signed out: session expired", "Signed out"),
    "WEBHOOK_ERROR": (
        Event(id=1),
        {"webhook": "cache", "status": 503, "took_ms": 10_000, "response": "Unavailable", "event": "SEARCH"},
        "cache: 503 Unavailable, 10,000 ms, SEARCH",
        "",
    ),
    "WEBHOOK_OK": (Event(id=1), {"url": "https://a.example", "status": 200}, "https://a.example: 200", ""),
}


def of(event: Event, event_type: str, info: object) -> Event:
    """The event with this type and info."""
    return replace(event, type=event_type, info=msgspec.Raw(msgspec.json.encode(info)))


def test_all_known_types_have_an_example() -> None:
    """A type that is added needs a rule, or the decision that the keys of its info say enough."""
    assert set(SUMMARIES) == set(known_types())


@pytest.mark.parametrize("event_type", known_types())
def test_a_summary_says_what_an_event_is_about(
    event_type: str, set_language: Callable[[Language], None]
) -> None:
    """Short records have one as far as their fields say something."""
    set_language("en")
    event, info, text, short = SUMMARIES[event_type]
    assert event_summary(of(event, event_type, info)) == text
    assert event_summary(replace(event, type=event_type)) == short


@pytest.mark.parametrize(
    ("event", "event_type", "info", "text"),
    [
        (WORK, "OBJECT_PURGE", {}, "Deleted for good: work 24 v2"),
        (WORK, "OBJECT_UNDELETE", {"comment": "by mistake"}, "Restored work 24 v2: by mistake"),
        (Event(id=1), "DATAMODEL_COMMIT", {"version": 7}, "Schema version 7 committed"),
        (Event(id=1), "USER_LOGIN_FAILED", {"method": "easydb", "error": "wrong"}, "wrong"),
        (
            Event(id=1),
            "EMAIL_SENT",
            {"Template": "welcome", "To": ["a@b.example"]},
            "“welcome” to a@b.example",
        ),
        (Event(id=1), "DETAIL_VIEW", {"objecttype": "work", "object_id": 24}, "Viewed work 24"),
        (Event(id=1), "WEBHOOK", {"webhook": {"name": "cache"}, "response": "ok"}, "cache: ok"),
        (
            Event(id=1),
            "SEARCH",
            {"request": {"search": [{"string": "boat"}], "objecttypes": ["work"]}, "response": {"count": 2}},
            "“boat” in work: 2 hits",
        ),
        (Event(id=1), "EXPORT_FINISH", {"totalCount": 3}, "3 objects"),
        (
            WORK,
            "FILE_DOWNLOAD",
            {"file": {"original_filename": "a.tif"}, "bytes_count": 1500},
            "a.tif, 1.5 kB",
        ),
        (Event(id=1), "GROUP_INSERT", {"displayname": {"de-DE": "Gäste", "en-US": "Guests"}}, "Guests"),
        (WORK, "OBJECTTYPE_UPDATE", {"a": 1}, "work 24 v2: a=1"),
    ],
)
def test_summaries_of_types_in_groups(event: Event, event_type: str, info: object, text: str) -> None:
    """They have other keys in info than those of the contract."""
    assert event_summary(of(event, event_type, info)) == text


def test_summaries_show_the_keys_that_the_data_names() -> None:
    """All of them, in the order of the data; sizes are rounded."""
    for event_type, known in event_types().items():
        info = {key: 1500 if key in SIZE_KEYS else f"the {key}" for key in known.info}
        text = ", ".join("1.5 kB" if key in SIZE_KEYS else f"the {key}" for key in known.info)
        assert not text or event_summary(of(WORK, event_type, info)) == text, event_type


def test_summaries_are_translated(set_language: Callable[[Language], None]) -> None:
    """Values stay as they are."""
    set_language("de")
    found = {name: event_summary(of(event, name, info)) for name, (event, info, *_) in SUMMARIES.items()}
    assert found["SEARCH"].startswith("„stillleben“, work.dating 1640–1680, nicht _pool 12, 5 in work: ")
    assert found["OBJECT_DELETE"] == "Gelöscht: work 24 v2 (Stapel c74c)"
    assert found["USER_LOGOUT"] == "Abgemeldet: session expired"


@pytest.mark.parametrize(
    ("info", "text"),
    [
        ({"a": 1, "b": True, "c": None, "d": 2.5}, "a=1, b=true, d=2.5"),
        ({"a": 1, "status": "ok", "b": 2, "message": "done"}, "message=done, status=ok, a=1, …"),
        ({"a": {"b": [1, 2, 3, 4]}}, "a={b=[1, 2, 3, …]}"),
        (
            {"token": "abc", "url": "https://x.example/?token=abc"},
            f"url=https://x.example/?token={MASK}, token={MASK}",
        ),
        (["a", {"password": "x"}], f"[a, {{password={MASK}}}]"),
        ("text", "text"),
        ({}, ""),
        ([], ""),
        (None, ""),
        (7, "7"),
    ],
)
def test_events_of_unknown_types_show_significant_keys(info: object, text: str) -> None:
    """The set of types is open (wire §3); secrets are masked."""
    assert event_summary(of(Event(id=1), "PLUGIN_EVENT", info)) == text


def test_a_known_type_with_other_info_shows_its_keys() -> None:
    """Nothing is hidden because a rule does not know it."""
    assert event_summary(of(Event(id=1), "API_CALL", {"call": "x"})) == "call=x"
    assert event_summary(of(WORK, "LOGIN_FAILED", {"tries": 3})) == "work 24 v2: tries=3"


@pytest.mark.parametrize(
    "text", ["a\nb\tc", "a\u0000b\u001bc", "a\u202eb\u2066c", "a\u2028b\u2029c", "  a  b\r\n\r\nc  "]
)
def test_a_summary_is_one_line(text: str) -> None:
    """Control characters, and those that change the direction, become blanks."""
    assert event_summary(of(Event(id=1), "FRONTEND_ERROR", {"message": text})) == "a b c"


def test_long_values_are_truncated() -> None:
    """The values behind them remain visible, also behind a long secret."""
    text = event_summary(of(Event(id=1), "FRONTEND_ERROR", {"message": "x" * 10_000, "url": "/search"}))
    assert text == f"{'x' * 149}… (/search)"
    url = f"https://a.example/?token={'s' * 10_000}"
    assert event_summary(of(Event(id=1), "API_CALL", {"url": url})) == f"https://a.example/?token={MASK}"
    assert len(event_summary(of(Event(id=1), "X", {str(key) * 90: "y" * 900 for key in range(9)}))) == LONGEST


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
        b"[" * 2_000 + b"]" * 2_000,
        b'{"count":' + b"9" * 400 + b',"objects":' + b"9" * 400 + b',"filesize":1e300,"took_ms":-1}',
        b'{"search":' + b'{"search":' * 60 + b'"x"' + b"}" * 61,
        b'{"exception":' + b'{"error":' * 60 + b'"x"' + b"}" * 61,
        b'{"n":' + b"9" * 5_000 + b"}",
        b'{"rate":NaN}',
        b'"\\ud800"',
    ],
    ids=["deep", "lists", "huge-counts", "deep-search", "deep-reason", "huge-number", "nan", "surrogate"],
)
def test_any_info_has_a_summary(raw: bytes) -> None:
    """Services store what clients send."""
    for event_type in (*event_types(), "OTHER"):
        assert len(event_summary(replace(WORK, type=event_type, info=msgspec.Raw(raw)))) <= LONGEST


def test_nothing_secret_is_shown_of_undecodable_info() -> None:
    """It has no keys by which secrets are found."""
    raw = b'{"a":' * 2_000 + b'{"password_of_x":"hunter2"}' + b"}" * 2_000
    assert "hunter2" not in event_summary(Event(id=1, type="X", info=msgspec.Raw(raw)))


def test_large_info_is_not_decoded() -> None:
    """The rows are painted while they are scrolled."""
    raw = msgspec.json.encode({"changes": {"text": "x\\n" * 1_000_000}})
    event = replace(WORK, type="OBJECT_UPDATE", info=msgspec.Raw(raw))
    assert event_summary(event) == "Changed work 24 v2"


_WORDS = (
    "search string field fields in from to bool objecttypes count objects export name exception "
    "reason error message url method payload status state progress_info done total changed changes "
    "items _id recipients subject type schema login filesize version took_ms collection_id "
    "displayname x"
)
KEYS = st.sampled_from([*_WORDS.split(), ""])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@given(st.sampled_from([*known_types(), "EXPORT_OTHER", "OTHER", ""]), VALUES)
def test_any_info_has_a_summary_of_one_line(event_type: str, info: object) -> None:
    """Whatever types the values have."""
    try:
        event = of(WORK, event_type, info)
    except UnicodeEncodeError:
        return  # lone surrogates are not JSON
    text = event_summary(event)
    assert len(text) <= LONGEST
    assert text == " ".join(text.split())
    assert not text or text.isprintable()


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


@pytest.mark.parametrize(
    ("event_type", "info", "said"),
    [
        ("RESOURCE_NOT_AVAILABLE", {"type": "work", "id": 9, "reason": "no right"}, "work 9: „no right“."),
        ("FRONTEND_ERROR", {"message": "a (b)", "url": "/detail"}, "„a (b)“ (/detail)."),
        (
            "API_PROGRESS",
            {"state": "running", "progress_info": {"done": 2, "total": 6}},
            "läuft: 2 von 6.",
        ),
        ("API_PROGRESS", {"state": "resting"}, "„resting“."),
        ("WEBHOOK_ERROR", {"url": "a", "status": 503, "error": "No", "took_ms": 1}, "a: „503 No“, 1 ms."),
        ("API_CALL", {"method": "GET", "url": "a", "status": 200}, "GET a: 200."),
    ],
)
def test_words_of_the_service_are_quoted(
    set_language: Callable[[Language], None], event_type: str, info: object, said: str
) -> None:
    """They may be in another language than the sentence; known states are in that of the sentence."""
    set_language("de")
    assert event_sentences(of(Event(id=1), event_type, info))[-1].endswith(f": {said}")


def test_of_a_short_record_it_says_what_is_known() -> None:
    """Who did something is unknown if the service does not say it."""
    assert event_sentences(Event(id=1, type="OBJECT_INDEX", objecttype="image", object_id=3)) == (
        "The service indexed image 3.",
    )
    assert event_sentences(Event(id=1, type="FROBNICATE")) == ("The service caused FROBNICATE.",)
    view = of(Event(id=1), "DETAIL_VIEW", {"objecttype": "work", "object_id": 24})
    assert event_sentences(view) == ("The service viewed work 24.",)


def test_a_sentence_does_not_decode_large_info() -> None:
    """It would take too long for the selection of a row."""
    large = b'{"error": "error.user.no_system_right", "text": "%s"}' % (b"x" * 200_000)
    assert event_sentences(replace(UPDATE, info=msgspec.Raw(large)))[-1] == (
        "Tilda Lindqvist changed work 24 v2."
    )


def test_every_known_type_has_a_text_in_both_languages() -> None:
    """The German ones name the same values."""
    texts = msgspec.json.decode(resource("sentences.json").read_bytes(), type=dict[str, dict[str, str]])
    assert set(texts) == {*event_types(), "other"}
    for text in texts.values():
        names = [
            {name for name in ("user", "object", "about", "type") if f"{{{name}}}" in text[spoken]}
            for spoken in ("en", "de")
        ]
        assert names[0] == names[1]


@given(
    kind=st.sampled_from((*event_types(), "UNKNOWN")),
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
