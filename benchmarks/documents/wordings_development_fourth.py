"""Wordings of another hand that development looks at."""

from __future__ import annotations

from benchmarks.documents.wording import Field, Part, Wording

_HOLDERS = (
    *("Margaret Doyle", "Kwame Asante", "Stefan Brandt", "Priya Raman", "Colm Gallagher", "Beatriz Nunes"),
    *("Howard Pike", "Yuki Nakamura", "Fatima El Amrani", "Dermot Shea", "Anneke Visser", "Joel Whitcombe"),
)
_ADJUSTERS = ("Carla Jennings", "Robert Tully", "Sunita Bose", "Patrick Moran", "Helga Strom")

CLAIMS = Wording(
    name="motor_claims",
    language="en",
    key="code",
    prefix="CLM-",
    fields=(
        Field("policyholder", "name", "policyholder", choices=_HOLDERS, meaning="person insured under the policy"),
        Field("policy_no", "code", "policy number"),
        Field("vehicle_class", "choice", "vehicle class", choices=("saloon", "estate car", "panel van", "motorcycle")),
        Field("renewal_date", "date", "renewal date"),
        Field("loss_date", "date", "date of loss", meaning="day on which the loss occurred"),
        Field("cause", "choice", "cause", choices=("collision", "theft", "hail damage", "fire", "vandalism")),
        Field("fault_share", "percent", "share of fault", unit="%", low=0, high=100, nulls=0.08),
        Field("claimed", "money", "amount claimed", unit="USD", low=300, high=4_000_000, meaning="sum claimed, in USD"),
        Field("paid", "money", "amount paid", unit="USD", low=100, high=3_000_000, nulls=0.1),
        Field("adjuster", "name", "adjuster", choices=_ADJUSTERS),
    ),
    parts=(
        Part(
            "1. Policy and insured",
            ("policyholder", "policy_no", "vehicle_class", "renewal_date"),
            (
                (
                    "Claim {key} was lodged by {policyholder} under policy no. {policy_no}. The cover applies to the "
                    "vehicle class {vehicle_class}, with the renewal date set at {renewal_date}."
                ),
                (
                    "{policyholder} is the insured party in claim {key}. The policy, numbered {policy_no}, was written "
                    "for the {vehicle_class} class and has a renewal date of {renewal_date}."
                ),
                (
                    "Policy {policy_no}, held by {policyholder}, gave rise to claim {key}; the class of vehicle is "
                    "{vehicle_class} and the renewal date {renewal_date}."
                ),
            ),
            "Claims opened later in the underwriting year are described in the paragraphs below.",
        ),
        Part(
            "2. Circumstances of the loss",
            ("loss_date", "cause", "fault_share"),
            (
                (
                    "The loss behind claim {key} is dated {loss_date} and was put down to {cause}. The share of fault "
                    "attributed to the insured is {fault_share}."
                ),
                (
                    "For claim {key} the police report gives {cause} as the cause and {loss_date} as the date of loss; "
                    "the insured's share of fault is {fault_share}."
                ),
            ),
            "The same details for the second batch of claims are as follows.",
        ),
        Part(
            "3. Settlement",
            ("claimed", "paid", "adjuster"),
            (
                (
                    "Claim {key} was assigned to {adjuster}. The amount claimed was {claimed}, and the amount paid out "
                    "is {paid}."
                ),
                (
                    "Against {claimed} claimed under {key}, the amount finally paid is {paid}. The adjuster in charge "
                    "was {adjuster}."
                ),
                "{adjuster} dealt with claim {key}, in which {claimed} was sought; the settlement is {paid}.",
            ),
            "We continue with the settlements of the more recent claims.",
        ),
    ),
    opening=(
        "# Motor claims review",
        "This review goes through the motor claims of the portfolio and summarises what the claim files contain.",
        "Amounts are stated in US dollars before reinsurance.",
    ),
    follow=(
        "Please disregard the {label} quoted above; the file was updated and it now stands at {value}.",
        "An earlier draft misquoted the {label}, which according to the claim form is {value}.",
    ),
    inline=("{wrong} (later restated as {value})", "{wrong} (since updated: {value})"),
    noise=(
        "The scanned correspondence runs to {n} pages.",
        "A reminder letter was sent to the repair shop.",
        "The file has been passed to the quality team for a routine check.",
        "Photographs were received by e-mail and stored in folder {n}.",
    ),
    nothing=("still open", "yet to be determined"),
)

_NURSES = ("Nurse Okafor", "Nurse Lindqvist", "Nurse Bellamy", "Nurse Castellano", "Nurse Huang")

LABORATORY = Wording(
    name="laboratory",
    language="en",
    key="dated",
    fields=(
        Field("haemoglobin", "plain", "haemoglobin", low=70, high=190, meaning="haemoglobin in g/l"),
        Field("platelets", "plain", "platelet count", low=20, high=620, nulls=0.05),
        Field("saturation", "percent", "oxygen saturation", unit="%", low=82, high=100),
        Field("proteinuria", "choice", "urine protein", choices=("negative", "trace", "positive", "strongly positive")),
        Field("crp", "plain", "CRP", low=1, high=240, nulls=0.08, meaning="C-reactive protein in mg/l"),
        Field("girth", "length", "abdominal girth", unit="cm", low=58, high=148),
        Field("drawn_by", "name", "name of the nurse", choices=_NURSES),
        Field("next_visit", "date", "date of the next visit", nulls=0.05),
        Field("tube_code", "code", "tube code"),
        Field("lab_fee", "money", "laboratory fee", unit="USD", low=30, high=9000),
    ),
    parts=(
        Part(
            "Blood",
            ("haemoglobin", "platelets", "crp"),
            (
                (
                    "The blood sample taken from patient {key} on {key2} had a haemoglobin of {haemoglobin} g/l. The "
                    "platelet count was {platelets} and the CRP {crp}."
                ),
                "Patient {key}, examined on {key2}: haemoglobin {haemoglobin} g/l, platelets {platelets}, CRP {crp}.",
            ),
            "The results of the remaining patients are given in the same order.",
        ),
        Part(
            "Bedside findings",
            ("saturation", "proteinuria", "girth"),
            (
                (
                    "At the visit of {key2}, the oxygen saturation of patient {key} was {saturation}, the urine "
                    "protein was {proteinuria}, and the abdominal girth was {girth}."
                ),
                (
                    "Patient {key} had an abdominal girth of {girth} on {key2}. Saturation read {saturation}; the "
                    "urine test for protein came back {proteinuria}."
                ),
            ),
            "Bedside findings of the other half of the cohort:",
        ),
        Part(
            "Handling of the samples",
            ("drawn_by", "tube_code", "lab_fee", "next_visit"),
            (
                (
                    "On {key2} {drawn_by} drew the sample of patient {key} into tube {tube_code}. A fee of {lab_fee} "
                    "was charged, and the date of the next visit is {next_visit}."
                ),
                (
                    "Tube {tube_code} holds the sample of patient {key} from {key2}; it was drawn by {drawn_by} and "
                    "cost {lab_fee} to process. Next visit: {next_visit}."
                ),
                (
                    "For the sample of {key2} from patient {key}, the laboratory charged {lab_fee}. It came in tube "
                    "{tube_code}, drawn by {drawn_by}, and the date of the next visit is {next_visit}."
                ),
            ),
            "Handling was no different for the patients enrolled later.",
        ),
    ),
    opening=(
        "# Outpatient laboratory notes",
        "Haemoglobin is stated in g/l, platelets in thousands per microlitre and CRP in mg/l.",
    ),
    follow=(
        "The {label} was transcribed wrongly; the original slip says {value}.",
        "The original sheet was looked up and has {value} for the {label}.",
    ),
    inline=("{wrong}, overwritten by hand with {value}", "{wrong} (retyped as {value})"),
    noise=(
        "The patient had fasted overnight.",
        "Room {n} was used because of building work.",
        "The centrifuge was serviced the same week.",
        "No complaints were voiced.",
    ),
    nothing=("not available", "pending"),
)

_HAN_REAGENTS = (
    *("无水乙醇", "苯甲酸", "硝酸银", "乙酸乙酯", "氯化钡", "水杨酸", "对苯二酚", "柠檬酸钠", "高锰酸钾", "四氢呋喃"),
    "草酸",
)
_HAN_TESTERS = ("顾念之", "彭国梁", "陶思远", "罗春燕", "邵一帆")

REAGENTS = Wording(
    name="试剂检验",
    language="zh",
    key="number",
    fields=(
        Field("试剂名称", "name", "试剂名称", choices=_HAN_REAGENTS, meaning="试剂的中文名称"),
        Field("批号", "code", "批号"),
        Field("规格", "choice", "规格", choices=("分析纯", "化学纯", "优级纯", "色谱纯")),
        Field("纯度", "percent", "纯度", unit="%", low=88, high=100, meaning="主含量的质量分数"),
        Field("水分", "percent", "水分", unit="%", low=0, high=6, nulls=0.06),
        Field("熔点", "plain", "熔点", low=12, high=420, nulls=0.08),
        Field("检验日期", "date", "检验日期"),
        Field("检验员", "name", "检验员", choices=_HAN_TESTERS),
        Field("采购金额", "money", "采购金额", unit="CNY", low=800, high=600_000, meaning="单位：元"),
        Field("存放要求", "choice", "存放要求", choices=("常温避光", "冷藏", "干燥密封", "防爆柜")),
    ),
    parts=(
        Part(
            "来样登记",
            ("试剂名称", "批号", "规格"),
            (
                "第{key}号样品是{试剂名称}，瓶签上的批号为{批号}，规格为{规格}。",
                "第{key}号样品送检的是批号{批号}的{试剂名称}，标示规格为{规格}。",
                "送检登记簿上，第{key}号样品写明为{试剂名称}（{规格}），批号{批号}。",
            ),
            "下半年送来的样品接着登记。",
        ),
        Part(
            "理化指标",
            ("纯度", "水分", "熔点"),
            (
                "第{key}号样品测得纯度{纯度}，水分{水分}，熔点{熔点}。",
                "滴定结果表明，第{key}号样品的纯度为{纯度}；另测水分为{水分}，熔点为{熔点}。",
            ),
            "其余样品按同样的方法测定，结果分述于后。",
        ),
        Part(
            "检验与入库",
            ("检验日期", "检验员", "采购金额", "存放要求"),
            (
                "负责第{key}号样品的检验员是{检验员}，检验日期为{检验日期}。该批试剂采购金额{采购金额}，存放要求为{存放要求}。",
                "第{key}号样品于{检验日期}由{检验员}检验完毕，所属批次花费{采购金额}，入库时注明的存放要求是{存放要求}。",
            ),
            "以下样品在盘点之后入库。",
        ),
    ),
    opening=("试剂质量检验记录", "温度一律以摄氏度计，纯度与水分均为质量分数。"),
    follow=("复测之后，{label}改记为{value}。", "{label}一项誊写有错，原始记录上写的是{value}。"),
    inline=("{wrong}（划去，改写为{value}）", "{wrong}，复查后改为{value}"),
    noise=(
        "当日实验室温度为{n}摄氏度。",
        "废液已统一回收处理。",
        "天平使用前经过校准。",
        "留样放在{n}号柜。",
    ),
    nothing=("未测", "无数据"),
)

_HAN_SCHOOLS = (
    *("明德学校", "育英学校", "实验学校", "清溪学校", "凤鸣学校", "朝阳路学校", "南山外国语学校", "文昌学校"),
    *("桐花巷学校", "滨河学校", "立信学校", "望江学校"),
)
_HAN_HEADS = ("段秋实", "贺兰英", "尹志刚", "鲁静文", "曾庆云", "康永福", "白雪梅")

SCHOOLS = Wording(
    name="学校概况",
    language="zh",
    key="number",
    fields=(
        Field("校名", "name", "校名", choices=_HAN_SCHOOLS, meaning="学校名称"),
        Field("办学层次", "choice", "办学层次", choices=("小学", "初中", "高中", "九年一贯制", "完全中学")),
        Field("所在区", "choice", "所在区", choices=("鼓楼区", "江宁区", "秦淮区", "浦口区", "溧水区")),
        Field("标识码", "code", "标识码"),
        Field("建校时间", "date", "建校时间"),
        Field("校长", "name", "校长", choices=_HAN_HEADS),
        Field("在校生", "count", "在校生人数", low=120, high=6800, meaning="在校学生人数"),
        Field("专任教师", "count", "专任教师人数", low=12, high=520),
        Field("升学率", "percent", "升学率", unit="%", low=55, high=100, nulls=0.08),
        Field("教学楼高度", "length", "教学楼高度", unit="cm", low=650, high=3200),
        Field("藏书量", "plain", "藏书量", low=3000, high=260_000, nulls=0.05),
        Field("年度经费", "money", "年度经费", unit="CNY", low=900_000, high=180_000_000, meaning="单位：元"),
    ),
    parts=(
        Part(
            "学校名录",
            ("校名", "办学层次", "所在区", "标识码"),
            (
                "名录第{key}位是{校名}，坐落于{所在区}，办学层次为{办学层次}，国家统一标识码为{标识码}。",
                "{校名}列名录第{key}位，属{办学层次}，地处{所在区}。学校标识码：{标识码}。",
            ),
            "名录的后半部分为近年新增的学校。",
        ),
        Part(
            "沿革与管理",
            ("建校时间", "校长"),
            (
                "名录第{key}位的学校创办于{建校时间}，现任校长{校长}。",
                "主持名录第{key}位学校工作的是{校长}校长，该校建校时间为{建校时间}。",
                "翻阅校史可知，名录第{key}位的学校建于{建校时间}；目前由{校长}任校长。",
            ),
            "新增学校的沿革相对简短。",
        ),
        Part(
            "师生规模",
            ("在校生", "专任教师", "升学率"),
            (
                "名录第{key}位的学校现有在校生{在校生}，专任教师{专任教师}，最近一届毕业生升学率{升学率}。",
                "就师生规模而言，名录第{key}位的学校配备专任教师{专任教师}，在读学生{在校生}，升学率为{升学率}。",
            ),
            "接下来说明名录后半部分学校的师生情况。",
        ),
        Part(
            "办学条件",
            ("教学楼高度", "藏书量", "年度经费"),
            (
                "名录第{key}位的学校全年经费{年度经费}，教学楼高{教学楼高度}，图书馆藏书（册）{藏书量}。",
                "在办学条件方面，名录第{key}位的学校教学楼高度为{教学楼高度}，藏书册数为{藏书量}，年度经费为{年度经费}。",
            ),
            "后续学校的办学条件依次为：",
        ),
    ),
    opening=(
        "# 全市中小学概况",
        "本材料依据教育事业统计报表编写，按名录顺序逐校叙述。",
        "除另有注明外，数据截至学年初。",
    ),
    follow=(
        "校方来函指出，{label}与事实不符，准确的是{value}。",
        "这里的{label}沿用了旧报表，新报表已改为{value}。",
    ),
    inline=("{wrong}（旧报表口径，新报表为{value}）", "{wrong}，哦，应当是{value}"),
    noise=(
        "督导组曾到校走访{n}次。",
        "食堂已完成改造。",
        "材料由教务处盖章报送。",
        "校门口新设了公交站。",
    ),
    nothing=("未填报", "缺报"),
)

WORDINGS = (CLAIMS, LABORATORY, REAGENTS, SCHOOLS)
