"""The report as text, JSON and HTML."""

import json
from html.parser import HTMLParser

from server_stub.conformance.table import (
    Basis,
    Report,
    Result,
    Verdict,
    to_html,
    to_json,
)

ODD = "<img src=x onerror=alert(1)> & \"quoted\" 'too'"
RESULTS = (
    Result("Sessions", "§5", "a new session has a token", Basis.OBSERVED, Verdict.AGREES, "", 1.5),
    Result("Lists", "§4.3", f"limit={ODD}", Basis.INTERFACE, Verdict.DIFFERS, f"The answer is {ODD}."),
    Result("Lists", "§4.3", "sort", Basis.DECISION, Verdict.NOT_TRIED, "The log has no events."),
)
REPORT = Report(
    service="http://localhost:8040",
    description=ODD,
    login=ODD,
    began="2026-01-01T00:00:00+00:00",
    seconds=1.25,
    writes=False,
    results=RESULTS,
    notes=(ODD,),
)


class _Page(HTMLParser):
    """The elements, the attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html() -> None:
    """Texts of the service are text, nothing is loaded, and the elements are closed in order."""
    page = _Page(to_html(REPORT))
    assert {"img", "script", "link", "iframe"}.isdisjoint(page.tags)
    assert {"src", "href", "onerror", "style"}.isdisjoint(page.attributes)
    assert page.text.count(ODD) == 5
    assert "3 checks: 1 agree, 1 differ, 1 were not tried." in page.text
    assert page.tags.count("details") == 2


def test_json() -> None:
    """The report has the totals and every result."""
    report = json.loads(to_json(REPORT))
    assert report["counts"] == {"agrees": 1, "differs": 1, "not tried": 1}
    assert [each["verdict"] for each in report["results"]] == ["agrees", "differs", "not tried"]
    assert report["results"][1]["section"] == "§4.3"
