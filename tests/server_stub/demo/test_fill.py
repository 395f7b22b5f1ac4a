"""Filling with the demo: deterministic, and repeated after an interruption."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Row, column, func, inspect, select, table, text

from server_stub.database.bulk import missing_indexes
from server_stub.database.tables import configuration, event, session, user
from server_stub.demo import DemoServices, fill
from server_stub.demo.fill import Calendar, log_sections, plan_days, write_script
from server_stub.demo.museum import PURGED_IMAGES, initial_stock
from server_stub.demo.people import all_people
from server_stub.events import Caller, EventDraft, EventLog
from tests.server_stub.demo.conftest import NOW, EventRow, Museum

_OWN_CHANCE = frozenset({"_user"})


def _everything(services: DemoServices) -> dict[str, Sequence[Row[*tuple[object, ...]]]]:
    """All rows of all tables; users without their salted passwords."""
    with services.database.read() as connection:
        names = set(inspect(connection).get_table_names()) - _OWN_CHANCE
        rows = {name: connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in names}  # noqa: S608
        people = select(user.c.id, user.c.login, user.c.type, user.c.displayname, user.c.rights)
        return {**rows, "_user": connection.execute(people).all()}


def test_same_seed_same_data(new_services: Callable[[str], DemoServices]) -> None:
    """Two databases with the same seed and time hold the same rows in all tables; another seed differs."""
    rows = []
    for name, seed in (("one", 7), ("same", 7), ("other", 8)):
        services = new_services(name)
        fill(services, events=40, seed=seed)
        rows.append(_everything(services))
    assert rows[0] == rows[1]
    assert rows[0]["_event"] != rows[2]["_event"]
    assert [len(each["_event"]) for each in rows] == [40] * 3


class _Interrupted(EventLog):
    """A log that fails at its fifth transaction, like a killed process."""

    _transactions = 0

    def append(self, connection: Connection, drafts: Sequence[EventDraft]) -> range:
        self._transactions += 1
        if self._transactions == 5:
            raise RuntimeError("killed")
        return super().append(connection, drafts)


def test_an_interrupted_filling_is_repeated(new_services: Callable[[str], DemoServices]) -> None:
    """An interrupted filling has no users, and the next one gives the same data as an uninterrupted one."""
    services, whole = new_services("interrupted"), new_services("whole")
    with pytest.raises(RuntimeError, match="killed"):
        fill(replace(services, log=_Interrupted(services.database, "instance-uuid")), events=1_500)
    with services.database.read() as connection:
        assert services.users.is_empty(connection)
        assert connection.execute(select(func.count()).select_from(table("work"))).scalar_one() == 0
    fill(services, events=1_500)
    fill(whole, events=1_500)
    assert _everything(services) == _everything(whole)
    with services.database.read() as connection:
        assert connection.execute(select(configuration)).all() == []
        assert missing_indexes(connection, event) == []


def test_a_log_of_three_events(new_services: Callable[[str], DemoServices]) -> None:
    """The shortest log has the commits only."""
    services = new_services("short")
    fill(services, events=3)
    with services.database.read() as connection:
        assert connection.execute(select(event.c.type)).scalars().all() == ["SCHEMA_COMMIT"] * 3


_POLLABLE = {
    "API_PROGRESS", "MAPPING_INSERT", "MAPPING_UPDATE", "MAPPING_DELETE", "OBJECT_INDEX", "OBJECT_INSERT",
    "OBJECT_UPDATE", "OBJECT_DELETE", "SCHEMA_COMMIT", "USER_LOGIN", "USER_LOGOUT",
}  # fmt: skip


def test_twenty_thousand_in_order(museum: Museum) -> None:
    """The log has the requested number of events, with ids ascending by time, over thirty days."""
    events = museum.events
    assert [each.id for each in events] == list(range(1, 20_001))
    assert all(one.timestamp <= other.timestamp for one, other in pairwise(events))
    assert events[0].timestamp == NOW - 30 * 86_400
    assert NOW - 7_200 < events[-1].timestamp <= NOW


@pytest.mark.parametrize("now", [NOW + 3 * 86_400, NOW - NOW % 86_400 - 3_600])
@pytest.mark.parametrize(("events", "in_days"), [(3, 900), (900, 900), (900, 200)])
def test_at_any_hour_of_any_day(now: int, events: int, in_days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any end time the log is complete, in order, and has every version of each object.

    That is so as well where it is made in parts of days.
    """
    monkeypatch.setitem(plan_days.__globals__, "_IN_DAYS", in_days)
    calendar, stock = Calendar(now), initial_stock()
    scripted = write_script(calendar, Random("stories"), PURGED_IMAGES, events)
    sections = list(log_sections(calendar, scripted, stock, Random("days"), events))
    drafts = [draft for section in sections for draft in section.drafts]
    assert len(drafts) + sum(section.release is not None for section in sections) == events
    assert [draft.timestamp for draft in drafts] == sorted(draft.timestamp for draft in drafts)
    reached: dict[tuple[str | None, int | None], int] = {}
    for draft in drafts:
        if draft.type in ("OBJECT_INSERT", "OBJECT_UPDATE") and draft.object_version is not None:
            key = (draft.objecttype, draft.object_id)
            assert draft.object_version == reached.get(key, draft.object_version - 1) + 1
            reached[key] = draft.object_version
    assert all(stock.versions[str(name)][id_ or 0] == last for (name, id_), last in reached.items())


def test_few_events_are_in_memory() -> None:
    """Those of a plan are: of ten million events a day has up to 600,000, a part of one a third of them."""
    calendar = Calendar(NOW)
    plans = plan_days(calendar, calendar.start, all_people(), 10_000_000, Random(1))
    assert sum(plan.events for plan in plans) == 10_000_000
    assert max(plan.events for plan in plans) < 200_000


def test_kinds(museum: Museum) -> None:
    """There are more than 25 types, pollable as in the service, and `info` is always an object."""
    types = Counter(each.type for each in museum.events)
    assert len(types) > 25
    assert {each.type for each in museum.events if each.pollable} == _POLLABLE
    assert all(isinstance(msgspec.json.decode(each.info), dict) for each in museum.events)
    assert all((each.schema == "BASE") == (each.base_type is not None) for each in museum.events)


def test_day_and_night_and_weekends(museum: Museum) -> None:
    """People work by day and on weekdays, and imports run at night."""
    local = [datetime.fromtimestamp(each.timestamp + 3_600, UTC) for each in museum.events]
    hours, days = Counter(time.hour for time in local), Counter(time.weekday() for time in local)
    assert hours[10] > 8 * hours[5]
    assert min(days[day] for day in range(5)) > 3 * max(days[5], days[6])
    at_night = [each for each, time in zip(museum.events, local, strict=True) if time.hour in (2, 3)]
    imported = [each for each in at_night if each.user_displayname in ("Import Robot", None)]
    assert len(imported) > 0.8 * len(at_night)


def test_users_differ_in_activity(museum: Museum) -> None:
    """Almost all users have events, some twenty times as many as others."""
    by_user = Counter(each.user_id for each in museum.events if each.user_id)
    with museum.services.database.read() as connection:
        all_people = set(connection.execute(select(user.c.id)).scalars())
    assert by_user.keys() <= all_people
    assert len(by_user) > len(all_people) - 2
    assert by_user.most_common(1)[0][1] > 20 * min(by_user.values())


def test_objects_exist_in_the_logged_versions(museum: Museum) -> None:
    """USER events refer to existing objects, whose versions rise by one up to that of the row."""
    names = {each["name"] for each in museum.services.schemas.read("CURRENT")["tables"]}  # type: ignore[attr-defined]
    about = [each for each in museum.events if each.schema == "USER"]
    assert {each.objecttype for each in about} <= names
    reached: dict[tuple[str, int], int] = {}
    for each in about:
        key = (each.objecttype, each.object_id)
        if each.type in ("OBJECT_INSERT", "OBJECT_UPDATE"):
            assert each.object_version == reached.get(key, each.object_version - 1) + 1
            reached[key] = each.object_version
    with museum.services.database.read() as connection:
        for name in {each.objecttype for each in about}:
            rows = table(name, column("_id"), column("_version"))
            versions = dict(connection.execute(select(rows.c["_id"], rows.c["_version"])).all())
            living = {
                each.object_id for each in about if each.objecttype == name and each.type != "OBJECT_DELETE"
            }
            assert living <= versions.keys()
            assert all(versions[key[1]] == value for key, value in reached.items() if key[0] == name)


def test_full_records_contain_sessions(museum: Museum) -> None:
    """Full records of log-outs have the times of the session, which no token matches."""
    event_id = next(each.id for each in museum.events if each.type == "USER_LOGOUT")
    with museum.services.database.reader() as reader:
        text = museum.services.log.full_record(reader, event_id, Caller("nobody", None))
    with museum.services.database.read() as connection:
        hashes = connection.execute(select(session.c.token_hash)).scalars().all()
    assert text is not None
    found = msgspec.json.decode(text)["_session"]
    assert found.keys() == {"token", "created", "expired"}
    assert found["created"] < found["expired"]
    assert len(hashes) > 500
    assert all(len(each) != 64 for each in hashes)


def _of(museum: Museum, kind: str) -> list[EventRow]:
    return [each for each in museum.events if each.type == kind]


def _clock(row: EventRow) -> str:
    return datetime.fromtimestamp(row.timestamp + 3_600, UTC).strftime("%H:%M")


def test_forty_images_deleted_one_evening(museum: Museum) -> None:
    """One session deletes forty images within half an hour; users miss them the next morning."""
    deleted = [each for each in _of(museum, "OBJECT_DELETE") if each.user_displayname == "Nora Dietz"]
    purge = [each for each in deleted if each.info == deleted[0].info]
    assert len(purge) == 40
    assert len({each.session for each in purge}) == 1
    assert purge[-1].timestamp - purge[0].timestamp < 1_800
    missed = [each for each in _of(museum, "RESOURCE_NOT_AVAILABLE") if '"deleted"' in each.info]
    assert 0 < missed[0].timestamp - purge[-1].timestamp < 86_400


def test_export_fails_every_night_since_nine_days(museum: Museum) -> None:
    """The nightly export at ten past two succeeds for weeks and then fails for nine days."""
    started = [each for each in _of(museum, "EXPORT_START") if each.object_id == 77]
    assert {_clock(each) for each in started} == {"02:10"}
    failed, done = _of(museum, "EXPORT_FAILED"), [
        each for each in _of(museum, "EXPORT_FINISH") if each.object_id == 77
    ]  # fmt: skip
    assert len(failed) == 10
    assert done[-1].timestamp < failed[0].timestamp
    assert len(failed) + len(done) == len(started)


def test_burst_of_failed_logins(museum: Museum) -> None:
    """More than a hundred log-ins fail within ten minutes of one night."""
    failed = [each.timestamp for each in _of(museum, "LOGIN_FAILED")]
    assert max(sum(first <= each < first + 600 for each in failed) for first in failed) > 100


def test_errors_since_the_last_release(museum: Museum) -> None:
    """The error about signatures appears only after the last commit, on every working day."""
    last = _of(museum, "SCHEMA_COMMIT")[-1]
    broken = [each for each in _of(museum, "FRONTEND_ERROR") if "signature" in each.info]
    assert len(broken) > 15
    assert all(each.timestamp > last.timestamp for each in broken)


def test_three_releases(museum: Museum) -> None:
    """The releaser committed the schema's versions weeks apart, the later ones on working days."""
    commits = _of(museum, "SCHEMA_COMMIT")
    assert [each.info for each in commits] == [f'{{"schema":{version}}}' for version in (1, 2, 3)]
    assert all("Releaser" in each.user_displayname for each in commits)
    assert all(datetime.fromtimestamp(each.timestamp, UTC).weekday() < 5 for each in commits[1:])
    assert commits[2].timestamp - commits[1].timestamp > 6 * 86_400
