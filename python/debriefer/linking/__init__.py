"""Links from the words of a question to tables, columns, cells and join keys."""

from debriefer.linking.link import join_keys, link
from debriefer.linking.model import ASSERTED, ColumnLink, JoinKey, Links, TableLink, ValueLink

__all__ = ["ASSERTED", "ColumnLink", "JoinKey", "Links", "TableLink", "ValueLink", "join_keys", "link"]
