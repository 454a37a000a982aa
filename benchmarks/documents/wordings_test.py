"""Wordings that the figures come from, of another hand; nothing was made by looking at how these are read."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording

_VESSELS = (
    *("MV Astrid Bakke", "Ocean Meridian", "Pacific Heron", "Nordic Thistle", "Santa Eulalia", "Golden Estuary"),
    *("Blue Marlin II", "Hansa Coburg", "Cape Verity", "Lady Rosalind", "Eastern Courage", "Stella Borealis"),
)
_AGENTS = ("Hartog Shipping", "Bluewater Agencies", "Inchcape Partners", "Marlow Bros", "Seaway Services")

CALLS = Wording(
    name="port_calls",
    language="en",
    key="number",
    fields=(
        Field("vessel", "name", "vessel", choices=_VESSELS, meaning="name of the ship"),
        Field("flag", "choice", "flag", choices=("Panama", "Liberia", "Malta", "Norway", "Singapore", "Cyprus")),
        Field("manifest_no", "code", "manifest number"),
        Field("agent", "name", "agent", choices=_AGENTS),
        Field("arrival", "date", "arrival date", meaning="date on which the ship made fast"),
        Field("berth", "choice", "berth", choices=("Container Terminal East", "Grain Pier", "Oil Jetty", "Quay 7")),
        Field("draught", "length", "draught", unit="cm", low=310, high=1690, meaning="draught on arrival, in cm"),
        Field("crew", "count", "crew size", low=9, high=64),
        Field("cargo_tonnes", "plain", "cargo weight", low=800, high=96_000, nulls=0.06),
        Field("load_factor", "percent", "load factor", unit="%", low=8, high=100, nulls=0.04),
        Field("port_dues", "money", "port dues", unit="USD", low=900, high=2_500_000),
    ),
    parts=(
        Part(
            "Ships and papers",
            ("vessel", "flag", "manifest_no", "agent"),
            (
                (
                    "Port call {key} was made by the {vessel}, sailing under the flag of {flag}. {agent} acted as "
                    "agent and filed the cargo manifest under number {manifest_no}."
                ),
                (
                    "The ship on port call {key} was the {vessel} ({flag} flag). Her manifest bears the number "
                    "{manifest_no}, and her agent was {agent}."
                ),
            ),
            "From this point on the calls of the second half-year are described.",
        ),
        Part(
            "Arrival and berthing",
            ("arrival", "berth"),
            (
                "For port call {key}, the pilot log has {arrival} as the arrival date and {berth} as the berth.",
                "The berth allotted for port call {key} was {berth}, the date of arrival being {arrival}.",
                "Arrival date for port call {key}: {arrival}. The ship was worked at {berth}.",
            ),
            "The later arrivals were handled in the same manner.",
        ),
        Part(
            "Condition on arrival",
            ("draught", "crew"),
            ("On port call {key} the ship drew {draught} of water and carried a crew of {crew}.",),
            "The harbour master's readings continue below.",
        ),
        Part(
            "Cargo and charges",
            ("cargo_tonnes", "load_factor", "port_dues"),
            (
                (
                    "Port dues of {port_dues} were invoiced for call {key}. The weight of the cargo in tonnes was "
                    "{cargo_tonnes}, and the load factor was {load_factor}."
                ),
                (
                    "In tonnes, the cargo handled during call {key} was {cargo_tonnes}; the load factor was "
                    "{load_factor} and the dues came to {port_dues}."
                ),
            ),
            "There remain the charges for the calls that were invoiced after the tariff reform.",
        ),
    ),
    opening=("Annual account of port calls", "Compiled by the harbour office from pilot logs and invoices."),
    follow=(
        "The harbour office afterwards put the {label} right: {value}.",
        "Strike out the {label} given here and read {value}.",
        "The invoice copy shows that the {label} was not as stated but {value}.",
    ),
    inline=("{wrong}, since changed to {value}", "{value} (not {wrong}, as first logged)", "{wrong} [read: {value}]"),
    noise=(
        "Tug number {n} assisted without incident.",
        "Fresh water was supplied by barge.",
        "A customs officer attended the gangway.",
        "The wind had dropped by the evening.",
        "The call was also reported to the coast guard.",
    ),
    nothing=("not reported", "missing from the log"),
)

_HOME = (
    *("Ashby Rovers", "Castleton United", "Dunfield Athletic", "Elm Park Rangers", "Hexley Town", "Kirkmoor"),
    *("Northgate Albion", "Pennington City"),
)
_AWAY = (
    *("Brockham Wanderers", "Fairhaven", "Glaston County", "Inverlock Thistle", "Marsh End", "Ottermouth Argyle"),
    *("Redbridge Vale", "Thornbury Victoria"),
)
_REFEREES = ("Neil Garside", "Amanda Frost", "Darren Pugh", "Ian Whitlock", "Rosa Kemp", "Simon Adeyemi")

MATCHES = Wording(
    name="football_matches",
    language="en",
    key="number",
    fields=(
        Field("home_team", "name", "home team", choices=_HOME, meaning="club that played at home"),
        Field("away_team", "name", "visiting team", choices=_AWAY),
        Field("competition", "choice", "competition", choices=("League", "County Cup", "League Cup", "Charity Shield")),
        Field("played_on", "date", "match date", meaning="date of the match"),
        Field("home_goals", "plain", "home side's goal tally", low=0, high=7),
        Field("away_goals", "plain", "visitors' goal tally", low=0, high=6),
        Field("possession", "percent", "home side's possession", unit="%", low=25, high=75, nulls=0.05),
        Field("attendance", "count", "attendance", low=40, high=9800, nulls=0.04),
        Field("gate_receipts", "money", "gate receipts", unit="USD", low=400, high=1_800_000),
        Field("referee", "name", "referee", choices=_REFEREES),
    ),
    parts=(
        Part(
            "Fixtures",
            ("home_team", "away_team", "competition", "played_on"),
            (
                (
                    "Match {key} brought {away_team} to the ground of {home_team} in the {competition}. The date was "
                    "{played_on}."
                ),
                "{home_team} hosted {away_team} in match {key}, a {competition} tie; match date: {played_on}.",
                (
                    "In match {key}, part of the {competition}, {home_team} welcomed {away_team}. The record book "
                    "dates it {played_on}."
                ),
            ),
            "After the winter break the fixture list continued as follows.",
        ),
        Part(
            "Results and play",
            ("home_goals", "away_goals", "possession"),
            (
                (
                    "Goals scored in match {key}: {home_goals} by the home side and {away_goals} by the visitors. "
                    "Possession for the home side was {possession}."
                ),
                (
                    "Match {key} ended with {home_goals} for the hosts and {away_goals} for the guests; the hosts' "
                    "share of possession was {possession}."
                ),
            ),
            "Results of the matches in the second half of the list come next.",
        ),
        Part(
            "At the gate",
            ("attendance", "gate_receipts", "referee"),
            (
                (
                    "{referee} refereed match {key}. The attendance was {attendance}, and receipts at the gate "
                    "amounted to {gate_receipts}."
                ),
                (
                    "Takings at the gate for match {key} were {gate_receipts}, the attendance {attendance}; the "
                    "whistle was in the hands of {referee}."
                ),
                (
                    "The crowd figure for match {key} is {attendance}. The club banked {gate_receipts}, and the "
                    "official in the middle was {referee}."
                ),
                (
                    "With {referee} in charge, match {key} earned {gate_receipts} at the turnstiles. Attendance: "
                    "{attendance}."
                ),
            ),
            "And so to the gates of the spring.",
        ),
    ),
    opening=(
        "# The season in words",
        "Every match in the district archive is retold here, first the pairing, then the play, then the gate.",
    ),
    follow=(
        "Our apologies for the {label}, which ought to have been given as {value}.",
        "The league has since confirmed {value} as the {label}.",
    ),
    inline=("{wrong}, pardon, {value}", "{wrong} (the official match sheet has {value})"),
    noise=(
        "Kick-off was delayed by {n} minutes.",
        "A minute's silence was observed.",
        "The pitch had been rolled in the morning.",
        "The programme sold out.",
        "Substitute number {n} warmed up but was not used.",
    ),
    nothing=("not published", "unavailable"),
)

_HAN_BONDS = (
    *("江北城投", "蓉西交通", "海曙港务", "祁连水电", "太湖文旅", "岭南高速", "榆林煤化", "闽东电力", "滨江置业"),
    *("中原铁建", "渤海租赁", "赣南稀土"),
)
_HAN_UNDERWRITERS = ("国泰华信证券", "东方瑞丰证券", "中汇银行", "兴陆证券", "浦江银行")

BONDS = Wording(
    name="bond_issue",
    language="zh",
    key="code",
    prefix="MTN",
    fields=(
        Field("债券简称", "name", "债券简称", choices=_HAN_BONDS, meaning="债券在银行间市场的简称"),
        Field("登记代码", "code", "登记代码"),
        Field("主体评级", "choice", "主体评级", choices=("AAA", "AA+", "AA", "AA-")),
        Field("评级展望", "choice", "评级展望", choices=("稳定", "正面", "负面"), nulls=0.05),
        Field("发行规模", "money", "发行规模", unit="CNY", low=50_000_000, high=5_000_000_000, meaning="单位：元"),
        Field("票面利率", "percent", "票面利率", unit="%", low=2, high=8),
        Field("期限", "plain", "期限", low=1, high=16),
        Field("起息日", "date", "起息日", meaning="开始计息的日期"),
        Field("主承销商", "name", "主承销商", choices=_HAN_UNDERWRITERS),
        Field("承销费用", "money", "承销费用", unit="CNY", low=20_000, high=9_000_000, nulls=0.06),
        Field("担保方式", "choice", "担保方式", choices=("信用", "抵押担保", "连带责任保证", "质押担保")),
    ),
    parts=(
        Part(
            "（一）债券与主体",
            ("债券简称", "登记代码", "主体评级", "评级展望"),
            (
                "编码为{key}的债券简称“{债券简称}”，在登记结算机构的代码为{登记代码}。发行主体获评{主体评级}级，评级展望{评级展望}。",
                "{key}即“{债券简称}”，登记代码{登记代码}；其发行人的主体信用等级为{主体评级}，展望{评级展望}。",
                "“{债券简称}”的债券编码是{key}，对应登记代码{登记代码}。评级机构给予发行人{主体评级}的主体评级，展望为{评级展望}。",
            ),
            "上述债券发行较早，下面介绍此后发行的债券。",
        ),
        Part(
            "（二）发行条款",
            ("发行规模", "票面利率", "期限"),
            (
                "{key}共募集资金{发行规模}，期限{期限}年，票面利率定为{票面利率}。",
                "从发行条款看，{key}为{期限}年期品种，发行规模{发行规模}，簿记建档确定的票面利率为{票面利率}。",
            ),
            "其后各期债券的条款大体类似，具体如下。",
        ),
        Part(
            "（三）计息与增信",
            ("起息日", "担保方式"),
            ("{key}自{起息日}起计息，增信措施为{担保方式}。", "{key}的增信方式是{担保方式}，起息日定于{起息日}。"),
            "再看其余各期的计息安排。",
        ),
        Part(
            "（四）承销",
            ("主承销商", "承销费用"),
            (
                "{key}由{主承销商}牵头承销，承销费用{承销费用}。",
                "担任{key}主承销商的是{主承销商}，发行人为此支付的承销费用为{承销费用}。",
            ),
            "剩余债券的承销情况接续如下。",
        ),
    ),
    opening=("# 中期票据发行情况回顾", "以下内容根据募集说明书及发行结果公告整理，金额均为人民币。"),
    follow=(
        "需要说明的是，上文{label}系笔误，请以{value}为准。",
        "发行人其后刊登补充公告，将{label}变更为{value}。",
    ),
    inline=("{wrong}（勘误后为{value}）", "{value}（初稿误作{wrong}）"),
    noise=(
        "募集说明书全文共{n}章。",
        "律师事务所出具了法律意见书。",
        "投资者可通过客户端查阅发行文件。",
        "簿记现场由公证人员见证。",
    ),
    nothing=("尚未公布", "未予披露"),
)

HOUSING = Wording(
    name="macro_housing_market",
    language="zh",
    key="dated",
    fields=(
        Field("新房均价", "plain", "新房均价", low=4000, high=68_000, meaning="每平方米价格，单位：元"),
        Field("价格环比", "percent", "价格环比", unit="%", low=-6, high=7),
        Field("成交套数", "plain", "成交套数", low=60, high=9900, nulls=0.04),
        Field("土地收入", "money", "土地出让收入", unit="CNY", low=8_000_000, high=9_000_000_000, meaning="单位：元"),
        Field("首套利率", "percent", "首套房贷利率", unit="%", low=3, high=7, nulls=0.06),
        Field("购房人数", "count", "首次购房人数", low=30, high=8200),
        Field("市场热度", "choice", "市场热度", choices=("偏冷", "平稳", "回暖", "过热")),
    ),
    parts=(
        Part(
            "价格",
            ("新房均价", "价格环比"),
            (
                "据{key2}发布的数据，城市{key}新建商品住宅均价为每平方米{新房均价}元，环比变动{价格环比}。",
                "{key2}的数据显示，城市{key}的价格环比为{价格环比}，新房均价报每平方米{新房均价}元。",
            ),
            "其他样本城市的价格走势分述如下。",
        ),
        Part(
            "成交与客群",
            ("成交套数", "购房人数", "市场热度"),
            (
                "成交方面，城市{key}在{key2}的网签套数为{成交套数}，其中首次购房者{购房人数}，市场热度判断为{市场热度}。",
                "截至{key2}，城市{key}首次购房者有{购房人数}，当期成交套数{成交套数}；市场整体{市场热度}。",
                "{key2}，监测认为城市{key}市场{市场热度}，成交套数为{成交套数}，首次购房者计{购房人数}。",
            ),
            "转看其余城市的成交表现。",
        ),
        Part(
            "土地与信贷",
            ("土地收入", "首套利率"),
            (
                "城市{key}在{key2}当期实现土地出让收入{土地收入}，首套房贷利率{首套利率}。",
                "信贷端，城市{key}于{key2}的首套房贷利率为{首套利率}；土地端，出让收入录得{土地收入}。",
            ),
            "余下城市的土地与信贷数据一并列出。",
        ),
    ),
    opening=("# 重点城市住房市场监测", "监测覆盖若干样本城市，城市以序号代称，日期为数据发布日。"),
    follow=("统计部门后来修订了{label}，修订结果为{value}。", "初报的{label}不够准确，终报为{value}。"),
    inline=("{wrong}（终报修订为{value}）", "{value}（初报曾作{wrong}）"),
    noise=(
        "当日另有{n}家媒体转载。",
        "中介门店的反馈与此基本一致。",
        "样本口径与上年相同。",
        "数据发布时间较往常略晚。",
    ),
    nothing=("暂缺", "未发布"),
)

WORDINGS = (CALLS, MATCHES, BONDS, HOUSING)
