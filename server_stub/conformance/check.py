"""What a check is, its verdict, and groups of checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from html import escape
from typing import Any

import msgspec

from server_stub.conformance.context import Context


class Verdict(StrEnum):
    """The result of a check."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_TRIED = "not tried"


class Basis(StrEnum):
    """Where an expectation comes from."""

    INTERFACE = "interface"
    OBSERVED = "deployed services"
    # The interface leaves it open; other services may well decide otherwise.
    DECISION = "reference server"


@dataclass(frozen=True)
class ServiceCheck:
    """One expectation. `run` raises DeviationError or NotTriedError, and returns if the service agrees.

    `section` is that of the interface. The log-in needs `rights`. `writes` marks a check that changes what
    the service stores, and `deletes` one that sends a deletion.
    """

    section: str
    title: str
    run: Callable[[Context], None]
    rights: Sequence[str] = ()
    basis: Basis = Basis.INTERFACE
    writes: bool = False
    deletes: bool = False


class Result(msgspec.Struct, frozen=True):
    """A check and its verdict; `sentence` says what differs or why it was not tried."""

    group: str
    section: str
    title: str
    basis: Basis
    verdict: Verdict
    sentence: str = ""
    milliseconds: float = 0.0


@dataclass
class Group:
    """The checks of one part of the interface, in the order in which they run; the log-in needs `rights`."""

    title: str
    rights: Sequence[str] = ()
    checks: list[ServiceCheck] = field(default_factory=list)

    def check(
        self,
        section: str,
        title: str,
        basis: Basis = Basis.INTERFACE,
        cases: Iterable[tuple[Any, ...]] = ((),),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Adds a function as a check, once for each case: the arguments after the context.

        The title may have the arguments in it: `{0}`.
        """

        def added(run: Callable[..., None]) -> Callable[..., None]:
            for case in cases:
                tried = partial(_with_case, run, case)
                self.checks.append(ServiceCheck(section, title.format(*case), tried, self.rights, basis))
            return run

        return added


def _with_case(run: Callable[..., None], case: tuple[Any, ...], context: Context) -> None:
    run(context, *case)


class Report(msgspec.Struct, frozen=True):
    """A run: the service, the log-in, the results and sentences about the run.

    All texts of the service are on one line and without control characters. `began` is a time in ISO 8601.
    """

    service: str
    description: str
    login: str
    began: str
    seconds: float
    writes: bool
    results: Sequence[Result]
    notes: Sequence[str] = ()

    @property
    def counts(self) -> Counter[Verdict]:
        """How many checks have each verdict."""
        return Counter(result.verdict for result in self.results)

    @property
    def summary(self) -> str:
        """The counts of all verdicts as a sentence."""
        found = self.counts
        return (
            f"{len(self.results)} checks: {found[Verdict.AGREES]} agree, {found[Verdict.DIFFERS]} differ, "
            f"{found[Verdict.NOT_TRIED]} were not tried."
        )


_WIDTH = max(len(verdict) for verdict in Verdict)
_BASES = {
    Basis.INTERFACE: "stated by the interface",
    Basis.OBSERVED: "seen on deployed services",
    Basis.DECISION: "left open by the interface; decision of the reference server",
}


def line_of(result: Result) -> str:
    """A result on one line, with a second one for what differs or why it was not tried."""
    line = f"{result.verdict:{_WIDTH}}  {result.section:12} {result.title}"
    if result.verdict is Verdict.DIFFERS:
        return f"{line}\n{'':{_WIDTH}}  {result.sentence} ({_BASES[result.basis]})"
    if result.verdict is Verdict.NOT_TRIED:
        return f"{line}: {result.sentence}"
    return line


def summary_lines(report: Report) -> Iterator[str]:
    """The counts by group, the notes and the total, for a terminal."""
    groups = _groups(report.results)
    width = max((len(name) for name in groups), default=0)
    for name, results in groups.items():
        counts = Counter(result.verdict for result in results)
        cells = "  ".join(f"{counts[verdict]:4} {verdict}" for verdict in Verdict)
        yield f"{name:{width}}  {cells}"
    yield ""
    yield from report.notes
    yield report.summary


def to_json(report: Report) -> bytes:
    """The report as an indented JSON object."""
    counts = {verdict.value: report.counts[verdict] for verdict in Verdict}
    whole = {"counts": counts} | msgspec.to_builtins(report)
    return msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n"


def _groups(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.group, []).append(result)
    return found


# The page loads nothing: a text of the service that looks like HTML could otherwise fetch something.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d8dee4;
  --raised: #f6f8fa; --agrees: #1a7f37; --differs: #cf222e; --untried: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --text: #e6e9ed; --quiet: #9aa4af;
  --line: #343a42; --raised: #1d2126; --agrees: #4cc06a; --differs: #ff7b72; --untried: #9aa4af; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1rem 4rem; background: var(--ground);
  color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
.quiet, caption { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
td:nth-child(1), td:nth-child(2) { white-space: nowrap; overflow-wrap: normal; }
details { margin: .75rem 0; border: 1px solid var(--line); border-radius: 6px; }
summary { padding: .5rem .75rem; background: var(--raised); border-radius: 6px; cursor: pointer; }
.agrees { color: var(--agrees); } .differs { color: var(--differs); font-weight: 600; }
.untried { color: var(--untried); }
"""
_CLASSES = {Verdict.AGREES: "agrees", Verdict.DIFFERS: "differs", Verdict.NOT_TRIED: "untried"}


def to_html(report: Report) -> str:
    """The report as a page of its own, for light and dark screens, that loads nothing."""
    groups = _groups(report.results)
    facts = {
        "Service": report.service,
        "Described as": report.description,
        "Log-in": report.login,
        "Begun": report.began,
        "Duration": f"{report.seconds:.1f} s",
        "Mode": "with changes (--write)" if report.writes else "read-only",
    }
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Conformance of {escape(report.service)}</title><style>{_STYLE}</style></head><body>",
            "<h1>Conformance with the interface of the Content Database Service</h1>",
            f"<p>{escape(report.summary)}</p><dl>",
            *(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts.items() if text),
            "</dl>",
            *(f"<p>{escape(note)}</p>" for note in report.notes),
            '<div class="wide"><table><thead><tr><th>Part of the interface</th>',
            *(f'<th class="number">{verdict}</th>' for verdict in Verdict),
            "</tr></thead><tbody>",
            *(_overview_row(name, results) for name, results in groups.items()),
            "</tbody></table></div>",
            *(_group_section(name, results) for name, results in groups.items()),
            '<p class="quiet">Differences name the origin of the expectation: '
            + "; ".join(f"“{basis}” is {meaning}" for basis, meaning in _BASES.items())
            + ".</p></body></html>\n",
        )
    )


def _overview_row(name: str, results: Sequence[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    cells = "".join(_count_cell(verdict, counts[verdict]) for verdict in Verdict)
    return f"<tr><td>{escape(name)}</td>{cells}</tr>"


def _count_cell(verdict: Verdict, count: int) -> str:
    style = f" {_CLASSES[verdict]}" if count else ""
    return f'<td class="number{style}">{count}</td>'


def _group_section(name: str, results: Sequence[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    state = " open" if counts[Verdict.DIFFERS] else ""
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    return "\n".join(
        (
            f"<details{state}><summary>{escape(name)} <span class=quiet>{shown}</span></summary>",
            '<div class="wide"><table><thead><tr><th>Result</th><th>Section</th>',
            "<th>Check</th><th>Expectation from</th></tr></thead><tbody>",
            *map(_result_row, results),
            "</tbody></table></div></details>",
        )
    )


def _result_row(result: Result) -> str:
    what = escape(result.title)
    if result.sentence:
        what += f"<br><span class=quiet>{escape(result.sentence)}</span>"
    return (
        f'<tr><td class="{_CLASSES[result.verdict]}">{result.verdict}</td><td>{escape(result.section)}</td>'
        f"<td>{what}</td><td>{result.basis}</td></tr>"
    )
