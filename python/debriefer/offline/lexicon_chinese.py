"""Chinese words that steer a question, and words that carry none of its content."""

from __future__ import annotations

from debriefer.offline.cue_table import read_cues, words

# Measure words that may stand between a number or question word and a noun.
MEASURES = "个名位家所种部本条首座场支款件项类届辆间门人次张篇只头台处份期国片幅节道颗棵艘架口"

DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九十")} | {"两": 2, "〇": 0}
MULTIPLIERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}

# Each line: the cue, what it carries, and after the bar its phrases; a phrase on two lines is first what stands first.
_CUES = """
count | 数量, 个数, 总数, 数目, 总数量, 总人数
how-much | 多少, 有多少
how-much price | 多少钱
how-much age | 多大
how-much height | 多高
how-much duration | 多久
how-much length | 多长
which | 哪些, 什么, 啥, 哪, 哪几, 何
which place | 哪里的
who | 谁, 哪位, 哪个人, 哪些人, 什么人, 何人
when | 什么时候, 何时, 什么时间, 哪年, 哪一年, 哪天, 哪一天, 几点, 几号, 几月, 哪个月, 啥时候
where | 哪里, 哪儿, 在哪, 什么地方, 何处, 在哪里, 在哪儿, 哪个地方
super desc | 最高, 最大, 最长, 最强, 最好, 最远, 最广, 最重, 最快, 最久, 最优, 最高的, 最火, 最热门, 最受欢迎
super desc most | 最多
super desc 价 | 最贵
super asc | 最低, 最小, 最短, 最差, 最轻, 最慢
super asc most | 最少
super asc 价 | 最便宜
super asc date | 最早, 最先
super desc date | 最晚, 最新
super asc 年龄 | 最年轻
super desc 年龄 | 最年长, 最老
max max | 最大值, 最高值
max min | 最小值, 最低值
each | 每, 每个, 各, 各个, 每一个, 各自
respectively | 分别, 各自的
compare > | 大于, 超过, 高于, 多于, 长于, 大过, 超出, 晚于
compare >= | 不低于, 不少于, 不小于, 至少, 至少有, 大于等于, 达到
compare < | 小于, 低于, 少于, 不到, 不足, 短于, 早于
compare <= | 不超过, 不高于, 不大于, 不多于, 至多, 最多有, 小于等于
compare = | 等于, 第
after-number >= | 以上, 及以上, 以来
after-number <= | 以下, 及以下, 以内
after-number > | 以后, 之后, 后
after-number < | 以前, 之前, 前
between | 之间, 到
not | 不是, 除了, 除, 不属于, 不在, 并非, 非, 不为, 不含
not have | 没有, 未, 从未, 没
or | 或, 或者, 或是, 还是
and | 和, 与, 以及, 及, 并且, 且, 同时, 、, 跟, 还有
aggregate avg | 平均, 平均值, 均值
aggregate sum | 总, 总和, 合计, 总计, 之和, 一共, 总共, 共, 共有, 一共有, 总共有
distinct | 不同, 不同的, 去重, 不重复
sort | 排序, 排列, 按, 按照, 依据, 根据, 依, 顺序
direction desc | 从高到低, 从大到小, 从多到少, 由高到低, 由大到小, 由多到少, 降序, 倒序, 从晚到早, 从长到短
direction asc | 从低到高, 从小到大, 从少到多, 由低到高, 由小到大, 由少到多, 升序, 从早到晚, 从短到长
like contains | 包含, 含有, 带有
like starts | 姓
like-after starts | 开头
like-after ends | 结尾
all-columns | 详细信息, 所有信息, 全部信息, 具体信息, 相关信息, 基本信息, 信息, 资料, 具体情况, 详情
all-columns weak | 情况
departs | 从, 出发, 始发
arrives | 到, 去, 前往, 到达, 抵达, 至, 飞往, 开往
of | 的, 之
name | 名称, 名字, 姓名, 名, 名单, 叫什么
top | 前, 排名前, 排前, 前几
"""


def _cues() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the cues, those with a measure word written out (`多少所`, `哪位`, `每家`)."""
    cues = read_cues(_CUES)
    for measure in MEASURES:
        for start in ("多少", "几", "有多少", "有几", "共有多少", "一共有多少", "总共有多少", "共有几", "一共有几"):
            cues.setdefault(start + measure, (("count", "measured"),))
        for start in ("哪", "哪一", "哪几", "哪两", "什么样的"):
            cue = "who" if start + measure == "哪位" else "which"
            cues.setdefault(start + measure, ((cue, ""),))
        for start in ("每", "每一", "各"):
            cues.setdefault(start + measure, (("each", ""),))
    return cues


CUES = _cues()

STOP_WORDS = words(
    """
    一下 一个 一些 一位 一共 一家 一所 一本 一种 一起 一部 上 下 下来 不 个 中 为 主要 么 也 了
    了解 于 人 人民币 今年 他 他们 以 以及 们 件 任何 会 但 但是 位 位于 位居 作为 你 你们 你好
    使用 信息 元 先生 全国 全部 全部的 公里 共 关于 其 其中 具体 具体的 具有 内 内容 出来 列
    列一下 列举 列出 到底 十分 去 又 发现 只 叫 叫做 可不可以 可以 可能 号 名 名为 吗 吧 听说 呀
    告诉 告诉我 呗 呢 咨询 哦 啊 嗯 因为 国内 在 地 场 多 大家 大概 女士 她 好像 好几 好几个
    好几种 如今 如何 如果 存在 它 它们 家 对 对于 对应 对应的 小姐 少 就 届 展示 属于 岁 已经
    市场 市场上 帮 帮忙 帮我 平方米 年 应该 座 张 当前 很 得 怎么样 怎样 您 您好 情况 想 想知道
    想要 想问 成为 我 我们 我国 我想 我要 所 所以 所有 所有的 找 找出 找到 把 拥有 支 数据 数据库
    方面 日 时 时候 是 是不是 是否 显示 曾 曾经 最近 月 有 有关 有没有 朋友们 本 条 来 来着 来自
    某 某个 查 查找 查看 查询 次 款 此 每 比较 然后 特别 现在 由 的 目前 相关 相应 看 看看 着
    知道 种 称为 究竟 米 类 结果 给 给出 给我 能 能不能 自己 表 表中 被 被称为 要 觉得 认为 让
    记录 该 说 说说 请 请问 起来 过 还 还有 这 这个 这些 这里 进行 那 那个 那些 那里 部 都 都有
    里 问 问问 需要 非常 项 首
    """
)

# Words that ask for something that no rule here does; a reading that passes over one of them is wrong.
BEYOND = tuple(
    sorted(
        words(
            """
            占比 百分比 百分之 相差 之差 差距 增长 减少 变化 增加 下降 倍 第二 第三 倒数 前一
            后一 上一 下一 中位数 方差 标准差 比较 相比 相同 一样 同一 更高 更多 更少 更低 更大 之比
            """
        )
    )
)

# Parts of names that say only of what sort a column is.
VAGUE = words(
    "主要 人数 信息 名字 名称 地点 姓名 对应 属于 年份 总数 情况 所在 所属 数目 数量 日期 时间 是否 类别 类型 级别 编号"
)
PREFIXES = (
    "所属",
    "所在",
    "所处",
    "主要",
    "是否有",
    "是否",
    "所",
    "所获",
    "当前",
    "总",
    "任教",
    "任职",
    "举办",
    "出生",
)
SUFFIXES = (
    "名称",
    "姓名",
    "名字",
    "名",
    "时间",
    "日期",
    "年份",
    "数量",
    "人数",
    "数",
    "人物",
    "地点",
    "城市",
    "国家",
    "情况",
    "率",
    "级别",
)

DATE_ENDINGS = ("时间", "日期", "年份", "年", "时刻", "年代", "月份")
PLACE_ENDINGS = ("地点", "地址", "地", "城市", "位置", "国家", "省份", "地区", "所在", "区域", "总部")
PERSON_ENDINGS = ("人", "者", "姓名", "人物", "导演", "主演", "教练", "校长", "总裁", "负责", "人名", "名字")
DEPARTURE_WORDS = ("始发", "出发", "起点", "起始", "起飞", "来源")
ARRIVAL_WORDS = ("到达", "终点", "目的", "抵达", "降落")
