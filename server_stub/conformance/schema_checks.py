"""Reading, saving and committing the schema (§4.6 to §4.8, §2.4, wire §5).

Nothing is ever committed. HEAD is saved with --write only, as the document that was read. Without --write a
document that must be refused has another version than HEAD as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused
from server_stub.conformance.client import DeviationError, NoAnswerError, Reply, Request, get, post
from server_stub.conformance.context import Context, Json
from server_stub.conformance.expectations import (
    DEVELOPMENT,
    INVALID,
    MISMATCH,
    NOT_FOUND,
    NotTriedError,
    expect,
    member,
    refuse,
    shown,
    succeed,
)

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION
_NAMESPACE = "urn:content-database:schema:1"
_FAR = "987654321"
_EXPECTED = "error.api.attribute_expected"
_VERSION_MISMATCH = "error.user.version_mismatch"
_POINTERS = ("HEAD", "CURRENT")

# §4.6


def _read(context: Context, version: str, **params: str) -> Reply:
    reply = context.call(get(f"schema/user/{version}", **params))
    if reply.status == 404:
        raise NotTriedError(f"The service has no schema version {version}.")
    return succeed(reply)


def _is_404(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        reply = context.call(get(f"schema/user/{version}", format="json"))
        if reply.status == 200:
            raise NotTriedError(f"The service has a schema version {version}.")
        refuse(reply, NOT_FOUND, status=404, parameters={"id": version})

    return ServiceCheck("§3", f"GET schema/user/{version} without that version is 404", run, basis=_OBSERVED)


def _missing(form: str) -> ServiceCheck:
    """The status is the interface's, the code our decision."""
    return refused(
        "§4.6",
        get(f"schema/user/{_FAR}", **({"format": form} if form else {})),
        NOT_FOUND,
        status=404,
        parameters={"id": _FAR},
        basis=_DECISION,
    )


def _document(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        reply = _read(context, version, format="json")
        expect(reply.media_type == "application/json", f"{reply.request}: the type is {reply.media_type!r}.")
        member(reply.object(), "tables", list, f"schema {version}")

    return ServiceCheck("§4.6", f"{version} is read as JSON", run)


def _xml(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        document = context.schema(version)
        reply = _read(context, version, format="xml")
        expect(reply.media_type in ("application/xml", "text/xml"), f"The type is {reply.media_type!r}.")
        root = _parsed(reply)
        expect(root.tag == f"{{{_NAMESPACE}}}schema", f"The root element is {shown(root.tag)}.")
        found = [each.get("name") for each in root.iter(f"{{{_NAMESPACE}}}table")]
        names = [table["name"] for table in document["tables"]]
        expect(found == names, f"The tables in XML are {shown(found)}, in JSON {shown(names)}.")

    return ServiceCheck("§4.6", f"{version} is read as XML with the same tables", run, basis=_DECISION)


def _parsed(reply: Reply) -> ET.Element:
    """The root of an answer without a document type, which could define entities of any size."""
    expect(b"<!DOCTYPE" not in reply.content, f"{reply.request}: the answer declares a document type.")
    try:
        return ET.fromstring(reply.content)  # noqa: S314 - without entities
    except ET.ParseError as error:
        raise DeviationError(f"{reply.request}: the answer is not XML: {error}.") from None


def _default_is_xml(context: Context) -> None:
    reply = _read(context, "HEAD")
    _parsed(reply)
    expect(reply.content == _read(context, "HEAD", format="xml").content, "The default is not format=xml.")


def _svg(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        document = context.schema(version)
        reply = _read(context, version, format="svg")
        expect(reply.media_type == "image/svg+xml", f"The type is {reply.media_type!r}.")
        text = reply.text
        expect("<svg" in text, f"{reply.request}: the answer is not SVG.")
        missing = [table["name"] for table in document["tables"] if table["name"] not in text]
        expect(not missing, f"The picture lacks the tables {missing[:5]}.")

    return ServiceCheck("§4.6", f"{version} is drawn as SVG with every table", run, basis=_OBSERVED)


def _png(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        reply = _read(context, version, format="png")
        expect(reply.media_type == "image/png", f"The type is {reply.media_type!r}.")
        expect(reply.content.startswith(b"\x89PNG\r\n\x1a\n"), f"{reply.request}: the answer is not PNG.")

    return ServiceCheck("§4.6", f"{version} is drawn as PNG", run)


def _versions(context: Context) -> None:
    head, current = context.head, context.schema("CURRENT")
    found = (head.get("version"), head.get("based_on_version"))
    version = member(current, "version", int, "CURRENT")
    expect(
        found == (version + 1, version), f"HEAD has version and based_on_version {found}, CURRENT {version}."
    )


def _head_is_1_before_a_commit(context: Context) -> None:
    version = context.head.get("version")
    if context.call(get("schema/user/CURRENT", format="json")).status != 404:
        raise NotTriedError("A version has been committed.")
    expect(version == 1, f"Before the first commit HEAD has the version {shown(version)}.")


def _current_by_number(context: Context) -> None:
    current = context.schema("CURRENT")
    found = context.schema(str(member(current, "version", int, "CURRENT")))
    expect(found == current, "CURRENT read by its number is another document.")


def _committed_versions_stay(context: Context) -> None:
    latest = member(context.schema("CURRENT"), "version", int, "CURRENT")
    for version in sorted({1, latest // 2 or 1, latest}):
        found = succeed(context.call(get(f"schema/user/{version}", format="json"))).object()
        expect(
            found.get("version") == version,
            f"Version {version} has the version {shown(found.get('version'))}.",
        )


_Rule = Callable[[Json], None]


def _of_document(version: str, title: str, rule: _Rule, basis: Basis = _OBSERVED) -> ServiceCheck:
    return ServiceCheck(
        "§2.4", f"{version}: {title}", lambda context: rule(context.schema(version)), basis=basis
    )


def _tables(document: Json) -> list[Json]:
    found: list[Json] = document["tables"]
    return found


def _columns(table: Json, kind: str = "column") -> list[Json]:
    return [column for column in table.get("columns") or [] if column.get("kind") == kind]


def _is_user_schema(document: Json) -> None:
    expect(document.get("type") == "user", f"The type is {shown(document.get('type'))}.")


def _has_version(document: Json) -> None:
    version = member(document, "version", int, "the document")
    expect(version > 0, f"The version is {version}.")


def _table_ids(document: Json) -> None:
    ids = [member(table, "table_id", int, table["name"]) for table in _tables(document)]
    expect(len(set(ids)) == len(ids), "Two tables have the same id.")


def _column_ids(document: Json) -> None:
    columns = [column for table in _tables(document) for column in _columns(table)]
    ids = [member(column, "column_id", int, "a column") for column in columns]
    expect(len(set(ids)) == len(ids), "Two columns have the same id.")


def _max_ids(document: Json) -> None:
    for name, ids in (
        ("max_table_id", [table.get("table_id", 0) for table in _tables(document)]),
        ("max_column_id", [c.get("column_id", 0) for table in _tables(document) for c in _columns(table)]),
    ):
        found = member(document, name, int, "the document")
        most = max((id_ for id_ in ids if isinstance(id_, int)), default=0)
        expect(found >= most, f"{name} is {found}, but an id is {most}.")


_TABLE_NAME = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN_NAME = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")
_RESERVED = {"pool", "collection", "user", "group", "message"}


def _table_names(document: Json) -> None:
    for table in _tables(document):
        name = table["name"]
        fits = _TABLE_NAME.fullmatch(name) and name not in _RESERVED and not name.startswith("ez_")
        expect(fits, f"A table has the name {shown(name)}.")


def _names_are_unique(document: Json) -> None:
    names = [table["name"] for table in _tables(document)]
    expect(len(set(names)) == len(names), "Two tables have the same name.")
    for table in _tables(document):
        found = [column.get("name") for column in _columns(table)]
        expect(len(set(map(str, found))) == len(found), f"{table['name']} has two columns of one name.")


def _column_names(document: Json) -> None:
    for table in _tables(document):
        for column in _columns(table):
            name = member(column, "name", str, table["name"])
            expect(_COLUMN_NAME.fullmatch(name), f"{table['name']} has a column {shown(name)}.")


def _column_kinds(document: Json) -> None:
    for table in _tables(document):
        for column in table.get("columns") or []:
            found = column.get("kind")
            expect(
                found in ("column", "link", "reverse_link"), f"{table['name']}: the kind is {shown(found)}."
            )


def _column_types(document: Json) -> None:
    for table in _tables(document):
        for column in _columns(table):
            member(column, "type", str, f"{table['name']}.{column.get('name')}")


def _links_have_one_key(document: Json) -> None:
    for table in _tables(document):
        for column in _columns(table):
            if column.get("type") == "link":
                id_ = column.get("column_id")
                keys = [
                    key
                    for key in table.get("foreign_keys") or []
                    if any(
                        isinstance(each, dict) and each.get("column_id") == id_
                        for each in key.get("columns") or []
                    )
                ]
                where = f"{table['name']}.{column.get('name')}"
                expect(len(keys) == 1, f"The link {where} has {len(keys)} foreign keys.")


def _keys_name_tables(document: Json) -> None:
    tables = {table.get("table_id"): table["name"] for table in _tables(document)}
    for table in _tables(document):
        for key in table.get("foreign_keys") or []:
            target = member(key, "referenced_table", dict, table["name"])
            name = target.get("name_hint", target.get("table_name_hint"))
            expect(
                tables.get(target.get("table_id")) == name,
                f"A foreign key of {table['name']} references {shown(target)}.",
            )


def _nested_have_owners(document: Json) -> None:
    tables = {table.get("table_id"): table for table in _tables(document)}
    for table in _tables(document):
        owned_by = table.get("owned_by")
        if isinstance(owned_by, dict):
            owner = tables.get(owned_by.get("other_table_id"))
            expect(owner is not None, f"{table['name']} has the unknown owner {shown(owned_by)}.")
            if owner is not None:
                expect(
                    table["name"].startswith(f"{owner['name']}__"),
                    f"{table['name']} is owned by {owner['name']}.",
                )
                links = [
                    c for c in _columns(owner, "link") if c.get("other_table_id") == table.get("table_id")
                ]
                expect(len(links) == 1, f"{owner['name']} has {len(links)} columns for {table['name']}.")


def _unique_keys_name_columns(document: Json) -> None:
    for table in _tables(document):
        ids = {column.get("column_id") for column in _columns(table)}
        for key in table.get("unique_keys") or []:
            for each in member(key, "columns", list, table["name"]):
                id_ = each.get("column_id") if isinstance(each, dict) else None
                expect(id_ is None or id_ in ids, f"A unique key of {table['name']} names {shown(each)}.")


_RULES: tuple[tuple[str, _Rule], ...] = (
    ("the type is user", _is_user_schema),
    ("the version is a positive integer", _has_version),
    ("tables have ids of their own", _table_ids),
    ("columns have ids of their own", _column_ids),
    ("no id is above max_table_id and max_column_id", _max_ids),
    ("names of tables follow the rules", _table_names),
    ("names are unique", _names_are_unique),
    ("names of columns follow the rules", _column_names),
    ("columns have one of three kinds", _column_kinds),
    ("columns have types", _column_types),
    ("a link has one foreign key", _links_have_one_key),
    ("foreign keys name tables by id and hint", _keys_name_tables),
    ("nested tables have an owner with a column for them", _nested_have_owners),
    ("unique keys name columns of their table", _unique_keys_name_columns),
)


def _localized_names(version: str) -> ServiceCheck:
    def run(context: Context) -> None:
        reply = context.call(get(f"l10n/user/{version}"))
        if reply.status == 404:
            raise NotTriedError(f"The service has no schema version {version}.")
        for key, texts in succeed(reply).object().items():
            fits = isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())
            expect(fits, f"The localized names of {shown(key)} are {shown(texts)}.")

    return ServiceCheck(
        "§4.6", f"the localized names of {version} are texts by language", run, basis=_OBSERVED
    )


READ = Group(
    "Reading the schema",
    (
        *(_is_404(version) for version in ("HEAD", "CURRENT", "1")),
        *(_missing(form) for form in ("", "json", "xml", "svg", "png")),
        *(make(version) for make in (_document, _xml, _svg, _png) for version in _POINTERS),
        ServiceCheck("§4.6", "the default format is XML", _default_is_xml, basis=_DECISION),
        ServiceCheck("§9 point 3", "HEAD is the version after CURRENT", _versions, basis=_OBSERVED),
        ServiceCheck("§3", "HEAD is version 1 before the first commit", _head_is_1_before_a_commit),
        ServiceCheck("§4.6", "CURRENT is also read by its number", _current_by_number),
        ServiceCheck(
            "§9 point 3", "committed versions stay readable", _committed_versions_stay, basis=_OBSERVED
        ),
        *(_of_document(version, title, rule) for version in _POINTERS for title, rule in _RULES),
        *(_localized_names(version) for version in _POINTERS),
        *(
            refused("§4.6", get("schema/user/HEAD", format=form), basis=_DECISION)
            for form in ("", "pdf", "JSON")
        ),
        *(
            refused("§4.6", get(f"schema/user/{text}"), basis=_DECISION)
            for text in ("0", "-1", "1.0", "LATEST", "head")
        ),
    ),
)


# §4.7

_WRONG_VERSION = 987_654_321
_EMPTY: Json = {"type": "user", "version": _WRONG_VERSION, "tables": []}
_A_TABLE = {"name": "work", "columns": []}


def _raw(content: bytes, media: str = "application/json") -> Request:
    return Request("POST", "schema/user/HEAD", content=content, headers=(("content-type", media),))


# Bodies that cannot be saved; those that are documents have another version than HEAD.
_BODIES: tuple[tuple[Request, tuple[str, ...]], ...] = (
    (_raw(b""), ("error.api.invalid_content",)),
    (_raw(b"{"), ("error.api.invalid_content",)),
    (_raw(b"schema"), ("error.api.invalid_content",)),
    (_raw(b"{}", "text/plain"), ("error.api.invalid_content",)),
    (_raw(b"a=b", "application/x-www-form-urlencoded"), ("error.api.invalid_content",)),
    (post("schema/user/HEAD", []), (MISMATCH,)),
    (post("schema/user/HEAD", "schema"), (MISMATCH,)),
    (post("schema/user/HEAD", 1), (MISMATCH,)),
    (post("schema/user/HEAD", {}), (_EXPECTED,)),
    (post("schema/user/HEAD", {"version": _WRONG_VERSION}), (_EXPECTED, _VERSION_MISMATCH)),
    (post("schema/user/HEAD", {"type": "user", "tables": []}), (_EXPECTED,)),
    (post("schema/user/HEAD", _EMPTY | {"version": "1"}), (MISMATCH,)),
    (post("schema/user/HEAD", _EMPTY | {"version": 1.5}), (MISMATCH,)),
    (post("schema/user/HEAD", _EMPTY | {"version": -1}), (_VERSION_MISMATCH, INVALID)),
    (post("schema/user/HEAD", _EMPTY | {"tables": {}}), (MISMATCH, _VERSION_MISMATCH)),
    (post("schema/user/HEAD", _EMPTY | {"tables": [1]}), (MISMATCH, _VERSION_MISMATCH)),
    (post("schema/user/HEAD", _EMPTY | {"tables": [{"columns": []}]}), (_EXPECTED, _VERSION_MISMATCH)),
    (
        post("schema/user/HEAD", _EMPTY | {"tables": [_A_TABLE | {"columns": [{"name": "a"}]}]}),
        (_EXPECTED, _VERSION_MISMATCH),
    ),
    (
        post("schema/user/HEAD", _EMPTY | {"tables": [_A_TABLE | {"columns": {}}]}),
        (MISMATCH, _VERSION_MISMATCH),
    ),
    (
        post("schema/user/HEAD", _EMPTY | {"tables": [_A_TABLE | {"is_hierarchical": "yes"}]}),
        (MISMATCH, _VERSION_MISMATCH),
    ),
)


def _check(
    title: str, run: Callable[[Context], None], basis: Basis = Basis.INTERFACE, **options: Any
) -> ServiceCheck:
    return ServiceCheck("§4.7", title, run, DEVELOPMENT, basis, **options)


def _mismatch(context: Context) -> None:
    """Without any version the document has no valid type either, so that nobody saves it."""
    expected = context.head.get("version") if context.has_head else 1
    body = context.head if context.has_head else {"tables": []}
    codes = [_VERSION_MISMATCH] if context.has_head else [_VERSION_MISMATCH, INVALID]
    wrong = body | {"version": _WRONG_VERSION} | ({} if context.has_head else {"type": "no-such-type"})
    error = refuse(context.call(post("schema/user/HEAD", wrong)), *codes)
    if error["code"] == _VERSION_MISMATCH:
        wanted = {"provided": str(_WRONG_VERSION), "expected": str(expected)}
        expect(error.get("parameters") == wanted, f"version_mismatch has {shown(error.get('parameters'))}.")


def _only_head(version: str) -> ServiceCheck:
    request = post(f"schema/user/{version}", {"type": "no-such-type", "version": -1})
    return _check(f"POST schema/user/{version} is refused", refused("§4.7", request).run)


def _head_is_unchanged(context: Context) -> None:
    found = context.schema("HEAD")
    expect(found == context.head, "HEAD has changed since the checks began; somebody else may have saved it.")


def _saves_what_was_read(context: Context) -> None:
    head = context.schema("HEAD")
    saved = succeed(context.call(post("schema/user/HEAD", head))).object()
    expect(saved == head, "Saving HEAD as it was read is answered with another document.")
    expect(context.schema("HEAD") == head, "HEAD has changed although it was saved as it was read.")


def _refuses_with(title: str, codes: Sequence[str], added: Sequence[Json], name: str = "") -> ServiceCheck:
    """HEAD with a defect in an added table must be refused; if it is saved, HEAD is restored."""

    def run(context: Context) -> None:
        head = context.schema("HEAD")
        tables = [*head["tables"], *added]
        try:
            reply = context.call(post("schema/user/HEAD", head | {"tables": tables}))
        except NoAnswerError:
            if context.schema("HEAD") != head:
                context.restore_head(head)
            raise
        if reply.status == 200:
            context.restore_head(head)
        error = refuse(reply, *codes)
        if name:
            found = error.get("parameters")
            given = found.get("name") if isinstance(found, dict) else None
            fits = isinstance(given, str) and given.endswith(name)
            expect(fits, f"{title}: the parameters are {shown(found)}, expected the name {name!r}.")

    return _check(f"HEAD with {title} is refused", run, _OBSERVED, writes=True)


_FRESH = "conformance_check"
_BAD_TABLES = (
    "Work",
    "1a",
    "_a",
    "a_",
    "a-b",
    "a b",
    "ä1",
    "a",
    "ez_a",
    "pool",
    "user",
    "group",
    "message",
    "a" * 64,
)
_BAD_COLUMNS = ("A", "1a", "_a", "a_", "a-b", "a b", "ä", "a" * 64)


def _table(name: str, *columns: Json, **more: Any) -> Json:
    return {"name": name, "columns": list(columns), "foreign_keys": [], "unique_keys": []} | more


def _column(name: str, kind: str = "text", **more: Any) -> Json:
    return {"kind": "column", "name": name, "type": kind} | more


_DEFECTS: tuple[tuple[str, tuple[Json, ...], tuple[str, ...]], ...] = (
    ("two tables of one name", (_table(_FRESH), _table(_FRESH)), (INVALID,)),
    ("two columns of one name", (_table(_FRESH, _column("a"), _column("a")),), (INVALID,)),
    ("a table whose id is unknown", (_table(_FRESH, table_id=10**8),), (INVALID,)),
    ("a column whose id is unknown", (_table(_FRESH, _column("a", column_id=10**8)),), (INVALID,)),
    ("an unknown type", (_table(_FRESH, _column("a", "no-such-type")),), (INVALID,)),
    (
        "an unknown kind of column",
        (_table(_FRESH, {"kind": "what", "name": "a", "type": "text"}),),
        (INVALID,),
    ),
    ("a column without a type", (_table(_FRESH, {"kind": "column", "name": "a"}),), (_EXPECTED,)),
    ("a link without its foreign key", (_table(_FRESH, _column("a", "link")),), (INVALID,)),
    ("a range without bounds", (_table(_FRESH, _column("a", "number", check="range")),), ()),
    (
        "an expression that does not compile",
        (_table(_FRESH, _column("a", check="regexp", check_regexp="([")),),
        (),
    ),
    ("a check regexp without expression", (_table(_FRESH, _column("a", check="regexp")),), ()),
    ("an unknown check", (_table(_FRESH, _column("a", check="no-such-check")),), ()),
    (
        "a unique key of no column",
        (_table(_FRESH, unique_keys=[{"columns": [{"column_name_hint": "a"}]}]),),
        (),
    ),
    (
        "a nested table without its column",
        (_table(_FRESH), _table(f"{_FRESH}__part", owned_by={"other_table_name_hint": _FRESH})),
        (),
    ),
)


def _defects() -> Iterator[ServiceCheck]:
    for name in _BAD_TABLES:
        codes = ["error.user.invalid_table_name"]
        yield _refuses_with(f"a table {name[:20]!r}", codes, [_table(name)], name)
    for name in _BAD_COLUMNS:
        codes = ["error.user.invalid_column_name"]
        yield _refuses_with(f"a column {name[:20]!r}", codes, [_table(_FRESH, _column(name))], name)
    for title, added, wanted in _DEFECTS:
        yield _refuses_with(title, wanted, added)


SAVE = Group(
    "Saving the schema",
    (
        _check("a document of another version is version_mismatch", _mismatch, _OBSERVED),
        *(
            _check(f"{request} is refused", refused("§4.7", request, *codes).run)
            for request, codes in _BODIES
        ),
        *(_only_head(version) for version in ("CURRENT", "1", _FAR)),
        _check("refused documents leave HEAD as it is", _head_is_unchanged),
        _check("HEAD saved as it was read stays as it is", _saves_what_was_read, _OBSERVED, writes=True),
        *_defects(),
        _check("refused documents leave HEAD as it was", _head_is_unchanged, writes=True),
    ),
)
