"""Tests of search patterns for the values of an event."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.error_messages import explained_error
from cdb_desktop.vocabulary.pattern import (
    Condition,
    EventMatcher,
    Hit,
    Pattern,
    PatternError,
    PatternKind,
    UnsupportedSyntax,
    key_value_text,
    object_condition,
    parse_key_values,
)

INFO = {"query": 'Größe "M"', "items": [{"id": 7, "name": "Vase"}], "password": "hunter2", "empty": None}


def event(info: Any = INFO) -> Event:
    """An event with all kinds of values."""
    return Event(
        id=1042,
        type="OBJECT_UPDATE",
        timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        objecttype="work",
        object_id=77,
        info=msgspec.Raw(msgspec.json.encode(info)),
        user={"_id": 5, "_generated_displayname": "Anna Weber"},
        session_token="secret-token",
    )


def path(text: str, kind: PatternKind = PatternKind.TEXT, *, exact: bool = False) -> str | None:
    """The path of the match in the event."""
    hit = Pattern(text, kind, exact=exact).find(event())
    return None if hit is None else hit.path


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("object_up", "type"),
        ("anna", "user._generated_displayname"),
        ("größe", "info.query"),
        ('Größe "M"', "info.query"),
        ("vase", "info.items.0.name"),
        ("1042", "_id"),
        ("2026-01-02T03", "timestamp"),
        ("work 77", "object"),
        ("ork 77", "object"),
        ("work 78", None),
        ("items", None),
        ("hunter2", None),
        ("secret-token", None),
        ("[{", None),
    ],
)
def test_a_text_is_found_in_values_only(text: str, where: str | None) -> None:
    """Fields, the user and info are searched at any depth; keys, JSON syntax and secrets are not."""
    assert path(text) == where


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("vase anna", True),
        ("Anna VASE größe", True),
        ("changed work", True),
        ("77 changed", True),
        ("changed: work", False),
        ("changed vases", False),
        ("hunter2 changed", False),
        ("items", False),
        ("", True),
    ],
)
def test_words_are_required_in_any_order_and_place(text: str, is_found: bool) -> None:
    """In a stored value, or in what the row shows: its summary and its type in words."""
    assert (path(text, PatternKind.WORDS) is not None) is is_found


def test_what_a_row_shows_is_found_in_the_language_of_the_window(
    set_language: Callable[[Language], None],
) -> None:
    """A phrase, too, may be the text of a row."""
    assert Pattern("Changed work 77").find(event()) is not None
    assert Pattern("Changed", exact=True).find(event()) is not None
    assert Pattern("geändert", PatternKind.WORDS).find(event()) is None
    set_language("de")
    assert Pattern("geändert werk", PatternKind.WORDS).find(event()) is None
    assert Pattern("work GEÄNDERT", PatternKind.WORDS).find(event()) is not None
    assert Pattern("changed", PatternKind.WORDS).find(event()) is None


def test_numbers_and_errors_are_found_as_rows_show_them(set_language: Callable[[Language], None]) -> None:
    """Separators, rounded sizes and explanations are in no stored value."""
    set_language("en")
    download = Event(id=1, type="ASSET_DOWNLOAD", info=msgspec.Raw(b'{"filesize": 12960000}'))
    hits = Event(id=2, type="SEARCH", info=msgspec.Raw(b'{"count": 1204}'))
    failed = Event(id=3, type="SEARCH", info=msgspec.Raw(b'{"reason": "error.user.no_system_right"}'))
    assert Pattern("13.0 mb", PatternKind.WORDS).find(download) is not None
    assert Pattern("1,204 hits", PatternKind.WORDS).find(hits) is not None
    explained = explained_error(failed)
    assert explained is not None
    assert Pattern(explained.title, PatternKind.WORDS).find(failed) is not None
    assert Pattern(explained.title, PatternKind.WORDS).find(hits) is None


def test_case_sensitivity_is_optional() -> None:
    """Both modes are supported."""
    assert path("VASE") == "info.items.0.name"
    assert path("VASE", exact=True) is None
    assert path("Vase", exact=True) == "info.items.0.name"


@pytest.mark.parametrize(
    ("text", "where"),
    [(r"^vase$", "info.items.0.name"), (r"an+a w.b", "user._generated_displayname"), (r"^ase", None)],
)
def test_an_expression_matches_single_values(text: str, where: str | None) -> None:
    """Its anchors match the ends of a value."""
    assert path(text, PatternKind.REGEX) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (r"\bVas\w\b", "info.items.0.name"),
        (r"[^x]ase", "info.items.0.name"),
        (r"(?i)anna\sweber", "user._generated_displayname"),
        (r"\A7\z", "info.items.0.id"),
        (r"[]^]|^We", None),
        (r"\QWeber\E$", "user._generated_displayname"),
        (r"05(\+00:00|Z)$", "timestamp"),
        (r"^1042$", "_id"),
    ],
)
def test_escapes_and_classes_match_in_records_without_any(text: str, where: str | None) -> None:
    """A record without escapes is first searched as a whole, and no match is missed."""
    plain = event({"items": [{"id": 7, "name": "Vase"}]})
    hit = Pattern(text, PatternKind.REGEX, exact=True).find(plain)
    assert (None if hit is None else hit.path) == where


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("needle", PatternKind.TEXT),
        (r"MK_00[^1]\d+\.tif|needle\b", PatternKind.REGEX),
        ("name=needle", PatternKind.KEY),
    ],
)
def test_records_without_a_match_are_not_decoded(
    monkeypatch: pytest.MonkeyPatch, text: str, kind: PatternKind
) -> None:
    """Decoding takes forty times as long, and most events do not match."""
    monkeypatch.setattr("cdb_desktop.vocabulary.pattern.leaves", _refuse)
    assert Pattern(text, kind).find(event({"items": [{"id": 7, "name": "Vase"}]})) is None


def _refuse(_event: Event) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("info.items.0.id=7", "info.items.0.id"),
        ("ID = 7", "info.items.0.id"),
        ("object_id=77", "object_id"),
        ("object_id=7", None),
        ("empty=null", "info.empty"),
        ("name=*", "info.items.0.name"),
        ("missing=*", None),
    ],
)
def test_a_key_matches_whole_values(text: str, where: str | None) -> None:
    """The key's last part is sufficient; ``*`` is any value."""
    assert path(text, PatternKind.KEY) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("name=*as*", "info.items.0.name"),
        ("name=v*E", "info.items.0.name"),
        ("name=*ase", "info.items.0.name"),
        ("name=a*", None),
        ("query=*größe*", "info.query"),
        (r"query=*\"m\"", "info.query"),
        ("user=anna*", "user._generated_displayname"),
        ("info.*id=7", "info.items.0.id"),
        (r"name=V\*e", None),
    ],
)
def test_a_star_matches_any_text(text: str, where: str | None) -> None:
    """It is allowed in values and in keys, unless it is escaped."""
    assert path(text, PatternKind.KEY) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("objecttype=work object_id=77", "object_id"),
        ("objecttype=artist object_id=77", None),
        ("objecttype=work object_id=78", None),
        ("type=OBJECT_* name=vase", "info.items.0.name"),
        ('query="größe \\"M\\"" name=vase', "info.items.0.name"),
    ],
)
def test_several_pairs_must_all_match(text: str, where: str | None) -> None:
    """The hit is the match of the last pair."""
    assert path(text, PatternKind.KEY) == where


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fe80", PatternKind.WORDS),
        ("ipv4_address=fe80::1", PatternKind.KEY),
        ("remote_addr=fe80*", PatternKind.KEY),
        ("system_object_id=88", PatternKind.KEY),
        ("user=*editors", PatternKind.KEY),
        ("group editors", PatternKind.WORDS),
    ],
)
def test_fields_of_generation_6(text: str, kind: PatternKind) -> None:
    """The address has two names, and a group in place of a user is found like one."""
    group = {"_id": 3, "_generated_displayname": "Editors"}
    one = Event(
        id=1,
        remote_addr="fe80::1",
        system_object_id=88,
        group_id=3,
        user_displayname="Editors",
        user={"_basetype": "group", "group": group},
    )
    assert EventMatcher([Condition(text, kind)]).matches(one)
    assert not EventMatcher([Condition("user._id=3", PatternKind.KEY)]).matches(one)


def test_the_name_of_a_field_refers_to_the_field() -> None:
    """A key of info with this name needs its path."""
    record = event({"object_id": 5, "type": "x"})
    assert Pattern("object_id=5", PatternKind.KEY).find(record) is None
    found = Pattern("info.object_id=5", PatternKind.KEY).find(record)
    assert found is not None
    assert found.path == "info.object_id"


@pytest.mark.parametrize(
    ("text", "kind", "needs"),
    [
        ("objecttype=work object_id=77", PatternKind.KEY, False),
        ("user=Anna* TYPE=*", PatternKind.KEY, False),
        ("type=* name=vase", PatternKind.KEY, True),
        ("ipv4_address=10.*", PatternKind.KEY, True),
        ("object_id", PatternKind.TEXT, True),
    ],
)
def test_short_records_are_enough_for_their_fields(text: str, kind: PatternKind, needs: bool) -> None:
    """Reading full records takes several times as long."""
    assert Pattern(text, kind).needs_whole is needs


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        ("(?<=a)b", UnsupportedSyntax.LOOK_AROUND),
        ("(?<!a)b", UnsupportedSyntax.LOOK_AROUND),
        ("a(?=b)", UnsupportedSyntax.LOOK_AROUND),
        ("a(?!b)", UnsupportedSyntax.LOOK_AROUND),
        (r"(a)\1", UnsupportedSyntax.BACK_REFERENCE),
        ("(a", None),
    ],
)
def test_unsupported_syntax_is_recognized(text: str, unsupported: UnsupportedSyntax | None) -> None:
    """It has a specific message."""
    with pytest.raises(PatternError) as refused:
        Pattern(text, PatternKind.REGEX)
    assert refused.value.unsupported is unsupported


@pytest.mark.parametrize("text", ["text=*needle*", "text=*"])
def test_a_hit_in_a_long_value_has_an_excerpt(text: str) -> None:
    """The excerpt has the match, and never the whole value."""
    hit = Pattern(text, PatternKind.KEY).find(event({"text": "x " * 5_000 + "needle" + " y" * 5_000}))
    assert isinstance(hit, Hit)
    assert len(hit.piece) < 500
    if "needle" in text:
        assert hit.piece[hit.first : hit.last] == "needle"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(a", PatternKind.REGEX),
        ("(?=a)", PatternKind.REGEX),
        ("=7", PatternKind.KEY),
        ("7", PatternKind.KEY),
    ],
)
def test_invalid_patterns_are_refused(text: str, kind: PatternKind) -> None:
    """They are refused before any request."""
    with pytest.raises(PatternError):
        Pattern(text, kind)


def test_a_hit_has_an_excerpt_around_the_match() -> None:
    """The position in the excerpt is right, also deep in a long text of several lines."""
    hit = Pattern("needle").find(event({"text": "x\n" * 500 + "needle" + " y" * 500}))
    assert isinstance(hit, Hit)
    assert hit.piece[hit.first : hit.last] == "needle"
    assert hit.piece.startswith("…")
    assert len(hit.piece) < 300
    assert "\n" not in hit.piece


def test_no_expression_takes_exponential_time() -> None:
    """An expression that would take Python's engine years ends at once."""
    assert Pattern(r"(a+)+$", PatternKind.REGEX).find(event({"text": "a" * 5_000 + "b"})) is None


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("objecttype=image object_id=530", [("objecttype", ("image",)), ("object_id", ("530",))]),
        ("ID = 7", [("ID", ("7",))]),
        ("user=Anna Weber type=SEARCH", [("user", ("Anna Weber",)), ("type", ("SEARCH",))]),
        ('name="a=b c" type = X', [("name", ("a=b c",)), ("type", ("X",))]),
        ("url=http://host/?a=b", [("url", ("http://host/?a=b",))]),
        ('name="open', [("name", ('"open',))]),
        ("name=", [("name", ("",))]),
        ("q=*a b* c = d", [("q", ("", "a b", "")), ("c", ("d",))]),
        (r"k=5\*3 \"x\"", [("k", ('5*3 "x"',))]),
    ],
)
def test_a_value_extends_to_the_next_key(typed: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    """It may contain blanks, and an equals sign in quotes or without a blank; a star splits it."""
    assert [(pair.key, pair.pieces) for pair in parse_key_values(typed)] == found


@pytest.mark.parametrize("value", ["image", "my type", "5*3", 'a"b', "a=b", "7@abc-1"])
def test_formatted_values_are_parsed_again(value: str) -> None:
    """The parsed value is exactly the same."""
    (pair,) = parse_key_values(key_value_text("objecttype", value))
    assert (pair.key, pair.pieces) == ("objecttype", (value,))


EVENT = Event(
    id=19_703,
    type="DOWNLOAD_FAILED",
    objecttype="work",
    object_id=477,
    object_version=2,
    info=msgspec.Raw(b'{"reason": "denied by policy", "size": 12}'),
    user={"_id": 7, "_generated_displayname": "Jonas Roth"},
    user_id=7,
    user_displayname="Jonas Roth",
)
REGEX, KEY, OBJECT, WORDS = PatternKind.REGEX, PatternKind.KEY, PatternKind.OBJECT, PatternKind.WORDS


@pytest.mark.parametrize(
    "condition",
    [
        Condition("Denied by"),
        Condition("reason=denied*", KEY),
        Condition("work", OBJECT),
        Condition("work 477", OBJECT),
        Condition("Work 477 v2", OBJECT),
        Condition("477", OBJECT),
        Condition("work 47"),
    ],
)
def test_matches(condition: Condition) -> None:
    """A condition holds, and its opposite does not."""
    assert EventMatcher([condition]).matches(EVENT)
    assert not EventMatcher([msgspec.structs.replace(condition, is_excluded=True)]).matches(EVENT)


@pytest.mark.parametrize(
    "condition",
    [
        Condition("denied", is_exact=True, kind=REGEX, is_excluded=True),
        Condition("wor", OBJECT),
        Condition("work 47", OBJECT),
        Condition("work 477 v1", OBJECT),
        Condition("47", OBJECT),
        Condition("2", OBJECT),
    ],
)
def test_does_not_match(condition: Condition) -> None:
    """Parts of objects and of values of keys do not match."""
    assert not EventMatcher([condition]).matches(EVENT)


def test_all_conditions_must_hold() -> None:
    """Without conditions every event matches; of several each must hold."""
    held, failed = Condition("denied"), Condition("allowed")
    assert EventMatcher([]).matches(EVENT)
    assert EventMatcher([held, Condition("work", OBJECT)]).matches(EVENT)
    assert not EventMatcher([held, failed]).matches(EVENT)
    assert EventMatcher([held, msgspec.structs.replace(failed, is_excluded=True)]).matches(EVENT)


@pytest.mark.parametrize(
    ("condition", "text", "places"),
    [
        (Condition("denied"), "Denied, denied", [(0, 6), (8, 14)]),
        (Condition("denied", is_excluded=True), "denied", []),
        (Condition(r"\bd\w*", REGEX), "was denied", [(4, 10)]),
        (Condition("x*", REGEX), "axa", [(1, 2)]),
        (Condition("reason=*policy", KEY), "denied by policy", [(10, 16)]),
        (Condition("work 477", OBJECT), "work 477 v2", [(0, 11)]),
        (Condition("work 477", OBJECT), "other", []),
    ],
)
def test_what_is_highlighted(condition: Condition, text: str, places: list[tuple[int, int]]) -> None:
    """In a displayed text, all places of what is searched for."""
    assert EventMatcher([condition]).places(text) == places


def test_words_are_highlighted_each_once() -> None:
    """Overlapping ones as one range; a type as a whole if only its words in the window's language match."""
    matcher = EventMatcher(
        [Condition("deleted image mage", WORDS), Condition("work", WORDS, is_excluded=True)]
    )
    assert matcher.places("Deleted image 742 v2") == [(0, 7), (8, 13)]
    assert matcher.places("OBJECT_DELETE", "OBJECT_DELETE") == [(0, 13)]
    assert matcher.places("OBJECT_DELETE") == []
    assert matcher.places("OBJECT_UPDATE", "OBJECT_UPDATE") == []


def test_the_same_object_is_found_by_its_unique_name() -> None:
    """Ids of objects are unique for each type only."""
    work = Event(id=1, objecttype="work", object_id=7, global_object_id="7@abc", object_version=2)
    assert object_condition(work) == Condition("work 7", OBJECT)
    assert object_condition(Event(id=1, basetype="user", object_id=7)) == Condition("user 7", OBJECT)
    assert object_condition(Event(id=1, object_id=7)) == Condition("7", OBJECT)
    unnamed = Event(id=1, object_id=7, global_object_id="7@abc")
    assert object_condition(unnamed) == Condition("global_object_id=7@abc", KEY)
    for event in (work, unnamed):
        assert EventMatcher([object_condition(event)]).matches(event)
