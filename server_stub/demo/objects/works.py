"""Rows of works with all that is nested in them, three tables deep, and of their images."""

from __future__ import annotations

from server_stub.demo.objects import lists, phrases
from server_stub.demo.objects.desk import Desk, as_json, file, period, texts
from server_stub.demo.objects.plan import ids

_DEPARTMENTS = ("G", "Z", "P", "KG", "F", "TX")
_PLACES, _MATERIALS, _TECHNIQUES, _KEYWORDS = (
    len(lists.lines(text)) for text in (lists.PLACES, lists.MATERIALS, lists.TECHNIQUES, lists.KEYWORDS)
)


def write_works(desk: Desk) -> None:
    """Works by ascending id."""
    artists, shelves = ids("artist"), ids("storage_location")
    for number in ids("work"):
        made = desk.rng.choice((1590, 1660, 1730, 1800, 1850, 1880, 1900, 1920)) + desk.rng.randint(0, 45)
        acquired = max(made + 5, desk.rng.randint(1860, 2024))
        _write_work(desk, number, made, acquired, shelves)
        _write_links(desk, number, artists)
        _write_parts(desk, number)
        _write_inscription(desk, number, made)
        _write_provenance(desk, number, made, acquired)


def _write_work(desk: Desk, number: int, made: int, acquired: int, shelves: list[int]) -> None:
    rng = desk.rng
    german, english = (" ".join(words).strip() for words in zip(*_title(desk), strict=True))
    way = rng.choice(phrases.ACQUISITIONS)
    desk.write(
        "work",
        number,
        _pool_id=rng.randint(2, 5),
        _tags=as_json(sorted(desk.some(range(1, 7), rng.randint(0, 2)))),
        inventory_number=f"{rng.choice(_DEPARTMENTS)} {acquired}/{number}",
        title=texts(german, english),
        description=texts(f"{german}. Um {made} entstanden.", f"{english}. Made around {made}."),
        dating=period(str(made - rng.randint(0, 5)), str(made)),
        dating_note=rng.choice((None, None, "stilistisch", "datiert", "Quelle widersprüchlich")),
        technique=rng.randint(1, _TECHNIQUES),
        place_of_origin=rng.randint(1, _PLACES),
        storage=rng.choice(shelves),
        acquired_on=desk.day(acquired, acquired),
        acquisition=way,
        credit_line=texts(f"Museum, {way} {acquired}", f"Museum, acquired {acquired}"),
        insurance_value=round(500 * 1.9 ** (rng.random() * 9), 2),
        weight=rng.choice((None, rng.randint(1, 180))),
        previous_number=rng.choice((None, f"alt {rng.randint(1, 2400)}")),
        on_display=rng.random() < 0.18,
        lido_record=as_json({"url": f"https://museum.example/lido/{number}", "text": "LIDO"}),
        internal_note=None if rng.random() < 0.8 else "Bitte vor der nächsten Ausleihe prüfen.",
    )


def _title(desk: Desk) -> tuple[tuple[str, str], tuple[str, str]]:
    return desk.rng.choice(phrases.MOTIFS), desk.rng.choice(phrases.ADDITIONS)


def _write_links(desk: Desk, number: int, artists: list[int]) -> None:
    rng = desk.rng
    for artist in desk.some(artists, 1 if rng.random() < 0.9 else 2):
        role = rng.choice(("artist", "artist", "workshop", "after"))
        desk.write_nested("work__artist", number, artist=artist, role=role, certain=rng.random() < 0.85)
    for place, material in enumerate(desk.some(range(1, _MATERIALS + 1), rng.randint(1, 2))):
        desk.write_nested("work__material", number, material=material, support=place == 1)
    for keyword in desk.some(range(1, _KEYWORDS + 1), rng.randint(0, 3)):
        desk.write_nested("work__keyword", number, keyword=keyword)


def _write_parts(desk: Desk, number: int) -> None:
    parts = phrases.PARTS[: 2 if desk.rng.random() < 0.25 else 1]
    for position, (german, english, detachable) in enumerate(parts, 1):
        name = texts(german, english)
        part = desk.write_nested("work__part", number, number=position, name=name, detachable=detachable)
        for dimension in ("height", "width", "depth")[: desk.rng.randint(2, 3)]:
            _write_measurement(desk, part, dimension)


def _write_measurement(desk: Desk, part: int, dimension: str) -> None:
    value = round(4 + desk.rng.random() * 140, 1)
    measurement = desk.write_nested(
        "work__part__measurement", part, dimension=dimension, value=value, unit="cm"
    )
    for _ in range(desk.rng.choice((0, 0, 0, 1, 2))):
        desk.write_nested(
            "work__part__measurement__reading",
            measurement,
            taken_at=desk.moment(1998, 2024),
            value=round(value + desk.rng.uniform(-0.3, 0.3), 2),
            instrument=desk.rng.choice(("Zollstock", "Laser", None)),
        )


def _write_inscription(desk: Desk, number: int, made: int) -> None:
    if desk.rng.random() < 0.35:
        text, german, english, meaning, translation = desk.rng.choice(phrases.INSCRIPTIONS)
        desk.write_nested(
            "work__inscription",
            number,
            text=f"{text} {made}",
            position=texts(german, english),
            translation=texts(meaning, translation),
        )


def _write_provenance(desk: Desk, number: int, made: int, acquired: int) -> None:
    stations = desk.rng.randint(0, 3)
    years = sorted(desk.rng.randint(made, acquired) for _ in range(stations + 1))
    for position in range(stations):
        desk.write_nested(
            "work__provenance",
            number,
            position=position + 1,
            owner=desk.rng.choice(phrases.OWNERS),
            place=desk.rng.randint(1, _PLACES),
            period=period(str(years[position]), str(years[position + 1])),
            evidence=desk.rng.choice(phrases.EVIDENCE),
            needs_research=years[position] <= 1945 and years[position + 1] >= 1933,
        )


def write_images(desk: Desk) -> None:
    """Images by ascending id; some wait for their work."""
    works = ids("work")
    for number in ids("image"):
        name, rng = f"MK_{1000 + number:06d}.tif", desk.rng
        width = rng.choice((4000, 5616, 6000, 8256))
        desk.write(
            "image",
            number,
            _pool_id=rng.randint(2, 5),
            _tags=None,
            file=file(1000 + number, name),
            title=texts(f"Aufnahme {number}", f"Shot {number}"),
            work=rng.choice(works) if rng.random() < 0.95 else None,
            view=rng.choice(("front", "front", "back", "detail", "raking light")),
            photographer=rng.choice(("Leo Nwosu", "Ines Petrak", "Nora Dietz")),
            taken_at=desk.moment(2009, 2024),
            width=width,
            height=width * 2 // 3,
            published=rng.random() < 0.6,
        )
