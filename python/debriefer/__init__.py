"""Answers a data question from a folder of mixed evidence and shows where every value came from."""
