"""The people of the demo house: who they are, when they work, how they get their accounts; knows no event."""

from server_stub.demo.people.accounts import add_people
from server_stub.demo.people.person import RHYTHMS, Person, Role
from server_stub.demo.people.staff import by_login, everybody

__all__ = ["RHYTHMS", "Person", "Role", "add_people", "by_login", "everybody"]
