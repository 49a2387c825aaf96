"""Replay: recorded deliveries through the same engine once more, and what it decides now.

    deliveries -> engine over memory, nothing is sent -> its decisions -> those of the journal -> diff

In order: `selection` says which, `engine` runs one, `decided` and `comparing` tell then from now,
`run` goes over all of them, and `folder` keeps what was found, so that a run can go on.
"""
