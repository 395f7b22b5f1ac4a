"""Which events a poll may return to whom (§4.2); knows nothing of rights, checked before."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, not_, or_

from server_stub.database.tables import event


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: the session's public reference and its user."""

    session: str
    user_id: int | None


def visible_to(asker: Asker) -> tuple[ColumnElement[bool], ...]:
    """The three rules of §4.2 as conditions."""
    foreign_insert = and_(event.c.type == "OBJECT_INSERT", event.c.session.is_distinct_from(asker.session))
    foreign_user_update = and_(
        event.c.type == "OBJECT_UPDATE",
        event.c.base_type.is_not_distinct_from("user"),
        event.c.user_id.is_distinct_from(asker.user_id),
    )
    return (
        event.c.pollable == 1,  # §4.2 rule 3
        not_(or_(foreign_insert, foreign_user_update)),  # §4.2 rules 1 and 2
    )
