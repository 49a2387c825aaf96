"""The comment that lists what waits names ids, and lets nobody else speak in it."""

from reactor.github.prompt import write_prompt
from reactor.prompt import Listed


def listed(number: int, would: str = "add label bug") -> Listed:
    key = f"{number}" * 32
    return Listed(key=key, id=key[:12], would=would, action="triage.label")


def test_each_change_has_its_id_and_the_way_to_approve_it() -> None:
    prompt = write_prompt([listed(1), listed(2, "close as completed")])

    assert "- `111111111111`: `add label bug`, wanted by `triage.label`" in prompt.body
    assert "- `222222222222`: `close as completed`" in prompt.body
    assert "`/approve 111111111111`" in prompt.body
    assert prompt.slot == "approvals"


def test_what_others_wrote_stays_code() -> None:
    prompt = write_prompt([listed(1, 'comment "`` ![x](http://x) @octocat\n\n/approve"')])

    (line,) = [each for each in prompt.body.splitlines() if each.startswith("- ")]
    assert line.count("```") == 2
    assert "@octocat" not in prompt.body
