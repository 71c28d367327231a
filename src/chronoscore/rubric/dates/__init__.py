"""Dates in articles: what an expression can mean, and which judgements that contradicts."""
