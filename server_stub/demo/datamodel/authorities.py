"""The controlled lists of the museum's datamodel: people, places, materials, words, books, shelves."""

from __future__ import annotations

from server_stub.demo.datamodel.pieces import Label, Objecttype, column, link, nested, since

_LISTED = {"in_main_search": False, "in_facets": True}

ARTIST = Objecttype(
    "artist",
    Label("Künstlerin, Künstler", "Artist"),
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

PLACE = Objecttype(
    "place",
    Label("Ort", "Place"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("kind", "string", "Art", "Kind"),
        column("position", "custom:base.custom-data-type-location.location", "Lage", "Position", since(2)),
    ),
    options={"is_hierarchical": True, **_LISTED},
)

MATERIAL = Objecttype(
    "material",
    Label("Material", "Material"),
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

TECHNIQUE = Objecttype(
    "technique",
    Label("Technik", "Technique"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("scope", "text_l10n", "Erläuterung", "Scope note"),
    ),
    options=_LISTED,
)

KEYWORD = Objecttype(
    "keyword",
    Label("Schlagwort", "Keyword"),
    (
        column("name", "text_l10n_oneline", "Name", "Name", not_null=True),
        column("iconclass", "string", "Iconclass", "Iconclass", length_max=20),
    ),
    options={"is_hierarchical": True, **_LISTED},
)

STORAGE_LOCATION = Objecttype(
    "storage_location",
    Label("Standort", "Storage location"),
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

INSTITUTION = Objecttype(
    "institution",
    Label("Einrichtung", "Institution"),
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

BIBLIOGRAPHY = Objecttype(
    "bibliography",
    Label("Literatur", "Bibliography"),
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
