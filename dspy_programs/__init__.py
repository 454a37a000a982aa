"""DSPy programs: every judgement that a language model makes, each to be compiled against labelled tasks.

Importing the package loads nothing; each module loads what it needs.
"""
