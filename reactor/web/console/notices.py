"""What a page says of what was just done: `?said=WORD`, whose sentence stands here.

Only words of this list are shown, so that no link can make a page say something.
"""

_SENTENCES = {
    "answered": "Your answer is taken; the process goes on.",
    "approved": "Approved: the change is on its way.",
    "rejected": "Rejected: the change will not be made.",
    "told": "The process has been told; it acts on that in a moment.",
    "retried": "Driven again. What is done already is not done twice.",
    "dropped": "Dropped: listed no more, though the topic keeps it.",
    "skipped": "For some it could not be done: open those that are still listed to see what to do.",
    "sent_again": "On the way again. A change that may be there already is looked for first.",
    "begun": "The replay has begun.",
    "stopped": "The replay is stopped; it can go on from where it was.",
}


def notice_of(word: str) -> str:
    """The sentence; "" for a word that is none of ours."""
    return _SENTENCES.get(word, "")
