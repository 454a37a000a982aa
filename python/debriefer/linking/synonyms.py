"""Words of one meaning in general language: a question may say any of a group."""

from __future__ import annotations


def _groups(lines: str) -> tuple[frozenset[str], ...]:
    """Return the groups of a text, one a line."""
    return tuple(frozenset(line.split()) for line in lines.strip().splitlines())


ENGLISH = _groups(
    """
country nation
film movie
cost price
earning pay salary wage
client customer
employee staff worker
instructor professor teacher
automobile car vehicle
pupil student
city town
business company firm
location place
phone telephone
gender sex
category kind type
choice option
author writer
song track
income revenue
name title
image photo picture
road street
date day
duration length
goods product
begin start
end finish
maker manufacturer
birthdate birthday
province state
description detail
count number
rate rating
job occupation profession
    """
)

CHINESE = _groups(
    """
大学 学校 院校 高校
企业 公司 厂商
影片 片子 电影
书 书名 书籍 图书
日期 时间
价格 价钱 单价 售价 票价
品牌 牌子
列车 火车 车次
位置 地址 地点
员工 职工 雇员
平台 网站
会议 大会 峰会
工资 收入 薪水 薪资
教师 老师
品种 种类 类别 类型
单位 机构 组织
售卖量 销售量 销量
区域 地区
国家 国籍
球员 运动员 选手
诗 诗歌 诗词
作品 著作
城市 市
省 省份
医生 大夫
航班 飞机
歌 歌曲
奖 奖项
工作 职业 职位 职务
性别 男女
身高 高度
名次 排名 排行
分数 得分 评分
岁数 年龄
景区 景点
餐厅 餐馆 饭店
产品 商品
人口 人口数量
创办 创建 创立 建立 成立
举办 举行 召开
母校 毕业院校
    """
)

# People and things of a country, and its name; one pair a line, a name of several words joined by `_`.
_DEMONYMS = """
american united_states
american usa
american us
british united_kingdom
british uk
english england
scottish scotland
irish ireland
welsh wales
french france
german germany
spanish spain
italian italy
portuguese portugal
dutch netherlands
belgian belgium
swiss switzerland
austrian austria
swedish sweden
norwegian norway
danish denmark
finnish finland
polish poland
czech czech_republic
hungarian hungary
romanian romania
bulgarian bulgaria
greek greece
turkish turkey
russian russia
ukrainian ukraine
serbian serbia
croatian croatia
chinese china
japanese japan
korean south_korea
korean korea
indian india
pakistani pakistan
thai thailand
vietnamese vietnam
indonesian indonesia
malaysian malaysia
filipino philippines
australian australia
canadian canada
mexican mexico
brazilian brazil
argentine argentina
argentinian argentina
chilean chile
colombian colombia
peruvian peru
egyptian egypt
moroccan morocco
nigerian nigeria
kenyan kenya
ethiopian ethiopia
south_african south_africa
israeli israel
iranian iran
iraqi iraq
saudi saudi_arabia
european europe
asian asia
african africa
"""
DEMONYMS = tuple(tuple(word.replace("_", " ") for word in line.split()) for line in _DEMONYMS.strip().splitlines())

# Verbs, and the forms of them that no ending makes; one verb a line.
_IRREGULAR = """
begin began begun
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
do did done
draw drew drawn
drive drove driven
eat ate eaten
fall fell fallen
fight fought
find found
fly flew flown
forget forgot forgotten
freeze froze frozen
get got
give gave given
go went gone
grow grew grown
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
leave left
lend lent
lose lost
make made
meet met
pay paid
ride rode ridden
rise rose risen
run ran
see saw seen
sell sold
send sent
shoot shot
sing sang sung
speak spoke spoken
spend spent
stand stood
steal stole stolen
swim swam swum
take took taken
teach taught
tell told
think thought
throw threw thrown
understand understood
wear wore worn
win won
withdraw withdrew withdrawn
write wrote written
"""
IRREGULAR = tuple((line.split()[0], frozenset(line.split()[1:])) for line in _IRREGULAR.strip().splitlines())

# Words and how tables abbreviate them: sexes, months, days of the week, states of the USA; one a line.
_ABBREVIATED = """
male m
man m
boy m
female f
woman f
girl f
january jan
february feb
march mar
april apr
june jun
july jul
august aug
september sep
october oct
november nov
december dec
monday mon
tuesday tue
wednesday wed
thursday thu
friday fri
saturday sat
sunday sun
alabama al
alaska ak
arizona az
arkansas ar
california ca
colorado co
connecticut ct
delaware de
florida fl
georgia ga
hawaii hi
idaho id
illinois il
indiana in
iowa ia
kansas ks
kentucky ky
louisiana la
maine me
maryland md
massachusetts ma
michigan mi
minnesota mn
mississippi ms
missouri mo
montana mt
nebraska ne
nevada nv
new_hampshire nh
new_jersey nj
new_mexico nm
new_york ny
north_carolina nc
north_dakota nd
ohio oh
oklahoma ok
oregon or
pennsylvania pa
rhode_island ri
south_carolina sc
south_dakota sd
tennessee tn
texas tx
utah ut
vermont vt
virginia va
washington wa
west_virginia wv
wisconsin wi
wyoming wy
"""
ABBREVIATED = tuple(
    tuple(word.replace("_", " ") for word in line.split()) for line in _ABBREVIATED.strip().splitlines()
)
