"""The demo data model of a museum: three committed versions and a HEAD that differs."""

from __future__ import annotations

from dataclasses import replace

from server_stub.demo.table_definitions import (
    Document,
    LocalizedLabel,
    ReverseLinkDefinition,
    TableDefinition,
    column,
    document,
    link,
    localized_names,
    nested,
    since,
    table_names,
    until,
)

_READING = nested(
    "reading",
    "Ablesungen",
    "Readings",
    column("taken_at", "date_time", "Abgelesen am", "Taken at", not_null=True),
    column("value", "decimal.2", "Wert", "Value", not_null=True),
    column("instrument", "text_oneline", "Messgerät", "Instrument"),
)

_MEASUREMENT = nested(
    "measurement",
    "Maße",
    "Measurements",
    column("dimension", "string", "Dimension", "Dimension", not_null=True, check="not_empty"),
    column(
        "value",
        "decimal.2",
        "Wert",
        "Value",
        not_null=True,
        check="range",
        check_range_lower=0,
        check_range_lower_open=True,
    ),
    column(
        "unit", "string", "Einheit", "Unit", default="cm", check="regexp", check_regexp="^(mm|cm|m|g|kg)$"
    ),
    _READING,
    unique=(("dimension",),),
)

_PART = nested(
    "part",
    "Teile",
    "Parts",
    column("number", "integer", "Nummer", "Number", not_null=True, check="range", check_range_lower=1),
    column("name", "text_l10n_oneline", "Bezeichnung", "Name"),
    column("detachable", "boolean", "Abnehmbar", "Detachable", not_null=True, default=False),
    _MEASUREMENT,
    unique=(("number",),),
)

_PROVENANCE = nested(
    "provenance",
    "Provenienz",
    "Provenance",
    column("position", "integer", "Stelle", "Position", not_null=True),
    column("owner", "text_oneline", "Besitz", "Owner"),
    link("place", "place", "Ort", "Place"),
    column("period", "date_range", "Zeitraum", "Period"),
    column("evidence", "text", "Beleg", "Evidence"),
    column("needs_research", "boolean", "Noch zu klären", "Needs research", default=False),
)

_INSCRIPTION = nested(
    "inscription",
    "Inschriften",
    "Inscriptions",
    column("text", "text", "Wortlaut", "Text", not_null=True, check="not_empty"),
    column("position", "text_l10n_oneline", "Anbringung", "Position"),
    column("translation", "text_l10n", "Übersetzung", "Translation"),
)

WORK = TableDefinition(
    "work",
    LocalizedLabel("Werk", "Work"),
    (
        column(
            "inventory_number",
            "string",
            "Inventarnummer",
            "Inventory number",
            not_null=True,
            check="regexp",
            check_regexp="^[A-Z]{1,3} [0-9]{4}/[0-9]{1,4}$",
            length_max=16,
        ),
        column("title", "text_l10n_oneline", "Titel", "Title", not_null=True, check="not_empty"),
        column("description", "text_l10n", "Beschreibung", "Description"),
        nested(
            "artist",
            "Künstlerinnen und Künstler",
            "Artists",
            link("artist", "artist", "Person", "Person", not_null=True),
            column("role", "text_oneline", "Rolle", "Role", default="artist"),
            column("certain", "boolean", "Gesichert", "Certain", not_null=True, default=True),
        ),
        column("dating", "date_range", "Datierung", "Dating"),
        column("dating_note", "text_oneline", "Anmerkung zur Datierung", "Note on dating"),
        nested(
            "material",
            "Materialien",
            "Materials",
            link("material", "material", "Material", "Material", not_null=True),
            column("support", "boolean", "Bildträger", "Support", default=False),
            unique=(("material",),),
        ),
        link("technique", "technique", "Technik", "Technique"),
        nested(
            "keyword",
            "Schlagwörter",
            "Keywords",
            link("keyword", "keyword", "Schlagwort", "Keyword", not_null=True),
        ),
        link("place_of_origin", "place", "Entstehungsort", "Place of origin"),
        link("storage", "storage_location", "Standort", "Storage location"),
        _PART,
        _INSCRIPTION,
        _PROVENANCE,
        column("acquired_on", "date", "Erworben am", "Acquired on"),
        column("acquisition", "text_oneline", "Erwerbungsart", "Mode of acquisition"),
        column("credit_line", "text_l10n_oneline", "Bildnachweis", "Credit line"),
        column(
            "insurance_value",
            "decimal.2",
            "Versicherungswert",
            "Insurance value",
            check="range",
            check_range_lower=0,
        ),
        column("weight", "integer", "Gewicht (kg)", "Weight (kg)", until(3)),
        column("weight", "decimal.2", "Gewicht (kg)", "Weight (kg)", since(4)),
        column("card_number", "string", "Karteikarte", "Index card", until(2)),
        column("previous_number", "string", "Alte Nummer", "Previous number", until(3)),
        column("on_display", "boolean", "Ausgestellt", "On display", since(3), not_null=True, default=False),
        column(
            "lido_record", "custom:base.custom-data-type-link.link", "LIDO-Datensatz", "LIDO record", since(2)
        ),
        column("internal_note", "text", "Interne Notiz", "Internal note"),
        ReverseLinkDefinition("image", "work"),
    ),
    options={
        "pool_link": True,
        "has_tags": True,
        "acl_table": True,
        "in_main_search": True,
        "require_comment": True,
        "comment": "Everything that has an inventory number.",
    },
    unique=(("inventory_number",),),
)

IMAGE = TableDefinition(
    "image",
    LocalizedLabel("Abbildung", "Image"),
    (
        column("file", "eas", "Datei", "File", not_null=True),
        column("title", "text_l10n_oneline", "Titel", "Title"),
        link("work", "work", "Werk", "Work", reverse_edit=True),
        column("view", "string", "Ansicht", "View", default="front"),
        column("photographer", "text_oneline", "Aufnahme", "Photographer"),
        column("taken_at", "date_time", "Aufgenommen am", "Taken at"),
        column("width", "number", "Breite (px)", "Width (px)", check="range", check_range_lower=1),
        column("height", "number", "Höhe (px)", "Height (px)", check="range", check_range_lower=1),
        column("published", "boolean", "Veröffentlicht", "Published", not_null=True, default=False),
    ),
    options={"pool_link": True, "has_tags": True, "acl_table": True, "in_main_search": True},
)


_LISTED = {"in_main_search": False, "in_facets": True}

ARTIST = TableDefinition(
    "artist",
    LocalizedLabel("Künstlerin, Künstler", "Artist"),
    (
        column("name", "text_oneline", "Name", "Name", not_null=True, check="not_empty"),
        nested(
            "name_variant",
            "Namensformen",
            "Variant names",
            column("name", "text_oneline", "Namensform", "Variant name", not_null=True),
            column("source", "text_oneline", "Quelle", "Source"),
        ),
        column("born", "date", "Geboren", "Born", check="range", check_range_upper="2100-01-01"),
        column("died", "date", "Gestorben", "Died"),
        link("birthplace", "place", "Geburtsort", "Birthplace"),
        column("biography", "text_l10n", "Biografie", "Biography"),
        column("gnd", "custom:base.custom-data-type-gnd.gnd", "GND", "GND", since(2)),
        column("website", "text_oneline", "Website", "Website"),
    ),
    options={"in_main_search": True, "in_facets": True, "has_tags": True},
)

PLACE = TableDefinition(
    "place",
    LocalizedLabel("Ort", "Place"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("kind", "string", "Art", "Kind"),
        column("position", "custom:base.custom-data-type-location.location", "Lage", "Position", since(2)),
    ),
    options={"is_hierarchical": True, **_LISTED},
)

MATERIAL = TableDefinition(
    "material",
    LocalizedLabel("Material", "Material"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column(
            "light_sensitive", "boolean", "Lichtempfindlich", "Light-sensitive", not_null=True, default=False
        ),
        column("aat", "string", "AAT-Nummer", "AAT number", check="regexp", check_regexp="^3000[0-9]{5}$"),
    ),
    options=_LISTED,
    unique=(("aat",),),
)

TECHNIQUE = TableDefinition(
    "technique",
    LocalizedLabel("Technik", "Technique"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("scope", "text_l10n", "Erläuterung", "Scope note"),
    ),
    options=_LISTED,
)

KEYWORD = TableDefinition(
    "keyword",
    LocalizedLabel("Schlagwort", "Keyword"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("iconclass", "string", "Iconclass", "Iconclass", length_max=20),
    ),
    options={"is_hierarchical": True, **_LISTED},
)

STORAGE_LOCATION = TableDefinition(
    "storage_location",
    LocalizedLabel("Standort", "Storage location"),
    (
        column("code", "string", "Kürzel", "Code", not_null=True, length_min=2, length_max=12),
        column("name", "text_oneline", "Name", "Name", not_null=True),
        column(
            "target_humidity",
            "integer.2",
            "Sollfeuchte (%)",
            "Target humidity (%)",
            check="range",
            check_range_lower=0,
            check_range_upper=100,
        ),
    ),
    options={"is_hierarchical": True, "comment": "Buildings, rooms, racks."},
    unique=(("code",),),
)

INSTITUTION = TableDefinition(
    "institution",
    LocalizedLabel("Einrichtung", "Institution"),
    (
        column("name", "text_oneline", "Name", "Name", not_null=True, check="not_empty"),
        link("place", "place", "Ort", "Place"),
        column("address", "text", "Anschrift", "Address"),
        column("email", "string", "E-Mail", "E-mail", check="email"),
        column("website", "text_oneline", "Website", "Website"),
    ),
    options=_LISTED,
    unique=(("name",),),
)

BIBLIOGRAPHY = TableDefinition(
    "bibliography",
    LocalizedLabel("Literatur", "Bibliography"),
    (
        column("title", "text", "Titel", "Title", not_null=True),
        column("author", "text_oneline", "Verfasst von", "Author"),
        column(
            "year", "integer", "Jahr", "Year", check="range", check_range_lower=1450, check_range_upper=2100
        ),
        column("shelf_mark", "string", "Signatur", "Shelf mark"),
        column("pages", "number", "Seiten", "Pages"),
        nested(
            "work",
            "Behandelte Werke",
            "Works discussed",
            link("work", "work", "Werk", "Work", not_null=True),
            column("pages", "text_oneline", "Seiten", "Pages"),
            column("illustrated", "boolean", "Abgebildet", "Illustrated", default=False),
        ),
    ),
    options={"in_main_search": True},
)


EXHIBITION = TableDefinition(
    "exhibition",
    LocalizedLabel("Ausstellung", "Exhibition"),
    (
        column("title", "text_l10n_oneline", "Titel", "Title", not_null=True, check="not_empty"),
        column("subtitle", "text_l10n_oneline", "Untertitel", "Subtitle"),
        column("period", "daterange", "Laufzeit", "Period"),
        column("place_text", "text_oneline", "Ort (Freitext)", "Place (free text)", until(3)),
        replace(column("venue", "text_oneline", "Spielort", "Venue", since(4)), was="place_text"),
        column("visitors", "integer", "Besuche", "Visitors", check="range", check_range_lower=0),
        nested(
            "exhibit",
            "Exponate",
            "Exhibits",
            link("work", "work", "Werk", "Work", not_null=True),
            column("catalog_number", "integer", "Katalognummer", "Catalogue number"),
            column("label_text", "text_l10n", "Objekttext", "Label text"),
            unique=(("work",),),
        ),
    ),
    options={"in_main_search": True, "acl_table": True, "has_tags": True},
)

LOAN = TableDefinition(
    "loan",
    LocalizedLabel("Leihvorgang", "Loan"),
    (
        column("number", "serial", "Laufende Nummer", "Serial number"),
        link("borrower", "institution", "Leihnehmer", "Borrower", not_null=True),
        link("exhibition", "exhibition", "Ausstellung", "Exhibition"),
        column("period", "date_range", "Leihfrist", "Period of loan", not_null=True),
        column("signed_on", "date", "Vertrag vom", "Signed on"),
        column("courier", "boolean", "Mit Kurierbegleitung", "With courier", not_null=True, default=False),
        nested(
            "item",
            "Leihgaben",
            "Items",
            link("work", "work", "Werk", "Work", not_null=True),
            column(
                "insured_for",
                "decimal.2",
                "Versichert mit",
                "Insured for",
                check="range",
                check_range_lower=0,
            ),
            column("conditions", "text", "Auflagen", "Conditions"),
            unique=(("work",),),
        ),
    ),
    versions=since(2),
    options={"acl_table": True, "require_comment": True, "comment": "Works that leave the house."},
)

CONDITION_REPORT = TableDefinition(
    "condition_report",
    LocalizedLabel("Zustandsprotokoll", "Condition report"),
    (
        link("work", "work", "Werk", "Work", not_null=True),
        column("examined_at", "datetime", "Untersucht am", "Examined at", not_null=True),
        column("examiner", "text_oneline", "Untersucht von", "Examiner"),
        column(
            "grade",
            "number",
            "Zustandsnote",
            "Grade",
            not_null=True,
            check="range",
            check_range_lower=1,
            check_range_upper=6,
            check_range_upper_open=True,
        ),
        column("summary", "text", "Befund", "Summary"),
        column("signature", "eas", "Unterschrift", "Signature", since(3)),
        nested(
            "damage",
            "Schäden",
            "Damages",
            column("kind", "text_oneline", "Art", "Kind", not_null=True),
            column(
                "severity",
                "integer",
                "Schwere",
                "Severity",
                check="range",
                check_range_lower=1,
                check_range_upper=5,
            ),
            column("area", "text_l10n_oneline", "Stelle", "Area"),
        ),
    ),
    options={"has_tags": True},
)

TOUR = TableDefinition(
    "tour",
    LocalizedLabel("Rundgang", "Tour"),
    (
        column("title", "text_l10n_oneline", "Titel", "Title", not_null=True),
        column(
            "minutes", "integer", "Dauer (Minuten)", "Duration (minutes)", check="range", check_range_lower=5
        ),
        column("suitable_for_children", "boolean", "Für Kinder", "Suitable for children", default=False),
        nested(
            "stop",
            "Stationen",
            "Stops",
            column("position", "integer", "Stelle", "Position", not_null=True),
            link("work", "work", "Werk", "Work", not_null=True),
            column("audio", "eas", "Hörtext", "Audio"),
            column("script", "text_l10n", "Sprechtext", "Script"),
            unique=(("position",),),
        ),
    ),
    versions=since(3),
    options={"in_main_search": True},
)

RESTORATION = TableDefinition(
    "restoration",
    LocalizedLabel("Restaurierung", "Restoration"),
    (
        link("work", "work", "Werk", "Work", not_null=True),
        link("report", "condition_report", "Zustandsprotokoll", "Condition report"),
        column("restorer", "text_oneline", "Restauriert von", "Restorer", not_null=True),
        column("period", "date_range", "Zeitraum", "Period"),
        column("goal", "text_l10n", "Ziel", "Goal"),
        nested(
            "step",
            "Maßnahmen",
            "Steps",
            column("done_on", "date", "Ausgeführt am", "Done on"),
            column("measure", "text", "Maßnahme", "Measure", not_null=True),
            link("material", "material", "Material", "Material"),
            column("reversible", "boolean", "Umkehrbar", "Reversible", not_null=True, default=True),
        ),
    ),
    versions=since(4),
    options={"acl_table": True, "comment": "Planned with the conservation department, not yet in use."},
)


CURRENT_VERSION = 3
HEAD_VERSION = 4

_MUSEUM = (
    WORK,
    IMAGE,
    ARTIST,
    PLACE,
    MATERIAL,
    TECHNIQUE,
    KEYWORD,
    STORAGE_LOCATION,
    INSTITUTION,
    BIBLIOGRAPHY,
    EXHIBITION,
    LOAN,
    CONDITION_REPORT,
    TOUR,
    RESTORATION,
)


def museum_document(version: int, before: Document | None) -> Document:
    """The document of a version, to post as HEAD; `before` is the HEAD as read."""
    return document(_MUSEUM, version, before)


def museum_names(version: int = HEAD_VERSION) -> dict[str, dict[str, str]]:
    """The localised names of a version (wire §5 `keys`): {key: {language: text}}."""
    return localized_names(_MUSEUM, version)


def objecttypes(version: int) -> tuple[str, ...]:
    """The names of the top-level tables of a version."""
    return tuple(definition.name for definition in _MUSEUM if definition.versions.covers(version))


def museum_tables(version: int) -> list[str]:
    """The names of all tables of a version, including nested ones."""
    return table_names(_MUSEUM, version)
