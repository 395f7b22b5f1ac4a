"""The quiet stories of the month: restarts, new accounts, releases of the schema."""

from __future__ import annotations

from server_stub.demo.actions import sign_in, sign_out
from server_stub.demo.history.telling import Release, Telling


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
