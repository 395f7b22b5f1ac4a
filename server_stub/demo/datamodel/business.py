"""What the museum does with its works: exhibitions, loans, condition reports, tours, restorations."""

from __future__ import annotations

from dataclasses import replace

from server_stub.demo.datamodel.pieces import Label, Objecttype, column, link, nested, since, until

EXHIBITION = Objecttype(
    "exhibition",
    Label("Ausstellung", "Exhibition"),
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

LOAN = Objecttype(
    "loan",
    Label("Leihvorgang", "Loan"),
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
    life=since(2),
    options={"acl_table": True, "require_comment": True, "comment": "Works that leave the house."},
)

CONDITION_REPORT = Objecttype(
    "condition_report",
    Label("Zustandsprotokoll", "Condition report"),
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

TOUR = Objecttype(
    "tour",
    Label("Rundgang", "Tour"),
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
    life=since(3),
    options={"in_main_search": True},
)

RESTORATION = Objecttype(
    "restoration",
    Label("Restaurierung", "Restoration"),
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
    life=since(4),
    options={"acl_table": True, "comment": "Planned with the conservation department, not yet in use."},
)
