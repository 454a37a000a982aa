"""What is measured on: names, tables and statements that benchmarks share; needs no peer."""

from __future__ import annotations

import random

NAMES = 10_000
WORDS = ("Sales", "Members", "公司名单", "金额(万元)", "Région", "Q1", "2024", "％", "final", "（备注）", "_id", "A/B")

TABLES = {
    "基金经理": ["姓名", "在任基金数(只)", "公司", "年份"],
    "orders": ["id", "customer_id", "amount", "status", "created at", "region"],
    "customers": ["id", "name", "city", "joined"],
}

SHORT = (
    "SELECT o.`amount`, c.name, COUNT(*) FROM orders AS o JOIN customers c ON o.customer_id = c.id "
    'WHERE c.city = "Paris" AND o.amount > 10.5 GROUP BY 1, 2 LIMIT 5'
)

_STEP = """
step_{i} AS (
    -- what customer's region {i} spent
    SELECT o.region, c.name AS `customer name`, SUM(o.amount) AS total, MAX(o."created at") AS last_order,
           CASE WHEN o.status = "paid" THEN 'it''s paid' ELSE 'open' END AS state
    FROM orders AS o
    LEFT JOIN customers AS c ON c.id = o.customer_id AND c.city IN ('Paris', "Berlin", 'München')
    WHERE o.amount BETWEEN {i} AND {i}00 AND o.status <> 'void' /* not cancelled */
      AND (c.joined LIKE '20{i:02d}%' OR o.id IN (SELECT id FROM customers WHERE city = "Oslo"))
    GROUP BY o.region, c.name, o.status
    HAVING COUNT(*) > {i}
)"""


def long_statement(size: int = 10_000) -> str:
    """Return a statement of common table expressions of about `size` bytes."""
    steps: list[str] = []
    while sum(map(len, steps)) < size:
        steps.append(_STEP.format(i=len(steps) + 1))
    last = f"step_{len(steps)}"
    return f"WITH {','.join(steps)}\nSELECT region, `customer name`, total FROM {last} ORDER BY total DESC LIMIT 10"


def stems() -> list[str]:
    """Return 10^4 different names: a third with letters beyond ASCII, most with something to replace."""
    dice = random.Random(20260101)  # noqa: S311  # a fixed seed, no secret
    plain = [word for word in WORDS if word.isascii()]
    return [" ".join([*dice.choices(WORDS if number % 2 else plain, k=2), str(number)]) for number in range(NAMES)]
