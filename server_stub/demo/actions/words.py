"""What people type into the search of the demo house, and the masks they look through; free of quotes."""

from __future__ import annotations

TERMS = (
    "stillleben", "portrait", "aquarell", "landschaft", "harbour", "kirche", "silber", "self-portrait",
    "skizze", "winter", "sommer", "vase", "textile", "fragment", "madonna", "apostle", "boat", "garten",
    "mühle", "bridge", "kostüm", "lithograph", "holzschnitt", "photograph", "glas", "ivory", "medaille",
    "map", "karte", "atlas", "chair", "stuhl", "leuchter", "clock", "uhr", "tapestry", "gobelin",
    "relief", "büste", "terracotta", "porzellan", "teapot", "teekanne", "violin", "geige", "toy",
    "puppe", "mask", "maske", "dragon", "drache", "schenkung 1931", "ankauf", "provenienz unklar",
    "signed", "signiert", "um 1800", "1890-1910", "rückseite", "unpublished", "ohne bild", "leihgabe",
    "restauriert", "neg*", "brandenburg", "rotterdam", "wien", "prague",
)  # fmt: skip

VALUES = (
    "work.dating", "work.technique", "work.artist", "work.storage", "work.place_of_origin", "_pool",
    "_tags._id",
)  # fmt: skip

SORTS = ("_system_object_id", "_standard.1.text", "_last_modified", "work.inventory_number", "_score")

MASKS = ("standard", "full", "editor", "short")

BROWSERS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/128.0",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0.0.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) Safari/605.1.15",
    "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) Safari/604.1",
)
