"""Measures of `debriefer.documents`: real tables with gold, and generated documents with exact gold."""
