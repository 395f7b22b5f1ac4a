"""Scripted events of the demo log: releases, restarts, and incidents for support staff to find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from random import Random

import msgspec

from server_stub.demo.actions import webhook_info
from server_stub.demo.people import (
    ObjectStock,
    Person,
    Simulation,
    VisitContext,
    WeightedChoice,
    actor_of,
    failed_login,
    new_reference,
    people_by_login,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.demo.working_days import DAYS, HOUR, Calendar
from server_stub.events import Actor, EventDraft

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
    _password_attack(script)
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


def _password_attack(script: Script) -> None:
    """One night somebody tries a hundred and forty passwords in a few minutes."""
    now = script.calendar.at(5, 3, 17)
    for number in range(140):
        script.simulation.drafts.append(failed_login(now, _LOGINS[number * 7 % len(_LOGINS)]))
        now += 1 + number % 3


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
