"""Wordings that development looks at; the figures come from `wordings_test`, which shares no form with these."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording
from benchmarks.documents.wordings_development_fifth import WORDINGS as FIFTH
from benchmarks.documents.wordings_development_fourth import WORDINGS as FOURTH
from benchmarks.documents.wordings_development_second import WORDINGS as SECOND
from benchmarks.documents.wordings_development_third import WORDINGS as THIRD

_CITIES = ("Leeds", "Porto", "Graz", "Lyon", "Turku", "Gdansk", "Ghent", "Bergen")
_FIRMS = (
    *("Alder Mills", "Brightwater Foods", "Cobalt Freight", "Dunmore Textiles", "Eastgate Optics", "Fenwick Glass"),
    *("Granite Peak Energy", "Harlow & Sons", "Ironbridge Tools", "Juniper Health", "Kestrel Air", "Larkfield Paper"),
)
_PEOPLE = ("Ada Birch", "Tom Fell", "Ruth Okoro", "Jan de Wit", "Mei Tan", "Luis Prado", "Eva Lund", "Omar Haddad")

COMPANIES = Wording(
    name="company_register",
    language="en",
    key="number",
    fields=(
        Field("firm_name", "name", "firm name", choices=_FIRMS, meaning="registered name of the firm"),
        Field("city", "choice", "city", choices=_CITIES, meaning="city of the head office"),
        Field("founded", "date", "founding date", meaning="date on which the firm was founded"),
        Field("employees", "count", "headcount", low=12, high=9000, nulls=0.05),
        Field("revenue", "money", "revenue", unit="USD", low=10_000, high=90_000_000, meaning="yearly revenue, in USD"),
        Field("margin", "percent", "margin", unit="%", low=-20, high=60, nulls=0.04),
        Field("licence", "code", "licence number"),
        Field("director", "name", "director", choices=_PEOPLE),
    ),
    parts=(
        Part(
            "Who they are",
            ("firm_name", "city", "licence"),
            (
                "Record {key} belongs to {firm_name}, head office in {city}. It trades under licence {licence}.",
                "Under record {key} we find {firm_name}; the company is based in {city} and holds licence {licence}.",
                "The firm in record {key} is {firm_name}. Its seat is {city}, and its licence number is {licence}.",
            ),
            "So much for the first half of the register; the remaining entries follow.",
        ),
        Part(
            "Beginnings and people",
            ("founded", "employees", "director"),
            (
                "By record {key}, the firm was founded on {founded} and employs {employees} people. Head: {director}.",
                "Record {key}: founded on {founded}, with a headcount of {employees}, and led by {director}.",
            ),
            "We now turn to the younger firms.",
        ),
        Part(
            "",
            ("revenue", "margin"),
            (
                "For record {key}, revenue came to {revenue} and the margin was {margin}.",
                "Record {key} shows revenue of {revenue}. The margin stood at {margin}.",
                "With a margin of {margin}, the firm behind record {key} took {revenue} in revenue.",
            ),
            "The figures of the smaller firms are told below.",
        ),
    ),
    opening=("# Register of firms", "This register retells what the registry office keeps on each firm."),
    follow=("Correction: the {label} is {value}.", "No, it was {value}: the {label} had been misread."),
    inline=("{wrong}, no, {value}", "{wrong} (corrected to {value})"),
    noise=(
        "The sheet was stamped twice by the clerk.",
        "Clerk {n} countersigned the page.",
        "A copy went to the archive.",
        "The ink had faded a little.",
    ),
    nothing=("not recorded", "unknown"),
)

_HAN_CITIES = ("杭州市", "成都市", "青岛市", "厦门市", "长沙市", "苏州市")
_HAN_FIRMS = (
    *("华岳精密制造有限公司", "东海远洋物流有限公司", "蓝石新材料股份有限公司", "金谷农业发展有限公司"),
    *("天启信息技术有限公司", "北辰生物医药股份有限公司", "云帆航空设备有限公司", "长河水务有限公司"),
)
_HAN_PEOPLE = ("李明远", "王若兰", "陈启文", "赵一鸣", "周慧", "孙立军")

FUNDS = Wording(
    name="企业档案",
    language="zh",
    key="number",
    fields=(
        Field("企业名称", "name", "企业名称", choices=_HAN_FIRMS, meaning="企业的登记名称"),
        Field("注册地", "choice", "注册地", choices=_HAN_CITIES),
        Field("注册资本", "money", "注册资本", unit="CNY", low=100_000, high=900_000_000, meaning="注册资本，单位：元"),
        Field("成立日期", "date", "成立日期", meaning="成立的日期"),
        Field("员工人数", "count", "员工人数", low=11, high=9000, nulls=0.05),
        Field("毛利率", "percent", "毛利率", unit="%", low=1, high=70),
        Field("法定代表人", "name", "法定代表人", choices=_HAN_PEOPLE),
        Field("证券代码", "code", "证券代码"),
    ),
    parts=(
        Part(
            "一、基本情况",
            ("企业名称", "注册地", "证券代码"),
            (
                "档案{key}号记载的企业名称为{企业名称}，注册地在{注册地}，证券代码为{证券代码}。",
                "据档案{key}号，{企业名称}的注册地是{注册地}。其证券代码为{证券代码}。",
            ),
            "以上为编号较小的企业，以下继续介绍其余企业。",
        ),
        Part(
            "二、成立与人员",
            ("成立日期", "员工人数", "法定代表人"),
            (
                "档案{key}号的企业成立于{成立日期}，员工人数为{员工人数}，法定代表人为{法定代表人}。",
                "在档案{key}号中，成立日期为{成立日期}，法定代表人是{法定代表人}，共有员工{员工人数}。",
            ),
            "下面转入后半部分企业。",
        ),
        Part(
            "三、财务",
            ("注册资本", "毛利率"),
            (
                "档案{key}号显示，注册资本为{注册资本}，毛利率为{毛利率}。",
                "档案{key}号的毛利率达{毛利率}，注册资本为{注册资本}。",
            ),
            "其余企业的财务数据如下。",
        ),
    ),
    opening=("# 企业档案汇编", "本文以文字形式转述登记机关保存的企业信息。"),
    follow=("更正：{label}应为{value}。", "不对，{label}是{value}。"),
    inline=("{wrong}（后更正为{value}）",),
    noise=("该页由经办人盖章确认。", "第{n}号柜台完成了复核。", "纸质件已归档保存。"),
    nothing=("未披露", "不详"),
)

RATES = Wording(
    name="station_readings",
    language="en",
    key="dated",
    fields=(
        Field("flow", "plain", "flow", low=1, high=900),
        Field("level", "length", "level", unit="cm", low=20, high=900),
        Field("state", "choice", "state", choices=("calm", "rising", "falling")),
        Field("power_cost", "money", "cost", unit="USD", low=100, high=90_000),
    ),
    parts=(
        Part(
            "Water",
            ("flow", "level"),
            (
                "Station {key} reported on {key2} a flow of {flow} units at a level of {level}.",
                "On {key2}, station {key} had a level of {level} and a flow of {flow} units.",
            ),
            "The second half of the log begins here.",
        ),
        Part(
            "Works",
            ("state", "power_cost"),
            (
                "Station {key} was {state} on {key2}, and pumping cost {power_cost}.",
                "At station {key} on {key2} the river was {state}; pumping cost {power_cost}.",
            ),
            "More readings follow.",
        ),
    ),
    opening=("Log of the river stations",),
    follow=("Correction: the {label} is {value}.",),
    inline=("{wrong}, rather {value}",),
    noise=("The gauge was cleaned.", "Observer {n} was on duty."),
    nothing=("not recorded",),
)

WORDINGS = (COMPANIES, FUNDS, RATES, *SECOND, *THIRD, *FOURTH, *FIFTH)
