"""More wordings that development looks at; see `wordings_development`."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording

_WARDS = ("Cardiology", "Surgery", "Oncology", "Paediatrics", "Neurology")
_NAMES = (
    *("Greta Holm", "Samuel Price", "Ines Duarte", "Yusuf Demir", "Clara Weiss", "Niall Byrne", "Hana Sato"),
    *("Pedro Alves", "Lena Fischer", "Marek Novak", "Aisha Khan", "Oscar Lind", "Tessa Brand", "Igor Pavlov"),
)

STAYS = Wording(
    name="unit_stays",
    language="en",
    key="number",
    fields=(
        Field("patient_name", "name", "patient name", choices=_NAMES, meaning="name of the patient"),
        Field("ward", "choice", "ward", choices=_WARDS),
        Field("chart_code", "code", "chart code"),
        Field("admitted", "date", "admission date", meaning="date of admission"),
        Field("height", "length", "height", unit="cm", low=90, high=205),
        Field("bill", "money", "bill", unit="USD", low=200, high=2_000_000, meaning="total bill, in USD"),
        Field("covered", "percent", "covered share", unit="%", low=1, high=100, nulls=0.05),
        Field("doses", "count", "dose count", low=11, high=4000, nulls=0.05),
    ),
    parts=(
        Part(
            "Admissions",
            ("patient_name", "ward", "chart_code"),
            (
                "Unit stay {key} concerns {patient_name}, treated in the {ward} ward. The chart code is {chart_code}.",
                "The patient of unit stay {key} was {patient_name}; ward: {ward}, chart code {chart_code}.",
                "{patient_name} is the patient for unit stay {key}. In charge: {ward}. Chart code: {chart_code}.",
            ),
            "The stays with higher numbers come next.",
        ),
        Part(
            "Measurements at the door",
            ("admitted", "height", "doses"),
            (
                "Unit stay {key} began on {admitted}. A height of {height} was measured, and {doses} doses were given.",
                "Admission for unit stay {key} fell on {admitted}; height {height}, doses given {doses}.",
            ),
            "What follows concerns the later stays.",
        ),
        Part(
            "Accounts",
            ("bill", "covered"),
            (
                "The bill for unit stay {key} amounted to {bill}, of which the insurer covered {covered}.",
                "Unit stay {key} closed with a bill of {bill}. The covered share was {covered}.",
                "Insurers covered {covered} of unit stay {key}, whose bill totalled {bill}.",
            ),
            "Accounts of the remaining stays:",
        ),
    ),
    opening=("# Ward book", "These pages retell the ward book of one hospital."),
    follow=(
        "On review the {label} was found to be wrong and should read {value}.",
        "Scratch that: the {label} is {value}.",
    ),
    inline=("{wrong} (sorry, {value})", "{wrong}, or rather {value}", "{wrong}, which should have been {value}"),
    noise=(
        "The form carries the stamp of desk {n}.",
        "Visiting hours were kept.",
        "The entry was typed by the night shift.",
        "Page {n} of the binder is torn.",
    ),
    nothing=("not stated", "unknown"),
)

TANKS = Wording(
    name="tank_log",
    language="en",
    key="code",
    prefix="TK-",
    fields=(
        Field("site", "choice", "site", choices=("North Quay", "Mill Lane", "Old Harbour", "Ridge Farm")),
        Field("inspected", "date", "inspection date"),
        Field("volume", "plain", "fill", low=10, high=900),
        Field("repair_cost", "money", "repair cost", unit="USD", low=50, high=900_000, nulls=0.03),
        Field("rust", "percent", "rust share", unit="%", low=0, high=80),
    ),
    parts=(
        Part(
            "",
            ("site", "inspected", "volume"),
            (
                "{key} stands at {site}. It was inspected on {inspected} and held {volume} barrels.",
                "{key}, found at {site}, was inspected on {inspected} with {volume} barrels inside.",
            ),
            "Further tanks of the same owner are listed from here on.",
        ),
        Part(
            "Condition",
            ("repair_cost", "rust"),
            (
                "{key} showed rust on {rust} of its shell; the repair cost was {repair_cost}.",
                "{key} needed repairs for {repair_cost}, with rust on {rust} of the shell.",
            ),
            "And now the condition of the others.",
        ),
    ),
    opening=("Tank inspections, retold",),
    follow=("Erratum: the {label} must be {value}.",),
    inline=("{wrong} (amended to {value})",),
    noise=("The valve was greased.", "Inspector {n} signed.", "Rain was falling."),
    nothing=("not given", "n/a"),
)

_HAN_NAMES = ("吴建国", "郑晓梅", "冯志强", "褚婷", "卫东升", "蒋文博", "沈佳怡", "韩磊")
_HAN_STOCKS = (
    *("远山科技", "鼎盛能源", "碧水环保", "安途汽车", "丰谷食品", "星河通信", "凌云航空", "瑞康医疗", "恒达钢铁"),
    "百川化工",
)

TRANSFERS = Wording(
    name="股权转让",
    language="zh",
    key="number",
    fields=(
        Field("证券简称", "name", "证券简称", choices=_HAN_STOCKS, meaning="证券的简称"),
        Field("证券代码", "code", "证券代码"),
        Field("出让方", "name", "出让方", choices=_HAN_NAMES),
        Field("公告日期", "date", "公告日期", meaning="公告发布日期"),
        Field("转让金额", "money", "转让金额", unit="CNY", low=100_000, high=900_000_000, meaning="转让金额，单位：元"),
        Field("转让比例", "percent", "转让比例", unit="%", low=1, high=60),
        Field("股东户数", "plain", "股东户数", low=1000, high=90_000, nulls=0.05),
    ),
    parts=(
        Part(
            "转让双方",
            ("证券简称", "证券代码", "出让方"),
            (
                "记录{key}涉及的证券简称为{证券简称}，证券代码{证券代码}，出让方是{出让方}。",
                "在记录{key}中，{出让方}作为出让方，转让了{证券简称}的股份。该证券代码为{证券代码}。",
            ),
            "编号较大的记录见下文。",
        ),
        Part(
            "交易要素",
            ("公告日期", "转让金额", "转让比例"),
            (
                "记录{key}的公告日期为{公告日期}，转让金额合计{转让金额}，转让比例{转让比例}。",
                "记录{key}：转让比例为{转让比例}，转让金额为{转让金额}，公告日期是{公告日期}。",
            ),
            "以下为后续记录的交易要素。",
        ),
        Part(
            "",
            ("股东户数",),
            ("截至期末，记录{key}的股东户数为{股东户数}户。", "记录{key}披露股东户数{股东户数}户。"),
            "其余记录的股东情况如下。",
        ),
    ),
    opening=("股权转让情况综述",),
    follow=("经复核，{label}应为{value}。", "{label}有误，正确的是{value}。"),
    inline=("{wrong}（应为{value}）", "{wrong}（误记，实为{value}）"),
    noise=("相关文件已提交备案。", "第{n}号经办人签字。", "公告全文可在网站查询。"),
    nothing=("未披露", "暂无"),
)

PRICES = Wording(
    name="regional_prices",
    language="en",
    key="dated",
    fields=(
        Field("price", "plain", "price", low=10, high=900),
        Field("deals", "count", "deal count", low=11, high=5000),
        Field("mood", "choice", "mood", choices=("firm", "weak", "mixed")),
    ),
    parts=(
        Part(
            "Trading",
            ("price", "deals"),
            (
                "Region {key} saw on {key2} a price of {price} crowns and a total of {deals} deals.",
                "On {key2} the price in region {key} was {price} crowns after {deals} deals.",
            ),
            "The remaining regions follow.",
        ),
        Part(
            "Mood",
            ("mood",),
            ("Traders in region {key} on {key2} felt {mood}.", "On {key2} the mood in region {key} was {mood}."),
            "Moods elsewhere:",
        ),
    ),
    opening=("Prices by region and day",),
    follow=("Correction: the {label} was {value}.",),
    inline=("{wrong}, no, {value}",),
    noise=("Observer {n} compiled the note.", "The exchange closed early."),
    nothing=("not recorded",),
)

WORDINGS = (STAYS, TANKS, TRANSFERS, PRICES)
