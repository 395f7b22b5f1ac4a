"""Rows of what the museum does with its works: books, exhibitions, loans, condition reports, tours."""

from __future__ import annotations

from server_stub.demo.objects import phrases
from server_stub.demo.objects.desk import Desk, file, period, texts
from server_stub.demo.objects.plan import ids

_EXAMINERS = ("Tilda Lindqvist", "Paul Amrein", "Katja Sommerfeld")


def write_business(desk: Desk) -> None:
    """All of it, what is linked to before what links."""
    works = ids("work")
    _write_books(desk, works)
    _write_exhibitions(desk, works)
    _write_loans(desk, works)
    _write_reports(desk, works)
    _write_tours(desk, works)


def _write_books(desk: Desk, works: list[int]) -> None:
    rng = desk.rng
    for number in ids("bibliography"):
        desk.write(
            "bibliography",
            number,
            title=f"{rng.choice(phrases.BOOKS)}, {number}",
            author=f"{rng.choice(phrases.SURNAMES)}, {rng.choice(phrases.FIRST_NAMES)}",
            year=rng.randint(1870, 2024),
            shelf_mark=f"{rng.choice('ABCDK')} {rng.randint(1, 40)}/{number}",
            pages=rng.randint(24, 640),
        )
        for work in desk.some(works, rng.randint(0, 3)):
            pages = f"{rng.randint(5, 300)} f."
            desk.write_nested(
                "bibliography__work", number, work=work, pages=pages, illustrated=rng.random() < 0.5
            )


def _write_exhibitions(desk: Desk, works: list[int]) -> None:
    rng = desk.rng
    for number in ids("exhibition"):
        german, english, *subtitle = phrases.EXHIBITIONS[number % len(phrases.EXHIBITIONS)]
        year = 2000 + number
        desk.write(
            "exhibition",
            number,
            _tags=None,
            title=texts(german, english),
            subtitle=texts(*subtitle),
            period=period(f"{year}-{rng.randint(1, 6):02d}-12", f"{year}-{rng.randint(7, 12):02d}-04"),
            place_text=rng.choice(("Haupthaus", "Kabinett", "Orangerie", "Kunsthalle am Fluss, Basel")),
            visitors=rng.randint(900, 84_000),
        )
        for position, work in enumerate(desk.some(works, rng.randint(8, 16)), 1):
            label = texts("Leihgabe und Bestand", "Loan and collection")
            desk.write_nested(
                "exhibition__exhibit", number, work=work, catalog_number=position, label_text=label
            )


def _write_loans(desk: Desk, works: list[int]) -> None:
    rng, exhibitions, borrowers = desk.rng, ids("exhibition"), ids("institution")
    for number in ids("loan"):
        year = rng.randint(2004, 2024)
        desk.write(
            "loan",
            number,
            number=number,
            borrower=rng.choice(borrowers),
            exhibition=rng.choice([None, *exhibitions]),
            period=period(f"{year}-03-01", f"{year}-{rng.randint(6, 12):02d}-30"),
            signed_on=desk.day(year - 1, year - 1),
            courier=rng.random() < 0.3,
        )
        for work in desk.some(works, rng.randint(1, 5)):
            value = round(rng.uniform(2_000, 900_000), 2)
            conditions = rng.choice((None, "Höchstens 50 Lux", "Klimakiste", "Nur mit Kurier"))
            desk.write_nested("loan__item", number, work=work, insured_for=value, conditions=conditions)


def _write_reports(desk: Desk, works: list[int]) -> None:
    rng = desk.rng
    for number in ids("condition_report"):
        examiner = rng.choice(_EXAMINERS)
        desk.write(
            "condition_report",
            number,
            _tags=None,
            work=rng.choice(works),
            examined_at=desk.moment(2012, 2024),
            examiner=examiner,
            grade=rng.choice((1, 2, 2, 2, 3, 3, 4, 5)),
            summary=rng.choice(("Stabil.", "Handlungsbedarf vor der nächsten Ausleihe.", "Unverändert.")),
            signature=file(9000 + number, f"report-{number}.pdf") if number % 5 == 0 else None,
        )
        for kind, german, english in desk.some(phrases.DAMAGES, rng.randint(0, 3)):
            area = texts(german, english)
            desk.write_nested(
                "condition_report__damage", number, kind=kind, severity=rng.randint(1, 5), area=area
            )


def _write_tours(desk: Desk, works: list[int]) -> None:
    for number, (german, english, minutes, children) in zip(ids("tour"), phrases.TOURS, strict=True):
        title = texts(german, english)
        desk.write("tour", number, title=title, minutes=minutes, suitable_for_children=children)
        for position, work in enumerate(desk.some(works, 4 + minutes // 10), 1):
            desk.write_nested(
                "tour__stop",
                number,
                position=position,
                work=work,
                audio=file(20_000 + 100 * number + position, f"tour-{number}-{position}.mp3"),
                script=texts("Treten Sie näher.", "Step closer."),
            )
