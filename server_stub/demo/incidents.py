"""Scripted events of the demo log: releases, restarts, and incidents for support staff to find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from random import Random

import msgspec

from server_stub.demo.actions import webhook_info
from server_stub.demo.people import Person, by_login
from server_stub.demo.simulation import (
    Choice,
    Scene,
    Stock,
    World,
    actor_of,
    failed_login,
    new_reference,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.demo.working_days import DAYS, HOUR, Calendar
from server_stub.events import Actor, EventDraft

_NO_TABLES: Choice[str] = Choice(())


class Release(msgspec.Struct, frozen=True):
    """A version of the schema that `actor` makes CURRENT at a second."""

    version: int
    second: int
    actor: Actor


@dataclass(frozen=True)
class Telling:
    """Collects what the stories leave behind."""

    world: World
    calendar: Calendar
    people: Mapping[str, Person]
    sessions: list[dict[str, object]] = field(default_factory=list)

    def appears(self, login: str, second: int) -> Scene:
        """A scene with this person, in a session of an hour."""
        reference, last = new_reference(self.world.rng), second + HOUR
        row = session_row(reference, second, last, signed_out=True, end=self.calendar.end)
        self.sessions.append(row)
        person = self.people[login]
        return Scene(self.world, person, actor_of(person, reference), _NO_TABLES, second)

    def happens(self, kind: str, second: int, info: str = "{}") -> None:
        """An event that nobody causes and that concerns no object."""
        self.world.drafts.append(EventDraft(kind, second, info=info))


# Stories may not be more than this part of the log.
_MOST = 0.25
# The first version stands as soon as the house opens.
OPENING = 120


class Stories(msgspec.Struct, frozen=True):
    """What the stories leave behind, and the releases of the schema by ascending time."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    releases: tuple[Release, ...]


def tell(calendar: Calendar, rng: Random, purged: range, events: int) -> Stories:
    """The stories of a log of so many events; a short log has only the releases."""
    telling = Telling(World(rng, Stock({}, {}), count()), calendar, by_login())
    releases = (
        release(telling, 1, calendar.start + OPENING),
        release(telling, 2, calendar.at(calendar.workday(18), 10, 42)),
        release(telling, 3, calendar.at(calendar.workday(8), 16, 5)),
    )
    restarts(telling)
    new_accounts(telling)
    purge(telling, purged)
    nightly_export(telling)
    attack(telling)
    broken_editor(telling, releases[-1].second)
    deaf_website(telling)
    drafts = [draft for draft in telling.world.drafts if calendar.start <= draft.timestamp <= calendar.end]
    if len(drafts) + len(releases) > events * _MOST:
        return Stories([], [], releases)
    return Stories(drafts, telling.sessions, releases)


def restarts(telling: Telling) -> None:
    """The server starts with the log, and anew every Sunday late in the evening."""
    calendar = telling.calendar
    telling.happens("SERVER_START", calendar.start)
    for days_ago in range(30):
        if calendar.weekday(days_ago) == 6:
            evening = calendar.at(days_ago, 22, 30)
            telling.happens("SERVER_SHUTDOWN", evening)
            telling.happens("SERVER_START", evening + 140)


def new_accounts(telling: Telling) -> None:
    """Root makes the accounts of those who joined during the month; each gets a mail."""
    for person in telling.people.values():
        if person.joined is not None:
            scene = telling.appears("root", telling.calendar.at(person.joined, 8, 12))
            sign_in(scene)
            scene.write_base("USER_CREATED", "user", person.id, f'{{"login":"{person.login}"}}')
            telling.happens(
                "EMAIL_SENT",
                scene.now + 2,
                f'{{"type":"welcome","recipients":["{person.login}"],"subject":"Ihr Zugang · Your account",'
                '"message":"Willkommen in der Datenbank des Museums."}',
            )
            sign_out(scene)


def release(telling: Telling, version: int, second: int) -> Release:
    """The modeller works on HEAD, the releaser commits it."""
    modeller = telling.appears("modeller", second - 3_300)
    sign_in(modeller)
    for attempt in range(1, 4):
        modeller.write(
            "API_CALL",
            '{"method":"POST","url":"/api/v1/schema/user/HEAD",'
            f'"payload":{{"version":{version},"attempt":{attempt}}}}}',
        )
        modeller.pause(240, 600)
    releaser = telling.appears("releaser", second - 200)
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


def purge(telling: Telling, images: range) -> None:
    """One evening an intern deletes forty images; the next morning others miss them."""
    evening = telling.calendar.workday(12)
    scene = telling.appears("n.dietz", telling.calendar.at(evening, 19, 34))
    sign_in(scene)
    scene.write("SEARCH", _PURGE_SEARCH)
    scene.pause(60, 60)
    for image in images:
        scene.write_object("OBJECT_DELETE", "image", image, 3, _PURGE_BATCH, pollable=True)
        scene.pause(4, 24)
    sign_out(scene)
    for number, login in enumerate(("l.nwosu", "h.brandt", "j.ashworth", "website", "l.nwosu", "website")):
        missed = telling.appears(login, telling.calendar.at(evening - 1, 8, 20 + 17 * number))
        image = images[7 * number]
        missed.write(
            "RESOURCE_NOT_AVAILABLE", f'{{"schema":"USER","type":"image","id":{image},"reason":"deleted"}}'
        )


_PURGE_BATCH = '{"batch_id":"0b5e7c1a-40de-4d1e-9a11-5ca1ab1e0040"}'
_PURGE_SEARCH = (
    '{"search":[{"type":"match","mode":"fulltext","string":"neg*","phrase":false,"bool":"must"}],'
    '"objecttypes":["image"],"limit":100,"offset":0,"format":"long","language":"de-DE","count":40,"took_ms":31}'
)


def nightly_export(telling: Telling) -> None:
    """Every night at ten past two; it has failed for nine days."""
    told = '"export":{"_id":77,"name":"Verbundkatalog · Union catalogue","format":"lido"}'
    robot = actor_of(telling.people["importer"])
    for days_ago in range(DAYS, -1, -1):
        start = telling.calendar.at(days_ago, 2, 10)
        failed = days_ago <= _EXPORT_FAILS_SINCE
        kind, took, outcome = (
            ("EXPORT_FAILED", 31, _EXPORT_FAILURE) if failed else ("EXPORT_FINISH", 412, _DONE)
        )
        for name, second, info in (
            ("EXPORT_START", start, f'{{"state":"processing",{told}}}'),
            (kind, start + took, f"{{{outcome},{told}}}"),
        ):
            telling.world.drafts.append(
                EventDraft(name, second, robot, False, "export", "BASE", object_id=77, info=info)
            )


_DONE = '"state":"done","protocol":[]'
_EXPORT_FAILURE = (
    '"state":"failed","exception":"TransportError: sftp.catalogue.example: permission denied (publickey)",'
    '"protocol":["connect sftp.catalogue.example:22","host key accepted","authentication failed"]'
)


def attack(telling: Telling) -> None:
    """One night somebody tries a hundred and forty passwords in a few minutes."""
    now = telling.calendar.at(5, 3, 17)
    for number in range(140):
        telling.world.drafts.append(failed_login(now, _LOGINS[number * 7 % len(_LOGINS)]))
        now += 1 + number % 3


def broken_editor(telling: Telling, since: int) -> None:
    """Since a release the editor of condition reports fails in every browser."""
    rng = telling.world.rng
    for days_ago in range(DAYS, -1, -1):
        busy = telling.calendar.weekday(days_ago) < 5
        for _ in range(rng.randrange(4, 9) if busy else rng.randrange(2)):
            second = telling.calendar.at(days_ago, rng.randrange(8, 18), rng.randrange(60)) + rng.randrange(
                60
            )
            login = rng.choice(("t.lindqvist", "p.amrein", "g.hollis", "k.sommerfeld"))
            report = rng.randrange(1, 200)
            if since < second <= telling.calendar.end:
                info = f'{{"message":"{_STACK.partition(chr(92))[0]}","stack":"{_STACK}",' + _where(report)
                telling.appears(login, second).write("FRONTEND_ERROR", info)


def _where(report: int) -> str:
    return f'"url":"/detail/condition_report/{report}","browser":"Firefox/128.0"}}'


def deaf_website(telling: Telling) -> None:
    """One afternoon the website does not take the webhooks."""
    now, end = telling.calendar.at(8, 13, 5), telling.calendar.at(8, 16, 20)
    while now < end:
        info = webhook_info("website-cache", 503, 10_000, "Service Unavailable")
        telling.happens("WEBHOOK_ERROR", now, info)
        now += 180 + telling.world.rng.randrange(300)
