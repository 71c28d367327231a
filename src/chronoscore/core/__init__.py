"""What every family stands on: events, cases, metrics, evidence, signatures and results."""
