"""Tests of what a watch does when its session changes: gaps are told and filled, a lost one is renewed."""

from __future__ import annotations

import pytest

from cdb_desktop.live.reports import EventsReceived, LogReplaced, PollGap, SessionEnded
from tests.desktop.live.conftest import Start, Watching
from tests.desktop.live.model_service import RIGHT, ModelService, refusal
from tests.desktop.patience import until

_LOST = ("user", "session_invalid", 400)


async def test_what_was_before_the_session_comes_from_the_list(service: ModelService, watch: Start) -> None:
    """Oldest first, and only what a poll would have brought (§4.2 rules 1 and 2)."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.write(2, 3, kind="OBJECT_INSERT")
    service.write(4, kind="OBJECT_INSERT", session_self=True)
    service.write(5, kind="OBJECT_UPDATE", basetype="user")
    service.write(6, kind="OBJECT_UPDATE", basetype="pool")
    service.lowest = 6
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1, 4, 6])
            assert watching.told(EventsReceived)[0].batch.source == "list"


async def test_a_gap_is_filled_from_the_list(service: ModelService, watch: Start) -> None:
    """A session whose polls begin above the cursor leaves a gap: of it all is listed, over any pages."""
    service.rights = {RIGHT: {}}
    with service.serve():
        async with watch() as watching:
            await until(lambda: service.cursors)
            service.write(*range(1, 1502))
            service.lowest = 1500
            watching.watch.try_now()
            await until(lambda: watching.told(PollGap))
            assert watching.told(PollGap) == [PollGap(0, 1500, 1500)]
            await until(lambda: watching.ids == list(range(1, 1502)))


async def test_without_the_right_a_gap_is_told(service: ModelService, watch: Start) -> None:
    """Polling goes on above it (§5.2)."""
    with service.serve():
        async with watch() as watching:
            await until(lambda: service.cursors)
            service.write(1, 2, 3)
            service.lowest = 2
            service.unruly = [refusal("api", "invalid_value", 400)]
            watching.watch.try_now()
            await until(lambda: watching.ids == [3])
            assert watching.told(PollGap) == [PollGap(0, 2, None)]


async def test_after_a_lost_session_another_one_goes_on(service: ModelService, watch: Start) -> None:
    """The watch ends and waits for a sign-in; then what happened in between comes from the list."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.lowest = 1
    service.unruly = [refusal(*_LOST)]
    with service.serve():
        async with watch() as watching:
            await until(watching.task.done)
            assert [lost.error.status for lost in _lost(watching)] == [400]
            service.write(2, 3)
            service.lowest = 2
            await _sign_in_again(watching)
            await until(lambda: watching.ids == [1, 2, 3])
            assert watching.told(PollGap) == [PollGap(1, 2, 1)]


async def test_a_session_without_its_user_counts_as_lost(service: ModelService, watch: Start) -> None:
    """Polls of such a session bring nothing and no error, so the session itself is asked (§4.2)."""
    with service.serve():
        async with watch() as watching:
            await until(lambda: service.cursors)
            service.authenticated = False
            service.unruly = [refusal("server", "generic", 500)]
            watching.watch.try_now()
            await until(lambda: len(watching.reports) > 2)
            watching.watch.try_now()
            await until(watching.task.done)
            assert len(_lost(watching)) == 1


async def test_silence_is_looked_into(
    service: ModelService, watch: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signed out elsewhere, the service goes on answering polls with nothing, as if all were well."""
    monkeypatch.setattr("cdb_desktop.live.log_follower._IDLE", 0.2)
    with service.serve():
        async with watch() as watching:
            await until(lambda: service.cursors)
            service.authenticated = False
            await until(watching.task.done)
            assert len(_lost(watching)) == 1


async def test_another_log_is_followed_from_its_own_ids(service: ModelService, watch: Start) -> None:
    """A new session that begins below the cursor belongs to a log whose ids begin again."""
    service.write(*range(1, 501))
    with service.serve():
        async with watch() as watching:
            await until(lambda: len(watching.ids) == 500)
            service.unruly = [refusal(*_LOST)]
            await until(watching.task.done)
            service.log.clear()
            service.write(1, 2, 3)
            service.lowest = 2
            await _sign_in_again(watching)
            await until(lambda: watching.told(LogReplaced) == [LogReplaced(2)])
            await until(lambda: watching.ids[-1] == 3)


async def test_each_batch_tells_from_where_it_was_asked(service: ModelService, watch: Start) -> None:
    """It reaches back below ids that were passed, and brings nothing twice."""
    service.write(2, 4)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [2, 4])
            service.write(9)
            watching.watch.try_now()
            await until(lambda: watching.ids == [2, 4, 9])
            batches = [told.batch for told in watching.told(EventsReceived) if told.batch.events]
            assert [(one.after, one.source) for one in batches] == [(0, "poll"), (0, "poll")]
            assert watching.watch.last_id == 9


async def _sign_in_again(watching: Watching) -> None:
    watching.watch.renew(await watching.client.authenticate("root", "x"))
    watching.go_on()


def _lost(watching: Watching) -> list[SessionEnded]:
    return watching.told(SessionEnded)
