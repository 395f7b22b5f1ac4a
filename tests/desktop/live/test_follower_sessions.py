"""Tests of the log follower when its session changes."""

from __future__ import annotations

import pytest

from cdb_desktop.live.reports import EventsReceived, LogReplaced, PollGap, SessionEnded
from tests.desktop.live.conftest import RunningFollower, StartFollower
from tests.desktop.live.model_service import RIGHT, ModelService, refusal
from tests.desktop.patience import until

_SESSION_INVALID = ("user", "session_invalid", 400)


async def test_events_before_the_session_come_from_the_list(
    service: ModelService, start: StartFollower
) -> None:
    """Oldest first, and only what a poll would have brought (§4.2 rules 1 and 2)."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.write(2, 3, kind="OBJECT_INSERT")
    service.write(4, kind="OBJECT_INSERT", session_self=True)
    service.write(5, kind="OBJECT_UPDATE", basetype="user")
    service.write(6, kind="OBJECT_UPDATE", basetype="pool")
    service.lowest = 6
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1, 4, 6])
            assert running.reported(EventsReceived)[0].batch.source == "list"


async def test_a_gap_is_filled_from_the_list(service: ModelService, start: StartFollower) -> None:
    """A session whose polls begin above the cursor leaves a gap, which is read over any number of pages."""
    service.rights = {RIGHT: {}}
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.write(*range(1, 1502))
            service.lowest = 1500
            running.follower.try_now()
            await until(lambda: running.reported(PollGap))
            assert running.reported(PollGap) == [PollGap(0, 1500, 1500)]
            await until(lambda: running.ids == list(range(1, 1502)))


async def test_without_the_right_a_gap_is_reported(service: ModelService, start: StartFollower) -> None:
    """Polling continues above it (§5.2)."""
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.write(1, 2, 3)
            service.lowest = 2
            service.unruly = [refusal("api", "invalid_value", 400)]
            running.follower.try_now()
            await until(lambda: running.ids == [3])
            assert running.reported(PollGap) == [PollGap(0, 2, None)]


async def test_another_session_continues_after_a_lost_one(
    service: ModelService, start: StartFollower
) -> None:
    """What happened in between comes from the list."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.lowest = 1
    service.unruly = [refusal(*_SESSION_INVALID)]
    with service.serve():
        async with start() as running:
            await until(running.task.done)
            assert [ended.error.status for ended in _ended_sessions(running)] == [400]
            service.write(2, 3)
            service.lowest = 2
            await _sign_in_again(running)
            await until(lambda: running.ids == [1, 2, 3])
            assert running.reported(PollGap) == [PollGap(1, 2, 1)]


async def test_a_session_without_its_user_is_treated_as_lost(
    service: ModelService, start: StartFollower
) -> None:
    """Its polls bring nothing and no error, so that the session itself is read (§4.2)."""
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.authenticated = False
            service.unruly = [refusal("server", "generic", 500)]
            running.follower.try_now()
            await until(lambda: len(running.reports) > 2)
            running.follower.try_now()
            await until(running.task.done)
            assert len(_ended_sessions(running)) == 1


async def test_the_session_is_read_after_a_time_without_events(
    service: ModelService, start: StartFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a sign-out elsewhere polls are answered as if nothing had happened."""
    monkeypatch.setattr("cdb_desktop.live.log_follower._IDLE", 0.2)
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.authenticated = False
            await until(running.task.done)
            assert len(_ended_sessions(running)) == 1


async def test_another_log_is_followed_from_its_own_ids(service: ModelService, start: StartFollower) -> None:
    """A new session that begins below the cursor is of a log whose ids begin again."""
    service.write(*range(1, 501))
    with service.serve():
        async with start() as running:
            await until(lambda: len(running.ids) == 500)
            service.unruly = [refusal(*_SESSION_INVALID)]
            await until(running.task.done)
            service.log.clear()
            service.write(1, 2, 3)
            service.lowest = 2
            await _sign_in_again(running)
            await until(lambda: running.reported(LogReplaced) == [LogReplaced(2)])
            await until(lambda: running.ids[-1] == 3)


async def test_a_batch_has_the_id_after_which_it_was_requested(
    service: ModelService, start: StartFollower
) -> None:
    """Polls begin below skipped ids, and bring nothing twice."""
    service.write(2, 4)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [2, 4])
            service.write(9)
            running.follower.try_now()
            await until(lambda: running.ids == [2, 4, 9])
            batches = [one.batch for one in running.reported(EventsReceived) if one.batch.events]
            assert [(one.after, one.source) for one in batches] == [(0, "poll"), (0, "poll")]
            assert running.follower.last_id == 9


async def _sign_in_again(running: RunningFollower) -> None:
    running.follower.renew(await running.client.authenticate("root", "x"))
    running.run_again()


def _ended_sessions(running: RunningFollower) -> list[SessionEnded]:
    return running.reported(SessionEnded)
