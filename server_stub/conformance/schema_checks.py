"""Reading and saving the schema (§2.4, §4.6, §4.7, wire §5): forms and rules of documents.

Nothing is ever committed. HEAD is saved with --write only, as the document that was read.
"""

import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

from server_stub.conformance.client import (
    EVENT_GET,
    NOT_FOUND,
    DeviationError,
    NotTriedError,
    Reply,
    expect,
    fit,
    fits,
    get,
    member,
    refuse,
    shown,
    succeed,
)
from server_stub.conformance.context import Context, Json
from server_stub.conformance.table import Basis, Group, group_of

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION
_NAMESPACE = "urn:content-database:schema:1"
_POINTERS = [("HEAD",), ("CURRENT",)]
_FORMS = ("json", "xml", "svg", "png")

READ = group_of("Reading the schema")
SAVE = group_of("Saving the schema", "system.datamodel.development")


def _read(context: Context, version: str, form: str, *types: str) -> Reply:
    reply = context.call(get(f"schema/user/{version}", format=form))
    if reply.status == 404:
        raise NotTriedError(f"The service has no schema version {version}.")
    expect(succeed(reply).media_type in types, f"{reply.request}: the type is {reply.media_type!r}.")
    return reply


@READ.check(
    "§3",
    "GET schema/user/{0} as {1} without that version is 404",
    _OBSERVED,
    [(version, form) for version in ("HEAD", "CURRENT", "1") for form in _FORMS],
)
def _is_404(context: Context, version: str, form: str) -> None:
    reply = context.call(get(f"schema/user/{version}", format=form))
    if reply.status == 200:
        raise NotTriedError(f"The service has a schema version {version}.")
    fit(refuse(reply, NOT_FOUND, status=404), {"parameters": {"id": version}}, {}, str(reply.request))


@READ.check("§4.6", "{0} is read as JSON", cases=_POINTERS)
def _json(context: Context, version: str) -> None:
    member(_read(context, version, "json", "application/json").object(), "tables", list, f"schema {version}")


@READ.check("§4.6", "{0} is read as XML with the same tables", _DECISION, _POINTERS)
def _xml(context: Context, version: str) -> None:
    document = context.schema(version)
    reply = _read(context, version, "xml", "application/xml", "text/xml")
    # A document type could define entities of any size.
    expect(b"<!DOCTYPE" not in reply.content, f"{reply.request}: the answer declares a document type.")
    try:
        root = ET.fromstring(reply.content)  # noqa: S314 - without entities
    except ET.ParseError as error:
        raise DeviationError(f"{reply.request}: the answer is not XML: {error}.") from None
    expect(root.tag == f"{{{_NAMESPACE}}}schema", f"The root element is {shown(root.tag)}.")
    for element in root.iter():
        name = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
        expect(
            not set("_{") & set(name + "".join(element.attrib)), f"{shown(element.tag)} is not in kebab-case."
        )
    found = {each.get("name"): each for each in root.iter(f"{{{_NAMESPACE}}}table")}
    names = [table["name"] for table in document["tables"]]
    expect(list(found) == names, f"The tables in XML are {shown(list(found))}, in JSON {shown(names)}.")
    for table in document["tables"]:
        written = found[table["name"]].get("is-hierarchical", "0")
        expect(
            written == str(int(table.get("is_hierarchical") or 0)), f"is-hierarchical is {shown(written)}."
        )


@READ.check("§4.6", "{0} is drawn as SVG with every table", _OBSERVED, _POINTERS)
def _svg(context: Context, version: str) -> None:
    document = context.schema(version)
    reply = _read(context, version, "svg", "image/svg+xml")
    text = reply.text
    expect("<svg" in text, f"{reply.request}: the answer is not SVG.")
    missing = [table["name"] for table in document["tables"] if f">{table['name']}<" not in text]
    expect(not missing, f"The picture lacks the tables {missing[:5]}.")


@READ.check("§4.6", "{0} is drawn as PNG", cases=_POINTERS)
def _png(context: Context, version: str) -> None:
    reply = _read(context, version, "png", "image/png")
    expect(reply.content.startswith(b"\x89PNG\r\n\x1a\n"), f"{reply.request}: the answer is not PNG.")


@READ.check("§3", "HEAD is version 1 before the first commit")
def _head_is_1_before_a_commit(context: Context) -> None:
    version = context.head.get("version")
    if context.call(get("schema/user/CURRENT", format="json")).status != 404:
        raise NotTriedError("A version has been committed.")
    expect(version == 1, f"Before the first commit HEAD has the version {shown(version)}.")


@READ.check("§9 point 3", "committed versions stay readable", _OBSERVED)
def _committed_versions_stay(context: Context) -> None:
    latest = member(context.schema("CURRENT"), "version", int, "CURRENT")
    for version in sorted({1, latest // 2 or 1, latest}):
        found = context.schema(str(version)).get("version")
        expect(found == version, f"Version {version} has the version {shown(found)}.")


# The rules of documents

_RULES: list[tuple[str, Callable[[Json], None]]] = []


def _rule(title: str) -> Callable[[Callable[[Json], None]], Callable[[Json], None]]:
    def added(rule: Callable[[Json], None]) -> Callable[[Json], None]:
        _RULES.append((title, rule))
        return rule

    return added


def _tables(document: Json) -> list[Json]:
    found: list[Json] = document["tables"]
    return found


def _columns(table: Json, kind: str = "column") -> list[Json]:
    return [column for column in table.get("columns") or [] if column.get("kind") == kind]


@_rule("type and version")
def _type_and_version(document: Json) -> None:
    fit(document, {"type": "user", "version": "<number>"}, {}, "the document")
    expect(document["version"] > 0, f"The version is {document['version']}.")


@_rule("tables and columns have ids of their own, none above max_table_id and max_column_id")
def _ids(document: Json) -> None:
    columns = [column for table in _tables(document) for column in _columns(table)]
    for kind, parts in (("table", _tables(document)), ("column", columns)):
        ids = [member(part, f"{kind}_id", int, f"a {kind}") for part in parts]
        expect(len(set(ids)) == len(ids), f"Two {kind}s have the same id.")
        most = member(document, f"max_{kind}_id", int, "the document")
        expect(most >= max(ids, default=0), f"max_{kind}_id is {most}, but an id is {max(ids, default=0)}.")


_TABLE_NAME = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN_NAME = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")
_RESERVED = {"pool", "collection", "user", "group", "message"}


@_rule("names follow the rules and are unique")
def _names(document: Json) -> None:
    names = [table["name"] for table in _tables(document)]
    for name in names:
        fits = _TABLE_NAME.fullmatch(name) and name not in _RESERVED and not name.startswith("ez_")
        expect(fits and names.count(name) == 1, f"{names.count(name)} tables have the name {shown(name)}.")
    for table in _tables(document):
        names = [member(column, "name", str, table["name"]) for column in _columns(table)]
        for name in names:
            fits = _COLUMN_NAME.fullmatch(name) and names.count(name) == 1
            expect(fits, f"{table['name']} has {names.count(name)} columns {shown(name)}.")


@_rule("columns have one of three kinds, and types")
def _kinds(document: Json) -> None:
    for table in _tables(document):
        for column in table.get("columns") or []:
            fit(column, {"kind": "~column|link|reverse_link"}, {}, f"a column of {table['name']}")
        for column in _columns(table):
            fit(column, {"type": "<text>"}, {}, f"{table['name']}.{column.get('name')}")


@_rule("a link has one foreign key")
def _links_have_one_key(document: Json) -> None:
    for table in _tables(document):
        for column in _columns(table):
            if column.get("type") == "link":
                has = {"columns": ["some", {"column_id": column["column_id"]}]}
                keys = [key for key in table.get("foreign_keys") or [] if fits(key, has, {})]
                expect(
                    len(keys) == 1, f"The link {table['name']}.{column['name']} has {len(keys)} foreign keys."
                )


@_rule("foreign keys name tables by id and hint")
def _keys_name_tables(document: Json) -> None:
    tables = {table.get("table_id"): table["name"] for table in _tables(document)}
    for table in _tables(document):
        for key in table.get("foreign_keys") or []:
            target = member(key, "referenced_table", dict, table["name"])
            name = target.get("name_hint", target.get("table_name_hint"))
            fits = tables.get(target.get("table_id")) == name
            expect(fits, f"A foreign key of {table['name']} references {shown(target)}.")


@_rule("nested tables have an owner with a column for them")
def _nested_have_owners(document: Json) -> None:
    tables = {table.get("table_id"): table for table in _tables(document)}
    for table in _tables(document):
        if not isinstance(owned_by := table.get("owned_by"), dict):
            continue
        owner = tables.get(owned_by.get("other_table_id"), {"name": ""})
        fits = owner["name"] and table["name"].startswith(f"{owner['name']}__")
        expect(fits, f"{table['name']} has the owner {shown(owned_by)}, which is {shown(owner['name'])}.")
        links = [c for c in _columns(owner, "link") if c.get("other_table_id") == table.get("table_id")]
        expect(len(links) == 1, f"{owner['name']} has {len(links)} columns for {table['name']}.")


@_rule("unique keys name columns of their table")
def _unique_keys_name_columns(document: Json) -> None:
    for table in _tables(document):
        ids = {column.get("column_id") for column in _columns(table)} | {None}
        for key in table.get("unique_keys") or []:
            for each in member(key, "columns", list, table["name"]):
                fits = isinstance(each, dict) and each.get("column_id") in ids
                expect(fits, f"A unique key of {table['name']} names {shown(each)}.")


@READ.check(
    "§2.4", "{0}: {1}", _OBSERVED, [(version, title) for (version,) in _POINTERS for title, _ in _RULES]
)
def _follows_rule(context: Context, version: str, title: str) -> None:
    dict(_RULES)[title](context.schema(version))


@SAVE.check("§4.7", "refused documents leave HEAD as it is")
def _head_is_unchanged(context: Context) -> None:
    found = context.schema("HEAD")
    expect(found == context.head, "HEAD has changed since the checks began; somebody else may have saved it.")


_UNKNOWN_CALL = (404, 405, 501)
_GONE = ("error.user.object_not_found", "error.user.objecttype_not_found", "error.user.old_schema_missing")
_FAR = "987654321"
# How many objects of the log are tried until one exists.
_MOST = 5

VERSIONS = Group("Versions of objects", (EVENT_GET,))


def _objects(context: Context) -> list[tuple[str, int]]:
    """Some user objects that occur in the log."""
    events = [record["event"] for record in context.sample]
    found = [
        (event["objecttype"], event["object_id"])
        for event in events
        if isinstance(event.get("objecttype"), str) and isinstance(event.get("object_id"), int)
    ]
    if not found:
        raise NotTriedError("No sampled event concerns an object.")
    return list(dict.fromkeys(found))[:_MOST]


def _read_object(context: Context, name: str, number: int, **params: str) -> Reply:
    reply = context.call(get(f"db/{name}/_all_fields/{number}", **params))
    code = _code(reply)
    if reply.status in _UNKNOWN_CALL or code.startswith("error.api.invalid_api"):
        raise NotTriedError("The service does not offer objects at this address.")
    return reply


def _code(reply: Reply) -> str:
    if reply.status < 400 or reply.media_type != "application/json":
        return ""
    return str(reply.object().get("code", ""))


def _existing(context: Context) -> tuple[str, int, Json]:
    for name, number in _objects(context):
        reply = _read_object(context, name, number)
        if _code(reply) not in _GONE:
            return name, number, _inner(reply, name)
    raise NotTriedError("None of the objects in the sampled events exists any more.")


def _inner(reply: Reply, name: str) -> Json:
    """The fields of the object; deployed services answer a list of one object."""
    found = succeed(reply).json()
    if isinstance(found, list):
        expect(len(found) == 1, f"{reply.request}: the list has {len(found)} objects, expected one.")
        found = found[0]
    expect(isinstance(found, dict), f"{reply.request}: the answer is not an object.")
    inner: Json = member(found, name, dict, str(reply.request))
    member(inner, "_version", int, str(reply.request))
    return inner


@VERSIONS.check("§6", "GET db/<objecttype>/_all_fields/<id> reads the newest version", Basis.DECISION)
def _newest(context: Context) -> None:
    name, number, found = _existing(context)
    expect(found.get("_id") == number, f"{name} {number}: _id is {found.get('_id')!r}.")


@VERSIONS.check(
    "§6", "GET db/<objecttype>/_all_fields/<id>?version=1 reads the first version", Basis.DECISION
)
def _first(context: Context) -> None:
    name, number, _ = _existing(context)
    reply = _read_object(context, name, number, version="1")
    if _code(reply) in _GONE:
        raise NotTriedError("The service has not kept the first version of the object.")
    version = _inner(reply, name)["_version"]
    expect(version == 1, f"{reply.request}: _version is {version}, expected 1.")


@VERSIONS.check("§6", "GET db/<objecttype>/_all_fields/<id> of a version to come is refused", Basis.DECISION)
def _future(context: Context) -> None:
    name, number, _ = _existing(context)
    refuse(_read_object(context, name, number, version=_FAR), NOT_FOUND)
