"""Invented databases with questions in Chinese."""

from __future__ import annotations

from debriefer.datasets.invented.model import Chance, World, asked, table


def tea_shop(chance: Chance) -> World:
    """A table of goods in the encoding of old systems."""
    names = ["云岭毛尖", "石潭红茶", "白露银针", "松溪乌龙", "青屏龙芽", "晚山普洱"]
    kinds = ["绿茶", "红茶", "白茶", "乌龙", "绿茶", "黑茶"]
    rows = [
        (f"{n + 1:04d}", name, kind, price, chance.randint(10, 300))
        for n, (name, kind, price) in enumerate(zip(names, kinds, chance.sample(range(60, 980, 10), 6), strict=True))
    ]
    dear = max(rows, key=lambda row: row[3])
    return World(
        "tea_shop",
        "zh",
        (table("茶叶", "编号 名称 品类 单价 库存", rows, encoding="gb18030"),),
        (
            asked("编号为0003的茶叶叫什么名称？", "名称", rows[2][1], "easy"),
            asked("单价最高的茶叶是哪种？请给出名称和单价。", "名称,单价", [(dear[1], dear[3])], "easy"),
            asked("绿茶的库存总和是多少？", "库存", sum(r[4] for r in rows if r[2] == "绿茶"), "easy"),
        ),
    )


def river_gauges(chance: Chance) -> World:
    """Stations and their readings."""
    stations = [
        (f"S{n:02d}", name, river)
        for n, (name, river) in enumerate(
            [("柳桥", "清河"), ("石门", "清河"), ("东渡", "沅水"), ("高滩", "沅水"), ("竹坪", "沅水")], 1
        )
    ]
    readings = [
        (code, f"2032-0{month}-15", round(chance.uniform(1.0, 9.5), 2))
        for code, *_ in stations
        for month in range(1, 7)
    ]
    top = max(readings, key=lambda row: row[2])
    name_of = {code: name for code, name, _ in stations}
    river_of = {code: river for code, _, river in stations}
    means = [
        (river, sum(ls) / len(ls))
        for river in ("清河", "沅水")
        for ls in [[lv for c, _, lv in readings if river_of[c] == river]]
    ]
    return World(
        "river_gauges",
        "zh",
        (table("测站", "测站编号 测站名称 河流", stations), table("水位", "测站编号 日期 水位米", readings)),
        (
            asked("沅水上一共有多少个测站？", "测站数", 3, "easy"),
            asked("测得最高水位的测站名称是什么？", "测站名称", name_of[top[0]], "medium"),
            asked("每条河流的平均水位是多少？", "河流,平均水位", means, "hard"),
        ),
    )


def school_clubs(chance: Chance) -> World:
    """Pupils and clubs in SQLite, many to many."""
    names = ["安然", "白桦", "陈曦", "丁宁", "方舟", "顾盼", "何苗", "江澜"]
    pupils = [(n + 1, name, f"{1 + n % 3}年级") for n, name in enumerate(names)]
    clubs = [(1, "天文社", "周二"), (2, "陶艺社", "周四"), (3, "合唱社", "周二"), (4, "木工社", "周五")]
    joined = [(p, c) for p, *_ in pupils for c, *_ in clubs if chance.random() < 0.45]
    sizes = [(name, n) for c, name, _ in clubs if (n := sum(x == c for _, x in joined))]
    third = [(name,) for p, name, grade in pupils if grade == "3年级" and any(q == p for q, _ in joined)]
    none = [(name,) for p, name, _ in pupils if all(q != p for q, _ in joined)]
    more = [asked("哪些学生没有参加任何社团？", "姓名", none, "hard")] if none else []
    return World(
        "school_clubs",
        "zh",
        (
            table("学生", "学生编号 姓名 年级", pupils, store="sqlite"),
            table("社团", "社团编号 社团名称 活动日", clubs, store="sqlite"),
            table("参加", "学生编号 社团编号", joined, store="sqlite"),
        ),
        (
            asked("天文社的活动日是哪天？", "活动日", "周二", "easy"),
            asked("每个社团有多少名学生参加？", "社团名称,人数", sizes, "medium"),
            asked("3年级参加了社团的学生有哪些？给出姓名。", "姓名", third, "hard"),
            *more,
        ),
    )


def funds(chance: Chance) -> World:
    """Codes with leading zeros and a manager each."""
    managers = ["沈青", "陆远", "沈青", "贺兰", "陆远", "沈青"]
    rows = [
        (f"{chance.randint(0, 9999):06d}", f"恒启{word}混合", who, size / 100, year)
        for word, who, size, year in zip(
            ["成长", "价值", "稳健", "优选", "先锋", "回报"],
            managers,
            chance.sample(range(120, 9800), 6),
            [2019, 2020, 2018, 2021, 2022, 2017],
            strict=True,
        )
    ]
    sizes = {who: round(sum(r[3] for r in rows if r[2] == who), 2) for who in ("沈青", "陆远", "贺兰")}
    return World(
        "funds",
        "zh",
        (table("基金", "基金代码 基金简称 基金经理 规模亿元 成立年份", rows),),
        (
            asked(f"基金代码为{rows[1][0]}的基金经理是谁？", "基金经理", rows[1][2], "easy"),
            asked("每位基金经理管理的规模合计是多少亿元？", "基金经理,规模亿元", list(sizes.items()), "medium"),
            asked(
                "成立年份在2020年及以后的基金有哪些？给出基金简称和规模。",
                "基金简称,规模亿元",
                [(r[1], r[3]) for r in rows if r[4] >= 2020],
                "easy",
            ),
        ),
    )


def warehouses(chance: Chance) -> World:
    """Goods in JSON below folders; movements in CSV."""
    goods = [
        (f"W{n:03d}", name, box)
        for n, (name, box) in enumerate([("保温壶", 12), ("折叠椅", 4), ("露营灯", 20), ("防潮垫", 8)], 1)
    ]
    moves = [
        (f"2033-05-{day:02d}", code, chance.choice(["入库", "出库"]), chance.randint(1, 60))
        for day in range(1, 13)
        for code, *_ in goods
        if chance.random() < 0.7
    ]
    out = {code: sum(n for _, c, kind, n in moves if c == code and kind == "出库") for code, *_ in goods}
    balance = [
        (name, sum(n if kind == "入库" else -n for _, c, kind, n in moves if c == code))
        for code, name, _ in goods
        if any(c == code for _, c, _, _ in moves)
    ]
    return World(
        "warehouses",
        "zh",
        (
            table("货品", "货品编号 货品名称 每箱件数", goods, store="json", folder="主数据"),
            table("出入库", "日期 货品编号 类型 数量", moves),
        ),
        (
            asked("露营灯的每箱件数是多少？", "每箱件数", 20, "easy"),
            asked("折叠椅的出库数量总和是多少？", "数量", out["W002"] or None, "medium"),
            asked("每种货品的净入库量（入库减出库）是多少？给出货品名称。", "货品名称,净入库量", balance, "hard"),
        ),
    )


def theatres(chance: Chance) -> World:
    """Takings whose unit stands in the notes alone."""
    rows = [
        (name, hall, shows, takings)
        for name, hall, shows, takings in zip(
            ["长夜灯", "归帆", "第七码头", "纸鸢", "旧信"],
            ["大剧场", "小剧场", "大剧场", "小剧场", "大剧场"],
            chance.sample(range(5, 60), 5),
            chance.sample(range(30, 900), 5),
            strict=True,
        )
    ]
    each = [(n, t * 10_000 / s) for n, _, s, t in rows]
    best = max(each, key=lambda pair: pair[1])
    return World(
        "theatres",
        "zh",
        (table("演出", "剧目 剧场 场次 票房", rows),),
        (
            asked("《归帆》演了多少场次？", "场次", rows[1][2], "easy"),
            asked(
                "每个剧场的场次总数是多少？",
                "剧场,场次",
                [(h, sum(r[2] for r in rows if r[1] == h)) for h in ("大剧场", "小剧场")],
                "medium",
            ),
            asked("平均每场票房最高的剧目是哪个？给出剧目和平均每场票房（元）。", "剧目,平均每场票房", [best], "hard"),
        ),
        knowledge="# 演出\n\n- 票房的单位是万元；1 万元等于 10000 元。\n- 平均每场票房 = 票房 ÷ 场次。\n",
    )


def orchards(chance: Chance) -> World:
    """Harvests by year, wide in years."""
    names = ["北坡园", "南坡园", "溪口园", "石台园"]
    rows = [(name, a, b, c) for name in names for a, b, c in [chance.sample(range(20, 400), 3)]]
    grown = [(r[0], r[3] - r[1]) for r in rows]
    best = max(grown, key=lambda pair: pair[1])
    return World(
        "orchards",
        "zh",
        (table("果园产量", "果园 产量2021 产量2022 产量2023", rows),),
        (
            asked("溪口园2022年的产量是多少？", "产量2022", rows[2][2], "easy"),
            asked("2023年产量最高的果园是哪个？", "果园", max(rows, key=lambda r: r[3])[0], "easy"),
            asked("从2021年到2023年产量增加最多的果园是哪个？给出果园和增加量。", "果园,增加量", [best], "hard"),
        ),
    )


def bus_company(chance: Chance) -> World:
    """Drivers, routes and shifts in SQLite."""
    drivers = [
        (n + 1, name, year)
        for n, (name, year) in enumerate(
            zip(["赵川", "钱岭", "孙泽", "李岚", "周野"], chance.sample(range(2001, 2024), 5), strict=True)
        )
    ]
    routes = [("K1", "火车站—大学城", 18.5), ("K2", "码头—植物园", 12.0), ("K3", "机场—老城", 31.2)]
    shifts = [
        (n + 1, chance.randint(1, 5), chance.choice(["K1", "K2", "K3"]), chance.choice(["早班", "晚班"]))
        for n in range(30)
    ]
    late = {d: sum(x == d and s == "晚班" for _, x, _, s in shifts) for d, *_ in drivers}
    km = {code: length for code, _, length in routes}
    driven = [
        (name, round(sum(km[r] for _, x, r, _ in shifts if x == d), 1))
        for d, name, _ in drivers
        if any(x == d for _, x, _, _ in shifts)
    ]
    return World(
        "bus_company",
        "zh",
        (
            table("司机", "司机编号 姓名 入职年份", drivers, store="sqlite"),
            table("线路", "线路编号 线路名称 里程公里", routes, store="sqlite"),
            table("排班", "排班编号 司机编号 线路编号 班次", shifts, store="sqlite"),
        ),
        (
            asked("入职最早的司机是谁？", "姓名", min(drivers, key=lambda d: d[2])[1], "easy"),
            asked("K3线路的里程是多少公里？", "里程公里", 31.2, "easy"),
            asked(
                "每位司机上了多少个晚班？没有晚班的不列。给出姓名。",
                "姓名,晚班数",
                [(n, late[d]) for d, n, _ in drivers if late[d]],
                "medium",
            ),
            asked("每位司机一共行驶了多少公里（每个班次跑一趟线路里程）？", "姓名,公里", driven, "hard"),
        ),
    )


WORLDS = (tea_shop, river_gauges, school_clubs, funds, warehouses, theatres, orchards, bus_company)
