"""GitHub's REST API, over PyGithub: who we are there, and the executor of effects.

    executor      an effect in, its change made; by kind in `issues`, `comments`, `runs`
    place         the issue or repository that is changed
    connection    requests as somebody, and what an answer means (`answers`)
    tokens        the app's JWT, and tokens of its installations
    installations which installation may write to which repository

Everything here is called in threads, never on the event loop, but for `installations`.
"""
