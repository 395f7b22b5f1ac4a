"""What a check is, and the table of calls and expected answers, `resources/contract.txt`.

The head of the file describes it.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, partial
from html import escape
from string import Template
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus
from uuid import uuid4

import msgspec

from server_stub.conformance.client import (
    EVENT_DELETE,
    EVENT_GET,
    NoAnswerError,
    NotTriedError,
    Reply,
    Request,
    cleaned,
    expect,
    fit,
    post,
    refuse,
    substituted,
)
from server_stub.conformance.context import FORM, UNKNOWN_TOKEN, Context, nothing_selected
from server_stub.foundation.resources import resource


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
_CHECK_BASES = {
    Basis.INTERFACE: "stated by the interface",
    Basis.OBSERVED: "seen on deployed services",
    Basis.DECISION: "left open by the interface; decision of the reference server",
}


def line_of(result: Result) -> str:
    """A result on one line, with a second one for what differs or why it was not tried."""
    line = f"{result.verdict:{_WIDTH}}  {result.section:12} {result.title}"
    if result.verdict is Verdict.DIFFERS:
        return f"{line}\n{'':{_WIDTH}}  {result.sentence} ({_CHECK_BASES[result.basis]})"
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


_PAGE = Template(resource("conformance_report.html").read_text(encoding="utf-8"))
_CLASSES = {Verdict.AGREES: "agrees", Verdict.DIFFERS: "differs", Verdict.NOT_TRIED: "untried"}


def to_html(report: Report) -> str:
    """The report as a page of its own, for light and dark screens.

    It loads nothing: a text of the service that looks like HTML could otherwise fetch something.
    """
    groups = _groups(report.results)
    facts = {
        "Service": report.service,
        "Described as": report.description,
        "Log-in": report.login,
        "Begun": report.began,
        "Duration": f"{report.seconds:.1f} s",
        "Mode": "with changes (--write)" if report.writes else "read-only",
    }
    return _PAGE.substitute(
        service=escape(report.service),
        summary=escape(report.summary),
        facts="".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts.items() if text),
        notes="\n".join(f"<p>{escape(note)}</p>" for note in report.notes),
        verdicts="".join(f'<th class="number">{verdict}</th>' for verdict in Verdict),
        overview="\n".join(_overview_row(name, results) for name, results in groups.items()),
        groups="\n".join(_group_section(name, results) for name, results in groups.items()),
        bases="; ".join(f"“{basis}” is {meaning}" for basis, meaning in _CHECK_BASES.items()),
    )


def _overview_row(name: str, results: Sequence[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    styles = {verdict: f"number {_CLASSES[verdict]}" if counts[verdict] else "number" for verdict in Verdict}
    cells = "".join(f'<td class="{styles[verdict]}">{counts[verdict]}</td>' for verdict in Verdict)
    return f"<tr><td>{escape(name)}</td>{cells}</tr>"


def _group_section(name: str, results: Sequence[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    head = "".join(f"<th>{title}</th>" for title in ("Result", "Section", "Check", "Expectation from"))
    return (
        f"<details{' open' if counts[Verdict.DIFFERS] else ''}>"
        f"<summary>{escape(name)} <span class=quiet>{shown}</span></summary>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n'
        + "\n".join(map(_result_row, results))
        + "</tbody></table></div></details>"
    )


def _result_row(result: Result) -> str:
    what = escape(result.title)
    if result.sentence:
        what += f"<br><span class=quiet>{escape(result.sentence)}</span>"
    return (
        f'<tr><td class="{_CLASSES[result.verdict]}">{result.verdict}</td><td>{escape(result.section)}</td>'
        f"<td>{what}</td><td>{result.basis}</td></tr>"
    )


_HEAD = re.compile(
    r"(?P<section>§.+?) (?P<origin>contract|observed|decision)(?P<write> write)?"
    r"(?: \[(?P<cases>.*)\])?(?:: (?P<title>.*))?"
)
_STEP = re.compile(
    r"(?:(?P<who>[a-z]+(?::[\w.]+)?): )?(?P<method>[A-Z]+)(?: /(?P<target>\S*))?(?P<headers>(?: @\S+=\S*)*)"
    r"(?: (?P<body>.+?))? -> (?P<status>[\d,*]+)(?:\?(?P<untried>\d+))?(?: (?P<answer>.*))?"
)
_HEADER = re.compile(r"(?:^| )@([\w-]+)=(\S*)")
_CODES = re.compile(r"((?:(?:api|user|server)[\w.]*\|?)+)(?: |$)")
_ALTERNATIVES = re.compile(r'\{([^{}"]*\|[^{}"]*)\}')
_BASES = {"contract": Basis.INTERFACE, "observed": Basis.OBSERVED, "decision": Basis.DECISION}
_CALLERS = {
    "nobody": "without a token",
    "stranger": "with an unknown token",
    "started": "with a session that is not signed in",
}
# The rights that the log-in needs for calls (§5.2), without which a check of something else is not tried.
_RIGHTS = (
    (re.compile(r"(GET|HEAD) /event/(?!poll)[^/]+$"), EVENT_GET),
    (re.compile(r"DELETE /event(/.+)?$"), EVENT_DELETE),
    (re.compile(r"POST /schema/user/.*|SAVE "), "system.datamodel.development"),
    (re.compile(r"POST /schema/commit$"), "system.datamodel.commit"),
    (re.compile(r"POST /plugin/.*"), "system.root"),
)


class _Variables(dict[str, Any]):
    """The values of one check; those of the run are read when they are needed."""

    def __init__(self, context: Context) -> None:
        super().__init__(token=context.token, login=context.login, password=context.password)
        self._context = context

    def __missing__(self, name: str) -> Any:
        self[name] = value = self._read(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in ("new", "random", "long", "user", "lowest", "until") or super().__contains__(name)

    def _read(self, name: str) -> Any:
        match name:
            case "new":
                return self._context.start_session()
            case "random":
                return uuid4().hex[:12]
            case "long":
                return "a" * 64
            case "user":
                return self._context.user_id
            case "lowest":
                return self._context.lowest
            case "until":
                # Lists that must be equal say nothing if they are empty.
                return self._context.newest and self._context.until
            case _:
                raise KeyError(name)


@dataclass(frozen=True)
class _Step:
    """A call and the answer that is expected."""

    text: str
    who: str
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: str
    statuses: frozenset[int]
    untried: int
    codes: tuple[str, ...] | None
    pattern: Any
    answer_headers: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """The step as the title of a check."""
        call = self.text.partition(": ")[2] if self.who else self.text
        request, _, answer = call.partition(" -> ")
        who = _CALLERS.get(self.who, self.who)
        answer = answer if len(answer) <= 60 else f"{answer[:60]}…"
        return f"{request.replace(' /', ' ', 1)}{f' {who}' if who else ''} is {answer.replace('|', ' or ')}"

    @property
    def right(self) -> str | None:
        """The right that the log-in needs for more than a refusal."""
        call = f"{self.method} /{self.target.partition('?')[0]}"
        found = (right for calls, right in _RIGHTS if calls.match(call))
        return next(found, None) if self.who in ("", "new") else None

    def try_(self, context: Context, variables: _Variables) -> None:
        """Makes the call and compares the answer. Raises DeviationError or NotTriedError."""
        if self.who.startswith("without:") and context.may(right := self.who.removeprefix("without:")):
            raise NotTriedError(f"The log-in has the right {right}; one without it is needed.")
        reply = self._call(context, variables)
        if reply.status == self.untried:
            raise NotTriedError(f"{reply.request}: the service answers {reply.status}.")
        if self.statuses == {200} and reply.status == 400 and self.target == "event":
            _expect_enabled(reply)
        if self.codes is not None:
            error = refuse(reply, *self.codes, status=min(self.statuses))
            fit(error, self.pattern or {}, variables, f"{reply.request}: the error")
        else:
            expected = self.text.partition("-> ")[2]
            sentence = f"{reply.request}: expected {cleaned(expected)}, the answer is {reply}."
            expect(not self.statuses or reply.status in self.statuses, sentence)
            if self.pattern is not None:
                value = reply.json() if reply.media_type == "application/json" else reply.text
                fit(value, self.pattern, variables, f"{reply.request}: the answer")
        for name, wanted in self.answer_headers:
            given = {"body": reply.content.decode(errors="replace"), "reason": reply.reason} | dict(
                reply.headers
            )
            expression = substituted(wanted, variables, lambda value: re.escape(str(value)))
            where = f"{reply.request}: {name} is {cleaned(given.get(name, 'missing'))!r}"
            expect(re.fullmatch(expression, given.get(name, "")), f"{where}, expected {wanted!r}.")

    def _call(self, context: Context, variables: _Variables) -> Reply:
        if self.method == "SAVE":
            return _save(context, msgspec.json.decode(self._content(variables)))
        if self.method == "DELETE" and "?" not in self.target and self.body.startswith("[$"):
            return context.delete_by_ids(msgspec.json.decode(self._content(variables)))
        match self.who:
            case "nobody":
                token: str | None = None
            case "stranger":
                token = UNKNOWN_TOKEN
            case "started":
                token = context.unauthenticated
            case "new":
                token = variables["new"]
            case _:
                token = context.token
        return context.call_with(self._request(variables), token)

    def _request(self, variables: _Variables) -> Request:
        target = substituted(self.target, variables, lambda value: quote(str(value), safe=""))
        path, _, query = target.partition("?")
        request = Request(self.method, path, query=query)
        if path.startswith("api/"):
            request = replace(request, path=path.removeprefix("api/"), prefix="/api")
        elif path.startswith("."):
            request = replace(request, prefix="")
        headers = {name: substituted(value, variables) for name, value in self.headers}
        if self.method == "DELETE" and path in ("event", "event/list"):
            wanted = dict(parse_qsl(query, keep_blank_values=True))
            guard = nothing_selected(**wanted)
            if path == "event/list":
                # Generation 6 deletes by no user.
                guard = tuple(pair for pair in guard if pair[0] != "user_id")
            request = replace(request, query="", params=guard)
        if self.body:
            kind = FORM[1] if self.body.startswith("form:") else "application/json"
            headers = {"content-type": kind} | headers
            has_secret = "$password" in self.body
            request = replace(request, content=self._content(variables), has_secret=has_secret)
        return replace(
            request, headers=tuple(pair for pair in headers.items() if pair != ("content-type", ""))
        )

    def _content(self, variables: _Variables) -> bytes:
        if self.body.startswith('b"'):
            return bytes(ast.literal_eval(self.body))
        if self.body.startswith("form:"):
            form = self.body.removeprefix("form:")
            return substituted(form, variables, lambda value: quote_plus(str(value))).encode()
        return substituted(self.body, variables, _as_json).encode()


def _as_json(value: Any) -> str:
    """A text without quotes, since these stand in the table, other values as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _expect_enabled(reply: Reply) -> None:
    """Raises NotTriedError if the base configuration disables a type of events."""
    error = reply.object()
    if error.get("code") == "error.user.event_type_disabled":
        body = msgspec.json.decode(reply.request.body or b"{}")
        kind = str(body.get("event", body).get("type"))
        fit(error, {"parameters": {"": True, "event_type": kind}}, {}, f"{reply.request}: the error")
        raise NotTriedError(f"The base configuration of the service disables {kind} events.")


def _save(context: Context, change: Any) -> Reply:
    """Saves HEAD with further tables or other members; if that is not refused, HEAD is restored."""
    head = context.schema("HEAD")
    added = {"tables": [*head["tables"], *change]} if isinstance(change, list) else change
    try:
        reply = context.call(post("schema/user/HEAD", head | added))
    except NoAnswerError:
        if context.schema("HEAD") != head:
            context.restore_head(head)
        raise
    if reply.status == 200 and added:
        context.restore_head(head)
    return reply


def _steps(text: str) -> Iterator[_Step]:
    """The steps that a line of the table stands for."""
    if found := _ALTERNATIVES.search(text):
        for each in found[1].split("|"):
            yield from _steps(text[: found.start()] + each + text[found.end() :])
        return
    parts = _STEP.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a step.")
    answer = parts["answer"] or ""
    answer_headers = tuple(_HEADER.findall(answer))
    answer = _HEADER.sub("", answer).strip()
    statuses = frozenset(map(int, parts["status"].split(","))) if parts["status"] != "*" else frozenset[int]()
    codes: tuple[str, ...] | None = None
    if found := _CODES.match(answer):
        codes = tuple(f"error.{code}" for code in found[1].split("|") if code != "api")
        answer = answer[found.end() :]
    if answer and codes is not None and not answer.startswith("{"):
        pattern: Any = {"parameters": dict(pair.split("=", 1) for pair in answer.split())}
    else:
        pattern = msgspec.json.decode(answer) if answer else None
    yield _Step(
        text,
        parts["who"] or "",
        parts["method"],
        parts["target"] or "",
        tuple(_HEADER.findall(parts["headers"])),
        parts["body"] or "",
        statuses,
        int(parts["untried"] or 0),
        codes,
        pattern,
        answer_headers,
    )


def _check(head: re.Match[str], title: str, steps: Sequence[_Step]) -> ServiceCheck:
    def run(context: Context) -> None:
        variables = _Variables(context)
        for step in steps:
            step.try_(context, variables)

    rights = dict.fromkeys(step.right for step in steps if step.right)
    return ServiceCheck(
        head["section"],
        title,
        run,
        tuple(rights),
        _BASES[head["origin"]],
        writes=head["write"] is not None,
        deletes=any(step.method == "DELETE" for step in steps),
    )


def _checks(head: re.Match[str], lines: Sequence[str]) -> Iterator[ServiceCheck]:
    if head["title"] is None:
        for step in (step for line in lines for step in _steps(line)):
            yield _check(head, step.title, [step])
        return
    for case in head["cases"].split("|") if head["cases"] is not None else ("#",):
        steps = [step for line in lines for step in _steps(line.replace("#", case))]
        yield _check(head, head["title"].replace("#", case), steps)


@cache
def _rows(group: str) -> Sequence[ServiceCheck]:
    """The checks of the table in the group with a title."""
    found: list[ServiceCheck] = []
    title, head, lines = "", None, list[str]()
    for line in [*resource("contract.txt").read_text(encoding="utf-8").splitlines(), "== "]:
        if line.startswith("    "):
            lines.append(line.strip())
            continue
        if head is not None and title == group:
            found += _checks(head, lines)
        head, lines = None, []
        if line.startswith("== "):
            title = line.removeprefix("== ")
        elif line.startswith("§"):
            head = _HEAD.fullmatch(line)
            if head is None:
                raise ValueError(f"{line!r} does not begin checks.")
    return found


def group_of(title: str, *rights: str) -> Group:
    """A group with the checks of the table; those that are added need the rights."""
    return Group(title, rights, list(_rows(title)))
