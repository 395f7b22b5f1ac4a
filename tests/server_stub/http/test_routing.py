"""The way from a path to what lies there."""

from __future__ import annotations

import pytest

from server_stub.http.routing import Paths


@pytest.fixture
def paths() -> Paths[list[str]]:
    """Some that have beginnings in common."""
    made: Paths[list[str]] = Paths()
    for path in ("/event", "/event/list", "/event/{id}", "/schema/{version}", "/schema/{version}/plan"):
        made.at(path, list).append(path)
    return made


@pytest.mark.parametrize(
    ("path", "found", "texts"),
    [
        ("/event", "/event", {}),
        ("/event/list", "/event/list", {}),
        ("/event/listed", "/event/{id}", {"id": "listed"}),
        ("/schema/HEAD", "/schema/{version}", {"version": "HEAD"}),
        ("/schema/HEAD/plan", "/schema/{version}/plan", {"version": "HEAD"}),
    ],
)
def test_a_path_leads_somewhere(
    paths: Paths[list[str]], path: str, found: str, texts: dict[str, str]
) -> None:
    """What is spelled out comes first; any other text takes the place in braces."""
    assert paths.find(path) == ([found], texts)


@pytest.mark.parametrize(
    "path", ["", "/", "event", "/event/", "/event/1/2", "//event", "/schema", "/schema//plan"]
)
def test_a_path_leads_nowhere(paths: Paths[list[str]], path: str) -> None:
    """A part too many, too few, or without a text."""
    found, texts = paths.find(path)
    assert (found, texts) == (None, {})


def test_what_is_made_stays(paths: Paths[list[str]]) -> None:
    """Declared twice, a path has one thing."""
    paths.at("/event", list).append("more")
    assert paths.find("/event")[0] == ["/event", "more"]
