"""Invented databases with questions in English."""

from __future__ import annotations

from debriefer.datasets.invented.model import Chance, World, asked, table


def bakery(chance: Chance) -> World:
    """Loaves and the days on which they were sold."""
    loaves = ["Rye Round", "Seed Crown", "Oat Plait", "Spelt Tin", "Malt Stick", "Barley Ring"]
    prices = chance.sample(range(240, 620, 10), len(loaves))
    products = [(n + 1, name, price / 100) for n, (name, price) in enumerate(zip(loaves, prices, strict=True))]
    sales = [
        (f"2031-03-{day:02d}", product, chance.randint(4, 40)) for day in range(1, 11) for product, _, _ in products
    ]
    sold = {product: sum(n for _, p, n in sales if p == product) for product, _, _ in products}
    takings = round(sum(price * sold[product] for product, _, price in products), 2)
    dear = [(name, price) for _, name, price in sorted(products, key=lambda row: -row[2])[:2]]
    return World(
        "bakery",
        "en",
        (table("products", "product_id name price", products), table("sales", "day product_id pieces", sales)),
        (
            asked("What is the price of the Oat Plait?", "price", products[2][2], "easy"),
            asked("Show the name and price of the two most expensive products.", "name,price", dear, "medium"),
            asked("How many pieces of the Rye Round were sold in total?", "pieces", sold[1], "medium"),
            asked("What were the total takings, price times pieces, over all sales?", "takings", takings, "hard"),
        ),
    )


def lighthouses(chance: Chance) -> World:
    """One flat table with a missing value."""
    names = ["Cape Arran", "Gull Point", "Old Finger", "Tern Rock", "Whale Head", "Morrow Light", "Sker Isle"]
    heights = chance.sample(range(14, 60), len(names))
    built = chance.sample(range(1790, 1930), len(names))
    coasts = ["north", "east", "north", "south", "east", "north", "south"]
    rows = [
        (name, coast, height, year, None if n == 3 else chance.choice(["white", "red", "green"]))
        for n, (name, coast, height, year) in enumerate(zip(names, coasts, heights, built, strict=True))
    ]
    tall = max(rows, key=lambda row: row[2])
    return World(
        "lighthouses",
        "en",
        (table("lighthouses", "name coast height_m built colour", rows),),
        (
            asked("In which year was Gull Point built?", "built", built[1], "easy"),
            asked("Which lighthouse is the tallest?", "name", tall[0], "easy"),
            asked(
                "Give the average height of the lighthouses on each coast.",
                "coast,average height",
                [
                    (c, sum(hs) / len(hs))
                    for c in ("north", "east", "south")
                    for hs in [[r[2] for r in rows if r[1] == c]]
                ],
                "medium",
            ),
            asked("Which lighthouse has no colour on record?", "name", rows[3][0], "medium"),
        ),
    )


def orchestra(chance: Chance) -> World:
    """Three tables in SQLite with keys."""
    sections = [(1, "Strings"), (2, "Woodwind"), (3, "Brass")]
    people = ["A. Moreau", "B. Lindqvist", "C. Okafor", "D. Petrov", "E. Tanaka", "F. Silva", "G. Byrne", "H. Novak"]
    members = [(n + 1, name, 1 + n % 3, chance.randint(1998, 2024)) for n, name in enumerate(people)]
    concerts = [(1, "Spring Gala", "Leeds"), (2, "Harvest Night", "York"), (3, "Winter Suite", "Leeds")]
    played = [(c, m) for c, _, _ in concerts for m, *_ in members if chance.random() < 0.65]
    section_of = {m: s for m, _, s, _ in members}
    counts = [(name, sum(s == number for _, _, s, _ in members)) for number, name in sections]
    leeds = sorted({m for c, m in played if c in (1, 3)})
    return World(
        "orchestra",
        "en",
        (
            table("section", "section_id name", sections, store="sqlite"),
            table("member", "member_id name section_id joined", members, store="sqlite"),
            table("concert", "concert_id title city", concerts, store="sqlite"),
            table("performance", "concert_id member_id", played, store="sqlite"),
        ),
        (
            asked("How many members are there?", "members", len(members), "easy"),
            asked(
                "How many members does each section have? Show the section's name.", "name,members", counts, "medium"
            ),
            asked(
                "List the names of the members of the Brass section.",
                "name",
                [(name,) for _, name, section, _ in members if section == 3],
                "medium",
            ),
            asked(
                "How many different members of the Strings section performed in a concert in Leeds?",
                "members",
                sum(section_of[m] == 1 for m in leeds),
                "hard",
            ),
        ),
    )


def parcels(chance: Chance) -> World:
    """Codes with leading zeros, in JSON."""
    depots = ["Ashby", "Corley", "Dunmere"]
    rows = [
        (
            f"{chance.randint(0, 99):02d}{n:04d}",
            depots[n % 3],
            round(chance.uniform(0.2, 18.0), 2),
            chance.choice(["sent", "held"]),
        )
        for n in range(24)
    ]
    held = [row for row in rows if row[3] == "held"]
    return World(
        "parcels",
        "en",
        (table("parcels", "code depot weight_kg state", rows, store="json"),),
        (
            asked(
                f"What does the parcel with the code {rows[5][0]} weigh, in kilograms?", "weight_kg", rows[5][2], "easy"
            ),
            asked("How many parcels are held?", "parcels", len(held), "easy"),
            asked(
                "For each depot, how many parcels are held?",
                "depot,parcels",
                [(d, n) for d in depots if (n := sum(row[1] == d for row in held))],
                "medium",
            ),
        ),
    )


def trails(chance: Chance) -> World:
    """A table and its notes: a word that only the notes explain."""
    names = ["Fern Loop", "Granite Way", "Heron Path", "Juniper Ridge", "Kestrel Climb", "Larch Circuit"]
    rows = [
        (name, km / 10, climb)
        for name, km, climb in zip(
            names, chance.sample(range(30, 240), 6), chance.sample(range(40, 1300, 20), 6), strict=True
        )
    ]
    steep = [(n,) for n, km, climb in rows if climb / km > 50]
    return World(
        "trails",
        "en",
        (table("trails", "trail length_km climb_m", rows),),
        (
            asked("How long is the Heron Path in kilometres?", "length_km", rows[2][1], "easy"),
            asked("How many trails are steep?", "trails", len(steep), "hard"),
            asked(
                "What is the total length of all trails?", "length_km", round(sum(km for _, km, _ in rows), 1), "easy"
            ),
        ),
        knowledge="# Trails\n\n- A trail is steep if it climbs more than 50 m for each kilometre of its length.\n",
    )


def greenhouse(chance: Chance) -> World:
    """A log of measurements in two files by month."""
    beds = ["A1", "A2", "B1", "B2"]
    june = [(f"2030-06-{day:02d}", bed, round(chance.uniform(16, 31), 1)) for day in range(1, 9) for bed in beds]
    july = [(f"2030-07-{day:02d}", bed, round(chance.uniform(18, 34), 1)) for day in range(1, 9) for bed in beds]
    warm = max(june, key=lambda row: row[2])[2]
    mean = sum(t for _, bed, t in july if bed == "B1") / 8
    both = [t for _, bed, t in (*june, *july) if bed == "A2"]
    return World(
        "greenhouse",
        "en",
        (
            table("readings_june", "day bed celsius", june, folder="2030"),
            table("readings_july", "day bed celsius", july, folder="2030"),
        ),
        (
            asked("What was the highest temperature in June?", "celsius", warm, "easy"),
            asked("What was the average temperature of bed B1 in July?", "celsius", mean, "medium"),
            asked("What was the lowest temperature of bed A2 in June and July together?", "celsius", min(both), "hard"),
        ),
    )


def chess_club(chance: Chance) -> World:
    """Games between two members each: one table that is joined twice."""
    names = ["Abel", "Berit", "Cosmo", "Dalia", "Egon", "Frida"]
    members = [
        (n + 1, name, rating)
        for n, (name, rating) in enumerate(zip(names, chance.sample(range(1100, 2300), 6), strict=True))
    ]
    pairs = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
    games = [
        (n + 1, a, b, chance.choice(["white", "black", "draw"])) for n, (a, b) in enumerate(chance.sample(pairs, 18))
    ]
    as_white = [(name, sum(a == m and r == "white" for _, a, _, r in games)) for m, name, _ in members]
    won = [(name, n) for name, n in as_white if n]
    upsets = sum(
        (r == "white" and members[a - 1][2] < members[b - 1][2])
        or (r == "black" and members[b - 1][2] < members[a - 1][2])
        for _, a, b, r in games
    )
    return World(
        "chess_club",
        "en",
        (
            table("members", "member_id name rating", members, store="sqlite"),
            table("games", "game_id white_id black_id result", games, store="sqlite"),
        ),
        (
            asked("How many games ended in a draw?", "games", sum(r == "draw" for *_, r in games), "easy"),
            asked("What is Dalia's rating?", "rating", members[3][2], "easy"),
            asked(
                "How many games did each member win with white? Leave out those with none.", "name,games", won, "medium"
            ),
            asked("In how many games did the member with the lower rating win?", "games", upsets, "hard"),
        ),
    )


def fishery(chance: Chance) -> World:
    """Boats in JSON, landings in CSV."""
    boats = [
        (f"B-{n:03d}", name, chance.randint(8, 30))
        for n, name in enumerate(["Mavis", "Nereid", "Orla", "Pearl", "Quest"], 1)
    ]
    species = ["cod", "hake", "ling"]
    landings = [
        (f"2029-{m:02d}", b[0], s, chance.randint(50, 900))
        for m in range(1, 7)
        for b in boats
        for s in species
        if chance.random() < 0.6
    ]
    by_boat = {name: sum(kg for _, b, _, kg in landings if b == code) for code, name, _ in boats}
    best = max(by_boat, key=lambda name: by_boat[name])
    cod = sum(kg for _, _, s, kg in landings if s == "cod")
    return World(
        "fishery",
        "en",
        (
            table("boats", "boat name length_m", boats, store="json"),
            table("landings", "month boat species weight_kg", landings),
        ),
        (
            asked("What is the total weight of cod landed?", "weight_kg", cod, "easy"),
            asked("Which boat landed the most in total? Give its name.", "name", best, "medium"),
            asked(
                "Give the names of boats longer than 15 m and their total landings.",
                "name,weight_kg",
                [(name, by_boat[name]) for _, name, length in boats if length > 15 and by_boat[name]],
                "hard",
            ),
        ),
    )


def tram(chance: Chance) -> World:
    """Times and routes; a maximum within groups."""
    lines = ["T1", "T2", "T3"]
    stops = ["Abbey", "Bridge", "Castle", "Docks", "Elm Park"]
    rows = [
        (line, stop, boarded)
        for line, numbers in zip(lines, (chance.sample(range(100, 2000), 5) for _ in lines), strict=True)
        for stop, boarded in zip(stops, numbers, strict=True)
    ]
    busiest = [max((r for r in rows if r[0] == line), key=lambda r: r[2]) for line in lines]
    total = {line: sum(n for which, _, n in rows if which == line) for line in lines}
    return World(
        "tram",
        "en",
        (table("boardings", "line stop passengers", rows),),
        (
            asked("How many passengers boarded line T2 at Docks?", "passengers", rows[8][2], "easy"),
            asked("How many passengers boarded on each line?", "line,passengers", list(total.items()), "medium"),
            asked(
                "For each line, which stop has the most passengers?",
                "line,stop",
                [(line, stop) for line, stop, _ in busiest],
                "hard",
            ),
        ),
    )


WORLDS = (bakery, lighthouses, orchestra, parcels, trails, greenhouse, chess_club, fishery, tram)
