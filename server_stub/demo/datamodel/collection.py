"""The heart of the museum's datamodel: works of art with all that is nested in them, and their images."""

from __future__ import annotations

from server_stub.demo.datamodel.pieces import Label, Objecttype, Reverse, column, link, nested, since, until

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

WORK = Objecttype(
    "work",
    Label("Werk", "Work"),
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
        Reverse("image", "work"),
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

IMAGE = Objecttype(
    "image",
    Label("Abbildung", "Image"),
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
