"""Tests of alarm rules: what raises an alarm, and that a restart changes nothing."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.foundation.files import Report
from cdb_desktop.live.alarm_rules import (
    Alarm,
    AlarmKind,
    AlarmRule,
    AlarmState,
    ProfileAlarms,
    ViewAlarm,
    alarms_file,
    usable_rule,
    with_rule,
    without_rule,
)
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.pattern import Condition

EXPORTS = Query(types=("EXPORT_FAILED",))


def _event(number: int, second: float, kind: str = "EXPORT_FAILED") -> Event:
    return Event(id=number, type=kind, timestamp=datetime.fromtimestamp(second, UTC))


def _alarm(kind: AlarmKind, number: int = 2, seconds: int = 60) -> ViewAlarm:
    return ViewAlarm(AlarmRule("Exports", kind, number, seconds), EXPORTS, AlarmState(0.0))


def _moments(found: list[Alarm | None]) -> list[float]:
    return [one.moment for one in found if one is not None]


def test_each_match_raises_an_alarm() -> None:
    """Other types raise none, and a type that nobody has seen before can be chosen."""
    alarm = ViewAlarm(AlarmRule("New"), Query(types=("NEVER_SEEN",)), AlarmState(0.0))
    assert alarm.take(_event(1, 10.0), 10.0) is None
    found = alarm.take(_event(2, 11.0, "NEVER_SEEN"), 11.0)
    assert found is not None
    assert found.event == _event(2, 11.0, "NEVER_SEEN")


def test_more_than_a_number_within_a_time() -> None:
    """The third event within a minute raises an alarm; then they are counted from zero."""
    alarm = _alarm("more")
    seconds = [0, 50, 70, 100, 109, 110, 111, 112]
    found = [alarm.take(_event(number, second), second) for number, second in enumerate(seconds, 1)]
    assert _moments(found) == [100, 111]
    first = next(one for one in found if one)
    assert (first.number, first.since) == (3, 50)


def test_none_for_a_time() -> None:
    """Silence raises one alarm, and another one only after an event; a gap in the past counts as well."""
    alarm = _alarm("none")
    assert _moments([alarm.tick(now) for now in (59, 60, 61, 500)]) == [60]
    assert _moments([alarm.take(_event(1, 510), 510), alarm.take(_event(2, 569), 569)]) == []
    assert _moments([alarm.take(_event(3, 700), 700)]) == [629]
    assert _moments([alarm.tick(759), alarm.tick(760)]) == [760]


def test_conditions_are_tested_in_whole_records() -> None:
    """A text may be in the info, which short records lack."""
    query = Query(conditions=(Condition("denied"),))
    alarm = ViewAlarm(AlarmRule("Denied"), query, AlarmState(0.0))
    assert alarm.needs_whole
    whole = Event(id=1, type="A", info=msgspec.Raw(b'{"reason":"Denied"}'))
    assert alarm.take(whole, 5.0) is not None
    assert alarm.take(Event(id=2, type="A"), 5.0) is None


@given(
    st.lists(st.integers(0, 300), max_size=40),
    st.sampled_from(("any", "more", "none")),
    st.integers(0, 40),
    st.integers(1, 4),
)
def test_a_restart_changes_no_alarm(seconds: list[int], kind: AlarmKind, stop: int, number: int) -> None:
    """With a stored state the rest of the events raises what it would have raised without a restart."""
    events = [_event(place, second) for place, second in enumerate(seconds, 1)]
    straight = _alarm(kind, number)
    expected = [straight.take(event, 0.0) for event in events]
    first = _alarm(kind, number)
    before = [first.take(event, 0.0) for event in events[:stop]]
    stored = msgspec.json.decode(msgspec.json.encode(first.state), type=AlarmState)
    second = ViewAlarm(first.rule, EXPORTS, stored)
    assert before + [second.take(event, 0.0) for event in events[stop:]] == expected


@given(st.lists(st.integers(0, 200), max_size=60), st.integers(1, 5), st.integers(1, 100))
def test_alarms_count_events_within_their_time_once(times: list[int], number: int, seconds: int) -> None:
    """Each alarm is about more events than allowed, all within the time, and no event counts twice."""
    alarm = ViewAlarm(AlarmRule("Exports", "more", number, seconds), EXPORTS, AlarmState(0.0))
    found = [one for place, second in enumerate(times, 1) if (one := alarm.take(_event(place, second), 0.0))]
    assert all(one.number == number + 1 for one in found)
    assert all(one.since is not None and one.moment - one.since <= seconds for one in found)
    assert len(found) * (number + 1) <= len(times)


def test_rules_are_stored_by_profile(tmp_path: Path) -> None:
    """A view has one rule; other profiles have their own."""
    file = alarms_file(tmp_path)
    rules = with_rule(with_rule((), AlarmRule("A")), AlarmRule("B", "none"))
    rules = with_rule(rules, AlarmRule("A", "more"))
    file.change("root@museum", lambda _before: ProfileAlarms(rules, 7, {"A": AlarmState(1.0, [2.0])}))
    stored = alarms_file(tmp_path).read("root@museum")
    assert stored == ProfileAlarms(rules, 7, {"A": AlarmState(1.0, [2.0])})
    assert {one.view: one.kind for one in rules} == {"A": "more", "B": "none"}
    assert without_rule(rules, "A") == (AlarmRule("B", "none"),)
    assert alarms_file(tmp_path).read("support@museum") is None


def test_a_damaged_file_is_set_aside(tmp_path: Path, reports: list[Report]) -> None:
    """The program starts without rules, and says where the file is."""
    (tmp_path / "alarms.json").write_bytes(b'{"root@museum": {"rules": [{"view": 5}]}}')
    assert alarms_file(tmp_path).read("root@museum") is None
    assert [one.trouble for one in reports] == ["damaged"]


def test_numbers_of_a_file_are_limited() -> None:
    """A file may have been edited by hand."""
    assert usable_rule(AlarmRule("A", "more", -4, 10**12)) == AlarmRule("A", "more", 1, 366 * 86_400)
