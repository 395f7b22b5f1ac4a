"""Fills an empty database with the demo: its schema, events, objects and finally its users.

Events, sessions and releases of thirty days are made in the order of time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from heapq import heapify, heappop, heapreplace
from itertools import count
from operator import attrgetter, itemgetter
from random import Random
from types import MappingProxyType

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, MetaData, delete, insert, inspect, select, update

from server_stub.database import Database, WriteLock
from server_stub.database.bulk import create_index, drop_indexes, insert_rows, missing_indexes
from server_stub.database.tables import (
    configuration,
    counter,
    event,
    journal,
    localization,
    object_version,
    schema_version,
    session,
)
from server_stub.demo.actions import RoleProfile, role_profiles, webhook_info
from server_stub.demo.activity import write_past_versions
from server_stub.demo.museum import (
    CURRENT_VERSION,
    HEAD_VERSION,
    PURGED_IMAGES,
    add_objects,
    initial_stock,
    museum_document,
    museum_names,
    museum_tables,
    objecttypes,
)
from server_stub.demo.people import (
    ACTIVITY_PATTERNS,
    DemoServices,
    ObjectStock,
    Person,
    Role,
    Simulation,
    VisitContext,
    WeightedChoice,
    actor_of,
    add_people,
    all_people,
    failed_login,
    new_reference,
    people_by_login,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import Actor, EventDraft
from server_stub.foundation.memory import uncollected
from server_stub.foundation.times import EPOCH
from server_stub.schema import Schemas
from server_stub.schema.document.model import read_schema
from server_stub.schema.objects import ObjectTables


def fill(services: DemoServices, *, events: int = 20_000, seed: int = 1) -> None:
    """Fills a database without users with the demo; the same seed and `now()` make the same rows.

    Writes `events` events, at least three, for the thirty days up to `services.now()`. Users are added in the
    last transaction, so that an interrupted filling is recognised and repeated at the next start. A mark in
    the configuration says that the database has nothing but an unfinished demo, which may be removed.
    """
    with uncollected():
        _begin_filling(services.database)
        versions = _write_history(services, events, seed)
    # Saves a HEAD with an added table, a removed column, a renamed one and one of another type.
    before = services.schemas.read("HEAD")
    services.schemas.save_head(museum_document(HEAD_VERSION, before))
    services.schemas.save_names("HEAD", museum_names(HEAD_VERSION))
    _build_indexes(services.database)
    with services.database.write(pauses=True) as connection:
        add_objects(connection, versions)
        _add_versions(connection, services.schemas, seed)
        add_people(connection, services.users, all_people())
        # Removes the mark.
        connection.execute(delete(configuration).where(_marked))


def add_missing_versions(services: DemoServices, *, seed: int = 1) -> None:
    """Gives a demo of a server that stored no versions of objects those of the past."""
    with services.database.write(WriteLock.SCHEMA) as connection:
        if connection.execute(select(object_version.c.version).limit(1)).first() is None:
            _add_versions(connection, services.schemas, seed)


def _add_versions(connection: Connection, schemas: Schemas, seed: int) -> None:
    tables = ObjectTables(read_schema(schemas.read("CURRENT")))
    write_past_versions(connection, tables, Random(f"{seed} versions"))


def _write_history(services: DemoServices, events: int, seed: int) -> Mapping[str, Mapping[int, int]]:
    """Writes events, releases and sessions; returns the versions of all objects."""
    calendar, stock = Calendar(services.now()), initial_stock()
    scripted = write_script(calendar, Random(f"{seed} stories"), PURGED_IMAGES, events)
    for section in log_sections(calendar, scripted, stock, Random(f"{seed} days"), events):
        for first in range(0, len(section.drafts), _BATCH):
            with services.database.write() as connection:
                services.log.append(connection, section.drafts[first : first + _BATCH])
        section.drafts.clear()  # They would be in memory beside the next ones.
        if section.release is not None:
            _commit_release(services, section.release)
        _add_sessions(services.database, section.sessions)
    return stock.versions


def _add_sessions(database: Database, sessions: Sequence[Mapping[str, object]]) -> None:
    """Stores the sessions of one section: together those of ten million events would take 400 MB."""
    if sessions:
        # In the order of the table, so that rows of one page are written together.
        names = session.columns.keys()
        rows = [tuple(map(row.get, names)) for row in sorted(sessions, key=itemgetter("reference"))]
        with database.write(pauses=True) as connection:
            insert_rows(connection, session, rows)


# Events in a transaction.
_BATCH = 5_000
_MARK = "_demo_unfinished"
_INDEXED = (event, session)
_marked = configuration.c.name == _MARK


def _begin_filling(database: Database) -> None:
    """Sets the mark, removes an unfinished demo, and drops the indexes of events and sessions.

    Creating the indexes after the last row is much faster than updating them with each row.
    """
    with database.write(foreign_keys=False, pauses=True) as connection:
        for table in _INDEXED:
            drop_indexes(connection, table)
        if connection.execute(select(configuration).where(_marked)).first() is not None:
            _remove_unfinished(connection)
        else:
            connection.execute(insert(configuration).values(name=_MARK, value="true"))


def _build_indexes(database: Database) -> None:
    """Creates the indexes of events and sessions, each in its own transaction."""
    with database.read() as connection:
        missing = [index for table in _INDEXED for index in missing_indexes(connection, table)]
    for index in missing:
        with database.write(pauses=True) as connection:
            create_index(connection, index)


def _remove_unfinished(connection: Connection) -> None:
    existing = set(inspect(connection).get_table_names())
    ours = existing.intersection(museum_tables(CURRENT_VERSION))
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(ours), resolve_fks=False)
    metadata.drop_all(connection)
    for emptied in (event, session, localization, journal, schema_version, object_version):
        connection.execute(delete(emptied))
    connection.execute(update(counter).values(value=0))


def _commit_release(services: DemoServices, due: Release) -> None:
    """Saves and commits a version with its names, with the second of the release as the time."""
    schemas = Schemas(services.database, services.log, lambda: due.second)
    before = schemas.read("HEAD") if due.version > 1 else None
    schemas.save_head(museum_document(due.version, before))
    schemas.commit(due.actor)
    schemas.save_names("CURRENT", museum_names(due.version))


# Objecttypes that the system reindexes in the night after a release.
_REINDEXED = ("technique", "material", "keyword")


class LogSection(msgspec.Struct, frozen=True):
    """Events by ascending time, their sessions, and the release that follows them."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    release: Release | None = None


def log_sections(
    calendar: Calendar, scripted: ScriptedEvents, stock: ObjectStock, rng: Random, events: int
) -> Iterator[LogSection]:
    """Sections of the log by ascending time, with `events` events in total, including the releases."""
    opening, *later = scripted.releases
    script = _ScriptedQueue(scripted.drafts)
    lived = max(0, events - len(scripted.drafts) - len(scripted.releases))
    yield LogSection(script.up_to(opening.second), scripted.sessions, opening)
    simulation, version = Simulation(rng, stock, count(100)), opening.version
    for plan in plan_days(calendar, opening.second + 1, all_people(), lived, rng):
        last = plan.window.last
        stock.set_progress((last - calendar.start) / (calendar.end - calendar.start))
        todays = [release for release in later if plan.window.first <= release.second <= last]
        reindexed = _reindexed(stock, plan) if todays else []
        thinner = replace(plan, events=plan.events - len(reindexed))
        drafts, visits = simulate_day(simulation, thinner, role_profiles(objecttypes(version)))
        drafts = sorted([*drafts, *script.up_to(last), *_index_run(stock, reindexed, last)], key=by_time)
        for release in todays:
            before = [draft for draft in drafts if draft.timestamp <= release.second]
            del drafts[: len(before)]
            yield LogSection(before, [], release)
            version = release.version
        yield LogSection(drafts, [visit.session(calendar.end) for visit in visits])


class _ScriptedQueue:
    """The scripted events by ascending time."""

    def __init__(self, drafts: list[EventDraft]) -> None:
        self._drafts = sorted(drafts, key=by_time)
        self._told = 0

    def up_to(self, second: int) -> list[EventDraft]:
        """The events since the last call up to a second, inclusive."""
        first, self._told = self._told, bisect_right(self._drafts, second, key=by_time)
        return self._drafts[first : self._told]


def _reindexed(stock: ObjectStock, plan: DayPlan) -> list[tuple[str, int]]:
    """The objects to reindex in the night after a release; none if they were too much for a short log."""
    found = [(table, object_id) for table in _REINDEXED for object_id in stock.versions[table]]
    return found if len(found) <= plan.events // 2 else []


def _index_run(stock: ObjectStock, reindexed: list[tuple[str, int]], last: int) -> Iterator[EventDraft]:
    """Index events within the last minutes before midnight, when these objects do not change.

    In a large log it is the end of a part of the day.
    """
    for number, (table, object_id) in enumerate(reindexed):
        second = last - 240 + number * 200 // len(reindexed)
        version = stock.version(table, object_id)
        yield EventDraft("OBJECT_INDEX", second, None, True, None, "USER", table, object_id, version)


_NO_TABLES: WeightedChoice[str] = WeightedChoice(())


class Release(msgspec.Struct, frozen=True):
    """A version of the schema that `actor` commits at a second."""

    version: int
    second: int
    actor: Actor


@dataclass(frozen=True)
class Script:
    """Collects the scripted events and their sessions."""

    simulation: Simulation
    calendar: Calendar
    people: Mapping[str, Person]
    sessions: list[dict[str, object]] = field(default_factory=list)

    def start_visit(self, login: str, second: int) -> VisitContext:
        """Begins a visit of a person, in a session of an hour."""
        reference, last = new_reference(self.simulation.rng), second + HOUR
        row = session_row(reference, second, last, signed_out=True, end=self.calendar.end)
        self.sessions.append(row)
        person = self.people[login]
        return VisitContext(self.simulation, person, actor_of(person, reference), _NO_TABLES, second)

    def write_event(self, kind: str, second: int, info: str = "{}") -> None:
        """Writes an event without a user and without an object."""
        self.simulation.drafts.append(EventDraft(kind, second, info=info))


# The greatest share of the log for scripted events.
_MOST = 0.25
# Seconds from the start of the log to the first release.
_OPENING = 120


class ScriptedEvents(msgspec.Struct, frozen=True):
    """Scripted events, their sessions, and the releases of the schema by ascending time."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    releases: tuple[Release, ...]


def write_script(calendar: Calendar, rng: Random, purged: range, events: int) -> ScriptedEvents:
    """The scripted events of a log of `events` events; a short log has only the releases."""
    script = Script(Simulation(rng, ObjectStock({}, {}), count()), calendar, people_by_login())
    releases = (
        _plan_release(script, 1, calendar.start + _OPENING),
        _plan_release(script, 2, calendar.at(calendar.workday(18), 10, 42)),
        _plan_release(script, 3, calendar.at(calendar.workday(8), 16, 5)),
    )
    _restarts(script)
    _new_accounts(script)
    _purge_images(script, purged)
    _nightly_export(script)
    # One night somebody tries a hundred and forty passwords in a few minutes.
    now = script.calendar.at(5, 3, 17)
    for number in range(140):
        script.simulation.drafts.append(failed_login(now, _LOGINS[number * 7 % len(_LOGINS)]))
        now += 1 + number % 3
    _broken_editor(script, releases[-1].second)
    _failing_webhook(script)
    drafts = [
        draft for draft in script.simulation.drafts if calendar.start <= draft.timestamp <= calendar.end
    ]
    if len(drafts) + len(releases) > events * _MOST:
        return ScriptedEvents([], [], releases)
    return ScriptedEvents(drafts, script.sessions, releases)


def _restarts(script: Script) -> None:
    """The server starts at the beginning and restarts late every Sunday evening."""
    calendar = script.calendar
    script.write_event("SERVER_START", calendar.start)
    for days_ago in range(30):
        if calendar.weekday(days_ago) == 6:
            evening = calendar.at(days_ago, 22, 30)
            script.write_event("SERVER_SHUTDOWN", evening)
            script.write_event("SERVER_START", evening + 140)


def _new_accounts(script: Script) -> None:
    """Root creates the accounts of new colleagues; each gets a mail."""
    for person in script.people.values():
        if person.joined is not None:
            context = script.start_visit("root", script.calendar.at(person.joined, 8, 12))
            sign_in(context)
            context.write_base("USER_CREATED", "user", person.id, f'{{"login":"{person.login}"}}')
            script.write_event(
                "EMAIL_SENT",
                context.now + 2,
                f'{{"type":"welcome","recipients":["{person.login}"],"subject":"Ihr Zugang · Your account",'
                '"message":"Willkommen in der Datenbank des Museums."}',
            )
            sign_out(context)


def _plan_release(script: Script, version: int, second: int) -> Release:
    """The modeller saves HEAD, then the releaser commits it."""
    modeller = script.start_visit("modeller", second - 3_300)
    sign_in(modeller)
    for attempt in range(1, 4):
        modeller.write(
            "API_CALL",
            '{"method":"POST","url":"/api/v1/schema/user/HEAD",'
            f'"payload":{{"version":{version},"attempt":{attempt}}}}}',
        )
        modeller.pause(240, 600)
    releaser = script.start_visit("releaser", second - 200)
    sign_in(releaser)
    releaser.now = second + 150
    sign_out(releaser)
    return Release(version, second, releaser.actor)


_LOGINS = ("admin", "root", "administrator", "test", "easydb", "info", "h.brandt", "backup", "museum", "user")
_EXPORT_FAILS_SINCE = 9
_STACK = (
    "TypeError: Cannot read properties of undefined (reading 'signature')\\n"
    "    at ConditionReportEditor.render (condition.js:1:48213)\\n"
    "    at Editor.open (editor.js:1:9920)\\n    at async Result.detail (result.js:1:5120)"
)


def _purge_images(script: Script, images: range) -> None:
    """One evening an intern deletes forty images; the next morning others miss them."""
    evening = script.calendar.workday(12)
    context = script.start_visit("n.dietz", script.calendar.at(evening, 19, 34))
    sign_in(context)
    context.write("SEARCH", _PURGE_SEARCH)
    context.pause(60, 60)
    for image in images:
        context.write_object("OBJECT_DELETE", "image", image, 3, _PURGE_BATCH, pollable=True)
        context.pause(4, 24)
    sign_out(context)
    for number, login in enumerate(("l.nwosu", "h.brandt", "j.ashworth", "website", "l.nwosu", "website")):
        missed = script.start_visit(login, script.calendar.at(evening - 1, 8, 20 + 17 * number))
        image = images[7 * number]
        missed.write(
            "RESOURCE_NOT_AVAILABLE", f'{{"schema":"USER","type":"image","id":{image},"reason":"deleted"}}'
        )


_PURGE_BATCH = '{"batch_id":"0b5e7c1a-40de-4d1e-9a11-5ca1ab1e0040"}'
_PURGE_SEARCH = (
    '{"search":[{"type":"match","mode":"fulltext","string":"neg*","phrase":false,"bool":"must"}],'
    '"objecttypes":["image"],"limit":100,"offset":0,"format":"long","language":"de-DE","count":40,"took_ms":31}'
)


def _nightly_export(script: Script) -> None:
    """Every night at ten past two; it has failed for nine days."""
    details = '"export":{"_id":77,"name":"Verbundkatalog · Union catalogue","format":"lido"}'
    robot = actor_of(script.people["importer"])
    for days_ago in range(DAYS, -1, -1):
        start = script.calendar.at(days_ago, 2, 10)
        failed = days_ago <= _EXPORT_FAILS_SINCE
        kind, took, outcome = (
            ("EXPORT_FAILED", 31, _EXPORT_FAILURE) if failed else ("EXPORT_FINISH", 412, _DONE)
        )
        for name, second, info in (
            ("EXPORT_START", start, f'{{"state":"processing",{details}}}'),
            (kind, start + took, f"{{{outcome},{details}}}"),
        ):
            script.simulation.drafts.append(
                EventDraft(name, second, robot, False, "export", "BASE", object_id=77, info=info)
            )


_DONE = '"state":"done","protocol":[]'
_EXPORT_FAILURE = (
    '"state":"failed","exception":"TransportError: sftp.catalogue.example: permission denied (publickey)",'
    '"protocol":["connect sftp.catalogue.example:22","host key accepted","authentication failed"]'
)


def _broken_editor(script: Script, since: int) -> None:
    """Since a release the editor of condition reports fails in every browser."""
    rng = script.simulation.rng
    for days_ago in range(DAYS, -1, -1):
        busy = script.calendar.weekday(days_ago) < 5
        for _ in range(rng.randrange(4, 9) if busy else rng.randrange(2)):
            second = script.calendar.at(days_ago, rng.randrange(8, 18), rng.randrange(60)) + rng.randrange(60)
            login = rng.choice(("t.lindqvist", "p.amrein", "g.hollis", "k.sommerfeld"))
            report = rng.randrange(1, 200)
            if since < second <= script.calendar.end:
                info = f'{{"message":"{_STACK.partition(chr(92))[0]}","stack":"{_STACK}",' + _where(report)
                script.start_visit(login, second).write("FRONTEND_ERROR", info)


def _where(report: int) -> str:
    return f'"url":"/detail/condition_report/{report}","browser":"Firefox/128.0"}}'


def _failing_webhook(script: Script) -> None:
    """One afternoon the website rejects the webhooks."""
    now, end = script.calendar.at(8, 13, 5), script.calendar.at(8, 16, 20)
    while now < end:
        info = webhook_info("website-cache", 503, 10_000, "Service Unavailable")
        script.write_event("WEBHOOK_ERROR", now, info)
        now += 180 + script.simulation.rng.randrange(300)


DAYS = 30
HOUR = 3_600
_DAY = 24 * HOUR
# The museum has Central European time, one hour ahead of UTC, without summer time.
_AHEAD = HOUR


class DayWindow(msgspec.Struct, frozen=True):
    """A local day, or the part of it within the thirty days; epoch seconds, both inclusive."""

    first: int
    last: int

    @property
    def midnight(self) -> int:
        """The beginning of the local day."""
        return (self.first + _AHEAD) // _DAY * _DAY - _AHEAD

    @property
    def weekday(self) -> int:
        """0 for Monday."""
        return (EPOCH + timedelta(seconds=self.first + _AHEAD)).weekday()

    def hours(self) -> Iterator[tuple[int, int, int]]:
        """The hours within the window: hour, first second, number of seconds."""
        for hour in range(24):
            first = max(self.first, self.midnight + hour * HOUR)
            seconds = min(self.last + 1, self.midnight + (hour + 1) * HOUR) - first
            if seconds > 0:
                yield hour, first, seconds


class Calendar(msgspec.Struct, frozen=True):
    """The thirty days up to `end`, the present second."""

    end: int

    @property
    def start(self) -> int:
        """The first second."""
        return self.end - DAYS * _DAY

    def windows(self, first: int, seconds: int = _DAY) -> list[DayWindow]:
        """The local days from the second `first` to the end, by ascending time, in parts of `seconds`."""
        found = []
        while first <= self.end:
            last = min(first + seconds - 1, DayWindow(first, first).midnight + _DAY - 1, self.end)
            found.append(DayWindow(first, last))
            first = last + 1
        return found

    def at(self, days_ago: int, hour: int, minute: int = 0) -> int:
        """A local time on the day so many days before the last one, in epoch seconds."""
        return DayWindow(self.end, self.end).midnight - days_ago * _DAY + hour * HOUR + minute * 60

    def weekday(self, days_ago: int) -> int:
        """0 for Monday."""
        noon = self.at(days_ago, 12)
        return DayWindow(noon, noon).weekday

    def workday(self, days_ago: int) -> int:
        """The number of days, increased to the Friday before if the day is on a weekend."""
        while self.weekday(days_ago) > 4:
            days_ago += 1
        return days_ago


# A log of more events is made in parts of days.
_IN_DAYS = 1_250_000
_READERS = (Role.GUEST, Role.INTERFACE)


class DayPlan(msgspec.Struct, frozen=True):
    """The plan of a day: weights of people, hours of visits by role, and the number of events.

    `readers` are the people whose visits change nothing.
    """

    window: DayWindow
    people: WeightedChoice[Person]
    readers: WeightedChoice[Person]
    hours: dict[Role, WeightedChoice[tuple[int, int]]]
    events: int = 0

    def start(self, person: Person, rng: Random) -> int:
        """A random second at which a visit of the person begins."""
        first, seconds = self.hours[person.role].pick(rng)
        return first + int(rng.random() * seconds)


def plan_days(
    calendar: Calendar, first: int, people: Sequence[Person], events: int, rng: Random
) -> list[DayPlan]:
    """Plans for the days from the second `first` to the end, with `events` events in total.

    In a large log they are for parts of days: the events of a plan are in memory at the same time.
    """
    hours = max(1, min(24, 24 * _IN_DAYS // max(1, events)))
    plans = [_plan(window, calendar, people) for window in calendar.windows(first, hours * HOUR)]
    counts = _distribute(events, [plan.people.total * rng.uniform(0.82, 1.18) for plan in plans])
    return [replace(plan, events=count) for plan, count in zip(plans, counts, strict=True)]


def _plan(window: DayWindow, calendar: Calendar, people: Sequence[Person]) -> DayPlan:
    hours = {role: _working_hours(window, role) for role in Role}
    day = (calendar.end - window.first) // (24 * HOUR)
    weighted = [
        (person, person.busy * ACTIVITY_PATTERNS[person.role].days[window.weekday] * hours[person.role].total)
        for person in people
        if person.joined is None or day < person.joined
    ]
    readers = [(person, weight) for person, weight in weighted if person.role in _READERS]
    return DayPlan(window, WeightedChoice(weighted), WeightedChoice(readers), hours)


def _working_hours(window: DayWindow, role: Role) -> WeightedChoice[tuple[int, int]]:
    weights = ACTIVITY_PATTERNS[role].hours
    return WeightedChoice(
        ((first, seconds), weights[hour] / sum(weights) * seconds / HOUR)
        for hour, first, seconds in window.hours()
    )


def _distribute(total: int, masses: Sequence[float]) -> list[int]:
    """Whole numbers in proportion to the masses, adding up to the total."""
    whole = sum(masses)
    reached, given, counts = 0.0, 0, []
    for mass in masses:
        reached += mass
        count = round(total * reached / whole) - given
        given += count
        counts.append(count)
    return counts


_SIGNS_OUT = 0.6


class PastVisit:
    """A visit: signing in at the second `start`, some actions, and in most cases signing out."""

    __slots__ = ("_context", "_left", "_profile", "_reference", "_signed_out", "start")

    def __init__(
        self, simulation: Simulation, person: Person, profile: RoleProfile, start: int, steps: int
    ) -> None:
        self._reference = new_reference(simulation.rng)
        self._context = VisitContext(
            simulation, person, actor_of(person, self._reference), profile.tables, start
        )
        self._profile = profile
        self.start = start
        self._left = steps + 1
        self._signed_out = False

    def next_step(self) -> int | None:
        """Does the next action; returns the second of the one after it, None after the last one."""
        context = self._context
        if self._left == 0:
            self._signed_out = context.rng.random() < _SIGNS_OUT
            if self._signed_out:
                sign_out(context)
            return None
        self._left -= 1
        if context.now == self.start:
            sign_in(context)
        else:
            self._profile.actions.pick(context.rng)(context)
        return context.now

    def session(self, end: int) -> dict[str, object]:
        """The database row of the session as of the second `end`."""
        return session_row(
            self._reference, self.start, self._context.now, signed_out=self._signed_out, end=end
        )


# Average number of events of an action; a few too many are planned, then thinned out.
_YIELD: Mapping[Role, float] = MappingProxyType(
    dict.fromkeys(Role, 1.25) | {Role.IMPORTER: 22.0, Role.PHOTOGRAPHER: 1.9}
)
_TOO_BUSY = 1.12
_CHANGES = ("OBJECT_INSERT", "OBJECT_UPDATE")
# Types of events that can be left out, since nothing else in the log depends on them.
_ALONE = frozenset({"SEARCH", "DETAIL_VIEW", "API_CALL", "ASSET_DOWNLOAD"})

by_time = attrgetter("timestamp")


def simulate_day(
    simulation: Simulation, plan: DayPlan, profiles: Mapping[Role, RoleProfile]
) -> tuple[list[EventDraft], list[PastVisit]]:
    """The events of a day by ascending time, as many as planned, and its visits.

    If the visits have too few events, visits of readers are added, since later changes would be out of order.
    """
    drafts = simulation.drafts
    drafts.clear()
    visits: list[PastVisit] = []
    people = plan.people
    while len(drafts) < plan.events:
        coming = _visits(simulation, plan, people, profiles, plan.events - len(drafts))
        _run(coming, plan.window.last)
        visits += coming
        drafts[:] = [draft for draft in drafts if draft.timestamp <= plan.window.last]
        people = plan.readers
    drafts.sort(key=by_time)
    thinned = _thinned(drafts, plan.events, simulation.rng)
    _undo(thinned[plan.events :], simulation.stock)
    return thinned[: plan.events], visits


def _visits(
    simulation: Simulation,
    plan: DayPlan,
    people: WeightedChoice[Person],
    profiles: Mapping[Role, RoleProfile],
    missing: int,
) -> list[PastVisit]:
    visits = []
    expected = 0.0
    while expected < missing * _TOO_BUSY:
        person = people.pick(simulation.rng)
        profile = profiles[person.role]
        least, more = profile.steps
        steps = least + int(simulation.rng.random() * more)
        visits.append(PastVisit(simulation, person, profile, plan.start(person, simulation.rng), steps))
        expected += 1 + _SIGNS_OUT + steps * _YIELD[person.role]
    return visits


def _run(visits: list[PastVisit], last: int) -> None:
    """Runs all visits at the same time, action by action in the order of time."""
    count = len(visits)
    # Second and number of the visit in one integer: comparing pairs takes several times as long.
    queue = [visit.start * count + number for number, visit in enumerate(visits)]
    heapify(queue)
    while queue:
        number = queue[0] % count
        following = visits[number].next_step()
        if following is not None and following <= last:
            heapreplace(queue, following * count + number)
        else:
            heappop(queue)


def _thinned(drafts: list[EventDraft], wanted: int, rng: Random) -> list[EventDraft]:
    """Drops surplus events of types without dependencies; more than wanted if these are too few."""
    spare = [number for number, draft in enumerate(drafts) if draft.type in _ALONE]
    surplus = min(len(drafts) - wanted, len(spare))
    left_out = set(rng.sample(spare, surplus))
    return [draft for number, draft in enumerate(drafts) if number not in left_out]


def _undo(drafts: list[EventDraft], stock: ObjectStock) -> None:
    """Undoes the changes of events at the end of a day that are left out of the log."""
    for draft in reversed(drafts):
        if draft.type in _CHANGES and draft.objecttype is not None and draft.object_id is not None:
            stock.undo(draft.objecttype, draft.object_id)
