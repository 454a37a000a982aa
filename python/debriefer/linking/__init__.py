"""Links from the words of a question to tables, columns, cells and join keys."""
