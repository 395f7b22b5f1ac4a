"""Tests of the folder of the demo's data."""

from __future__ import annotations

from pathlib import Path

from cdb_desktop.embedded.folder import open_demo_folder


def test_the_first_program_gets_the_folder_itself(tmp_path: Path) -> None:
    """It is made where it is missing, and database and log lie in it."""
    with open_demo_folder(tmp_path / "new" / "demo") as folder:
        assert (folder.path, folder.is_copy) == (tmp_path / "new" / "demo", False)
        assert folder.database.parent == folder.log.parent == folder.path


def test_a_second_program_gets_a_fresh_copy_that_goes_with_it(tmp_path: Path) -> None:
    """Two servers never work on one database."""
    with open_demo_folder(tmp_path):
        with open_demo_folder(tmp_path) as copy:
            assert copy.is_copy
            assert copy.path != tmp_path
            assert list(copy.path.iterdir()) == []
        assert not copy.path.exists()


def test_the_folder_is_free_again_after_its_end(tmp_path: Path) -> None:
    """The next start finds the same data."""
    with open_demo_folder(tmp_path):
        pass
    with open_demo_folder(tmp_path) as folder:
        assert not folder.is_copy
