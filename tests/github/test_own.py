from collections.abc import Callable
from typing import Any

import pytest

from reactor.delivery import Delivery
from reactor.github.events import read_event
from reactor.github.own import OwnIdentity, is_own

MakeDelivery = Callable[..., Delivery]
Payload = dict[str, Any]

BOT = {"id": 2000001, "login": "triage-reactor[bot]", "type": "Bot"}
OTHER_BOT = {"id": 2000002, "login": "other[bot]", "type": "Bot"}
PERSON = {"id": 1, "login": "octocat", "type": "User"}
MARKED = "Thanks!\n<!-- reactor:v1 -->"
OUR_APP = {"id": 4242, "slug": "triage-reactor"}


def asked(make: MakeDelivery, own: OwnIdentity, event: str, **payload: Any) -> bool:
    return is_own(read_event(make(event, **payload)), own)


def test_a_comment_written_through_our_app_is_ours(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    comment |= {"user": BOT, "performed_via_github_app": OUR_APP}
    payload = {"action": "created", "issue": issue, "comment": comment, "sender": BOT}

    assert asked(make_delivery, OwnIdentity(app_id=4242), "issue_comment", **payload)
    assert not asked(make_delivery, OwnIdentity(app_id=1), "issue_comment", **payload)


def test_whatever_our_account_does_is_ours(make_delivery: MakeDelivery, issue: Payload) -> None:
    own = OwnIdentity(login="Triage-Reactor[bot]")
    payload = {"action": "labeled", "issue": issue, "label": {"name": "bug"}}

    assert asked(make_delivery, own, "issues", sender=BOT, **payload)
    assert not asked(make_delivery, own, "issues", sender=OTHER_BOT, **payload)


def test_a_bot_is_not_us_for_being_a_bot(make_delivery: MakeDelivery, issue: Payload) -> None:
    own = OwnIdentity(app_id=4242, marker="<!-- reactor")

    assert not asked(make_delivery, own, "issues", action="opened", issue=issue, sender=OTHER_BOT)


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_a_person_who_touches_our_comment_is_not_us(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload, action: str
) -> None:
    comment |= {"body": MARKED, "user": BOT, "performed_via_github_app": OUR_APP}
    own = OwnIdentity(app_id=4242, login="triage-reactor[bot]", marker="<!-- reactor")

    assert not asked(
        make_delivery, own, "issue_comment", action=action, issue=issue, comment=comment
    )


def test_a_person_who_comments_on_an_issue_of_ours_is_not_us(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    issue |= {"user": BOT, "performed_via_github_app": OUR_APP}
    payload = {"action": "created", "issue": issue, "comment": comment, "sender": PERSON}

    assert not asked(make_delivery, OwnIdentity(app_id=4242), "issue_comment", **payload)


def test_a_copied_marker_silences_nobody_where_we_know_who_we_are(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    comment["body"] = MARKED
    payload = {"action": "created", "issue": issue, "comment": comment}

    assert not asked(
        make_delivery, OwnIdentity(app_id=4242, marker="<!-- reactor"), "issue_comment", **payload
    )
    assert asked(make_delivery, OwnIdentity(marker="<!-- reactor"), "issue_comment", **payload)


def test_the_marker_tells_where_the_payload_does_not_name_the_app(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    comment |= {"body": MARKED, "user": BOT}
    own = OwnIdentity(app_id=4242, marker="<!-- reactor")
    payload = {"action": "created", "issue": issue, "sender": BOT}

    assert asked(make_delivery, own, "issue_comment", comment=comment, **payload)
    of_another = comment | {"performed_via_github_app": {"id": 7}}
    assert not asked(make_delivery, own, "issue_comment", comment=of_another, **payload)


def test_our_check_run_is_ours_but_a_wish_to_run_it_again_is_not(
    make_delivery: MakeDelivery,
) -> None:
    own = OwnIdentity(app_id=4242)
    check_run = {"id": 1, "app": OUR_APP}

    assert asked(make_delivery, own, "check_run", action="completed", check_run=check_run)
    assert not asked(make_delivery, own, "check_run", action="rerequested", check_run=check_run)
    assert not asked(make_delivery, own, "check_run", action="completed", check_run=[])


def test_an_installation_of_our_app_is_done_by_a_person(make_delivery: MakeDelivery) -> None:
    installation = {"id": 1, "app_id": 4242}

    assert not asked(
        make_delivery,
        OwnIdentity(app_id=4242),
        "installation",
        action="created",
        installation=installation,
    )


def test_with_nothing_configured_nothing_is_ours(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    comment |= {"user": BOT, "performed_via_github_app": OUR_APP, "body": MARKED}

    assert not asked(
        make_delivery,
        OwnIdentity(),
        "issue_comment",
        action="created",
        issue=issue,
        comment=comment,
        sender=None,
    )


def test_where_nobody_knows_who_we_are_what_we_write_anew_in_place_is_ours(
    make_delivery: MakeDelivery, issue: Payload, comment: Payload
) -> None:
    """We may write with a person's token, and may not hear a command in what we have written."""
    own = OwnIdentity(marker="<!-- reactor")
    keeper = {"id": 2, "login": "keeper", "type": "User"}
    comment |= {"body": f"/close\n{MARKED}", "user": PERSON}
    payload = {"action": "edited", "issue": issue, "comment": comment}

    assert asked(make_delivery, own, "issue_comment", sender=PERSON, **payload)
    assert not asked(make_delivery, own, "issue_comment", sender=keeper, **payload)
