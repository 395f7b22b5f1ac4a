"""The objects of the demo collection: how many, which ids, and all their rows; knows no event."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from sqlalchemy import Connection, column, insert, table

from server_stub.demo.objects.authorities import write_authorities
from server_stub.demo.objects.business import write_business
from server_stub.demo.objects.desk import Desk
from server_stub.demo.objects.plan import PURGED_IMAGES, opening_stock
from server_stub.demo.objects.works import write_images, write_works

__all__ = ["PURGED_IMAGES", "add_objects", "opening_stock"]


def add_objects(connection: Connection, versions: Mapping[str, Mapping[int, int]], rng: Random) -> None:
    """Fills the tables of CURRENT; `versions` are those that objects have reached, by objecttype and id."""
    desk = Desk(rng, versions)
    write_authorities(desk)
    write_works(desk)
    write_images(desk)
    write_business(desk)
    # The desk's tables stand in the order in which they were first written: what is linked to comes first.
    for name, rows in desk.book.items():
        connection.execute(insert(table(name, *(column(key) for key in rows[0]))), rows)
