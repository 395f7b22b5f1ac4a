"""The incidents that support staff should find in the demo log."""

from datetime import UTC, datetime

from tests.server_stub.demo.conftest import EventRow, Museum


def _of(museum: Museum, kind: str) -> list[EventRow]:
    return [each for each in museum.events if each.type == kind]


def _clock(row: EventRow) -> str:
    return datetime.fromtimestamp(row.timestamp + 3_600, UTC).strftime("%H:%M")


def test_forty_images_deleted_one_evening(museum: Museum) -> None:
    """One session deletes forty images within half an hour; users miss them the next morning."""
    deleted = [each for each in _of(museum, "OBJECT_DELETE") if each.user_displayname == "Nora Dietz"]
    purge = [each for each in deleted if each.info == deleted[0].info]
    assert len(purge) == 40
    assert len({each.session for each in purge}) == 1
    assert purge[-1].timestamp - purge[0].timestamp < 1_800
    missed = [each for each in _of(museum, "RESOURCE_NOT_AVAILABLE") if '"deleted"' in each.info]
    assert 0 < missed[0].timestamp - purge[-1].timestamp < 86_400


def test_export_fails_every_night_since_nine_days(museum: Museum) -> None:
    """The nightly export at ten past two succeeds for weeks and then fails for nine days."""
    started = [each for each in _of(museum, "EXPORT_START") if each.object_id == 77]
    assert {_clock(each) for each in started} == {"02:10"}
    failed, done = _of(museum, "EXPORT_FAILED"), [
        each for each in _of(museum, "EXPORT_FINISH") if each.object_id == 77
    ]  # fmt: skip
    assert len(failed) == 10
    assert done[-1].timestamp < failed[0].timestamp
    assert len(failed) + len(done) == len(started)


def test_burst_of_failed_logins(museum: Museum) -> None:
    """More than a hundred log-ins fail within ten minutes of one night."""
    failed = [each.timestamp for each in _of(museum, "LOGIN_FAILED")]
    assert max(sum(first <= each < first + 600 for each in failed) for first in failed) > 100


def test_errors_since_the_last_release(museum: Museum) -> None:
    """The error about signatures appears only after the last commit, on every working day."""
    last = _of(museum, "SCHEMA_COMMIT")[-1]
    broken = [each for each in _of(museum, "FRONTEND_ERROR") if "signature" in each.info]
    assert len(broken) > 15
    assert all(each.timestamp > last.timestamp for each in broken)


def test_three_releases(museum: Museum) -> None:
    """The releaser committed the schema's versions weeks apart, the later ones on working days."""
    commits = _of(museum, "SCHEMA_COMMIT")
    assert [each.info for each in commits] == [f'{{"schema":{version}}}' for version in (1, 2, 3)]
    assert all("Releaser" in each.user_displayname for each in commits)
    assert all(datetime.fromtimestamp(each.timestamp, UTC).weekday() < 5 for each in commits[1:])
    assert commits[2].timestamp - commits[1].timestamp > 6 * 86_400
