"""More wordings that development looks at."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording

_HEROES = (
    *("Silver Falcon", "Night Otter", "Captain Ember", "The Weaver", "Ironbark", "Lady Quartz", "Tidebreaker"),
    *("Mister Static", "Gale Sister", "Red Lantern Fox", "Moth King", "Paper Tiger", "Atlas Junior", "Vesper"),
)
_ORIGINS = ("human", "mutant", "android", "alien", "demigod")

HEROES = Wording(
    name="superhero",
    language="en",
    key="number",
    fields=(
        Field("hero_name", "name", "hero name", choices=_HEROES, meaning="name of the hero"),
        Field("origin", "choice", "origin", choices=_ORIGINS),
        Field("height_cm", "length", "height", unit="cm", low=120, high=260, meaning="body height in cm"),
        Field("debut", "date", "debut", meaning="date of the first appearance"),
        Field("issues", "count", "issue count", low=11, high=2000, nulls=0.06),
        Field("win_rate", "percent", "win rate", unit="%", low=1, high=99, nulls=0.04),
        Field("budget", "money", "budget", unit="USD", low=1000, high=50_000_000),
        Field("badge", "code", "badge number"),
    ),
    parts=(
        Part(
            "Names and origins",
            ("hero_name", "origin", "badge"),
            (
                "File {key} introduces {hero_name}, who is {origin} by origin; the badge number is {badge}.",
                "In file {key} the hero is called {hero_name}. Origin: {origin}. Badge: {badge}.",
                "We meet {hero_name} in file {key}. This hero is of {origin} origin and wears badge {badge}.",
            ),
            "Next come the files with the larger numbers.",
        ),
        Part(
            "Bodies and calendars",
            ("height_cm", "debut"),
            (
                "According to file {key}, the hero measures {height_cm} and made a debut on {debut}.",
                "File {key} puts the debut at {debut} and the height at {height_cm}.",
                "The height in file {key} is {height_cm}, the debut took place on {debut}.",
            ),
            "The rest of the team, measured likewise:",
        ),
        Part(
            "",
            ("issues", "win_rate", "budget"),
            (
                "File {key} counts {issues} issues, a win rate of {win_rate} and a budget of {budget}.",
                "For file {key} the budget reached {budget}; the win rate was {win_rate} over {issues} issues.",
            ),
            "The newer heroes close the chapter.",
        ),
    ),
    opening=(
        "# Hero files",
        "What the archive keeps on each hero, put into words.",
        "Some pages are older than others.",
    ),
    follow=(
        "That was a slip: the {label} is in fact {value}.",
        "The {label} has since been revised to {value}.",
        "No, the {label} was {value}.",
    ),
    inline=("{wrong}, in fact {value}", "{wrong} (revised to {value})", "{wrong}, make that {value}"),
    noise=(
        "The photograph is missing.",
        "Archivist {n} initialled the margin.",
        "Two staples hold the sheet.",
        "The folder smells of smoke.",
    ),
    nothing=("unknown", "not recorded"),
)

RACES = Wording(
    name="races",
    language="en",
    key="code",
    prefix="R",
    fields=(
        Field("circuit", "choice", "circuit", choices=("Monza", "Suzuka", "Spa", "Interlagos", "Silverstone")),
        Field("held_on", "date", "race date"),
        Field("winner", "name", "winner", choices=("A. Prost", "L. Berg", "M. Duval", "K. Sorensen", "P. Oyelaran")),
        Field("spectators", "plain", "attendance", low=1000, high=99_000),
        Field("prize", "money", "prize", unit="USD", low=5000, high=9_000_000, nulls=0.04),
        Field("finishers", "percent", "finishing share", unit="%", low=20, high=100),
    ),
    parts=(
        Part(
            "Where and when",
            ("circuit", "held_on", "winner"),
            (
                "Race {key} was run at {circuit} on {held_on} and won by {winner}.",
                "On {held_on}, {winner} took race {key} at {circuit}.",
            ),
            "The second half of the season:",
        ),
        Part(
            "Figures",
            ("spectators", "prize", "finishers"),
            (
                (
                    "Race {key} drew {spectators} spectators. "
                    "The prize was {prize}, and {finishers} of the field finished."
                ),
                "With {spectators} spectators in the stands, race {key} paid a prize of {prize}; {finishers} finished.",
            ),
            "Figures of the later races are these.",
        ),
    ),
    opening=("Season report",),
    follow=("Correction: the {label} should read {value}.", "The {label} was misprinted and is actually {value}."),
    inline=("{wrong} (should be {value})", "{wrong}, actually {value}"),
    noise=("The weather held.", "Marshal {n} waved the flag.", "The pits were repainted."),
    nothing=("not disclosed",),
)

_HAN_FUNDS = (
    *("汇泽稳健增利", "嘉禾成长优选", "中辰价值精选", "泰岳灵活配置", "盛世消费主题", "长青债券增强", "银河量化对冲"),
    *("南洋新兴产业", "博远医药创新", "融通资源轮动"),
)
_HAN_MANAGERS = ("刘子墨", "高远航", "林小雨", "何志成", "宋雅琴", "谢东来")

FUNDS = Wording(
    name="基金概况",
    language="zh",
    key="number",
    fields=(
        Field("基金名称", "name", "基金名称", choices=_HAN_FUNDS, meaning="基金的全称"),
        Field("基金代码", "code", "基金代码"),
        Field("基金经理", "name", "基金经理", choices=_HAN_MANAGERS),
        Field("发行日期", "date", "发行日期", meaning="首次发行日期"),
        Field("募集规模", "money", "募集规模", unit="CNY", low=1_000_000, high=990_000_000, meaning="规模，单位：元"),
        Field("管理费率", "percent", "管理费率", unit="%", low=0, high=3),
        Field("持有人数", "count", "持有人数", low=11, high=9000, nulls=0.05),
        Field("风险等级", "choice", "风险等级", choices=("低", "中低", "中", "中高", "高")),
    ),
    parts=(
        Part(
            "第一部分 名称与管理",
            ("基金名称", "基金代码", "基金经理"),
            (
                "条目{key}对应的基金名称是{基金名称}，基金代码为{基金代码}，由{基金经理}担任基金经理。",
                "条目{key}：{基金名称}，基金代码{基金代码}，基金经理为{基金经理}。",
            ),
            "以下条目的编号较大。",
        ),
        Part(
            "第二部分 发行",
            ("发行日期", "募集规模", "持有人数"),
            (
                "条目{key}的发行日期为{发行日期}，募集规模达到{募集规模}，持有人数为{持有人数}。",
                "就条目{key}而言，募集规模为{募集规模}，持有人数{持有人数}，发行日期在{发行日期}。",
            ),
            "继续说明其余条目的发行情况。",
        ),
        Part(
            "",
            ("管理费率", "风险等级"),
            (
                "条目{key}的管理费率为{管理费率}，风险等级为{风险等级}。",
                "条目{key}属于{风险等级}风险等级，管理费率{管理费率}。",
            ),
            "其余条目的费率与等级见下。",
        ),
    ),
    opening=("# 基金概况说明", "本说明以叙述方式整理各基金的主要信息。"),
    follow=("经核实，{label}应更正为{value}。", "前述{label}有误，实际为{value}。", "{label}已修正为{value}。"),
    inline=("{wrong}（更正：{value}）", "{wrong}（实为{value}）"),
    noise=("资料由第{n}组整理。", "相关附件另行保存。", "页边有手写批注。"),
    nothing=("未披露", "暂无"),
)

OUTPUT = Wording(
    name="地区产值",
    language="zh",
    key="dated",
    fields=(
        Field("产值", "money", "产值", unit="CNY", low=10_000_000, high=990_000_000),
        Field("增速", "percent", "增速", unit="%", low=-9, high=30),
        Field("企业数", "plain", "企业数", low=10, high=9000),
    ),
    parts=(
        Part(
            "产值",
            ("产值", "增速"),
            (
                "地区{key}在{key2}的产值为{产值}，增速为{增速}。",
                "{key2}，地区{key}增速{增速}，产值达{产值}。",
            ),
            "其他地区的情况如下。",
        ),
        Part(
            "主体",
            ("企业数",),
            ("地区{key}在{key2}共有企业{企业数}家。", "{key2}，地区{key}的企业数为{企业数}家。"),
            "接下来是其他地区。",
        ),
    ),
    opening=("各地区产值记述",),
    follow=("更正：{label}应为{value}。",),
    inline=("{wrong}（应为{value}）",),
    noise=("数据由统计员{n}填报。", "报表已存档。"),
    nothing=("未公布",),
)

WORDINGS = (HEROES, RACES, FUNDS, OUTPUT)
