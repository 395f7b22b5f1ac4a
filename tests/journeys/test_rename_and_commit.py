"""Story: an administrator renames a column, and the service and its log are updated."""

from pathlib import Path

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from tests.desktop.patience import until
from tests.journeys.server import columns, fetch_rows
from tests.journeys.steps import commit, commits_seen, rename_column, save
from tests.journeys.visit import visiting
from tests.server import serving


async def test_a_column_is_renamed_and_keeps_its_values(folders: UserFolders, own_museum: Path) -> None:
    """The database changes with the commit, whose event appears in the feed."""
    before = fetch_rows(own_museum, "SELECT _id, visitors FROM exhibition ORDER BY _id")
    assert any(row[1] is not None for row in before)
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.live.is_following)
            known = commits_seen(visit)
            await rename_column(visit, "visitors", "guests")
            await save(visit)
            assert "visitors" in columns(own_museum, "exhibition")
            await commit(visit)
            await until(lambda: len(commits_seen(visit)) == len(known) + 1)
            visit.window.actions_by_name["live"].trigger()
            assert visit.live.table.isVisible()
            assert visit.live.is_following
    assert "visitors" not in columns(own_museum, "exhibition")
    assert fetch_rows(own_museum, "SELECT _id, guests FROM exhibition ORDER BY _id") == before
