"""Tests of the journal of running exports and deletions, which is read after a crash."""

from datetime import UTC, datetime
from pathlib import Path
from random import Random

from cdb_desktop.client import EventFilter
from cdb_desktop.events.export.checkpoint import Checkpoint, checkpoint_path, load_checkpoint
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.job_journal import DeletionJob, ExportJob, JobJournal, StoredFilter
from cdb_desktop.foundation.files import Report
from cdb_desktop.queries.query import Query

ASKED = EventFilter(type=("SEARCH",), user_id=(7,), date_from=datetime(2026, 3, 1, 12, 30, 1, 5, tzinfo=UTC))
EXPORT = ExportJob(
    "root@a", "/somewhere/a.csv", ExportOptions(), StoredFilter.of(ASKED), StoredFilter.of(ASKED), 12, 99
)
DELETION = DeletionJob("root@a", "/somewhere/b.jsonl", 20, 10, query=Query(types=("SEARCH",)), ids=(3, 4))


def test_jobs_are_restored_completely(tmp_path: Path) -> None:
    """Only those of the profile are restored; a filter has the same moments."""
    journal = JobJournal(tmp_path / "deep" / "folder")
    assert list(journal.jobs("root@a")) == []
    journal.write("one", EXPORT)
    journal.write("two", DELETION)
    assert dict(journal.jobs("root@a")) == {"one": EXPORT, "two": DELETION}
    assert list(journal.jobs("root@b")) == []
    (found,) = (job for _, job in journal.jobs("root@a") if isinstance(job, ExportJob))
    assert found.entered.event_filter == ASKED
    journal.remove("one")
    journal.remove("one")
    assert [name for name, _ in journal.jobs("root@a")] == ["two"]


def test_damaged_jobs_are_set_aside(tmp_path: Path, reports: list[Report]) -> None:
    """Invalid, truncated and random files are reported once each, and hide no other job."""
    journal = JobJournal(tmp_path)
    journal.write("good", EXPORT)
    whole = (tmp_path / "good.json").read_bytes()
    damage = [b'{"a": 1}', whole[:40], b"", b"\xff\xfe\x00", b"[" * 100_000, Random(1).randbytes(500)]
    damage.append(whole.replace(b"somewhere", b"some\xffhere"))
    for number, content in enumerate(damage):
        (tmp_path / f"{number}.json").write_bytes(content)
    assert [name for name, _ in journal.jobs("root@a")] == ["good"]
    assert sorted(one.kept.read_bytes() for one in reports if one.kept) == sorted(damage)
    assert [file.name for file in tmp_path.glob("*.json")] == ["good.json"]
    assert [name for name, _ in journal.jobs("root@a")] == ["good"]
    assert len(reports) == len(damage)


def test_a_job_is_written_atomically(tmp_path: Path) -> None:
    """A reader of the previous file gets all of it, and a full disk leaves it unchanged."""
    journal, other = JobJournal(tmp_path), tmp_path / "other"
    journal.write("one", EXPORT)
    before = (tmp_path / "one.json").read_bytes()
    other.hardlink_to(tmp_path / "one.json")
    journal.write("one", DELETION)
    assert other.read_bytes() == before
    assert dict(journal.jobs("root@a")) == {"one": DELETION}


def test_a_damaged_checkpoint_restarts_the_export(tmp_path: Path) -> None:
    """This holds for any content."""
    target = tmp_path / "a.csv"
    target.with_name("a.csv.part").write_bytes(b"12345")
    export_format(ExportOptions(), ASKED, target).save_checkpoint(Checkpoint(3, 5))
    whole = checkpoint_path(target).read_bytes()
    for content in (whole[:30], b"\xff", b"[" * 100_000, whole.replace(b"SEARCH", b"SE\xffCH"), b""):
        checkpoint_path(target).write_bytes(content)
        assert load_checkpoint(ExportOptions(), ASKED, target) == Checkpoint()


def test_the_part_file_of_a_restored_export_is_found(tmp_path: Path) -> None:
    """A restored job has the same file; an export of selected rows has another one."""
    target = tmp_path / "a.csv"
    journal = JobJournal(tmp_path / "notes")
    journal.write("one", EXPORT)
    ((_, job),) = journal.jobs("root@a")
    assert isinstance(job, ExportJob)
    target.with_name("a.csv.part").write_bytes(b"12345")
    export_format(ExportOptions(), ASKED, target).save_checkpoint(Checkpoint(3, 5))
    assert checkpoint_path(target).exists()
    assert load_checkpoint(job.options, job.entered.event_filter, target).rows == 3
    assert load_checkpoint(job.options, job.entered.event_filter, target, (1, 2)).rows == 0
