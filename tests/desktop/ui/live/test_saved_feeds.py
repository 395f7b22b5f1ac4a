"""Tests of the file of open feeds."""

from pathlib import Path

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
