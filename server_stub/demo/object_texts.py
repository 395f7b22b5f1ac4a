"""Lists and texts of which the demo objects are made, German and English."""

from __future__ import annotations

# Kind, latitude, longitude.
PLACES = """
Deutschland | Germany | country | 51.2 | 10.4
  Berlin | Berlin | city | 52.52 | 13.40
    Kreuzberg | Kreuzberg | quarter | 52.50 | 13.40
    Friedrichshagen | Friedrichshagen | quarter | 52.45 | 13.62
  Brandenburg | Brandenburg | region | 52.4 | 13.0
    Potsdam | Potsdam | city | 52.40 | 13.06
    Caputh | Caputh | village | 52.35 | 13.00
  Sachsen | Saxony | region | 51.0 | 13.4
    Dresden | Dresden | city | 51.05 | 13.74
    Meißen | Meissen | city | 51.16 | 13.47
  Bayern | Bavaria | region | 48.9 | 11.4
    München | Munich | city | 48.14 | 11.58
    Nürnberg | Nuremberg | city | 49.45 | 11.08
    Murnau | Murnau | town | 47.68 | 11.20
  Hamburg | Hamburg | city | 53.55 | 9.99
  Worpswede | Worpswede | village | 53.22 | 8.93
  Köln | Cologne | city | 50.94 | 6.96
Österreich | Austria | country | 47.6 | 14.1
  Wien | Vienna | city | 48.21 | 16.37
  Salzburg | Salzburg | city | 47.80 | 13.05
Schweiz | Switzerland | country | 46.8 | 8.2
  Basel | Basel | city | 47.56 | 7.59
  Genf | Geneva | city | 46.20 | 6.14
Italien | Italy | country | 42.8 | 12.6
  Venedig | Venice | city | 45.44 | 12.33
    Murano | Murano | quarter | 45.46 | 12.35
  Rom | Rome | city | 41.90 | 12.50
  Florenz | Florence | city | 43.77 | 11.26
Niederlande | Netherlands | country | 52.2 | 5.3
  Amsterdam | Amsterdam | city | 52.37 | 4.90
  Haarlem | Haarlem | city | 52.38 | 4.64
  Delft | Delft | city | 52.01 | 4.36
Frankreich | France | country | 46.6 | 2.4
  Paris | Paris | city | 48.86 | 2.35
    Montmartre | Montmartre | quarter | 48.89 | 2.34
  Lyon | Lyon | city | 45.76 | 4.84
  Sèvres | Sèvres | town | 48.82 | 2.21
Großbritannien | Great Britain | country | 54.0 | -2.5
  London | London | city | 51.51 | -0.13
    Chelsea | Chelsea | quarter | 51.49 | -0.17
  Edinburgh | Edinburgh | city | 55.95 | -3.19
  St Ives | St Ives | town | 50.21 | -5.48
Tschechien | Czech Republic | country | 49.8 | 15.5
  Prag | Prague | city | 50.08 | 14.44
Dänemark | Denmark | country | 56.0 | 10.0
  Kopenhagen | Copenhagen | city | 55.68 | 12.57
  Skagen | Skagen | town | 57.72 | 10.58
Japan | Japan | country | 36.5 | 138.0
  Kyoto | Kyoto | city | 35.01 | 135.77
  Edo | Edo | city | 35.68 | 139.76
"""

# AAT number if known, sensitive to light.
MATERIALS = """
Ölfarbe | Oil paint | 300015050 | no
Leinwand | Canvas | 300014078 | no
Papier | Paper | 300014109 | yes
Aquarellfarbe | Watercolour | 300015045 | yes
Gouache | Gouache | 300070114 | yes
Marmor | Marble | 300011443 | no
Bronze | Bronze | 300010957 | no
Holz | Wood | 300011914 | no
Elfenbein | Ivory | 300011857 | yes
Gold | Gold | 300011021 | no
Silber | Silver | 300011029 | no
Glas | Glass | 300010797 | no
Porzellan | Porcelain | 300010662 | no
Eichenholz | Oak |  | no
Lindenholz | Limewood |  | no
Seide | Silk |  | yes
Wolle | Wool |  | yes
Leder | Leather |  | yes
Tempera | Tempera |  | no
Tusche | Ink |  | yes
Kohle | Charcoal |  | yes
Kreide | Chalk |  | yes
Pappe | Cardboard |  | yes
Terrakotta | Terracotta |  | no
Fayence | Faience |  | no
Zinn | Pewter |  | no
Messing | Brass |  | no
Silbergelatine | Gelatin silver |  | yes
"""

TECHNIQUES = """
Malerei | Painting | Farbe auf einem Träger | Paint on a support
Aquarell | Watercolour painting | Wasserlösliche Farbe, lasierend | Transparent water-based paint
Zeichnung | Drawing | Linie mit Stift oder Feder | Line in pencil or pen
Kupferstich | Engraving | Tiefdruck, gestochen | Intaglio, cut with a burin
Radierung | Etching | Tiefdruck, geätzt | Intaglio, bitten by acid
Lithografie | Lithography | Flachdruck vom Stein | Planographic print from stone
Holzschnitt | Woodcut | Hochdruck vom Holzstock | Relief print from a block
Linolschnitt | Linocut | Hochdruck von Linoleum | Relief print from linoleum
Siebdruck | Screen print | Durchdruck | Print through a stencil
Fotografie | Photography | Lichtbild gleich welchen Verfahrens | By whatever process
Bronzeguss | Bronze casting | Meist in verlorener Form | Mostly lost wax
Schnitzerei | Carving | Holz, Bein oder Stein | Wood, bone or stone
Weberei | Weaving | Mit Bildwirkerei | Tapestry included
Stickerei | Embroidery | Garn auf Gewebe | Thread on cloth
Glasbläserei | Glassblowing | Frei oder in die Form | Free or into a mould
Töpferei | Pottery | Gedreht oder aufgebaut | Thrown or built
Treibarbeit | Chasing | Blech, von hinten getrieben | Sheet metal worked from behind
Email | Enamel | Glasfluss auf Metall | Fused glass on metal
Intarsie | Marquetry | Holz in Holz | Wood set into wood
Collage | Collage | Geklebtes | Pasted papers
"""

KEYWORDS = """
Mensch | People |  31A
  Bildnis | Portrait | 61B
    Selbstbildnis | Self-portrait | 48B
    Kinderbildnis | Portrait of a child | 31D11
  Akt | Nude | 31AA
  Familie | Family | 42
Natur | Nature | 25
  Landschaft | Landscape | 25H
    Küste | Coast | 25H13
    Gebirge | Mountains | 25H11
    Fluss | River | 25H213
    Wald | Forest | 25H15
  Tiere | Animals | 25F
    Pferd | Horse | 46C131
    Vogel | Bird | 25F3
    Hund | Dog | 34B11
  Pflanzen | Plants | 25G
    Blumen | Flowers | 25G41
    Obst | Fruit | 25G21
  Jahreszeiten | Seasons | 23D
    Winter | Winter | 23D44
    Sommer | Summer | 23D42
Alltag | Daily life | 41
  Stillleben | Still life | 41E
  Innenraum | Interior | 41A
  Küche | Kitchen | 41A24
  Kleidung | Clothing | 41D
  Musik | Music | 48C7
  Tanz | Dance | 43C9
  Spiel | Games | 43C
  Markt | Market | 46B3
Stadt | Town | 25I1
  Straße | Street | 25I14
  Brücke | Bridge | 25I143
  Hafen | Harbour | 46C
  Ruine | Ruin | 48C149
  Mühle | Mill | 47D1
Arbeit | Labour | 46A
  Ernte | Harvest | 47I14
  Fischerei | Fishing | 43C12
  Handwerk | Craft | 47
Glaube | Religion | 11
  Madonna | Madonna | 11F4
  Heilige | Saints | 11H
  Kirche | Church | 11Q71
Mythos | Myth | 9
  Götter | Gods | 92
  Verwandlung | Metamorphosis | 97
Zeit | Time | 23
  Vergänglichkeit | Vanitas | 11R7
  Traum | Dream | 31B1
"""

INSTITUTIONS = """
Kunsthalle am Fluss, Basel | 22 | kunsthalle-basel
Stadtmuseum Haarlem | 31 | stadtmuseum-haarlem
Haus der Grafik, Dresden | 9 | grafik-dresden
Glasmuseum Murano | 26 | glas-murano
Museum am Hafen, Hamburg | 15 | hafen-hamburg
Lakeside Gallery, Edinburgh | 41 | lakeside
Royal Print Room, London | 39 | print-room
Künstlerkolonie-Museum Worpswede | 16 | kolonie-worpswede
Museum für Keramik, Meißen | 10 | keramik-meissen
Diözesansammlung Salzburg | 20 | dioezese-salzburg
Galerie der Moderne, Wien | 19 | moderne-wien
Musée du Tissu, Lyon | 36 | tissu-lyon
Fotohaus Kopenhagen | 47 | fotohaus
Skagen Painters' House | 48 | skagen-house
Sammlung Petrova, Prag | 45 | petrova
Delft Tile Collection | 32 | delft-tiles
Museum of Paper, Kyoto | 50 | paper-kyoto
Schlossverwaltung Caputh | 7 | caputh
Heimatmuseum Murnau | 14 | murnau
Cornish Harbour Museum, St Ives | 42 | st-ives
Sammlung Rosenthal, privat | 2 | rosenthal
Universitätssammlung Potsdam | 6 | uni-potsdam
"""


def parse_list(text: str) -> list[tuple[int, list[str]]]:
    """The entries of a list: depth in the tree and the fields."""
    return [
        ((len(line) - len(line.lstrip())) // 2, [field.strip() for field in line.split("|")])
        for line in text.strip("\n").split("\n")
    ]


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
