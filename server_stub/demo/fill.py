"""Fills an empty database with the demo: its schema, events, objects and finally its users.

Events, sessions and releases of thirty days are made in the order of time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from random import Random

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
from server_stub.demo.actions import role_profiles, webhook_info
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
    DemoServices,
    ObjectStock,
    Person,
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
from server_stub.demo.working_days import DAYS, HOUR, Calendar, DayPlan, by_time, plan_days, simulate_day
from server_stub.events import Actor, EventDraft
from server_stub.foundation.memory import uncollected
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
        section.drafts.clear()  # A day of ten million events takes 200 MB, and the next one comes.
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
    """Index events within the last minutes before midnight, when these objects do not change."""
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
