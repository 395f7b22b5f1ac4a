"""Tests of what lies below a jump of the cursor; test_proof.py has it follow a service of any kind."""

from __future__ import annotations

from cdb_desktop.live.reports import Anew, Away, Gap
from tests.desktop.live.conftest import Start
from tests.desktop.live.model_service import RIGHT, ModelService, refusal
from tests.desktop.patience import until

_WRONG = range(50_000, 50_020)


async def test_what_goes_on_below_many_wrong_ids_comes_all_the_same(
    service: ModelService, watch: Start
) -> None:
    """By polls alone, and so does what goes on beyond them."""
    service.write(1, *_WRONG)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1, *_WRONG])
            assert watching.watch.last_id == _WRONG[-1]
            for number in (2, 3):
                service.write(number)
                await until(lambda: watching.ids[-1] == number, seconds=6)  # noqa: B023
            service.write(50_020)
            await until(lambda: watching.ids[-1] == 50_020)
            assert watching.ids == [1, *_WRONG, 2, 3, 50_020]
            assert watching.told(Away) == []


async def test_a_new_session_below_wrong_ids_is_of_the_same_log(service: ModelService, watch: Start) -> None:
    """It begins where the ids really are, and what came in between is read from the list."""
    service.rights = {RIGHT: {}}
    service.write(1, *_WRONG)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.watch.last_id == _WRONG[-1])
            service.unruly = [refusal("user", "session_invalid", 400)]
            await until(watching.task.done)
            service.write(2, 3)
            service.lowest = 3
            watching.watch.renew(await watching.client.authenticate("root", "x"))
            watching.go_on()
            await until(lambda: watching.ids == [1, *_WRONG, 2, 3])
            assert watching.told(Anew) == []
            assert watching.told(Gap) == [Gap(1, 3, 2)]


async def test_one_wrong_id_within_reach_hides_nothing(service: ModelService, watch: Start) -> None:
    """It takes the cursor along; a new session shows where the log really is, and polls go on from there."""
    service.rights = {RIGHT: {}}
    service.write(1, 500)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.watch.last_id == 500)
            service.unruly = [refusal("user", "session_invalid", 400)]
            await until(watching.task.done)
            service.write(2, 3)
            service.lowest = 3
            watching.watch.renew(await watching.client.authenticate("root", "x"))
            watching.go_on()
            await until(lambda: watching.ids == [1, 500, 2, 3])
            assert watching.told(Anew) == []
            service.write(4)
            watching.watch.try_now()
            await until(lambda: watching.ids[-1] == 4)
            assert watching.watch.last_id == 4
