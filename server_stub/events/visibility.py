"""Which events a poll may return to whom (§4.2); knows nothing of rights, checked before."""

from __future__ import annotations

import msgspec
from sqlalchemy import BigInteger, and_, bindparam, not_, or_

from server_stub.database.tables import event
from server_stub.events.texts import ASKER


class Asker(msgspec.Struct, frozen=True):
    """Who asks: the session's public reference and its user."""

    session: str
    user_id: int | None


_asking_user = bindparam("asking_user", type_=BigInteger)
_foreign_insert = and_(event.c.type == "OBJECT_INSERT", event.c.session.is_distinct_from(ASKER))
_foreign_user_update = and_(
    event.c.type == "OBJECT_UPDATE",
    event.c.base_type.is_not_distinct_from("user"),
    event.c.user_id.is_distinct_from(_asking_user),
)

# The three rules of §4.2; the statement is run with `asker` and `asking_user`.
VISIBLE = (
    event.c.pollable == 1,  # §4.2 rule 3
    not_(or_(_foreign_insert, _foreign_user_update)),  # §4.2 rules 1 and 2
)
