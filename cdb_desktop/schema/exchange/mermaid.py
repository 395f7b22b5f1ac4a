"""Mermaid's entity relationship diagrams: writes them, and reads their entities and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.schema.exchange.relational import (
    REMEDY,
    ExchangeError,
    Loss,
    LossList,
    Progress,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
    column_of,
    find_type_markers,
    read_foreign_type,
    type_marker,
)

_NESTED, _HIERARCHY, _LINK = "nested", "parent", "link"
_KEYS = frozenset({"pk", "fk", "uk"})  # Mermaid takes an attribute of such a name for a key
_NO_TYPE_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")
_RULES = frozenset({"", "restrict"})


def write_mermaid(model: RelationalModel) -> tuple[str, tuple[Loss, ...]]:
    """A diagram with an entity for each table, and what it cannot express."""
    losses = LossList()
    losses.extend(model.losses)
    lines = ["erDiagram"]
    for table in model.tables:
        lines += _entity(table, losses)
    for table in model.tables:
        lines += _relations(table)
    return "\n".join([*lines, ""]), losses.all()


def _entity(table: RelationalTable, losses: LossList) -> Iterator[str]:
    links = {link.columns[0]: link for link in table.links}
    single = {key[0] for key in table.unique if len(key) == 1}
    _report(table, links, losses)
    yield f"  {_quoted(table.name)} {{"
    for column in table.columns:
        keys = [("FK", column.name in links), ("UK", column.name in single)]
        marks = ", ".join(mark for mark, is_set in keys if is_set)
        yield f"    {_attribute(column, is_link=column.name in links, marks=marks)}"
    yield "  }"


def _report(table: RelationalTable, links: dict[str, RelationalLink], losses: LossList) -> None:
    for key in table.unique:
        if len(key) > 1:
            losses.add(message("Unique keys of several columns"), f"{table.name}.{' + '.join(key)}")
    if table.comment:
        losses.add(message("Comments of tables"), table.name)
    for column in table.columns:
        link = links.get(column.name)
        if link is not None and link.on_delete not in _RULES:
            losses.add(message("Delete rules of links"), f"{table.name}.{column.name}")
        if link is None and column.required:
            losses.add(message("Required columns"), f"{table.name}.{column.name}")


def _attribute(column: RelationalColumn, *, is_link: bool, marks: str) -> str:
    """A line such as ``text_oneline title UK``, with the type or name in a comment if Mermaid has no such."""
    type_ = _LINK if is_link else _NO_TYPE_CHARACTER.sub("-", column.type)
    type_ = type_ if type_[:1].isalpha() else f"type{type_}"
    name = _NO_TYPE_CHARACTER.sub("-", column.name)
    name = f"{name}_" if name in _KEYS or not name[:1].isalpha() else name
    is_plain = name == column.name and (is_link or type_ == column.type)
    marker = "" if is_plain else type_marker(column.name, column.type)
    return " ".join(part for part in (type_, name, marks, f'"{marker}"' if marker else "") if part)


def _relations(table: RelationalTable) -> Iterator[str]:
    name = _quoted(table.name)
    if table.owner:
        yield f"  {_quoted(table.owner)} ||--o{{ {name} : {_NESTED}"
    if table.is_hierarchical:
        yield f"  {name} |o--o{{ {name} : {_HIERARCHY}"
    columns = {column.name: column for column in table.columns}
    for link in table.links:
        column = columns.get(link.columns[0])
        one = "||" if column is not None and column.required else "|o"
        many = "o|" if (link.columns[0],) in table.unique else "o{"
        yield f"  {_quoted(link.target)} {one}--{many} {name} : {_quoted(link.columns[0])}"


def _quoted(name: str) -> str:
    """A name in quotes, which no name can end: Mermaid knows no escapes in them."""
    cleaned = re.sub(r'[%"\\]', "_", plain_text(name))
    return f'"{cleaned or "_"}"'


_NAME = r'(?:"[^"\n]*"|[^\W\d][\w.-]*)'
_ALIAS = r'(?:\s*\[\s*(?:"[^"\n]*"|[^\]\n]*)\])?'
_CLASS = r"(?:\s*:::\s*[\w,-]+)?"
_ONE_WORDS = r"only one|one or zero|zero or one|one"
_MANY_WORDS = r"one or more|one or many|many\(1\)|1\+|zero or more|zero or many|many\(0\)|0\+"
_SIGNS = r"\|\||\|o|o\||\}o|o\{|\}\||\|\{"
_CARDINALITY = rf"(?:{_SIGNS}|(?:{_MANY_WORDS}|{_ONE_WORDS})(?=\s))"
_RELATION = re.compile(
    rf"(?P<left>{_NAME}){_CLASS}\s*(?P<a>{_CARDINALITY})\s*(?:--|\.\.|\.-|-\.|(?:optionally\s+)?to\s)\s*"
    rf"(?P<b>{_CARDINALITY})\s*(?P<right>{_NAME}){_CLASS}\s*(?::\s*(?P<label>\"[^\"]*\"|[^\n]*))?$"
)
_ENTITY = re.compile(rf"(?P<name>{_NAME})(?P<alias>{_ALIAS}){_CLASS}\s*(?P<open>\{{\s*(?P<empty>\}})?)?$")
_ATTRIBUTE = re.compile(
    r'(?P<type>[^\s"]+)\s+\*?(?P<name>[^\s",]+)(?P<keys>(?:\s*,?\s*(?:PK|FK|UK))*)\s*(?P<comment>"[^"\n]*")?$'
)
_IGNORED = re.compile(r"(?:direction|style|classDef|class|title|accTitle|accDescr|link|click)\b")
_FRONT = re.compile(r"\s*---\s*\n.*?\n\s*---\s*\n", re.DOTALL)
_INLINE_BLOCK = re.compile(rf"^(\s*{_NAME}{_ALIAS}{_CLASS}\s*\{{)([^}}\n]+)\}}\s*$")
_PROGRESS_STEP = 1000  # lines


@dataclass(slots=True)
class _Draft:
    """An entity while it is read; ``keys`` are the marks of its attributes."""

    name: str
    line: int
    columns: dict[str, RelationalColumn] = field(default_factory=dict)
    keys: dict[str, frozenset[str]] = field(default_factory=dict)
    links: dict[str, RelationalLink] = field(default_factory=dict)
    unique: set[str] = field(default_factory=set)
    owner: str = ""
    is_hierarchical: bool = False


def read_mermaid(text: str, progress: Progress) -> RelationalModel:
    """The tables of a diagram, also of one in a Markdown file. Raises ExchangeError."""
    return _Reader().read(text, progress)


class _Reader:
    def __init__(self) -> None:
        self._losses = LossList()
        self._tables: dict[str, _Draft] = {}
        self._relations: list[tuple[re.Match[str], int]] = []
        self._open: _Draft | None = None

    def read(self, text: str, progress: Progress) -> RelationalModel:
        lines = list(_diagram_lines(text))
        for number, (line, content) in enumerate(lines):
            if number % _PROGRESS_STEP == 0:
                progress(number / len(lines))
            self._line(content, line)
        if self._open is not None:
            what = message("The entity {table} is not closed.", table=self._open.name)
            raise ExchangeError(self._open.line, what, REMEDY)
        for relation, line in self._relations:
            self._relate(relation, line)
        tables = tuple(map(self._table, self._tables.values()))
        return RelationalModel(tables, self._losses.all(), _has_key)

    def _line(self, text: str, line: int) -> None:
        if self._open is not None:
            if text == "}":
                self._open = None
            else:
                self._attribute(self._open, text.removesuffix("}").rstrip(), line)
                self._open = None if text.endswith("}") else self._open
            return
        relation = _RELATION.match(text)
        if relation is not None:
            self._relations.append((relation, line))
            return
        entity = _ENTITY.match(text)
        if entity is not None and (entity["open"] or not _IGNORED.match(text)):
            draft = self._draft(entity["name"], line)
            self._open = draft if entity["open"] and not entity["empty"] else None
        elif _IGNORED.match(text):
            self._losses.add(message("Styles and titles of diagrams"))
        else:
            what = message(
                "“{text}” is no part of an entity relationship diagram.", text=plain_text(text[:40])
            )
            raise ExchangeError(line, what, REMEDY)

    def _draft(self, written: str, line: int) -> _Draft:
        name = written.strip('"')
        return self._tables.setdefault(name, _Draft(name, line))

    def _attribute(self, draft: _Draft, text: str, line: int) -> None:
        found = _ATTRIBUTE.match(text)
        if found is None:
            what = message(
                "An attribute with type and name is expected, not “{text}”.", text=plain_text(text[:40])
            )
            raise ExchangeError(line, what, REMEDY)
        name, written = found["name"], found["type"].strip("?")
        marked = find_type_markers(found["comment"] or "")
        if marked:
            name, written = next(iter(marked.items()))
        elif found["comment"]:
            self._losses.add(message("Comments of columns"), f"{draft.name}.{name}")
        if name in draft.columns:
            what = message("There is a second column {column}.", column=f"{draft.name}.{name}")
            raise ExchangeError(line, what, REMEDY)
        column = column_of(name, written, read_foreign_type(written), draft.name, self._losses)
        draft.columns[name] = replace(column, required=None)
        draft.keys[name] = frozenset(re.findall(r"PK|FK|UK", found["keys"]))
        if "UK" in draft.keys[name]:
            draft.unique.add(name)

    def _relate(self, relation: re.Match[str], line: int) -> None:
        """A relation becomes a link from the side of many to the side of one."""
        left, right = self._draft(relation["left"], line), self._draft(relation["right"], line)
        label = (relation["label"] or "").strip().strip('"')
        is_many_left, is_many_right = _is_many(relation["a"]), _is_many(relation["b"])
        if is_many_left and is_many_right:
            what = message("Many-to-many relations, which need a table of their own")
            self._losses.add(what, f"{left.name} – {right.name}")
            return
        # Of one to one, the side that has the column.
        is_reversed = is_many_left or (
            not is_many_right and label in left.columns and label not in right.columns
        )
        many, one = (left, right) if is_reversed else (right, left)
        sign = relation["b" if is_reversed else "a"]
        if label == _NESTED and many.name.startswith(f"{one.name}__"):
            many.owner = one.name
        elif label == _HIERARCHY and many is one:
            many.is_hierarchical = True
        else:
            self._link(many, one, label, is_required=sign == "||" or sign in ("one", "only one"))
            if not is_many_left and not is_many_right:
                many.unique.add(list(many.links)[-1])

    def _link(self, many: _Draft, one: _Draft, label: str, *, is_required: bool) -> None:
        free = [name for name, keys in many.keys.items() if "FK" in keys and name not in many.links]
        name = label if label in many.columns else next((each for each in free if one.name in each), one.name)
        while name in many.links:
            name = f"{name}_2"
        many.links[name] = RelationalLink((name,), one.name)
        many.columns[name] = RelationalColumn(name, _LINK, required=is_required)

    def _table(self, draft: _Draft) -> RelationalTable:
        keys = tuple(name for name, marks in draft.keys.items() if "PK" in marks)
        return RelationalTable(
            name=draft.name,
            columns=tuple(draft.columns.values()),
            links=tuple(draft.links.values()),
            unique=tuple((name,) for name in draft.columns if name in draft.unique),
            primary_key=keys,
            owner=draft.owner,
            is_hierarchical=draft.is_hierarchical,
            line=draft.line,
        )


def _has_key(types: Sequence[str]) -> bool:
    """Only single attributes are marked as unique."""
    return len(types) == 1


def _is_many(sign: str) -> bool:
    return sign in ("}o", "o{", "}|", "|{") or re.fullmatch(_MANY_WORDS, sign) is not None


def _diagram_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of the first entity relationship diagram below ``erDiagram`` with their numbers."""
    front = _FRONT.match(text)
    first = text.count("\n", 0, front.end()) if front else 0
    is_inside = False
    is_fenced = False
    for number, raw in enumerate(text.split("\n")[first:], first + 1):
        line = raw.strip().lstrip("\ufeff")
        if line.startswith("```"):
            if is_inside:
                break
            is_fenced = "mermaid" in line
        elif not is_inside:
            if line.split("%%")[0].strip() == "erDiagram":
                is_inside = True
            elif line and not line.startswith("%%") and is_fenced:
                is_fenced = False
        elif line and not line.startswith("%%"):
            block = _INLINE_BLOCK.match(line)
            if block is None:
                yield number, line
            else:
                yield number, block[1]
                yield from ((number, part.strip()) for part in block[2].split(";") if part.strip())
                yield number, "}"
    if not is_inside:
        what = message("There is no erDiagram in this file.")
        raise ExchangeError(0, what, message("Choose a file with an entity relationship diagram of Mermaid."))
