"""Invented data in several domains, the questions about it, and the decoys that a briefing may show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

DECOYS = (
    "old_batch",
    "adjacent_table",
    "similar_metric",
    "single_object_highlight",
    "count_not_amount",
    "wrong_unit",
    "unapplied_field",
    "category_note",
    "reference_only",
    "spoken_exclusion",
)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one domain in one language.

    Attributes:
        title: Title of the briefing.
        records: Name of the table of measurements.
        profiles: Name of the table of properties.
        entity: Column of the names.
        group: Column of the groups.
        batch: Column of the batch.
        amount: Column of the measure asked for; `unit` is its unit.
        net: Column of a measure that is easily confused with it.
        count: Column of a count.
        opened: Column of a year.
        status: Column of the status; `statuses` are its values, the first is the usual one.
        unit: Unit of `amount` and `net`.
        larger: A unit 1,000 or 10,000 times as large, and the factor.
        groups: Names of the groups.
        first: First parts of names.
        second: Second parts of names.
        batches: Names of the batches, the current one last.
        statuses: Values of `status`.
    """

    title: str
    records: str
    profiles: str
    entity: str
    group: str
    batch: str
    amount: str
    net: str
    count: str
    opened: str
    status: str
    unit: str
    larger: tuple[str, int]
    groups: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    batches: tuple[str, ...]
    statuses: tuple[str, ...]


_DOMAINS = {
    "en": (
        Words(
            "Quarterly store review", "store_results", "store_profiles", "store", "region", "batch", "revenue",
            "net_revenue", "orders", "opened_year", "status", "k EUR", ("M EUR", 1000),
            ("North", "Lakeside", "Harbour", "Uplands"),
            ("Alder", "Birch", "Cedar", "Hazel", "Juniper", "Linden", "Maple", "Rowan", "Willow", "Elder"),
            ("Quay", "Hollow", "Gate", "Corner", "Yard", "Bridge"),
            ("2030-Q4", "2031-Q1", "2031-Q2"), ("open", "refit", "closed"),
        ),
        Words(
            "Reservoir operations briefing", "inflow_readings", "reservoir_profiles", "reservoir", "basin", "campaign",
            "inflow", "usable_inflow", "gate_moves", "built_year", "status", "ML", ("GL", 1000),
            ("Tarn", "Fenland", "Ridge", "Estuary"),
            ("Amber", "Coldwell", "Drummer", "Ferris", "Granite", "Hollin", "Kestrel", "Marlow", "Osprey", "Thorn"),
            ("Water", "Mere", "Head", "Basin", "Weir", "Pool"),
            ("C-17", "C-18", "C-19"), ("in service", "drained", "survey"),
        ),
        Words(
            "Loan book committee", "loan_positions", "branch_profiles", "branch", "district", "cycle", "lending",
            "net_lending", "contracts", "founded_year", "status", "k EUR", ("M EUR", 1000),
            ("Central", "Mill", "Orchard", "Quarry"),
            ("Ashby", "Brook", "Copper", "Dale", "Ember", "Foss", "Garnet", "Heron", "Ivory", "Larch"),
            ("Street", "Square", "Court", "Parade", "Row", "Lane"),
            ("2029-H2", "2030-H1", "2030-H2"), ("active", "merging", "paused"),
        ),
    ),
    "zh": (
        Words(
            "门店经营季度简报", "门店业绩", "门店档案", "门店", "大区", "批次", "营业额", "净营业额", "订单数",
            "开业年份", "状态", "万元", ("亿元", 10000), ("北部", "滨湖", "港口", "山地"),
            ("青禾", "云杉", "白榆", "松涛", "竹溪", "枫桥", "兰亭", "桂湾", "梅岭", "柳浦"),
            ("一店", "二店", "东店", "西店", "南店", "北店"),
            ("2030年四季度", "2031年一季度", "2031年二季度"), ("营业", "整修", "停业"),
        ),
        Words(
            "基金规模复盘会", "基金规模", "基金档案", "基金", "类型", "统计期", "资产规模", "净申购额", "持有人户数",
            "成立年份", "状态", "亿元", ("万亿元", 10000), ("股票型", "债券型", "混合型", "指数型"),
            ("启明", "长川", "泰和", "远航", "盛景", "嘉禾", "安澜", "广陵", "瑞丰", "恒岳"),
            ("稳健", "成长", "优选", "价值", "平衡", "先锋"),
            ("第11期", "第12期", "第13期"), ("开放", "封闭", "清盘"),
        ),
        Words(
            "水库调度汇报", "入库水量", "水库档案", "水库", "流域", "期次", "入库量", "可用入库量", "闸门次数",
            "建成年份", "状态", "万方", ("亿方", 10000), ("上游", "中游", "支流", "河口"),
            ("碧泉", "龙潭", "石门", "青坪", "双溪", "红岩", "白沙", "黑水", "金竹", "落星"),
            ("水库", "大坝", "湖", "塘", "闸", "池"),
            ("2028汛期", "2029汛期", "2030汛期"), ("运行", "检修", "停用"),
        ),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: an entity in one batch."""

    entity: str
    group: str
    batch: str
    amount: Decimal
    net: Decimal
    count: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What is true of an entity in every batch."""

    entity: str
    group: str
    opened: int
    status: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what answers it: names of columns, rows as text and the SQL behind them."""

    text: str
    columns: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    sql: str


@dataclass(frozen=True, slots=True)
class Story:
    """One invented world: its words, its data, and questions about the current batch."""

    language: str
    words: Words
    rows: tuple[Row, ...]
    profiles: tuple[Profile, ...]

    @classmethod
    def invent(cls, language: str, seed: int) -> Story:
        """Invent a story of 28 entities in four groups and three batches; amounts are all different."""
        # A generator seeded with text hashes it with SHA-512: the same everywhere, whatever the hash seed.
        random = Random(f"story {language} {seed}")  # noqa: S311 - invented data, not secrets
        words = random.choice(_DOMAINS[language])
        joint = " " if language == "en" else ""
        names = [f"{first}{joint}{second}" for first in words.first for second in words.second]
        random.shuffle(names)
        profiles = tuple(
            Profile(
                name,
                words.groups[position % len(words.groups)],
                random.randint(1996, 2026),
                random.choices(words.statuses, weights=(7, 2, 1))[0],
            )
            for position, name in enumerate(sorted(names[:28]))
        )
        taken: set[int] = set()
        rows = []
        for batch in words.batches:
            for profile in profiles:
                cents = random.randint(8000, 98000)
                while cents in taken or cents % 10 == 0:
                    cents = random.randint(8000, 98000)
                taken.add(cents)
                net = cents * random.randint(78, 96) // 100
                rows.append(
                    Row(
                        profile.entity,
                        profile.group,
                        batch,
                        Decimal(cents).scaleb(-2),
                        Decimal(net).scaleb(-2),
                        random.randint(120, 4800),
                    )
                )
        return cls(language, words, tuple(rows), profiles)

    @property
    def current(self) -> str:
        """Name of the batch that questions are about."""
        return self.words.batches[-1]

    def of(self, batch: str, group: str | None = None) -> list[Row]:
        """Return the measurements of one batch and, if told, one group, in order of name."""
        return [row for row in self.rows if row.batch == batch and group in {None, row.group}]

    def top(self, batch: str, number: int, key: Callable[[Row], Decimal] = lambda row: row.amount) -> list[Row]:
        """Return the `number` largest of a batch, largest first."""
        return sorted(self.of(batch), key=key, reverse=True)[:number]

    def total(self, batch: str, group: str) -> Decimal:
        """Return the sum of `amount` of one group in one batch."""
        return sum((row.amount for row in self.of(batch, group)), Decimal(0))

    def say(self, english: str, chinese: str) -> str:
        """Return the text of this story's language."""
        return english if self.language == "en" else chinese

    def label(self, column: str) -> str:
        """Return a column's name as a slide writes it: `net_revenue` becomes `Net revenue`."""
        return column.replace("_", " ").capitalize() if self.language == "en" else column

    def _condition(self, *more: str) -> str:
        return " AND ".join((f"{_quote(self.words.batch)} = {_text(self.current)}", *more))

    def total_question(self, group: str) -> Question:
        """Ask for the sum of one group in the current batch."""
        words = self.words
        name = self.say(f"total_{words.amount}", f"{words.amount}合计")
        sql = (
            f"SELECT ROUND(SUM({_quote(words.amount)}), 2) AS {_quote(name)} FROM {_quote(words.records)} "
            f"WHERE {self._condition(f'{_quote(words.group)} = {_text(group)}')}"
        )
        text = self.say(
            f"What is the total {words.amount.replace('_', ' ')} in {words.unit} of the {group} {words.group} "
            f"in {words.batch} {self.current}?",
            f"{self.current}{group}{words.group}的{words.amount}合计是多少{words.unit}？",
        )
        return Question(text, (name,), ((str(self.total(self.current, group)),),), sql)

    def top_question(self, number: int, without: Sequence[str] = ()) -> Question:
        """Ask for the `number` largest of the current batch, those of `without` left out."""
        words = self.words
        rows = [row for row in self.top(self.current, number + len(without)) if row.entity not in without][:number]
        more = [f"{_quote(words.entity)} <> {_text(name)}" for name in without]
        sql = (
            f"SELECT {_quote(words.entity)}, {_quote(words.amount)} FROM {_quote(words.records)} "
            f"WHERE {self._condition(*more)} ORDER BY {_quote(words.amount)} DESC LIMIT {number}"
        )
        text = self.say(
            f"List the {number} {_plural(words.entity)} with the largest {words.amount.replace('_', ' ')} in "
            f"{words.batch} {self.current}, with the {words.amount.replace('_', ' ')} in {words.unit}"
            + (", leaving out what the speaker excludes." if without else "."),
            f"{self.current}{words.amount}最高的{number}个{words.entity}及其{words.amount}（{words.unit}）分别是什么？"
            + ("旁白排除的不计。" if without else ""),
        )
        gold = tuple((row.entity, str(row.amount)) for row in rows)
        return Question(text, (words.entity, words.amount), gold, sql)

    def filter_question(self, group: str, least: Decimal, before: int, status: str) -> Question:
        """Ask which entities meet the conditions that a control panel shows."""
        words = self.words
        about = {profile.entity: profile for profile in self.profiles}
        found = sorted(
            row.entity
            for row in self.of(self.current, group)
            if row.amount >= least and about[row.entity].opened < before and about[row.entity].status == status
        )
        sql = (
            f"SELECT r.{_quote(words.entity)} FROM {_quote(words.records)} r JOIN {_quote(words.profiles)} p "
            f"ON p.{_quote(words.entity)} = r.{_quote(words.entity)} "
            f"WHERE r.{self._condition(f'r.{_quote(words.group)} = {_text(group)}')} "
            f"AND r.{_quote(words.amount)} >= {least} AND p.{_quote(words.opened)} < {before} "
            f"AND p.{_quote(words.status)} = {_text(status)} ORDER BY r.{_quote(words.entity)}"
        )
        text = self.say(
            f"Which {_plural(words.entity)} meet all the conditions that the briefing applies to "
            f"{words.batch} {self.current}?",
            f"{self.current}中，满足视频里所应用的全部条件的{words.entity}有哪些？",
        )
        return Question(text, (words.entity,), tuple((name,) for name in found), sql)

    def threshold_question(self, group: str, least: Decimal) -> Question:
        """Ask which entities pass a threshold that the panel masks and that samples on both sides give away."""
        words = self.words
        found = sorted(row.entity for row in self.of(self.current, group) if row.amount >= least)
        sql = (
            f"SELECT {_quote(words.entity)} FROM {_quote(words.records)} "
            f"WHERE {self._condition(f'{_quote(words.group)} = {_text(group)}')} "
            f"AND {_quote(words.amount)} >= {least} ORDER BY {_quote(words.entity)}"
        )
        text = self.say(
            f"Which {_plural(words.entity)} of the {group} {words.group} are kept in {words.batch} {self.current} by "
            "the rule whose threshold is masked in the briefing?",
            f"按视频中被遮盖的门槛，{self.current}{group}{words.group}中被保留的{words.entity}有哪些？",
        )
        return Question(text, (words.entity,), tuple((name,) for name in found), sql)


def _plural(noun: str) -> str:
    return noun + "es" if noun.endswith("ch") else noun + "s"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
