"""Words from which titles, names and notes of the demo collection are put together; knows no row."""

from __future__ import annotations

MOTIFS = (
    ("Stillleben mit Zitronen", "Still life with lemons"),
    ("Stillleben mit Zinnkrug", "Still life with pewter jug"),
    ("Blumen in blauer Vase", "Flowers in a blue vase"),
    ("Bildnis einer Frau", "Portrait of a woman"),
    ("Bildnis eines Kaufmanns", "Portrait of a merchant"),
    ("Bildnis eines Kindes", "Portrait of a child"),
    ("Selbstbildnis", "Self-portrait"),
    ("Flusslandschaft", "River landscape"),
    ("Winterlandschaft", "Winter landscape"),
    ("Waldweg", "Forest path"),
    ("Heimkehrende Fischer", "Fishermen returning"),
    ("Hafen", "Harbour"),
    ("Brücke", "Bridge"),
    ("Windmühle", "Windmill"),
    ("Markttag", "Market day"),
    ("Ernte", "Harvest"),
    ("Tanzende", "Dancers"),
    ("Musikanten", "Musicians"),
    ("Lesende", "Woman reading"),
    ("Kartenspieler", "Card players"),
    ("Interieur", "Interior"),
    ("Küchenstück", "Kitchen piece"),
    ("Pferde auf der Weide", "Horses in a meadow"),
    ("Möwen", "Gulls"),
    ("Ruine eines Klosters", "Ruins of a monastery"),
    ("Madonna", "Madonna"),
    ("Heiliger Nikolaus", "Saint Nicholas"),
    ("Verwandlung der Daphne", "Metamorphosis of Daphne"),
    ("Allegorie der Zeit", "Allegory of time"),
    ("Teekanne", "Teapot"),
    ("Deckelpokal", "Covered goblet"),
    ("Leuchterpaar", "Pair of candlesticks"),
    ("Wandteppich", "Tapestry"),
    ("Fächer", "Fan"),
    ("Taschenuhr", "Pocket watch"),
    ("Maske", "Mask"),
)

ADDITIONS = (
    ("", ""),
    ("am Morgen", "in the morning"),
    ("am Abend", "in the evening"),
    ("im Nebel", "in fog"),
    ("bei Tauwetter", "in thaw"),
    ("nach dem Regen", "after the rain"),
    ("im Gegenlicht", "against the light"),
    ("mit Hund", "with a dog"),
    ("mit roter Decke", "with a red cloth"),
    ("vor dunklem Grund", "against a dark ground"),
    ("in Grau", "in grey"),
    ("(Entwurf)", "(design)"),
    ("(Fragment)", "(fragment)"),
    ("(zweite Fassung)", "(second version)"),
)

FIRST_NAMES = (
    "Adele", "Agnes", "Anton", "August", "Beatrice", "Caspar", "Clara", "Cornelis", "Edmund", "Elisabeth",
    "Emil", "Esaias", "Ferdinand", "Frieda", "Georg", "Giulia", "Hanna", "Hendrik", "Ida", "Jakob", "Jan",
    "Johanna", "Karl", "Lavinia", "Leopold", "Lorenzo", "Louise", "Maria", "Margaret", "Matthias", "Nils",
    "Oskar", "Paula", "Philipp", "Rosa", "Samuel", "Theodor", "Valentin", "Wilhelmina", "William",
)  # fmt: skip

SURNAMES = (
    "Aldersey", "Amberger", "Bellandi", "Brandis", "van Campen", "Carlsen", "Dornbach", "Eckhoff", "Falkner",
    "Fontaine", "Grieve", "Grünwald", "Haldane", "Hartog", "Ipsen", "Jordis", "Kaltenbrunn", "Kirchhain",
    "Lenoir", "Lindemann", "Maravelli", "Morgenroth", "Nyegaard", "Oberländer", "Orsini-Beck", "Pelham",
    "Querfurt", "Reinsberg", "Ruyven", "Sandrock", "Seyfert", "Tegner", "Thornbury", "Uhlich", "Verhaegen",
    "Waldau", "Weissbrodt", "Wyndham", "Zacherl", "Zuccato",
)  # fmt: skip

OWNERS = (
    "Werkstatt der Künstlerin", "Kunsthandlung Seyfert & Sohn", "Sammlung Graf Reinsberg", "Privatbesitz",
    "Erbengemeinschaft Lindemann", "Galerie am Salzmarkt", "Auktionshaus Pelham", "Staatlicher Fonds",
    "Sammlung Dr. Ida Brandis", "Collection of W. Haldane, Edinburgh", "Unbekannt", "Museum",
)  # fmt: skip

EVIDENCE = (
    "Inventarbuch, Eintrag von fremder Hand",
    "Aufkleber auf der Rückseite",
    "Auction catalogue, lot number matches",
    "Brief im Hausarchiv",
    "Stempel auf dem Keilrahmen",
    "Mündliche Überlieferung",
)

ACQUISITIONS = ("Ankauf", "Schenkung", "Vermächtnis", "Überweisung", "Dauerleihgabe", "Tausch")

INSCRIPTIONS = (
    ("sign. u. r.", "unten rechts", "lower right", "signiert", "signed"),
    ("pinxit", "auf der Rückseite", "on the reverse", "hat es gemalt", "painted it"),
    ("Gott zur Ehr", "am Sockel", "on the base", "Gott zu Ehren", "in honour of God"),
    ("ANNO DOMINI", "umlaufend", "around the rim", "im Jahre des Herrn", "in the year of the Lord"),
    ("für meine Schwester", "unten links", "lower left", "Widmung", "dedication"),
)

DAMAGES = (
    ("Craquelé", "Bildmitte", "centre"),
    ("Kratzer", "unterer Rand", "lower edge"),
    ("Wasserrand", "obere linke Ecke", "upper left corner"),
    ("Abplatzung", "Sockel", "base"),
    ("Korrosion", "Rückseite", "reverse"),
    ("Fehlstelle", "rechter Rand", "right edge"),
    ("Verbräunter Firnis", "gesamte Fläche", "all over"),
    ("Insektenfraß", "Rahmen", "frame"),
)

PARTS = (
    ("Werk", "Work", False),
    ("Rahmen", "Frame", True),
    ("Deckel", "Lid", True),
    ("Sockel", "Base", True),
)

EXHIBITIONS = (
    ("Licht und Wasser", "Light and water", "Flussbilder aus vier Jahrhunderten", "Four centuries of rivers"),
    ("Auf dem Tisch", "On the table", "Stillleben der Sammlung", "Still lifes of the collection"),
    ("Die andere Seite", "The other side", "Rückseiten erzählen", "What the reverse tells"),
    ("Zwischen den Zeilen", "Between the lines", "Zeichnungen", "Drawings"),
    ("Feuer und Sand", "Fire and sand", "Glas aus Murano und Böhmen", "Glass from Murano and Bohemia"),
    ("Heimkehr", "Homecoming", "Neu erforschte Provenienzen", "Provenances newly researched"),
    ("Winter im Norden", "Winter in the north", "Malerei um 1900", "Painting around 1900"),
    ("Faden für Faden", "Thread by thread", "Textilien", "Textiles"),
    ("Gesichter", "Faces", "Bildnisse", "Portraits"),
    ("Was bleibt", "What remains", "Fragmente", "Fragments"),
    ("Musik im Bild", "Music in pictures", "Vom Engel zur Band", "From angels to bands"),
    ("Kleine Dinge", "Small things", "Medaillen und Uhren", "Medals and watches"),
)

TOURS = (
    ("Höhepunkte in einer Stunde", "Highlights in an hour", 60, False),
    ("Tiere entdecken", "Discover animals", 35, True),
    ("Farbe und Chemie", "Colour and chemistry", 50, False),
    ("Frauen in der Sammlung", "Women in the collection", 55, False),
    ("Ein Bild, zehn Minuten", "One picture, ten minutes", 10, False),
    ("Schatzsuche", "Treasure hunt", 40, True),
)

BOOKS = (
    "Verzeichnis der Gemälde",
    "Studies in river painting",
    "Glas: Technik und Geschichte",
    "The merchant's portrait",
    "Beiträge zur Provenienzforschung",
    "Paper, ink, light",
    "Keramik des Nordens",
    "Drawings from a private hand",
    "Die Künstlerkolonie",
    "Woven worlds",
)
