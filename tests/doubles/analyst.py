"""A scripted Solver model behind the server: an analyst who knows each question's statement, but no name and no hash.

Table names come from `\\schema`, line numbers and hashes from what the tools showed, the right spelling from the
error's hint, the next step from what came back. A wrong observation breaks the session: the script raises, the server
answers with 400. Each public function is a session of one kind; `python -m tests.doubles.server analyst.py:FUNCTION`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.doubles.script import Answer, Reply, ToolCall, Turn, fields, refused, server_error

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What the analyst knows of a question: a statement with places for tables, each known by columns it must have."""

    sql: str
    tables: Mapping[str, tuple[str, ...]]


def plan(sql: str, **tables: tuple[str, ...]) -> Plan:
    return Plan(sql, tables)


# By the beginning of the question. The statements were written against the raw files (`tests/integration/
# test_examples.py`) and the published golds of the sample tasks.
PLANS: Mapping[str, Plan] = {
    "显示300707的出让前持股数量和出让前持股比例": plan(
        "SELECT 出让前持股数量, 出让前持股比例 FROM {t} WHERE 证券代码 = '300707'", t=("证券代码", "出让前持股数量")
    ),
    "How many orders were placed by customers from Porto?": plan(
        "SELECT COUNT(*) AS orders FROM {o} o JOIN {c} c USING (customer_id) WHERE c.city = 'Porto'",
        o=("order_id", "customer_id"),
        c=("customer_id", "city"),
    ),
    "代码为000021的基金，基金经理是谁？": plan(
        "SELECT 基金经理 FROM {t} WHERE 代码 = '000021'", t=("代码", "基金经理")
    ),
    "华东仓库的库存数量总和是多少？": plan(
        "SELECT SUM(库存数量) AS 库存数量总和 FROM {t} WHERE 仓库 = '华东仓库'", t=("仓库", "库存数量")
    ),
    "What is the average temperature at the station Harbour North?": plan(
        "SELECT AVG(temperature) AS average_temperature FROM {t} WHERE station = 'Harbour North'",
        t=("station", "temperature"),
    ),
    "Which mountain huts have the most beds?": plan(
        "SELECT hut FROM {t} WHERE beds = (SELECT MAX(beds) FROM {t})", t=("hut", "beds")
    ),
    "单日销售额最高的门店是哪家？": plan(
        'SELECT 门店 FROM {t} WHERE "销售额(万元)" = (SELECT MAX("销售额(万元)") FROM {t})', t=("门店", "销售额(万元)")
    ),
    "How many employees joined before the move to the new office?": plan(
        "SELECT COUNT(*) AS employees FROM {t} WHERE joined < DATE '2021-07-19'", t=("employee_id", "joined")
    ),
    "List the titles of the books written by Ines Calder.": plan(
        "SELECT title FROM {b} JOIN {a} USING (author_id) WHERE name = 'Ines Calder'",
        b=("title", "author_id"),
        a=("name", "author_id"),
    ),
    "状态为已取消的订单有多少个？": plan(
        "SELECT COUNT(*) AS 订单数 FROM {t} WHERE 状态 = '已取消'", t=("订单号", "状态")
    ),
    "What are the phone number and the opening date of the Riverside branch?": plan(
        'SELECT "phone number", "opening date" FROM {t} WHERE branch = \'Riverside\'', t=("branch", "phone number")
    ),
    "产量最高的3个果园是哪些？": plan('SELECT 果园 FROM {t} ORDER BY "产量(吨)" DESC LIMIT 3', t=("果园", "产量(吨)")),
    'Among the superheroes with the super power of "Super Strength"': plan(
        "SELECT COUNT(*) AS n FROM {h} h JOIN {p} p ON p.hero_id = h.id JOIN {s} s ON s.id = p.power_id "
        "WHERE s.power_name = 'Super Strength' AND h.height_cm > 200",
        h=("superhero_name", "height_cm"),
        p=("hero_id", "power_id"),
        s=("id", "power_name"),
    ),
    "Calculate the percentage of superheroes with blue eyes.": plan(
        "SELECT 100.0 * COUNT(*) FILTER (WHERE c.colour = 'Blue') / COUNT(*) AS p FROM {h} h "
        "JOIN {c} c ON c.id = h.eye_colour_id",
        h=("superhero_name", "eye_colour_id"),
        c=("id", "colour"),
    ),
    "Among all European Grand Prix races": plan(
        "SELECT 100.0 * COUNT(*) FILTER (WHERE c.country = 'Germany') / COUNT(*) AS p FROM {r} r "
        "JOIN {c} c ON c.circuitId = r.circuitId WHERE r.name = 'European Grand Prix'",
        r=("raceId", "circuitId"),
        c=("circuitRef", "country"),
    ),
    "Please list all the superpowers of 3-D Man.": plan(
        "SELECT power_name FROM {s} s JOIN {p} p ON p.power_id = s.id JOIN {h} h ON h.id = p.hero_id "
        "WHERE superhero_name = '3-D Man'",
        s=("id", "power_name"),
        p=("hero_id", "power_id"),
        h=("id", "superhero_name"),
    ),
    "What is the surname of the driver with the best lap time in race number 19": plan(
        "SELECT surname FROM {q} q JOIN {d} d USING (driverId) WHERE raceId = 19 "
        "AND q2 = (SELECT MIN(q2) FROM {q} WHERE raceId = 19)",
        q=("raceId", "q2"),
        d=("driverId", "surname"),
    ),
    "Which race was Alex Yoong in when he was in track number less than 20?": plan(
        "SELECT r.name FROM {r} r JOIN {s} s USING (raceId) JOIN {d} d USING (driverId) "
        "WHERE forename = 'Alex' AND surname = 'Yoong' AND s.position < 20",
        r=("raceId", "name", "round"),
        s=("driverStandingsId", "position"),
        d=("driverRef", "surname"),
    ),
}


@dataclass(frozen=True)
class Session:
    """A conversation as it stands: what the tools have shown so far, and the question."""

    turn: Turn

    @property
    def question(self) -> str:
        found = re.findall(r"^# Question\n\n(.*)$", self.turn.text, re.MULTILINE)
        return str(found[-1]) if found else ""

    @property
    def plan(self) -> Plan:
        return next(known for beginning, known in PLANS.items() if self.question.startswith(beginning))

    @property
    def replies(self) -> int:
        return sum(role == "assistant" for role, _ in self.turn.messages)

    @property
    def seen(self) -> str:
        """What came back so far: all that is not a reply, behind the task."""
        return "\n".join(text for role, text in self.turn.messages[2:] if role != "assistant")

    @property
    def last(self) -> str:
        """What came back since the last reply."""
        texts: list[str] = []
        for role, text in reversed(self.turn.messages):
            if role == "assistant":
                break
            texts.insert(0, text)
        return "\n".join(texts) if self.replies else ""

    def once(self, key: str) -> bool:
        """Return whether this is asked for the first time for the question, over all its conversations."""
        return self.turn.count(f"{self.question} {key}") == 0

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns of each table that `\\schema` has shown."""
        found: dict[str, list[str]] = {}
        table = ""
        for line in self.seen.splitlines():
            if head := re.match(r"(\S.*?): \d+ rows?, \d+ columns?, from ", line):
                table = head.group(1)
            elif column := re.match(r'- "(.+?)" [A-Z]', line):
                found.setdefault(table, []).append(column.group(1))
        return found

    @property
    def sql(self) -> str:
        """The statement, with the names of the tables that have the columns it needs."""
        names = {}
        for place, needed in self.plan.tables.items():
            fitting = [table for table, columns in self.columns.items() if set(needed) <= set(columns)]
            assert len(fitting) == 1, (place, needed, self.columns)
            names[place] = f'"{fitting[0]}"'
        return self.plan.sql.format(**names)

    def edit(self, content: str, *, wrong_hash: bool = False) -> Call:
        """Return the edit that replaces the whole region, with the hashes that were shown last."""
        text = self.turn.text
        first, last = re.findall(r"lines (\d+) to (\d+) may be edited", text)[-1]
        hashes = dict(re.findall(r"^(\d+)\|([a-z]{2})\|", text, re.MULTILINE))
        start = hashes[first]
        if wrong_hash:
            start = "zz" if start != "zz" else "qq"
        arguments = {"start_line": int(first), "end_line": int(last), "start_hash": start, "new_content": content}
        return "edit_solver", arguments if first == last else {**arguments, "end_hash": hashes[last]}

    def query(self, sql: str) -> str:
        return f'# as asked, nothing more\nresult = run_sql("""\n{sql}\n""")'

    def act(self, thought: str, *calls: Call, aloud: bool = False) -> Reply:
        """Return a turn in the form that the request asks for: native calls where it carries tools, else fields.

        Native calls come with null content, as many servers send them, unless `aloud`.
        """
        if self.turn.tools:
            made = tuple(
                ToolCall(name, arguments, f"c{self.turn.number:05d}{i:03d}")
                for i, (name, arguments) in enumerate(calls)
            )
            return Reply(thought if aloud or not calls else None, made)
        listed = {"tool_calls": [{"name": name, "args": arguments} for name, arguments in calls]}
        return fields(self.turn, thought=thought, tool_calls=json.dumps(listed, ensure_ascii=False))


def direct(turn: Turn) -> Answer:
    """Look, write, run, end."""
    return _work(Session(turn))


def _work(session: Session, first_query: Callable[[Session], str] | None = None, *, wrong: bool = False) -> Answer:
    last = session.last
    if "\nOK\n" in f"\n{last}" or re.search(r"^OK$", last, re.MULTILINE):
        assert re.search(r"^\d+ rows?, \d+ columns?$", last, re.MULTILINE), last
        return session.act("The prediction holds what was asked for.")
    if not session.replies:
        return session.act("What is there?", ("explore_data", {"query": "\\tables"}))
    if tables := re.findall(r"^(\S.*?): \d+ rows?, \d+ columns?, from ", last, re.MULTILINE):
        if '- "' not in last:
            return session.act("Which columns?", *(("explore_data", {"query": f"\\schema {name}"}) for name in tables))
        return session.act(
            "Try the reading, and look at the script.", ("explore_data", {"query": session.sql}), ("read_solver", {})
        )
    if "may be edited" in last and not re.search(r"^\d+ rows?$", last, re.MULTILINE):
        message = f"unexpected observation: {last}"
        raise AssertionError(message)
    query = session.query(session.sql) if first_query is None else first_query(session)
    return session.act("Write it and run it.", session.edit(query, wrong_hash=wrong), ("run_solver", {}))


def sql_error(turn: Turn) -> Answer:
    """Misspell a column at first, take the right name from the error, repair."""
    session = Session(turn)
    right = next(iter(session.plan.tables.values()))[-1]
    wrong = f"{right}x" if right.isascii() else f"{right}值"
    if "FAILED" in session.last:
        offered = re.findall(r"`([^`]+)`", session.last.partition("FAILED")[2])
        assert wrong in offered or wrong in session.last, session.last
        assert right in offered, session.last
        return session.act("The name was wrong.", session.edit(session.query(session.sql)), ("run_solver", {}))
    if "FAILED" in session.seen:
        return _work(session)

    def misspelt(one: Session) -> str:
        sql = one.sql
        table = next(t for t, columns in one.columns.items() if right in columns)
        return one.query(f'{sql.partition(" FROM ")[0]} FROM (SELECT "{wrong}" FROM "{table}")')

    return _work(session, misspelt)


def wrong_hash(turn: Turn) -> Answer:
    """Edit with a wrong hash at first, take the right one from the refusal."""
    session = Session(turn)
    if told := re.search(r"use start_hash=([a-z]{2})", session.last):
        name, arguments = session.edit(session.query(session.sql))
        edit = name, {**arguments, "start_hash": told.group(1)}
        return session.act("The hash was wrong.", edit, ("run_solver", {}))
    return _work(session, wrong="use start_hash=" not in session.seen)


def no_output(turn: Turn) -> Answer:
    """Run a script without a result first, then write the query."""
    session = Session(turn)
    if "NO OUTPUT" in session.last:
        return session.act("Nothing came out.", session.edit(session.query(session.sql)), ("run_solver", {}))
    if "NO OUTPUT" in session.seen:
        return _work(session)
    return _work(session, lambda _: "# the query follows\nresult = None")


def early_stop(turn: Turn) -> Answer:
    """Stop at once without a prediction; the second attempt works."""
    session = Session(turn)
    if not session.replies and session.once("stop"):
        return session.act("I believe the answer is 42.")
    return _work(session)


def request_limit(turn: Turn) -> Answer:
    """Write a wrong prediction and then never end; the second attempt works."""
    session = Session(turn)
    if not session.replies:
        turn.count(f"{session.question} conversations")
    if turn.state[f"{session.question} conversations"] > 1:
        return _work(session)
    if session.replies == 0:
        return session.act("Which lines?", ("read_solver", {}))
    if session.replies == 1:
        wrong = session.query("SELECT 'wrong' AS answer")
        return session.act("A first guess.", session.edit(wrong), ("run_solver", {}))
    return session.act("Once more.", ("explore_data", {"query": f"SELECT {session.replies} AS n"}))


def context_overflow(turn: Turn) -> Answer:
    """Fill the window, compress, and go on from the conclusion alone."""
    if "withdrawn" in turn.system:
        known = sorted(set(re.findall(r"settled: (SELECT .*?) ;", turn.text)))
        conclusions = [f"settled: {sql} ;" for sql in known] or ["nothing is settled yet"]
        return fields(
            turn, conclusions=json.dumps(conclusions, ensure_ascii=False), withdrawn="[]", next_step="write the query"
        )
    session = Session(turn)
    settled = re.findall(r"settled: (SELECT .*?) ;", turn.text)
    if "# Work so far" in turn.text:
        assert settled, "the conclusion was lost"
        if re.search(r"^OK$", session.last, re.MULTILINE):
            return session.act("Done.")
        if "may be edited" in session.last:
            return session.act("Write it.", session.edit(session.query(settled[-1])), ("run_solver", {}))
        return session.act("Which lines?", ("read_solver", {}))
    if not session.replies or not session.columns:
        return _work(session)
    # Long outputs, each one another.
    number = session.replies
    filling = f"repeat(chr(97 + (i + {number}) % 26)::VARCHAR, 150)"
    wide = f"SELECT {number} AS turn, i, {filling} AS filling FROM range(60) r(i)"
    return session.act(f"settled: {session.sql} ;", ("explore_data", {"query": wide, "limit": 60}), aloud=True)


def down(turn: Turn) -> Answer:
    """Be away for 20 s in the middle of the first session."""
    if turn.count("requests") == 2:
        return refused(20)
    return _work(Session(turn))


def flaky(turn: Turn) -> Answer:
    """Fail now and then as servers do."""
    if turn.count("requests") % 5 == 1:
        return server_error()
    return _work(Session(turn))


def malformed(turn: Turn) -> Answer:
    """Send every kind of call that cannot be run, then work."""
    session = Session(turn)
    step = turn.count(f"{session.question} malformed")
    if step == 0:
        if turn.tools:
            return Reply(None, (ToolCall("explore_data", '{"query": "\\\\tab'),))
        return Reply("I will look at the tables first.")
    if step == 1:
        if not turn.tools:
            assert "could not be read" in session.last, session.last
        return session.act("Try this.", ("run_sql", {"sql": "SELECT 1"}))
    if step == 2:
        assert "explore_data" in session.last, session.last
        return session.act("Then this.", ("explore_data", {"q": "\\tables"}), ("explore_data", {"query": ["\\tables"]}))
    if step == 3:
        assert "query" in session.last, session.last
        return session.act("What is there?", ("explore_data", {"query": "\\tables"}))
    return _work(session)


def five_failures(turn: Turn) -> Answer:
    """Write the query and end without running it, every time: only the fallback runs it."""
    session = Session(turn)
    if "may be edited" in session.last and " replaced by " in session.last:
        return session.act("It is written.")
    answer = _work(session)
    if "may be edited" in session.last:
        return session.act("Write it.", session.edit(session.query(session.sql)))
    return answer


def unaccepted(turn: Turn) -> Answer:
    """Leave a right prediction, then fall silent: no attempt ends well."""
    session = Session(turn)
    if re.search(r"^OK$", session.last, re.MULTILINE):
        return Reply("")
    if re.search(r"^OK$", session.seen, re.MULTILINE):
        return Reply("")
    return _work(session)


def silent(turn: Turn) -> Answer:
    """End every attempt at once, with nothing done."""
    return Session(turn).act("I do not know.")
