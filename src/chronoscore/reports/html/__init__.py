"""HTML pages that open offline: markup, drawings, the report of a result, leaderboards."""
