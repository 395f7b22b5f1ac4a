"""The people whose activity is simulated: the demo house's, or whoever has an account; knows no event."""

from __future__ import annotations

from sqlalchemy import Connection, select

from server_stub.database.tables import user
from server_stub.demo.actions import Choice
from server_stub.demo.people import Person, Role, by_login


def people_at_work(connection: Connection) -> Choice[Person]:
    """The demo house's staff, elsewhere everybody with an account, by how busy they are.

    Whoever tries the desktop signs in as one of the demo users or with an account of their own: these keep
    still where others can be busy, so that nobody finds in the log what they never did.
    """
    known = by_login()
    people: list[Person] = []
    others: list[Person] = []
    chosen = select(user.c.id, user.c.login, user.c.type, user.c.displayname).order_by(user.c.id)
    for id_, login, kind, displayname in connection.execute(chosen):
        staff = known.get(login)
        if staff is not None and staff.displayname == displayname:
            people.append(staff)
            if staff.password is None:
                others.append(staff)
        else:
            people.append(Person(id_, login, displayname, kind, Role.CURATOR, 1.0, ()))
    return Choice((person, person.busy) for person in others or people)
