"""The demo data model of a museum: three committed versions and a HEAD that differs (wire §5).

Its tables are in `resources/demo/museum.json`, with the versions of the schema that have each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any

import msgspec
from sqlalchemy import Connection, column, insert, table

from server_stub.demo.people import ObjectStock
from server_stub.foundation.resources import resource

CURRENT_VERSION = 3
HEAD_VERSION = 4

GERMAN, ENGLISH = "de-DE", "en-US"
_SEPARATOR = "__"

Document = dict[str, Any]


class _Definition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="member"):
    """What tables and columns have in common; `options` are attributes of the document."""

    name: str
    german: str
    english: str
    since: int = 1
    until: int = HEAD_VERSION
    options: Mapping[str, Any] = {}

    def is_in(self, version: int) -> bool:
        """Whether a version of the schema has this element."""
        return self.since <= version <= self.until

    def texts(self) -> dict[str, str]:
        """The name by language."""
        return {GERMAN: self.german, ENGLISH: self.english}


class _Column(_Definition, frozen=True, tag="column"):
    """A column; `was` is its name before a rename, `target` the objecttype it links to."""

    type: str
    was: str = ""
    target: str | None = None


class _ReverseLink(msgspec.Struct, frozen=True, tag_field="member", tag="reverse_link"):
    """A column of another table that links to this one and is edited here."""

    table: str
    column: str


class _Table(_Definition, frozen=True, tag="table"):
    """A table; a nested one is a member of its owner and named without the owner's prefix."""

    members: list[_Column | _ReverseLink | _Table]
    unique: list[list[str]] = []

    def members_in(self, version: int) -> list[_Column | _ReverseLink | _Table]:
        """The members that a version has."""
        return [
            member for member in self.members if isinstance(member, _ReverseLink) or member.is_in(version)
        ]


_MUSEUM = msgspec.json.decode(resource("demo/museum.json").read_bytes(), type=list[_Table])


def museum_document(version: int, before: Document | None) -> Document:
    """The document of a version, to post as HEAD; `before` is the HEAD as read, whose ids are kept.

    `version` selects the elements; the `version` in the document is that of the HEAD `before`.
    """
    ids = _KnownIds(before)
    tables = [_table(definition, name, owner, version, ids) for name, owner, definition in _tables(version)]
    posted: Document = {"version": 1, "tables": tables, "l10n_languages": [GERMAN, ENGLISH]}
    return posted if before is None else {**before, **posted, "version": before["version"]}


def museum_names(version: int = HEAD_VERSION) -> dict[str, dict[str, str]]:
    """The localised names of a version by key, `schema.<table>.name` or `schema.<table>.column.<column>`."""
    names = {}
    for name, owner, definition in _tables(version):
        names[f"schema.{name}.name"] = definition.texts()
        if owner is not None:
            names[f"schema.{owner}.column.{name}"] = definition.texts()
        for member in definition.members_in(version):
            if isinstance(member, _Column):
                names[f"schema.{name}.column.{member.name}"] = member.texts()
    return names


def objecttypes(version: int) -> tuple[str, ...]:
    """The names of the top-level tables of a version."""
    return tuple(definition.name for definition in _MUSEUM if definition.is_in(version))


def museum_tables(version: int) -> list[str]:
    """The names of all tables of a version, including nested ones."""
    return [name for name, _, _ in _tables(version)]


def _tables(
    version: int, definitions: Sequence[object] = _MUSEUM, owner: str | None = None
) -> Iterator[tuple[str, str | None, _Table]]:
    """The tables of a version with their full names and those of their owners."""
    for definition in definitions:
        if isinstance(definition, _Table) and definition.is_in(version):
            name = definition.name if owner is None else owner + _SEPARATOR + definition.name
            yield name, owner, definition
            yield from _tables(version, definition.members, name)


class _KnownIds:
    """The ids in an earlier document by name."""

    def __init__(self, before: Document | None) -> None:
        tables = [] if before is None else before["tables"]
        self._tables: Mapping[str, int] = {table["name"]: table["table_id"] for table in tables}
        self._columns: Mapping[tuple[str, str], int] = {
            (table["name"], column["name"]): column["column_id"]
            for table in tables
            for column in table["columns"]
            if column["kind"] == "column"
        }

    def of_table(self, name: str) -> Document:
        """The id as an attribute; empty for a new table."""
        return {"table_id": self._tables[name]} if name in self._tables else {}

    def of_column(self, table: str, column: _Column) -> Document:
        """The id as an attribute, also of a renamed column; empty for a new one."""
        known = self._columns.get((table, column.name), self._columns.get((table, column.was)))
        return {} if known is None else {"column_id": known}


def _table(definition: _Table, name: str, owner: str | None, version: int, ids: _KnownIds) -> Document:
    members = definition.members_in(version)
    made = {
        **ids.of_table(name),
        "name": name,
        **definition.options,
        "columns": [_member(name, member, ids) for member in members],
        "foreign_keys": [
            _foreign_key(member) for member in members if isinstance(member, _Column) and member.target
        ],
        "unique_keys": [_unique_key(columns, owner) for columns in definition.unique],
    }
    return made if owner is None else {**made, "owned_by": {"other_table_name_hint": owner}}


def _member(table: str, member: _Column | _ReverseLink | _Table, ids: _KnownIds) -> Document:
    match member:
        case _Table():
            return {"kind": "link", "other_table_name_hint": table + _SEPARATOR + member.name}
        case _ReverseLink():
            return {
                "kind": "reverse_link",
                "other_table_name_hint": member.table,
                "other_column_name_hint": member.column,
            }
    plain = {"kind": "column", "name": member.name, "type": member.type, "not_null": False}
    return {**ids.of_column(table, member), **plain, **member.options}


def _foreign_key(column: _Column) -> Document:
    return {
        "on_delete": "cascade" if column.options.get("reverse_edit") else "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": column.name}],
        "referenced_table": {"name_hint": column.target, "columns": [{"auto_column_primary_key": True}]},
    }


def _unique_key(columns: Sequence[str], owner: str | None) -> Document:
    """A unique key; that of a nested table applies within one row of the owner."""
    references: list[Document] = [{"column_name_hint": name} for name in columns]
    return {"columns": references if owner is None else [{"auto_column_uplink": True}, *references]}


def add_objects(connection: Connection, versions: Mapping[str, Mapping[int, int]], rng: Random) -> None:
    """Fills the tables of CURRENT; `versions` are the versions of objects by objecttype and id."""
    writer = RowWriter(rng, versions)
    _write_authorities(writer)
    _write_works(writer)
    _write_images(writer)
    _write_business(writer)
    # In the order of their first row, in which link targets come first.
    for name, rows in writer.rows_by_table.items():
        connection.execute(insert(table(name, *(column(key) for key in rows[0]))), rows)


# The images that an intern deletes one evening.
PURGED_IMAGES = range(401, 441)
# Every 53rd object is deleted in the course of time.
_GOES = 53
_KEPT_FROM = 50
# The share of objects that exist at the beginning of the log.
_OLD = 0.72

# The lists and texts of which objects are made, German before English; rows of trees begin with their depth.
_TEXTS: dict[str, list[Any]] = msgspec.json.decode(resource("demo/objects.json").read_bytes())

_COUNTS: Mapping[str, int] = MappingProxyType(
    {
        "place": len(_TEXTS["places"]),
        "material": len(_TEXTS["materials"]),
        "technique": len(_TEXTS["techniques"]),
        "keyword": len(_TEXTS["keywords"]),
        "storage_location": 44,
        "institution": len(_TEXTS["institutions"]),
        "artist": 96,
        "work": 640,
        "image": 900,
        "bibliography": 130,
        "exhibition": 2 * len(_TEXTS["exhibitions"]),
        "loan": 46,
        "condition_report": 210,
        "tour": len(_TEXTS["tours"]),
    }
)
# Fixed lists and trees, to which the log adds no objects.
_COMPLETE = frozenset(
    {"place", "material", "technique", "keyword", "storage_location", "institution", "tour"}
)


def object_ids(table: str) -> list[int]:
    """The ids of the objects that exist at the end of the log, ascending."""
    deleted = set(_deleted_ids(table))
    return [object_id for object_id in range(1, _COUNTS[table] + 1) if object_id not in deleted]


def initial_stock() -> ObjectStock:
    """The objects at the beginning of the log, with those that will be added and deleted."""
    old: dict[str, Mapping[int, int]] = {}
    coming: dict[str, Sequence[int]] = {}
    for name in _COUNTS:
        existing = object_ids(name)
        first = len(existing) if name in _COMPLETE else round(len(existing) * _OLD)
        old[name] = {object_id: 1 + object_id * 7 % 4 for object_id in existing[:first]}
        coming[name] = existing[first:]
    doomed = {
        name: [deleted_id for deleted_id in _deleted_ids(name) if deleted_id not in PURGED_IMAGES]
        for name in _COUNTS
    }
    return ObjectStock(old, coming, doomed)


def _deleted_ids(table: str) -> list[int]:
    if table in _COMPLETE:
        return []
    single = [deleted_id for deleted_id in range(_GOES, _COUNTS[table] + 1, _GOES) if deleted_id > _KEPT_FROM]
    return sorted({*single, *(PURGED_IMAGES if table == "image" else ())})


Row = dict[str, Any]
RowsByTable = dict[str, list[Row]]


def _localized(german: str, english: str) -> str:
    """A localised text."""
    return _to_json({GERMAN: german, ENGLISH: english})


def period(first: str, last: str) -> str:
    """A date range; the ends are ISO dates, years or months."""
    return _to_json({"from": first, "to": last})


def file(asset: int, name: str) -> str:
    """A file of the asset service."""
    return _to_json([{"_id": asset, "original_filename": name, "preferred": True}])


def _to_json(value: object) -> str:
    """Compact JSON, as text columns store structured values."""
    return msgspec.json.encode(value).decode()


@dataclass(frozen=True)
class RowWriter:
    """Collects rows by table; `versions` are the versions of objects at the end of the log."""

    rng: Random
    versions: Mapping[str, Mapping[int, int]]
    rows_by_table: RowsByTable = field(default_factory=dict)

    def write(self, table: str, object_id: int, **values: object) -> None:
        """Adds a row of a top-level table."""
        version = self.versions[table].get(object_id, 1)
        self.rows_by_table.setdefault(table, []).append({"_id": object_id, "_version": version, **values})

    def write_nested(self, table: str, uplink: int, **values: object) -> int:
        """Adds a row of a nested table; returns its id."""
        rows = self.rows_by_table.setdefault(table, [])
        rows.append({"_id": len(rows) + 1, "_uplink_id": uplink, **values})
        return len(rows)

    def date(self, first_year: int, last_year: int) -> str:
        """An ISO date."""
        year = self.rng.randint(first_year, last_year)
        return f"{year}-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    def date_time(self, first_year: int, last_year: int) -> str:
        """An ISO date and time at an office hour."""
        hour, minute = self.rng.randint(8, 17), self.rng.randint(0, 59)
        return f"{self.date(first_year, last_year)}T{hour:02d}:{minute:02d}:00"

    def sample(self, items: Iterable[Any], count: int) -> list[Any]:
        """At most `count` different random items."""
        pool = list(items)
        return self.rng.sample(pool, min(count, len(pool)))


_BUILDINGS = ("H", "D")
_ROOMS = 6


def _write_authorities(writer: RowWriter) -> None:
    """Adds the controlled lists and trees that describe works."""
    _write_places(writer)
    _write_materials(writer)
    _write_keywords(writer)
    _write_storage(writer)
    _write_institutions(writer)
    _write_artists(writer)


def _tree(rows: list[Any]) -> list[tuple[int, int | None, list[Any]]]:
    """The entries of a tree, whose rows begin with their depth: id, id of the parent, fields."""
    entries: list[tuple[int, int | None, list[Any]]] = []
    above: list[int] = []
    for number, (depth, *fields) in enumerate(rows, 1):
        del above[depth:]
        entries.append((number, above[-1] if above else None, fields))
        above.append(number)
    return entries


def _write_places(writer: RowWriter) -> None:
    for number, parent, (german, english, kind, latitude, longitude) in _tree(_TEXTS["places"]):
        position = _to_json({"lat": latitude, "lng": longitude})
        name = _localized(german, english)
        writer.write("place", number, _parent_id=parent, name=name, kind=kind, position=position)


def _write_materials(writer: RowWriter) -> None:
    for number, (german, english, aat, sensitive) in enumerate(_TEXTS["materials"], 1):
        name = _localized(german, english)
        writer.write("material", number, name=name, light_sensitive=sensitive, aat=aat)
    for number, (german, english, *scope) in enumerate(_TEXTS["techniques"], 1):
        writer.write("technique", number, name=_localized(german, english), scope=_localized(*scope))


def _write_keywords(writer: RowWriter) -> None:
    for number, parent, (german, english, iconclass) in _tree(_TEXTS["keywords"]):
        writer.write(
            "keyword", number, _parent_id=parent, name=_localized(german, english), iconclass=iconclass
        )


def _write_storage(writer: RowWriter) -> None:
    """Adds buildings, their rooms, and racks in rooms."""
    above: dict[str, int] = {}
    for number in object_ids("storage_location"):
        code = _storage_code(number - 1)
        parent = above.get(code.rpartition("-")[0])
        above[code] = number
        kind = ("Haus", "Raum", "Regal")[code.count("-")]
        humidity = 45 + writer.rng.randint(0, 20) / 2
        writer.write(
            "storage_location",
            number,
            _parent_id=parent,
            code=f"{code}-0" if parent is None else code,
            name=f"{kind} {code.rpartition('-')[2]}",
            target_humidity=humidity,
        )


def _storage_code(number: int) -> str:
    buildings, rooms = len(_BUILDINGS), len(_BUILDINGS) * _ROOMS
    if number < buildings:
        return _BUILDINGS[number]
    if number < buildings + rooms:
        room = number - buildings
        return f"{_BUILDINGS[room % buildings]}-{room // buildings + 1}"
    rack = number - buildings - rooms
    room = rack % rooms
    return f"{_BUILDINGS[room % buildings]}-{room // buildings + 1}-{rack // rooms + 1}"


def _write_institutions(writer: RowWriter) -> None:
    for number, (name, place, domain) in enumerate(_TEXTS["institutions"], 1):
        writer.write(
            "institution",
            number,
            name=name,
            place=place,
            address=f"Museumsstraße {number * 7 % 90 + 1}\n{name.rpartition(', ')[2]}",
            email=f"loans@{domain}.example",
            website=f"https://{domain}.example",
        )


def _write_artists(writer: RowWriter) -> None:
    rng, places = writer.rng, len(_TEXTS["places"])
    for number in object_ids("artist"):
        first, last = rng.choice(_TEXTS["first_names"]), rng.choice(_TEXTS["surnames"])
        born = rng.choice((1560, 1640, 1710, 1780, 1830, 1850, 1870, 1890, 1905)) + rng.randint(0, 30)
        died = born + rng.randint(34, 84)
        writer.write(
            "artist",
            number,
            _tags=None,
            name=f"{last}, {first}",
            born=writer.date(born, born),
            died=writer.date(died, died) if rng.random() < 0.9 else None,
            birthplace=rng.randint(1, places),
            biography=_localized(f"Tätig um {born + 30}.", f"Active around {born + 30}."),
            gnd=_to_json(
                {"conceptName": f"{last}, {first}", "conceptURI": f"https://d-nb.info/gnd/{10**8 + number}"}
            ),
            website=None,
        )
        if rng.random() < 0.4:
            name = f"{first[0]}. {last}"
            writer.write_nested("artist__name_variant", number, name=name, source="Signatur")


_DEPARTMENTS = ("G", "Z", "P", "KG", "F", "TX")
_PLACES, _MATERIALS, _TECHNIQUES, _KEYWORDS = (
    len(_TEXTS[name]) for name in ("places", "materials", "techniques", "keywords")
)


def _write_works(writer: RowWriter) -> None:
    """Adds works by ascending id, with their nested tables."""
    artists, shelves = object_ids("artist"), object_ids("storage_location")
    for number in object_ids("work"):
        made = writer.rng.choice((1590, 1660, 1730, 1800, 1850, 1880, 1900, 1920)) + writer.rng.randint(0, 45)
        acquired = max(made + 5, writer.rng.randint(1860, 2024))
        _write_work(writer, number, made, acquired, shelves)
        _write_links(writer, number, artists)
        _write_parts(writer, number)
        _write_inscription(writer, number, made)
        _write_provenance(writer, number, made, acquired)


def _write_work(writer: RowWriter, number: int, made: int, acquired: int, shelves: list[int]) -> None:
    rng = writer.rng
    german, english = (" ".join(words).strip() for words in zip(*_title(writer), strict=True))
    acquisition = rng.choice(_TEXTS["acquisitions"])
    writer.write(
        "work",
        number,
        _pool_id=rng.randint(2, 5),
        _tags=_to_json(sorted(writer.sample(range(1, 7), rng.randint(0, 2)))),
        inventory_number=f"{rng.choice(_DEPARTMENTS)} {acquired}/{number}",
        title=_localized(german, english),
        description=_localized(f"{german}. Um {made} entstanden.", f"{english}. Made around {made}."),
        dating=period(str(made - rng.randint(0, 5)), str(made)),
        dating_note=rng.choice((None, None, "stilistisch", "datiert", "Quelle widersprüchlich")),
        technique=rng.randint(1, _TECHNIQUES),
        place_of_origin=rng.randint(1, _PLACES),
        storage=rng.choice(shelves),
        acquired_on=writer.date(acquired, acquired),
        acquisition=acquisition,
        credit_line=_localized(f"Museum, {acquisition} {acquired}", f"Museum, acquired {acquired}"),
        insurance_value=round(500 * 1.9 ** (rng.random() * 9), 2),
        weight=rng.choice((None, rng.randint(1, 180))),
        previous_number=rng.choice((None, f"alt {rng.randint(1, 2400)}")),
        on_display=rng.random() < 0.18,
        lido_record=_to_json({"url": f"https://museum.example/lido/{number}", "text": "LIDO"}),
        internal_note=None if rng.random() < 0.8 else "Bitte vor der nächsten Ausleihe prüfen.",
    )


def _title(writer: RowWriter) -> tuple[tuple[str, str], tuple[str, str]]:
    return writer.rng.choice(_TEXTS["motifs"]), writer.rng.choice(_TEXTS["additions"])


def _write_links(writer: RowWriter, number: int, artists: list[int]) -> None:
    rng = writer.rng
    for artist in writer.sample(artists, 1 if rng.random() < 0.9 else 2):
        role = rng.choice(("artist", "artist", "workshop", "after"))
        writer.write_nested("work__artist", number, artist=artist, role=role, certain=rng.random() < 0.85)
    for place, material in enumerate(writer.sample(range(1, _MATERIALS + 1), rng.randint(1, 2))):
        writer.write_nested("work__material", number, material=material, support=place == 1)
    for keyword in writer.sample(range(1, _KEYWORDS + 1), rng.randint(0, 3)):
        writer.write_nested("work__keyword", number, keyword=keyword)


def _write_parts(writer: RowWriter, number: int) -> None:
    parts = _TEXTS["parts"][: 2 if writer.rng.random() < 0.25 else 1]
    for position, (german, english, detachable) in enumerate(parts, 1):
        name = _localized(german, english)
        part = writer.write_nested("work__part", number, number=position, name=name, detachable=detachable)
        for dimension in ("height", "width", "depth")[: writer.rng.randint(2, 3)]:
            _write_measurement(writer, part, dimension)


def _write_measurement(writer: RowWriter, part: int, dimension: str) -> None:
    value = round(4 + writer.rng.random() * 140, 1)
    measurement = writer.write_nested(
        "work__part__measurement", part, dimension=dimension, value=value, unit="cm"
    )
    for _ in range(writer.rng.choice((0, 0, 0, 1, 2))):
        writer.write_nested(
            "work__part__measurement__reading",
            measurement,
            taken_at=writer.date_time(1998, 2024),
            value=round(value + writer.rng.uniform(-0.3, 0.3), 2),
            instrument=writer.rng.choice(("Zollstock", "Laser", None)),
        )


def _write_inscription(writer: RowWriter, number: int, made: int) -> None:
    if writer.rng.random() < 0.35:
        text, german, english, meaning, translation = writer.rng.choice(_TEXTS["inscriptions"])
        writer.write_nested(
            "work__inscription",
            number,
            text=f"{text} {made}",
            position=_localized(german, english),
            translation=_localized(meaning, translation),
        )


def _write_provenance(writer: RowWriter, number: int, made: int, acquired: int) -> None:
    stations = writer.rng.randint(0, 3)
    years = sorted(writer.rng.randint(made, acquired) for _ in range(stations + 1))
    for position in range(stations):
        writer.write_nested(
            "work__provenance",
            number,
            position=position + 1,
            owner=writer.rng.choice(_TEXTS["owners"]),
            place=writer.rng.randint(1, _PLACES),
            period=period(str(years[position]), str(years[position + 1])),
            evidence=writer.rng.choice(_TEXTS["evidence"]),
            needs_research=years[position] <= 1945 and years[position + 1] >= 1933,
        )


def _write_images(writer: RowWriter) -> None:
    """Adds images by ascending id, some of them without a work."""
    works = object_ids("work")
    for number in object_ids("image"):
        name, rng = f"MK_{1000 + number:06d}.tif", writer.rng
        width = rng.choice((4000, 5616, 6000, 8256))
        writer.write(
            "image",
            number,
            _pool_id=rng.randint(2, 5),
            _tags=None,
            file=file(1000 + number, name),
            title=_localized(f"Aufnahme {number}", f"Shot {number}"),
            work=rng.choice(works) if rng.random() < 0.95 else None,
            view=rng.choice(("front", "front", "back", "detail", "raking light")),
            photographer=rng.choice(("Leo Nwosu", "Ines Petrak", "Nora Dietz")),
            taken_at=writer.date_time(2009, 2024),
            width=width,
            height=width * 2 // 3,
            published=rng.random() < 0.6,
        )


_EXAMINERS = ("Tilda Lindqvist", "Paul Amrein", "Katja Sommerfeld")


def _write_business(writer: RowWriter) -> None:
    """Adds books, exhibitions, loans, condition reports and tours, link targets first."""
    works = object_ids("work")
    _write_books(writer, works)
    _write_exhibitions(writer, works)
    _write_loans(writer, works)
    _write_reports(writer, works)
    _write_tours(writer, works)


def _write_books(writer: RowWriter, works: list[int]) -> None:
    rng = writer.rng
    for number in object_ids("bibliography"):
        writer.write(
            "bibliography",
            number,
            title=f"{rng.choice(_TEXTS['books'])}, {number}",
            author=f"{rng.choice(_TEXTS['surnames'])}, {rng.choice(_TEXTS['first_names'])}",
            year=rng.randint(1870, 2024),
            shelf_mark=f"{rng.choice('ABCDK')} {rng.randint(1, 40)}/{number}",
            pages=rng.randint(24, 640),
        )
        for work in writer.sample(works, rng.randint(0, 3)):
            pages = f"{rng.randint(5, 300)} f."
            writer.write_nested(
                "bibliography__work", number, work=work, pages=pages, illustrated=rng.random() < 0.5
            )


def _write_exhibitions(writer: RowWriter, works: list[int]) -> None:
    rng = writer.rng
    for number in object_ids("exhibition"):
        german, english, *subtitle = _TEXTS["exhibitions"][number % len(_TEXTS["exhibitions"])]
        year = 2000 + number
        writer.write(
            "exhibition",
            number,
            _tags=None,
            title=_localized(german, english),
            subtitle=_localized(*subtitle),
            period=period(f"{year}-{rng.randint(1, 6):02d}-12", f"{year}-{rng.randint(7, 12):02d}-04"),
            place_text=rng.choice(("Haupthaus", "Kabinett", "Orangerie", "Kunsthalle am Fluss, Basel")),
            visitors=rng.randint(900, 84_000),
        )
        for position, work in enumerate(writer.sample(works, rng.randint(8, 16)), 1):
            label = _localized("Leihgabe und Bestand", "Loan and collection")
            writer.write_nested(
                "exhibition__exhibit", number, work=work, catalog_number=position, label_text=label
            )


def _write_loans(writer: RowWriter, works: list[int]) -> None:
    rng, exhibitions, borrowers = writer.rng, object_ids("exhibition"), object_ids("institution")
    for number in object_ids("loan"):
        year = rng.randint(2004, 2024)
        writer.write(
            "loan",
            number,
            number=number,
            borrower=rng.choice(borrowers),
            exhibition=rng.choice([None, *exhibitions]),
            period=period(f"{year}-03-01", f"{year}-{rng.randint(6, 12):02d}-30"),
            signed_on=writer.date(year - 1, year - 1),
            courier=rng.random() < 0.3,
        )
        for work in writer.sample(works, rng.randint(1, 5)):
            value = round(rng.uniform(2_000, 900_000), 2)
            conditions = rng.choice((None, "Höchstens 50 Lux", "Klimakiste", "Nur mit Kurier"))
            writer.write_nested("loan__item", number, work=work, insured_for=value, conditions=conditions)


def _write_reports(writer: RowWriter, works: list[int]) -> None:
    rng = writer.rng
    for number in object_ids("condition_report"):
        examiner = rng.choice(_EXAMINERS)
        writer.write(
            "condition_report",
            number,
            _tags=None,
            work=rng.choice(works),
            examined_at=writer.date_time(2012, 2024),
            examiner=examiner,
            grade=rng.choice((1, 2, 2, 2, 3, 3, 4, 5)),
            summary=rng.choice(("Stabil.", "Handlungsbedarf vor der nächsten Ausleihe.", "Unverändert.")),
            signature=file(9000 + number, f"report-{number}.pdf") if number % 5 == 0 else None,
        )
        for kind, german, english in writer.sample(_TEXTS["damages"], rng.randint(0, 3)):
            area = _localized(german, english)
            writer.write_nested(
                "condition_report__damage", number, kind=kind, severity=rng.randint(1, 5), area=area
            )


def _write_tours(writer: RowWriter, works: list[int]) -> None:
    for number, (german, english, minutes, children) in zip(object_ids("tour"), _TEXTS["tours"], strict=True):
        title = _localized(german, english)
        writer.write("tour", number, title=title, minutes=minutes, suitable_for_children=children)
        for position, work in enumerate(writer.sample(works, 4 + minutes // 10), 1):
            writer.write_nested(
                "tour__stop",
                number,
                position=position,
                work=work,
                audio=file(20_000 + 100 * number + position, f"tour-{number}-{position}.mp3"),
                script=_localized("Treten Sie näher.", "Step closer."),
            )
