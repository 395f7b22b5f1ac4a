"""Tests of the local files of each service."""

import errno
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.schema.diagram.groups import COLORS, Group, Groups, box_key, made_groups
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.views import DraftPlace, NamedView, Viewport, ViewTable
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.files import local_store as safety_copies
from cdb_desktop.schema.files.local_store import LocalStore, StoredChecks
from cdb_desktop.schema.files.model_files import read_file
from tests.desktop.schema.models import museum, opened


def test_files_of_version_0_1_are_read(tmp_path: Path) -> None:
    """Arrangement, views, checks, and a draft with a step that was undone."""
    folder = tmp_path / "schema"
    shutil.copytree(Path(__file__).parents[3] / "data" / "version_0.1" / "schema", folder)
    local = LocalStore(folder, "http://museum", "root")
    works = Group(1, "Works", 2, frozenset({3, 6}), is_collapsed=True)
    positions = {3: (10.0, 20.0), 6: (30.5, 40.0)}
    assert local.arrangement() == Arrangement(positions, Groups((works,)), frozenset({3}))
    view = NamedView(1, "Artists", False, (ViewTable(3, "work", (1.0, 2.0)),), Viewport(0.5, (5.0, 6.0)))
    assert local.views() == (view,)
    assert local.draft_places() == {-7: DraftPlace((5.0, 6.0), "Works", 2, True)}
    assert local.checks() == StoredChecks(frozenset({"orphan"}), "/policy.toml")
    (draft,) = local.drafts.abandoned()
    assert draft.head is not None
    assert write_document(draft.head) == museum()
    assert draft.steps is not None
    assert [str(step.title) for step in draft.steps.steps[-2:]] == [
        "Rename table work to opus",
        "Rename table work to oeuvre",
    ]
    assert draft.steps.position == len(draft.steps.steps) - 2
    assert draft.steps.steps[draft.steps.position].document == draft.document


def test_places_of_new_tables_are_kept_for_each_user(tmp_path: Path) -> None:
    """As drafts are; with their groups, and the last ones if there are very many."""
    anna, bert = LocalStore(tmp_path, "Museum", "anna"), LocalStore(tmp_path, "Museum", "bert")
    assert anna.draft_places() == {}
    places = {-number: DraftPlace((float(number), 0.0), "works", 3, True) for number in range(1, 2_101)}
    anna.keep_draft_places(places)
    assert anna.draft_places() == dict(list(places.items())[100:])
    assert bert.draft_places() == {}
    anna.keep_draft_places({-1: DraftPlace((1e9, 0.0))})
    assert anna.draft_places() == {}, "set aside"


def test_users_share_arrangements(tmp_path: Path) -> None:
    """All users of a service share the positions of boxes, and another service has its own."""
    anna, bert = LocalStore(tmp_path, "Museum", "anna"), LocalStore(tmp_path, "Museum", "bert")
    anna.keep_arrangement(Arrangement({1: (2.0, 3.5)}))
    assert bert.arrangement() == anna.arrangement() == Arrangement({1: (2.0, 3.5)})
    assert LocalStore(tmp_path, "Museum?", "anna").arrangement() == Arrangement()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"positions": {"1": [1e300, 0]}, "routes": {}}',
        b'{"positions": {"\xff": 1}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_arrangement_is_set_aside(tmp_path: Path, content: bytes) -> None:
    """It is renamed unchanged and once; the next arrangement is stored as usual."""
    local = LocalStore(tmp_path, "Museum")
    local.keep_arrangement(Arrangement({1: (2.0, 3.5)}))
    (file,) = tmp_path.glob("*.json")
    file.write_bytes(content)
    reports: list[Report] = []
    end = on_report(reports.append)
    reports.clear()
    assert local.arrangement() == local.arrangement() == Arrangement()
    end()
    (found,) = reports
    assert found.path == file
    assert found.kept is not None
    assert found.kept.read_bytes() == content
    local.keep_arrangement(Arrangement({1: (2.0, 3.5)}))
    assert local.arrangement() == Arrangement({1: (2.0, 3.5)})


def test_both_sides_of_a_conflict_are_kept_as_models(tmp_path: Path) -> None:
    """They can be opened as model files, and are separate for each user."""
    local = LocalStore(tmp_path, "Museum (demo)", "anna")
    now = datetime.now().astimezone()
    mine = local.keep_model(opened(), "mine", now)
    theirs = local.keep_model(replace(opened(), tables=()), "theirs", now)
    assert {model.path for model in local.kept_models()} == {mine.path, theirs.path}
    assert {model.side for model in local.kept_models()} == {"mine", "theirs"}
    assert write_document(read_file(mine.path).model.document) == museum()
    assert LocalStore(tmp_path, "Museum (demo)", "bert").kept_models() == ()


def test_groups_and_folded_tables_are_restored(tmp_path: Path) -> None:
    """With the position of the box of a collapsed group; new tables and their positions are left out."""
    local = LocalStore(tmp_path / "schema", "Museum")
    groups = made_groups([("works", (1, 2, -4)), ("people", (3,))]).with_collapsed((2,), on=True)
    positions = {1: (1.0, 2.0), 3: (0.0, 0.0), box_key(2): (5.0, 6.0)}
    local.keep_arrangement(Arrangement({**positions, -4: (9.0, 9.0)}, groups, frozenset({3, -4})))
    found = local.arrangement()
    assert found == Arrangement(positions, groups.without((-4,)), frozenset({3}))
    assert [group.is_collapsed for group in found.groups] == [False, True]


def test_arrangements_of_earlier_versions_have_no_groups(tmp_path: Path) -> None:
    """They are opened as before; a table that a file has in two groups is in the first of them."""
    local = LocalStore(tmp_path, "Museum")
    local.keep_arrangement(Arrangement({1: (2.0, 3.5)}))
    (file,) = tmp_path.glob("*.json")
    file.write_text('{"positions": {"1": [2.0, 3.5]}}', "utf-8")
    assert local.arrangement() == Arrangement({1: (2.0, 3.5)})
    group = '{"key": %d, "name": "a", "color": 99, "tables": [1]}'
    file.write_text(f'{{"positions": {{}}, "groups": [{group % 1}, {group % 2}]}}', "utf-8")
    assert local.arrangement().groups == Groups((Group(1, "a", 99 % COLORS, frozenset({1})),))


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_both_versions_can_be_opened_as_models(tmp_path: Path) -> None:
    """With all of their attributes, beside the plan."""
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    head, current = museum(), {**museum(), "version": 7}
    kept = copies.keep(head, current, {"steps": []}, NOW)
    assert sorted(path.name for path in kept.iterdir()) == ["CURRENT v7.json", "HEAD v8.json", "plan.json"]
    assert msgspec.json.decode((kept / "HEAD v8.json").read_bytes()) == head
    assert read_file(kept / "CURRENT v7.json").model.document.version == 7
    assert oct((kept / "plan.json").stat().st_mode)[-3:] == "600"


def test_services_and_users_have_their_own_copies(tmp_path: Path) -> None:
    """In folders of their own; without CURRENT and plan there is HEAD alone."""
    mine = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    yours = LocalStore(tmp_path, "https://db.example", "you").safety_copies
    kept = mine.keep(museum(), None, None, NOW)
    assert [path.name for path in kept.iterdir()] == ["HEAD v8.json"]
    assert mine.all() == (kept,)
    assert yours.all() == ()


def test_no_copy_replaces_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same second; only the newest are kept."""
    monkeypatch.setattr(safety_copies, "MOST_COPIES", 3)
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    first = copies.keep(museum(), None, None, NOW)
    second = copies.keep(museum(), None, None, NOW)
    assert copies.all() == (first, second)
    later = [copies.keep(museum(), None, None, NOW + timedelta(days=day)) for day in (1, 2)]
    assert copies.all() == (second, *later)


def test_a_copy_that_cannot_be_completed_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be taken for that of the commit, and push out older ones."""
    copies = LocalStore(tmp_path, "https://db.example", "me").safety_copies
    first = copies.keep(museum(), None, None, NOW)
    second = copies.keep(museum(), None, None, NOW + timedelta(days=1))

    def write(_table: str, _columns: tuple[str, ...], path: Path) -> int:
        path.write_text("half")
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        copies.keep_values(second, {"work": ()}, write)
    assert copies.all() == (first,)
    monkeypatch.setattr(safety_copies, "write_whole", _refuse)
    with pytest.raises(OSError, match="full"):
        copies.keep(museum(), None, None, NOW)
    assert copies.all() == (first,)


def _refuse(path: Path, _content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    raise OSError(errno.ENOSPC, "full")
