"""Rows of the controlled lists and trees: places, materials, words, shelves, institutions, artists."""

from __future__ import annotations

from server_stub.demo.objects import lists, phrases
from server_stub.demo.objects.desk import Desk, as_json, texts
from server_stub.demo.objects.plan import ids

_BUILDINGS = ("H", "D")
_ROOMS = 6


def write_authorities(desk: Desk) -> None:
    """Everything that works are described with."""
    _write_places(desk)
    _write_materials(desk)
    _write_keywords(desk)
    _write_storage(desk)
    _write_institutions(desk)
    _write_artists(desk)


def _tree(text: str) -> list[tuple[int, int | None, list[str]]]:
    """The entries of a tree: id, id of the one above, fields."""
    entries: list[tuple[int, int | None, list[str]]] = []
    above: list[int] = []
    for number, (depth, fields) in enumerate(lists.lines(text), 1):
        del above[depth:]
        entries.append((number, above[-1] if above else None, fields))
        above.append(number)
    return entries


def _write_places(desk: Desk) -> None:
    for number, parent, (german, english, kind, latitude, longitude) in _tree(lists.PLACES):
        position = as_json({"lat": float(latitude), "lng": float(longitude)})
        name = texts(german, english)
        desk.write("place", number, _parent_id=parent, name=name, kind=kind, position=position)


def _write_materials(desk: Desk) -> None:
    for number, (_, (german, english, aat, sensitive)) in enumerate(lists.lines(lists.MATERIALS), 1):
        name, light = texts(german, english), sensitive == "yes"
        desk.write("material", number, name=name, light_sensitive=light, aat=aat or None)
    for number, (_, (german, english, *scope)) in enumerate(lists.lines(lists.TECHNIQUES), 1):
        desk.write("technique", number, name=texts(german, english), scope=texts(*scope))


def _write_keywords(desk: Desk) -> None:
    for number, parent, (german, english, iconclass) in _tree(lists.KEYWORDS):
        desk.write("keyword", number, _parent_id=parent, name=texts(german, english), iconclass=iconclass)


def _write_storage(desk: Desk) -> None:
    """Buildings, rooms in them, racks in these."""
    above: dict[str, int] = {}
    for number in ids("storage_location"):
        code = _storage_code(number - 1)
        parent = above.get(code.rpartition("-")[0])
        above[code] = number
        kind = ("Haus", "Raum", "Regal")[code.count("-")]
        humidity = 45 + desk.rng.randint(0, 20) / 2
        desk.write(
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


def _write_institutions(desk: Desk) -> None:
    for number, (_, (name, place, domain)) in enumerate(lists.lines(lists.INSTITUTIONS), 1):
        desk.write(
            "institution",
            number,
            name=name,
            place=int(place),
            address=f"Museumsstraße {number * 7 % 90 + 1}\n{name.rpartition(', ')[2]}",
            email=f"loans@{domain}.example",
            website=f"https://{domain}.example",
        )


def _write_artists(desk: Desk) -> None:
    rng, places = desk.rng, len(lists.lines(lists.PLACES))
    for number in ids("artist"):
        first, last = rng.choice(phrases.FIRST_NAMES), rng.choice(phrases.SURNAMES)
        born = rng.choice((1560, 1640, 1710, 1780, 1830, 1850, 1870, 1890, 1905)) + rng.randint(0, 30)
        died = born + rng.randint(34, 84)
        desk.write(
            "artist",
            number,
            _tags=None,
            name=f"{last}, {first}",
            born=desk.day(born, born),
            died=desk.day(died, died) if rng.random() < 0.9 else None,
            birthplace=rng.randint(1, places),
            biography=texts(f"Tätig um {born + 30}.", f"Active around {born + 30}."),
            gnd=as_json(
                {"conceptName": f"{last}, {first}", "conceptURI": f"https://d-nb.info/gnd/{10**8 + number}"}
            ),
            website=None,
        )
        if rng.random() < 0.4:
            name = f"{first[0]}. {last}"
            desk.write_nested("artist__name_variant", number, name=name, source="Signatur")
