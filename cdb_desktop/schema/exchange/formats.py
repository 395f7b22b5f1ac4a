"""The formats of other tools: which there are, and how a document is described, exported and imported."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.json_values import plain_text, text_attribute
from cdb_desktop.schema.document.model import (
    TABLE_PARTS,
    VERSION_ATTRIBUTES,
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.exchange.dbml import read_dbml, write_dbml
from cdb_desktop.schema.exchange.relational import (
    MOST_BYTES,
    REMEDY,
    Dialect,
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
from cdb_desktop.schema.exchange.sql import guess_dialect, read_sql, write_sql


class ExchangeFormat(Enum):
    """A format; the value is the usual suffix of its files, behind a word where several have the same."""

    DBML = ".dbml"
    POSTGRESQL = "postgresql.sql"
    MYSQL = "mysql.sql"
    SQLITE = "sqlite.sql"
    MERMAID = ".mmd"

    @property
    def suffix(self) -> str:
        """The suffix of its files."""
        return self.value[self.value.rindex(".") :]


_DIALECTS = {
    ExchangeFormat.POSTGRESQL: Dialect.POSTGRESQL,
    ExchangeFormat.MYSQL: Dialect.MYSQL,
    ExchangeFormat.SQLITE: Dialect.SQLITE,
}
_BY_DIALECT = {dialect: format_ for format_, dialect in _DIALECTS.items()}
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """The text of a file, and what has no counterpart in its format."""

    text: str
    losses: tuple[Loss, ...]


def export_model(document: Document, format_: ExchangeFormat) -> ExportedModel:
    """The document in a format. Takes about a tenth of a second for 1,000 tables."""
    model = describe(document)
    if format_ is ExchangeFormat.DBML:
        return ExportedModel(*write_dbml(model))
    if format_ is ExchangeFormat.MERMAID:
        return ExportedModel(*write_mermaid(model))
    return ExportedModel(*write_sql(model, _DIALECTS[format_]))


def _no_progress(_done: float) -> None:
    pass


def read_model(content: bytes, format_: ExchangeFormat, progress: Progress = _no_progress) -> RelationalModel:
    """The tables in the bytes of a file. Raises ExchangeError, and whatever ``progress`` raises."""
    if len(content) > MOST_BYTES:
        what = message("The file has more than {count} MB.", count=MOST_BYTES // 1_000_000)
        remedy = message("Export the structure only, without rows, as with pg_dump --schema-only.")
        raise ExchangeError(0, what, remedy)
    text = _decoded(content)
    model = _reader(format_)(text, progress)
    if not model.tables:
        what = message("No table is defined in this file.")
        raise ExchangeError(0, what, message("Choose another file, or another format of it."))
    return model


def guess_format(name: str, content: bytes) -> ExchangeFormat:
    """The format of a file by its name, of SQL also by its content."""
    suffix = name[name.rfind(".") :].lower()
    if suffix == ".dbml":
        return ExchangeFormat.DBML
    if suffix in (".mmd", ".mermaid", ".md"):
        return ExchangeFormat.MERMAID
    text = content[:200_000].decode("utf-8", "replace")
    if suffix != ".sql":
        if "erDiagram" in text:
            return ExchangeFormat.MERMAID
        if "CREATE TABLE" not in text.upper():
            return ExchangeFormat.DBML
    return _BY_DIALECT[guess_dialect(text)]


def _reader(format_: ExchangeFormat) -> Callable[[str, Progress], RelationalModel]:
    if format_ is ExchangeFormat.DBML:
        return read_dbml
    if format_ is ExchangeFormat.MERMAID:
        return read_mermaid
    dialect = _DIALECTS[format_]
    return lambda text, progress: read_sql(text, dialect, progress)


def _decoded(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace").replace("\r\n", "\n")
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = message("This is no text in UTF-8.")
        raise ExchangeError(
            line, what, message("Save the file as UTF-8, and import it once more.")
        ) from error


# Attributes that are expressed, or that are equal in every new table or column.
_TABLE_DEFAULTS: Mapping[str, object] = {"in_main_search": True}
_TABLE_PARTS = TABLE_PARTS | {"is_hierarchical", "comment"}
_COLUMN_PARTS = frozenset({"kind", "column_id", "name", "type", "not_null"})
_DOCUMENT_PARTS = frozenset({"type", "tables", *VERSION_ATTRIBUTES})
_NAMED_OPTIONS = {
    "pool_link": message("Membership in pools"),
    "acl_table": message("Rights of single records"),
    "has_tags": message("Tags"),
    "in_main_search": message("Absence from the main search"),
    "reverse_edit": message("Reverse editing of links"),
    "l10n_languages": message("The languages of the schema"),
}


def describe(document: Document) -> RelationalModel:
    """The tables of a document with their links, and what is lost."""
    losses = LossList()
    for name, value in document.raw.items():
        if name not in _DOCUMENT_PARTS and value:
            losses.add(_option(name))
    tables = tuple(_table(document, table, losses) for table in document.tables)
    losses.add(message("Masks and localized names, which are no part of the schema"))
    return RelationalModel(tables, losses.all())


def _table(document: Document, table: Table, losses: LossList) -> RelationalTable:
    for name, value in table.raw.items():
        is_expressed = name in _TABLE_PARTS or (value or None) == (_TABLE_DEFAULTS.get(name) or None)
        if not is_expressed:
            losses.add(_option(name), table.name)
    if table.is_nested:
        losses.add(
            message("Nested tables, which become tables with a foreign key to their owner"), table.name
        )
    _report_entries(table, losses)
    columns = tuple(_column(table, column, losses) for column in table.columns)
    unique = (_unique_key(table, key, losses) for key in table.unique_keys)
    return RelationalTable(
        name=table.name,
        columns=columns,
        links=_links(document, table, losses),
        unique=tuple(dict.fromkeys(key for key in unique if key)),
        owner=table_name(document, table.owner) if table.owner is not None else "",
        is_hierarchical=table.flag("is_hierarchical"),
        comment=text_attribute(table.raw, "comment"),
    )


def _report_entries(table: Table, losses: LossList) -> None:
    positions = [isinstance(entry, NestedTableEntry) for entry in table.entries]
    if positions != sorted(positions):
        losses.add(message("Positions of nested tables among columns"), table.name)
    for entry in table.entries:
        if isinstance(entry, ReverseLink):
            losses.add(message("Entries through which linking records are edited"), table.name)
        elif isinstance(entry, UnknownEntry):
            losses.add(message("Entries of an unknown kind"), table.name)


def _column(table: Table, column: Column, losses: LossList) -> RelationalColumn:
    for name, value in column.raw.items():
        if name not in _COLUMN_PARTS and value not in (None, False, "", [], {}):
            losses.add(_option(name), f"{table.name}.{column.name}")
    return RelationalColumn(column.name, column.type, column.flag("not_null"))


def _option(name: str) -> Message:
    return _NAMED_OPTIONS.get(name) or message("Option {option}", option=name)


def _links(document: Document, table: Table, losses: LossList) -> tuple[RelationalLink, ...]:
    links: dict[str, RelationalLink] = {}
    for key in table.foreign_keys:
        names = [table.by_key[each].name for each in key.column_keys if each in table.by_key]
        target = None if key.target is None else document.by_key.get(key.target)
        if target is None or len(names) != 1 or names[0] in links:
            losses.add(message("Links without a target"), f"{table.name}.{' + '.join(names)}")
            continue
        rules = (text_attribute(key.raw, rule) for rule in ("on_delete", "on_update"))
        links[names[0]] = RelationalLink((names[0],), target.name, (), *rules)
    return tuple(links.values())


def _unique_key(table: Table, key: UniqueKey, losses: LossList) -> tuple[str, ...]:
    names = tuple(table.by_key[each].name for each in key.column_keys if each in table.by_key)
    if len(names) != len(key.columns) or not names:
        losses.add(message("Unique keys with automatic columns or conditions"), key.name or table.name)
        return ()
    return names


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
