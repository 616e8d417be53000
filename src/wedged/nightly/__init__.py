"""Nightly: what is expected, what a run said, what changed, between which versions, and who is told.

`expectations` and `comparing` are pure: a reviewed file and a run's verdicts go in, differences come out.
`measuring`, `bisecting` and `shards` start real servers through the lab. `history`, `freshness` and
`tracker` carry results on: to later nights, to the site's pages, to the host's issues.
"""
