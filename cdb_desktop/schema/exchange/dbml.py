"""DBML (https://dbml.dbdiagram.io/docs): writes it, and reads its tables, columns, indexes and references.

Types of documents are types in DBML as they are, so that nothing of them is lost.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.schema.exchange.relational import (
    AUTOMATIC_TYPE,
    PARENT,
    PRIMARY_KEY,
    REMEDY,
    UPLINK,
    ExchangeError,
    Loss,
    LossList,
    Progress,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
    TableDraft,
    column_of,
    read_foreign_type,
)

_WORD = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE)


def write_dbml(model: RelationalModel) -> tuple[str, tuple[Loss, ...]]:
    """DBML with a table for each table, and what it cannot express."""
    parts = [_written_table(table) for table in model.tables]
    parts += [line for table in model.tables for line in _written_references(table)]
    return "\n".join(parts), model.losses


def _written_table(table: RelationalTable) -> str:
    lines = [
        f"Table {_name(table.name)} {{",
        f"  {_name(PRIMARY_KEY)} {AUTOMATIC_TYPE.lower()} [pk, increment]",
    ]
    if table.owner:
        lines.append(f"  {_name(UPLINK)} {AUTOMATIC_TYPE.lower()} [not null]")
    if table.is_hierarchical:
        lines.append(f"  {_name(PARENT)} {AUTOMATIC_TYPE.lower()}")
    single = {key[0] for key in table.unique if len(key) == 1}
    for column in table.columns:
        settings = [("not null", column.required), ("unique", column.name in single)]
        found = ", ".join(text for text, is_set in settings if is_set)
        line = f"  {_name(column.name)} {_name(column.type or 'text')}"
        lines.append(f"{line} [{found}]" if found else line)
    several = [key for key in table.unique if len(key) > 1]
    if several:
        keys = [f"    ({', '.join(map(_name, key))}) [unique]" for key in several]
        lines += ["", "  indexes {", *keys, "  }"]
    if table.comment:
        lines += ["", f"  Note: {_text(table.comment)}"]
    return "\n".join([*lines, "}", ""])


def _written_references(table: RelationalTable) -> Iterator[str]:
    if table.owner:
        yield _reference(table.name, UPLINK, table.owner, "[delete: cascade, update: cascade]")
    if table.is_hierarchical:
        yield _reference(table.name, PARENT, table.name, "[delete: restrict, update: cascade]")
    for link in table.links:
        rules = (("delete", link.on_delete), ("update", link.on_update))
        settings = ", ".join(f"{name}: {rule}" for name, rule in rules if rule in _RULES)
        yield _reference(table.name, link.columns[0], link.target, f"[{settings}]" if settings else "")


_RULES = frozenset({"cascade", "restrict", "set null", "set default", "no action"})


def _reference(table: str, column: str, target: str, settings: str) -> str:
    text = f"Ref: {_name(table)}.{_name(column)} > {_name(target)}.{_name(PRIMARY_KEY)}"
    return f"{text} {settings}" if settings else text


def _name(name: str) -> str:
    """A name, in quotes where it is no plain word. DBML has no way to write a quote in one."""
    if _WORD.fullmatch(name):
        return name
    escaped = plain_text(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _text(text: str) -> str:
    escaped = plain_text(text).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\f\v\ufeff]+|//[^\n]*|/\*.*?\*/)
    | (?P<line>\n)
    | (?P<long>'''(?:\\.|[^\\])*?''')
    | (?P<text>'(?:\\.|[^'\\\n])*')
    | (?P<quoted>"(?:\\.|[^"\\\n])*")
    | (?P<code>`[^`]*`)
    | (?P<word>[^\W]+)
    | (?P<sign><>|[-+.,:;(){}\[\]<>~%#*/!=@&|^?$])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_PROGRESS_STEP = 1 << 16  # tokens


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


def _tokens(text: str, progress: Progress) -> list[_Token]:
    """All tokens and the ends of lines. Raises ExchangeError."""
    found: list[_Token] = []
    at, line, length = 0, 1, len(text)
    match = _TOKEN.match
    while at < length:
        token = match(text, at)
        if token is None:
            what = message("“{text}” is not understood.", text=plain_text(text[at : at + 20]))
            raise ExchangeError(line, what, REMEDY)
        kind, part = str(token.lastgroup), token.group()
        if kind != "space":
            found.append(_Token(kind, _unquoted(kind, part), line))
            if len(found) % _PROGRESS_STEP == 0:
                progress(at / length / 2)
        line += part.count("\n")
        at = token.end()
    found.append(_Token("end", "", line))
    return found


def _unquoted(kind: str, text: str) -> str:
    if kind == "long":
        text = text[3:-3].strip()
    elif kind in ("text", "quoted", "code"):
        text = text[1:-1]
    else:
        return text
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), text) if "\\" in text else text


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a reference."""

    table: str
    columns: tuple[str, ...]


_Settings = list[tuple[str, list[_Token]]]


def read_dbml(text: str, progress: Progress) -> RelationalModel:
    """The tables of a file. Raises ExchangeError."""
    return _Reader(_tokens(text, progress), progress).read()


class _Reader:
    """Reads one file by recursive descent; nothing in DBML is nested deeper than three levels."""

    def __init__(self, tokens: list[_Token], progress: Progress) -> None:
        self._tokens = tokens
        self._at = 0
        self._progress = progress
        self._losses = LossList()
        self._tables: dict[str, TableDraft] = {}
        self._aliases: dict[str, str] = {}
        self._partials: dict[str, TableDraft] = {}
        self._references: list[tuple[_End, str, _End, Mapping[str, str], int]] = []

    def read(self) -> RelationalModel:
        """All of the file. Raises ExchangeError."""
        while self._skip_lines().kind != "end":
            self._element()
            self._progress(0.5 + self._at / len(self._tokens) / 2)
        for reference in self._references:
            self._link(*reference)
        tables = tuple(draft.table() for draft in self._tables.values())
        return RelationalModel(tables, self._losses.all())

    def _element(self) -> None:
        token = self._take("word")
        match token.text.lower():
            case "table":
                self._table()
            case "ref":
                self._ref()
            case "tablepartial":
                self._losses.add(message("Parts of tables, which become columns of each table"))
                draft = TableDraft(self._take_name(), token.line)
                self._optional_settings()
                self._body(draft)
                self._partials[draft.name] = draft
            case "enum":
                self._losses.add(message("Lists of allowed values"), self._qualified_name())
                self._optional_settings()
                self._skip_block()
            case "project" | "tablegroup" | "note" | "records" | "diagramview" | "policy" as kind:
                if kind != "project":
                    self._losses.add(message("{element} of DBML", element=token.text))
                while self._peek().text != "{":
                    self._next()
                self._skip_block()
            case _:
                what = message("“{text}” begins no element of DBML.", text=token.text[:40])
                raise ExchangeError(token.line, what, REMEDY)

    def _table(self) -> None:
        line = self._peek().line
        name = self._qualified_name()
        if name in self._tables:
            raise ExchangeError(line, message("There is a second table {table}.", table=name), REMEDY)
        draft = self._tables[name] = TableDraft(name, line)
        if self._peek().text.lower() == "as":
            self._next()
            self._aliases[self._take_name()] = name
        for setting, value in self._optional_settings():
            if setting == "note":
                draft.comment = _joined(value)
        self._body(draft)

    def _body(self, draft: TableDraft) -> None:
        self._skip_lines()
        self._expect("{")
        while (token := self._skip_lines()).text != "}" or token.kind != "sign":
            after = self._tokens[self._at + 1] if token.kind == "word" else token
            if token.text == "~" and token.kind == "sign":
                self._next()
                self._add_partial(draft, self._take_name())
            elif after.text in ("{", ":") and token.text.lower() == "note":
                self._next()
                draft.comment = self._note()
            elif after.text == "{" and token.text.lower() == "indexes":
                self._next()
                self._indexes(draft)
            elif after.text == "{" and token.kind == "word":
                self._losses.add(message("{element} of DBML", element=token.text), draft.name)
                self._next()
                self._skip_block()
            else:
                self._column(draft)
        self._next()

    def _add_partial(self, draft: TableDraft, name: str) -> None:
        partial = self._partials.get(name)
        if partial is not None:
            draft.columns |= partial.columns
            draft.unique += partial.unique
            draft.primary_key += partial.primary_key

    def _column(self, draft: TableDraft) -> None:
        token = self._peek()
        name = self._take_name()
        type_ = self._type()
        settings = self._optional_settings()
        end = self._peek()
        if end.kind not in ("line", "end") and end.text != "}":
            what = message("The end of the line is expected, not “{text}”.", text=end.text[:40])
            raise ExchangeError(end.line, what, REMEDY)
        column = column_of(name, type_, read_foreign_type(type_), draft.name, self._losses)
        draft.add(self._with_settings(draft, column, settings, token.line), token.line)

    def _with_settings(
        self, draft: TableDraft, column: RelationalColumn, settings: _Settings, line: int
    ) -> RelationalColumn:
        place = f"{draft.name}.{column.name}"
        for setting, value in settings:
            match setting:
                case "pk" | "primary key":
                    draft.primary_key += (column.name,)
                case "not null":
                    column = replace(column, required=True)
                case "unique":
                    draft.unique.append((column.name,))
                case "increment":
                    column = replace(column, is_counter=True)
                case "null":
                    pass
                case "ref":
                    sign, end = self._inline_reference(value, line)
                    self._references.append((_End(draft.name, (column.name,)), sign, end, {}, line))
                case "note":
                    self._losses.add(message("Comments of columns"), place)
                case "default":
                    self._losses.add(message("Default values"), place)
                case _:
                    self._losses.add(message("{element} of DBML", element=setting), place)
        return column

    def _type(self) -> str:
        """A type: words, sizes in parentheses, brackets of arrays."""
        token = self._next()
        if token.kind not in ("word", "quoted"):
            what = message("The type of a column is expected, not “{text}”.", text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)
        parts = [token.text]
        while self._peek().text == "." and self._peek().kind == "sign":
            self._next()
            parts.append(f".{self._take_name()}")
        if self._peek().text == "(":
            while (found := self._next()).text != ")":
                self._refuse_end(found)
                parts.append(found.text)
            parts.append(")")
        while self._peek().text == "[" and self._tokens[self._at + 1].text == "]":
            self._at += 2
            parts.append("[]")
        return "".join(parts)

    def _indexes(self, draft: TableDraft) -> None:
        self._expect("{")
        while (token := self._skip_lines()).text != "}":
            columns: list[str] = []
            is_plain = True
            if token.text == "(":
                self._next()
                while (found := self._next()).text != ")":
                    self._refuse_end(found)
                    if found.kind in ("word", "quoted"):
                        columns.append(found.text)
                    is_plain = is_plain and found.kind != "code"
            else:
                found = self._next()
                is_plain = found.kind in ("word", "quoted")
                if not is_plain and found.kind != "code":
                    what = message("A column is expected, not “{text}”.", text=found.text[:40])
                    raise ExchangeError(found.line, what, REMEDY)
                columns.append(found.text)
            names = {name for name, _ in self._optional_settings()}
            if is_plain and names & {"pk", "primary key"}:
                draft.primary_key += tuple(columns)
            elif is_plain and "unique" in names:
                draft.unique.append(tuple(columns))
            else:
                self._losses.add(message("Indexes that are not unique"), draft.name)
        self._next()

    def _ref(self) -> None:
        """``Ref name: a.b > c.d [settings]`` or the same in braces."""
        line = self._peek().line
        while self._peek().text not in (":", "{"):
            self._refuse_end(self._next())
        is_block = self._next().text == "{"
        while True:
            if is_block and self._skip_lines().text == "}":
                self._next()
                return
            start = self._end()
            sign = self._sign()
            end = self._end()
            settings = {name: _joined(value) for name, value in self._optional_settings()}
            self._references.append((start, sign, end, settings, line))
            if not is_block:
                return

    def _end(self) -> _End:
        names = [self._take_name()]
        columns: list[str] = []
        while self._peek().text == ".":
            self._next()
            if self._peek().text == "(":
                self._next()
                while (token := self._next()).text != ")":
                    self._refuse_end(token)
                    if token.kind in ("word", "quoted"):
                        columns.append(token.text)
                break
            names.append(self._take_name())
        if not columns:
            columns = [names.pop()]
        if not names:
            what = message("A table and a column are expected, as in work.artist.")
            raise ExchangeError(self._peek().line, what, REMEDY)
        return _End(_unqualified(names), tuple(columns))

    def _sign(self) -> str:
        token = self._next()
        if token.text not in ("<", ">", "-", "<>"):
            what = message("One of <, >, - and <> is expected, not “{text}”.", text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)
        return token.text

    def _inline_reference(self, value: list[_Token], line: int) -> tuple[str, _End]:
        rest = _Reader([*value, _Token("end", "", line)], self._progress)
        return rest._sign(), rest._end()

    def _link(self, start: _End, sign: str, end: _End, settings: Mapping[str, str], line: int) -> None:
        if sign == "<>":
            name = f"{start.table} <> {end.table}"
            self._losses.add(message("Many-to-many relations, which need a table of their own"), name)
            return
        many, one = (end, start) if sign == "<" else (start, end)
        table = self._found(many.table, line)
        target = self._found(one.table, line)
        if not table.columns.keys() >= set(many.columns):
            what = message("There is no column {column}.", column=f"{table.name}.{' + '.join(many.columns)}")
            raise ExchangeError(line, what, REMEDY)
        if sign == "-" and many.columns not in table.unique:
            table.unique.append(many.columns)
        is_key = target.primary_key == one.columns
        columns = () if is_key else one.columns
        rules = settings.get("delete", "").lower(), settings.get("update", "").lower()
        table.links.append(RelationalLink(many.columns, target.name, columns, *rules))

    def _found(self, name: str, line: int) -> TableDraft:
        found = self._tables.get(self._aliases.get(name, name))
        if found is None:
            raise ExchangeError(line, message("There is no table {table}.", table=name), REMEDY)
        return found

    def _optional_settings(self) -> _Settings:
        """``[a, b: c]`` as names in lower case with the tokens of their values."""
        if self._peek().text != "[" or self._peek().kind != "sign":
            return []
        self._next()
        found: _Settings = []
        while True:
            words: list[str] = []
            while (token := self._next_visible()).text not in (":", ",", "]") or token.kind != "sign":
                self._refuse_end(token)
                words.append(token.text)
            value: list[_Token] = []
            if token.text == ":":
                value, token = self._value()
            if words:
                found.append((" ".join(words).lower(), value))
            if token.text == "]":
                return found

    def _value(self) -> tuple[list[_Token], _Token]:
        """The tokens up to the comma or bracket after them, and that sign."""
        found: list[_Token] = []
        depth = 0
        while True:
            token = self._next_visible()
            if token.kind == "sign":
                if not depth and token.text in (",", "]"):
                    return found, token
                depth += {"(": 1, ")": -1}.get(token.text, 0)
            found.append(token)

    def _note(self) -> str:
        if self._next().text == ":":
            return self._text_of(self._next())
        self._skip_lines()
        text = self._text_of(self._next())
        self._skip_lines()
        self._expect("}")
        return text

    def _text_of(self, token: _Token) -> str:
        if token.kind not in ("text", "long", "quoted"):
            what = message("A text in quotes is expected, not “{text}”.", text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)
        return token.text

    def _skip_block(self) -> None:
        self._skip_lines()
        self._expect("{")
        depth = 1
        while depth:
            token = self._next()
            self._refuse_end(token)
            if token.kind == "sign":
                depth += {"{": 1, "}": -1}.get(token.text, 0)

    def _qualified_name(self) -> str:
        names = [self._take_name()]
        while self._peek().text == ".":
            self._next()
            names.append(self._take_name())
        return _unqualified(names)

    def _take_name(self) -> str:
        token = self._next()
        if token.kind not in ("word", "quoted"):
            what = message("A name is expected, not “{text}”.", text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)
        return token.text

    def _take(self, kind: str) -> _Token:
        token = self._next()
        if token.kind != kind:
            what = message("A word is expected, not “{text}”.", text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)
        return token

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token.text != sign or token.kind != "sign":
            what = message("“{sign}” is expected, not “{text}”.", sign=sign, text=token.text[:40])
            raise ExchangeError(token.line, what, REMEDY)

    def _refuse_end(self, token: _Token) -> None:
        if token.kind == "end":
            raise ExchangeError(token.line, message("The file ends in the middle of an element."), REMEDY)

    def _skip_lines(self) -> _Token:
        while (token := self._peek()).kind == "line":
            self._at += 1
        return token

    def _next_visible(self) -> _Token:
        self._skip_lines()
        return self._next()

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        self._refuse_end(token)
        self._at += 1
        return token


def _unqualified(names: list[str]) -> str:
    """A table's name without the schema ``public``."""
    return ".".join(names[1:] if len(names) > 1 and names[0] == "public" else names)


def _joined(tokens: list[_Token]) -> str:
    return " ".join(token.text for token in tokens)
