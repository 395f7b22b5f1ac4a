"""Tests of the file of open feeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.foundation.files import Report
from cdb_desktop.live.feed_filter import EarlierFilter, with_only_type
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.controller import SavedFeed, saved_feeds_file
from cdb_desktop.vocabulary.pattern import Condition, PatternKind

LAYOUT = (
    SavedFeed(with_only_type(Query(), "USER_LOGIN"), notifies=True, width=400),
    SavedFeed(Query(users=(3,), base_types=("user",), conditions=(Condition("denied"),)), width=300),
)


def test_feeds_are_stored_by_profile(tmp_path: Path) -> None:
    """Also those that another window has stored meanwhile."""
    one, other = (saved_feeds_file(tmp_path / "feeds.json") for _ in range(2))
    assert one.read("here") is None
    one.change("here", lambda _before: LAYOUT)
    other.change("there", lambda _before: LAYOUT[:1])
    one.change("here", lambda before: (before or ())[::-1])
    again = saved_feeds_file(tmp_path / "feeds.json")
    assert (again.read("here"), again.read("there")) == (LAYOUT[::-1], LAYOUT[:1])


def test_feeds_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    """Until there is a file; other services keep theirs."""
    text = '{"here": [{"choice": {"user": "anna"}}], "there": [{"choice": {}}]}'
    file = saved_feeds_file(tmp_path / "feeds.json", lambda: text)
    assert file.read("here") == (SavedFeed(EarlierFilter(user="anna").query),)
    file.change("here", lambda _before: ())
    assert saved_feeds_file(tmp_path / "feeds.json").read("here") == ()
    assert saved_feeds_file(tmp_path / "feeds.json").read("there") == (SavedFeed(Query()),)


@pytest.mark.parametrize("is_earlier", [True, False])
@pytest.mark.parametrize("broken", ["[", "[1]", '{"here": [{"choice": 5}], "there": []}', "\udcff"])
def test_a_damaged_file_is_set_aside(
    tmp_path: Path, reports: list[Report], broken: str, *, is_earlier: bool
) -> None:
    """It is not lost, and other profiles keep their feeds."""
    path, content = tmp_path / "feeds.json", broken.encode(errors="surrogateescape")
    if not is_earlier:
        path.write_bytes(content)
    file = saved_feeds_file(path, lambda: broken if is_earlier else "")
    assert file.read("here") is None
    assert saved_feeds_file(path).read("here") is None
    (report,) = reports
    assert report.kept is not None
    assert report.kept.read_bytes() == content
    assert saved_feeds_file(path).read("there") == (() if "there" in broken else None)
    file.change("here", lambda _before: LAYOUT)
    assert saved_feeds_file(path).read("here") == LAYOUT
    assert len(reports) == 1


def test_old_profiles_are_forgotten(tmp_path: Path) -> None:
    """The one that was not changed for the longest time goes first."""
    file = saved_feeds_file(tmp_path / "feeds.json")
    for number in range(55):
        file.change(str(number), lambda _before: LAYOUT)
        file.change("0", lambda _before: LAYOUT)
    assert file.read("0") == LAYOUT
    assert file.read("5") is None
    assert file.read("6") == LAYOUT


def test_a_file_of_version_0_1_is_read(tmp_path: Path) -> None:
    """With all fields as that version has written them."""
    path = tmp_path / "feeds.json"
    path.write_text(
        '{"root@https://museum.example":[{"choice":{"others":false,"exceptions":["USER_LOGIN"],"user":"anna",'
        '"users":[3],"base_types":["user"]},"notifies":true,"width":400},{"choice":{"others":true,'
        '"exceptions":[],"user":"","users":[],"base_types":[]},"notifies":false,"width":300}]}'
    )
    chosen = Query(
        types=("USER_LOGIN",),
        users=(3,),
        base_types=("user",),
        conditions=(Condition("user=*anna*", PatternKind.KEY),),
    )
    feeds = (SavedFeed(chosen, notifies=True, width=400), SavedFeed(width=300))
    assert saved_feeds_file(path).read("root@https://museum.example") == feeds
