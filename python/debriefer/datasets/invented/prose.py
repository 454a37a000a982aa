"""Invented prose that tells a table, with questions on it."""

from __future__ import annotations

from debriefer.datasets.invented.model import Chance, Document, World, asked, table


def vineyards(chance: Chance) -> World:
    """A chronicle in English: one record a paragraph, in words of several forms."""
    names = ["Aldergate", "Bramley Hill", "Coldwater", "Dovecote", "Eastmoor", "Foxglove"]
    rows = [
        (name, year, hectares / 10, chance.choice(["red", "white"]))
        for name, year, hectares in zip(
            names, chance.sample(range(1880, 1990), 6), chance.sample(range(15, 420), 6), strict=True
        )
    ]
    forms = (
        "{0} was planted in {1}. It covers {2} hectares and grows {3} grapes.",
        "The {3} grapes of {0} stand on {2} hectares; the first vines date from {1}.",
        "In {1} the vineyard {0} was founded. Today its {2} hectares bear {3} grapes.",
    )
    parts = [forms[n % 3].format(*row) for n, row in enumerate(rows)]
    text = "# The vineyards of the valley\n\nSix vineyards share the slope; visitors come in autumn.\n\n" + "\n\n".join(
        parts
    )
    oldest = min(rows, key=lambda row: row[1])
    return World(
        "vineyards",
        "en",
        (),
        (
            asked("In which year was Coldwater founded?", "founded", rows[2][1], "easy"),
            asked("Which vineyard is the oldest?", "vineyard", oldest[0], "medium"),
            asked(
                "What is the total area of the vineyards with red grapes, in hectares?",
                "hectares",
                round(sum(r[2] for r in rows if r[3] == "red"), 1),
                "hard",
            ),
        ),
        documents=(
            Document("vineyards.md", text + "\n", (table("vineyards", "vineyard founded hectares grapes", rows),)),
        ),
    )


def expeditions(chance: Chance) -> World:
    """A report in English beside a table to which it must be joined."""
    ships = ["Aurora", "Borealis", "Cassia", "Delphin"]
    leaders = ["Ida Holm", "Tomas Reyes", "Mei Sato", "Jonas Falk"]
    told = [
        (ship, leader, days)
        for ship, leader, days in zip(ships, leaders, chance.sample(range(30, 200), 4), strict=True)
    ]
    crew = [(n + 1, ship, chance.randint(3, 12)) for n, ship in enumerate(ship for ship in ships for _ in range(3))]
    parts = [f"The {ship} sailed under {leader} and was at sea for {days} days." for ship, leader, days in told]
    text = "# Expeditions of the institute\n\nAll four ships returned before the winter.\n\n" + "\n\n".join(parts)
    long = max(told, key=lambda row: row[2])
    return World(
        "expeditions",
        "en",
        (table("teams", "team_id ship people", crew),),
        (
            asked("Who led the Cassia?", "leader", leaders[2], "easy"),
            asked(
                "How many people in total were in the teams of the ship that was at sea the longest?",
                "people",
                sum(p for _, s, p in crew if s == long[0]),
                "hard",
            ),
        ),
        documents=(Document("report.md", text + "\n", (table("expeditions", "ship leader days", told),)),),
    )


def museum(chance: Chance) -> World:
    """A catalogue in Chinese."""
    names = ["青铜爵", "彩陶盆", "玉琮", "漆盒", "铁剑", "银壶"]
    rows = [
        (name, hall, year, weight)
        for name, hall, year, weight in zip(
            names,
            ["一号厅", "二号厅", "一号厅", "三号厅", "二号厅", "一号厅"],
            chance.sample(range(1950, 2015), 6),
            chance.sample(range(120, 6000, 10), 6),
            strict=True,
        )
    ]
    forms = ("{0}现陈列于{1}，{2}年入藏，重{3}克。", "{2}年入藏的{0}重{3}克，陈列在{1}。")
    text = "# 馆藏说明\n\n本馆藏品分三个展厅陈列，周一闭馆。\n\n" + "\n\n".join(
        forms[n % 2].format(*row) for n, row in enumerate(rows)
    )
    heavy = max(rows, key=lambda row: row[3])
    return World(
        "museum",
        "zh",
        (),
        (
            asked("玉琮是哪一年入藏的？", "入藏年份", rows[2][2], "easy"),
            asked("一号厅陈列的藏品有哪些？", "藏品", [(r[0],) for r in rows if r[1] == "一号厅"], "medium"),
            asked(
                "最重的藏品是哪件，重多少克？",
                "藏品,重量克",
                [(heavy[0], heavy[3])],
                "medium",
            ),
        ),
        documents=(Document("馆藏.md", text + "\n", (table("馆藏", "藏品 展厅 入藏年份 重量克", rows),)),),
    )


def clinics(chance: Chance) -> World:
    """Notes in Chinese with a value that is missing, beside a table."""
    names = ["东城诊所", "西岭诊所", "南湖诊所", "北站诊所"]
    told = [
        (name, beds, None if n == 2 else chance.randint(5, 40))
        for n, (name, beds) in enumerate(zip(names, chance.sample(range(10, 90), 4), strict=True))
    ]
    visits = [(f"2034-0{m}", name, chance.randint(100, 2000)) for m in range(1, 5) for name in names]
    parts = [
        f"{name}有床位{beds}张，" + (f"医生{doctors}人。" if doctors is not None else "医生人数尚未上报。")
        for name, beds, doctors in told
    ]
    text = "# 各诊所概况\n\n以下为年度上报情况。\n\n" + "\n\n".join(parts)
    most = max(told, key=lambda row: row[1])
    return World(
        "clinics",
        "zh",
        (table("门诊量", "月份 诊所 人次", visits),),
        (
            asked("西岭诊所有多少张床位？", "床位", told[1][1], "easy"),
            asked(
                "床位最多的诊所1月至4月的门诊人次合计是多少？",
                "人次",
                sum(v for _, n, v in visits if n == most[0]),
                "hard",
            ),
        ),
        documents=(Document("概况.md", text + "\n", (table("诊所", "诊所 床位 医生", told),)),),
    )


WORLDS = (vineyards, expeditions, museum, clinics)
