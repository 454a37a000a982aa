"""Wordings that development looks at: telegraphic ones, and long sentences with subordinate clauses."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording

_OPERATORS = ("Halden Drilling", "Corrib Water Works", "Tavistock & Sons", "Ridgeway Geo", "Osprey Boring Co")
_LOGGERS = ("R. Ames", "T. Kowalczyk", "S. Iyer", "M. O'Dowd", "B. Lund")

BOREHOLES = Wording(
    name="boreholes",
    language="en",
    key="code",
    prefix="BH",
    fields=(
        Field("operator", "name", "operator", choices=_OPERATORS, meaning="company that drilled the borehole"),
        Field("permit", "code", "permit"),
        Field("geology", "choice", "geology", choices=("chalk", "boulder clay", "sandstone", "gravel", "granite")),
        Field("drilled_on", "date", "drilling date"),
        Field("water_level", "length", "water level", unit="cm", low=120, high=4200, nulls=0.06),
        Field("yield_rate", "plain", "yield", low=2, high=900, nulls=0.05),
        Field("porosity", "percent", "porosity", unit="%", low=2, high=45),
        Field("budget", "money", "budget", unit="USD", low=4000, high=900_000),
        Field("spent", "money", "cost to date", unit="USD", low=2000, high=1_200_000, nulls=0.05),
        Field("logger", "name", "logger", choices=_LOGGERS),
        Field("crew", "count", "crew", low=3, high=400),
        Field("status", "choice", "status", choices=("active", "capped", "under repair", "abandoned")),
    ),
    parts=(
        Part(
            "Identification",
            ("operator", "permit", "geology", "drilled_on"),
            (
                "{key}: operator {operator}; permit {permit}; geology {geology}; drilled {drilled_on}.",
                "{key} - drilled {drilled_on} by {operator}, permit {permit}, into {geology}.",
            ),
            "Eastern sector from here on.",
        ),
        Part(
            "Tests",
            ("water_level", "yield_rate", "porosity"),
            (
                "{key}: water level {water_level}, yield {yield_rate}, porosity {porosity}.",
                "Porosity {porosity}, {key}. Yield {yield_rate}; level {water_level}.",
            ),
            "Tests, eastern sector.",
        ),
        Part(
            "Money and people",
            ("budget", "spent", "logger", "crew", "status"),
            (
                "{key}: budget {budget}, spent {spent}; crew {crew}; logger {logger}; status {status}.",
                "{key}: {status}. Crew of {crew} under {logger}. Spent so far {spent} of a budget of {budget}.",
            ),
            "Same for the eastern sector.",
        ),
    ),
    opening=("Borehole register", "Levels below ground."),
    follow=("Ink note: {label} {value}.", "Second reading, {label}: {value}."),
    inline=("{wrong} -> {value}", "{wrong} (2nd reading {value})"),
    noise=("Rig {n} on site.", "Photo taken.", "Keys with the warden.", "Sheet {n} of the field book."),
    nothing=("n.d.", "dry"),
)

_GUESTS = (
    *("Lucien Marchetti", "Orla Brennan", "Takumi Hayashi", "Ingrid Solberg", "Pavel Dvorak", "Amina Diallo"),
    *("George Whitfield", "Rosa Echeverria", "Chen Weiming", "Louise Vandenberg"),
)
_SUITES = ("Garden Suite", "Attic Room", "Harbour View", "Old Library", "Stable Loft")

BOOKINGS = Wording(
    name="bookings",
    language="en",
    key="number",
    fields=(
        Field("guest", "name", "guest", choices=_GUESTS),
        Field("country", "choice", "country of residence", choices=("Portugal", "New Zealand", "Chile", "Japan")),
        Field("passport", "code", "passport number"),
        Field("arrival", "date", "arrival date", meaning="day on which the guest arrives"),
        Field("departure", "date", "departure date"),
        Field("suite", "name", "room", choices=_SUITES),
        Field("deposit", "money", "deposit", unit="USD", low=100, high=20_000, meaning="deposit in USD"),
        Field("bill", "money", "final bill", unit="USD", low=200, high=90_000, nulls=0.08),
        Field("discount", "percent", "discount", unit="%", low=0, high=40),
        Field("surcharge", "percent", "surcharge", unit="%", low=0, high=25, nulls=0.05),
        Field("nights", "count", "length of stay", low=1, high=90),
    ),
    parts=(
        Part(
            "Who came",
            ("guest", "country", "passport"),
            (
                (
                    "The traveller who signed the book under reservation {key}, and whom the porter remembers as "
                    "{guest}, had come all the way from {country}, carrying a passport whose number, {passport}, was "
                    "copied into the ledger."
                ),
                (
                    "When reservation {key} was made, the clerk wrote down that {guest}, a resident of {country}, "
                    "would show the passport numbered {passport} at the desk."
                ),
            ),
            "What follows concerns those who came once the season had turned.",
        ),
        Part(
            "When and where",
            ("arrival", "departure", "suite", "nights"),
            (
                (
                    "Although the room had been promised earlier, the party of reservation {key} arrived on {arrival}, "
                    "was shown to the {suite}, stayed for {nights} nights, as had been agreed, and left on {departure}."
                ),
                (
                    "It was in the {suite} that the party of reservation {key}, which had arrived on {arrival}, spent "
                    "its {nights} nights before it left, as the diary says, on {departure}."
                ),
            ),
            "Later arrivals are told of in the same way.",
        ),
        Part(
            "What was paid",
            ("deposit", "bill", "discount", "surcharge"),
            (
                (
                    "Since reservation {key} had been secured with {deposit} as a deposit, and since a discount of "
                    "{discount} had been granted on top of which came a surcharge of {surcharge}, the bill that was "
                    "finally drawn up ran to {bill}."
                ),
                (
                    "Of reservation {key} the accounts say that the bill, after a discount of {discount} and a "
                    "surcharge of {surcharge}, came to {bill}, of which {deposit} had been paid beforehand."
                ),
            ),
            "The books of the second half-year were kept by somebody else.",
        ),
    ),
    opening=("The house book", "It is kept in the order of the reservations."),
    follow=(
        "Those who compared the ledger with the diary found the {label} to be {value}.",
        "As for the {label}, the guest insisted that it was {value}, and was right.",
    ),
    inline=("{wrong}, or {value} as the diary has it,", "{wrong} (the diary, which is right, has {value})"),
    noise=(
        "That week {n} letters were forwarded.",
        "The boiler, which was old, gave trouble.",
        "Breakfast was taken on the terrace.",
        "A taxi was called at {n} minutes to nine.",
    ),
    nothing=("left blank", "a matter still disputed"),
)

_HAN_BOATS = ("渔政三十二号", "海丰捷运", "闽兴顺达", "金沙远航", "浙舟明珠", "粤华安泰", "鲁青丰收")
_HAN_PORTS = ("舟山港", "湛江港", "连云港", "烟台港", "北海港")
_HAN_CAPTAINS = ("邱海生", "龚大川", "陆远洋", "沈浪", "魏江涛")

BOATS = Wording(
    name="渔船登记",
    language="zh",
    key="code",
    prefix="YC",
    fields=(
        Field("船名", "name", "船名", choices=_HAN_BOATS),
        Field("证书号", "code", "证书号"),
        Field("船型", "choice", "船型", choices=("拖网船", "围网船", "钓船", "运输船")),
        Field("船籍港", "choice", "船籍港", choices=_HAN_PORTS),
        Field("下水日期", "date", "下水日期"),
        Field("船长", "length", "船长", unit="cm", low=900, high=6200),
        Field("主机功率", "plain", "主机功率", low=40, high=2400, nulls=0.05),
        Field("船员数", "count", "船员人数", low=2, high=90),
        Field("出勤率", "percent", "出勤率", unit="%", low=20, high=100, nulls=0.06),
        Field("造价", "money", "造价", unit="CNY", low=90_000, high=60_000_000),
        Field("年产值", "money", "年产值", unit="CNY", low=50_000, high=30_000_000, nulls=0.08),
        Field("负责人", "name", "负责人", choices=_HAN_CAPTAINS),
    ),
    parts=(
        Part(
            "登记",
            ("船名", "证书号", "船型", "船籍港", "下水日期"),
            (
                "{key}：船名{船名}；船型{船型}；证书号{证书号}；船籍港{船籍港}；下水日期{下水日期}。",
                "{key}，{船名}，{船型}，{下水日期}下水，籍港{船籍港}，证书{证书号}。",
            ),
            "以下为南部船队。",
        ),
        Part(
            "技术数据",
            ("船长", "主机功率", "船员数"),
            (
                "{key}：船长{船长}；主机功率{主机功率}；船员{船员数}。",
                "{key}，主机{主机功率}千瓦，长{船长}，编制船员{船员数}。",
            ),
            "南部船队技术数据。",
        ),
        Part(
            "经营",
            ("出勤率", "造价", "年产值", "负责人"),
            (
                "{key}：出勤率{出勤率}；造价{造价}；年产值{年产值}；负责人{负责人}。",
                "{key}，{负责人}负责，出勤{出勤率}，当年造船花了{造价}，一年产出{年产值}。",
            ),
            "南部船队经营情况。",
        ),
    ),
    opening=("渔船登记摘要",),
    follow=("{label}：{value}（二次核对）。", "以复印件为准，{label}{value}。"),
    inline=("{wrong}→{value}", "{wrong}（复印件作{value}）"),
    noise=("照片{n}张。", "缆绳已更换。", "存档柜{n}。", "码头检查完毕。"),
    nothing=("空白", "待填"),
)

_HAN_AUTHORS = ("苏文昭", "高其远", "范若梅", "石敬之", "纪晓帆", "温如玉")
_HAN_HALLS = ("东阅览室", "善本库", "西阅览室", "地方志厅")

BOOKS = Wording(
    name="古籍整理",
    language="zh",
    key="number",
    fields=(
        Field("整理者", "name", "整理者", choices=_HAN_AUTHORS),
        Field("索书号", "code", "索书号"),
        Field("版本", "choice", "版本类型", choices=("刻本", "抄本", "石印本", "活字本")),
        Field("入藏日期", "date", "入藏日期"),
        Field("完成日期", "date", "完成日期", nulls=0.06),
        Field("残损率", "percent", "残损率", unit="%", low=0, high=80),
        Field("修复率", "percent", "修复率", unit="%", low=0, high=100, nulls=0.06),
        Field("购入价", "money", "购入价", unit="CNY", low=500, high=900_000, meaning="单位：元"),
        Field("馆藏地", "choice", "馆藏地点", choices=_HAN_HALLS),
        Field("页数", "plain", "页数", low=20, high=1900),
    ),
    parts=(
        Part(
            "来源",
            ("整理者", "索书号", "版本", "购入价"),
            (
                "编目时列在第{key}条的这部书，虽然封面残缺，但据卷末题记可以断定为{版本}，当年以{购入价}购得，由{整理者}负责整理，索书号定为{索书号}。",
                "由{整理者}经手整理的第{key}条，索书号{索书号}，属于{版本}，购书款{购入价}在账簿里有记录。",
            ),
            "后半部分条目多为近年捐赠或购入。",
        ),
        Part(
            "保存",
            ("残损率", "修复率", "馆藏地", "页数"),
            (
                "第{key}条共{页数}页，其中残损率达到{残损率}，经过修复之后修复率为{修复率}，现在存放在{馆藏地}。",
                "现存{馆藏地}的第{key}条，全书{页数}页，由于早年受潮，残损率为{残损率}，而修复率只有{修复率}。",
            ),
            "其余条目的保存状况如下。",
        ),
        Part(
            "进度",
            ("入藏日期", "完成日期"),
            (
                "第{key}条在{入藏日期}入藏，整理工作于{完成日期}完成。",
                "整理完成于{完成日期}的第{key}条，入藏时间是{入藏日期}。",
            ),
            "其余条目的进度依次说明。",
        ),
    ),
    opening=("古籍整理工作报告", "各条按编目顺序叙述。"),
    follow=("据后来查到的底册，{label}其实写的是{value}。", "审稿人认为{label}抄错了一笔，底册上为{value}。"),
    inline=("{wrong}（底册上是{value}）", "{wrong}——底册上是{value}——"),
    noise=("当天共有{n}名读者到馆。", "书库除湿机运转正常。", "函套由工匠重做。", "另有{n}张散页待考。"),
    nothing=("尚待考证", "缺载"),
)

WORDINGS = (BOREHOLES, BOOKINGS, BOATS, BOOKS)
