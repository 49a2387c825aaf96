"""GitHub's dialect: headers and bytes become a delivery, or a refusal that helps."""

import json
import pickle
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from reactor.delivery import Delivery, digest
from reactor.github.dialect import GitHubDialect, NoSecret
from reactor.github.signature import sign
from reactor.github.subject import subject_of
from reactor.refusal import Refused

SECRET = "the one in use"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ISSUE = b'{"action":"opened","issue":{"number":7},"repository":{"id":9,"full_name":"octo/hello"}}'


def dialect(**hosts: tuple[str, ...]) -> GitHubDialect:
    secrets = {"github.com": (SECRET,)} | {
        name.replace("_", "."): of_host for name, of_host in hosts.items()
    }
    return GitHubDialect(secrets, allow_unsigned=False)


def headers(body: bytes = ISSUE, *, secret: str = SECRET, **changed: str | None) -> dict[str, str]:
    sent: dict[str, str | None] = {
        "content-type": "application/json",
        "x-github-event": "issues",
        "x-github-delivery": "11111111-2222-3333-4444-555555555555",
        "x-hub-signature-256": sign(body, secret),
    }
    sent |= {name.replace("_", "-"): value for name, value in changed.items()}
    return {name: value for name, value in sent.items() if value is not None}


def read(body: bytes, sent: Mapping[str, str], by: GitHubDialect | None = None) -> Delivery:
    return (by or dialect()).check(sent).open(body, received_at=NOON)


def refusal(body: bytes, sent: Mapping[str, str], by: GitHubDialect | None = None) -> Refused:
    with pytest.raises(Refused) as refused:
        read(body, sent, by)
    return refused.value


def test_a_signed_request_becomes_a_delivery_with_its_bytes_unchanged() -> None:
    delivery = read(ISSUE, headers(x_github_hook_id="7001"))

    assert delivery.key == "github.com/11111111-2222-3333-4444-555555555555"
    assert delivery.kind == "issues.opened"
    assert delivery.body is ISSUE
    assert delivery.digest == digest(ISSUE)
    assert delivery.payload == json.loads(ISSUE)
    assert delivery.received_at == NOON
    assert delivery.headers["x-github-hook-id"] == "7001"


def test_the_signature_does_not_travel_with_the_delivery() -> None:
    sent = headers(x_hub_signature="sha1=0", authorization="Bearer x", cookie="a=b")

    kept = read(ISSUE, sent).headers

    assert set(kept) == {"content-type", "x-github-event"}


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=iso-8859-1", " application/json ;q"],
)
def test_case_and_parameters_of_the_media_type_do_not_matter(content_type: str) -> None:
    assert read(ISSUE, headers(content_type=content_type)).media_type == "application/json"


def test_a_form_is_verified_as_sent_and_read_from_its_payload_field() -> None:
    body = b"payload=%7B%22action%22%3A%22closed%22%7D"
    form = "application/x-www-form-urlencoded"

    delivery = read(body, headers(body, content_type=form))

    assert (delivery.action, delivery.media_type, delivery.body) == ("closed", form, body)


@pytest.mark.parametrize("content_type", ["text/plain", "", None, "application/json,text/plain"])
def test_another_media_type_is_refused_naming_the_two(content_type: str | None) -> None:
    refused = refusal(ISSUE, headers(content_type=content_type))

    assert refused.status == 415
    assert "application/json or application/x-www-form-urlencoded" in refused.fix


@pytest.mark.parametrize(
    "delivery_id", [None, "", "a" * 65, "../../x", "a b", "a\n", "ä", "a_b", "one, two"]
)
def test_an_id_that_could_not_be_a_file_name_is_refused(delivery_id: str | None) -> None:
    refused = refusal(ISSUE, headers(x_github_delivery=delivery_id))

    assert (refused.status, refused.where) == (400, "header X-GitHub-Delivery")


@pytest.mark.parametrize("event", [None, "", "a" * 65, "issues.opened", "a b", "issues, push"])
def test_an_event_that_could_not_be_a_label_is_refused(event: str | None) -> None:
    refused = refusal(ISSUE, headers(x_github_event=event))

    assert (refused.status, refused.where) == (400, "header X-GitHub-Event")


def test_what_github_may_come_up_with_is_accepted() -> None:
    body = b'{"action":"deploy to prod \xe2\x9c\x85","x":1}'

    delivery = read(body, headers(body, x_github_event="Quantum-widget_2", x_github_delivery="1"))

    assert delivery.kind == "Quantum-widget_2.deploy to prod \N{WHITE HEAVY CHECK MARK}"


@pytest.mark.parametrize("action", ["null", "1", '""', '["opened"]', '"a\\nb"', f'"{"a" * 101}"'])
def test_an_action_of_an_unexpected_shape_counts_as_none(action: str) -> None:
    body = f'{{"action":{action}}}'.encode()

    assert read(body, headers(body)).action is None


def test_checks_come_in_their_documented_order() -> None:
    wrong = headers(
        content_type="text/plain",
        x_github_delivery="/",
        x_github_event="/",
        x_github_enterprise_host="elsewhere.example",
        x_hub_signature_256=None,
    )
    mended = headers(b"[]")
    seen = []

    for name in ("content-type", "x-github-delivery", "x-github-event"):
        seen.append(refusal(b"[]", wrong).status)
        wrong[name] = mended[name]
    seen.append(refusal(b"[]", wrong).status)
    del wrong["x-github-enterprise-host"]
    seen.append(refusal(b"[]", wrong).status)
    wrong["x-hub-signature-256"] = mended["x-hub-signature-256"]
    seen.append(refusal(b"[]", wrong).status)

    assert seen == [415, 400, 400, 403, 401, 400]


# Signatures


def test_each_of_several_secrets_fits() -> None:
    rotating = GitHubDialect({"github.com": ("new", "old")}, allow_unsigned=False)

    assert read(ISSUE, headers(secret="new"), rotating)
    assert read(ISSUE, headers(secret="old"), rotating)
    assert refusal(ISSUE, headers(secret="older"), rotating).status == 401


@pytest.mark.parametrize(
    ("changed", "body", "says"),
    [
        ({"x_hub_signature_256": None}, ISSUE, "not signed"),
        ({"x_hub_signature_256": None, "x_hub_signature": "sha1=0"}, ISSUE, "only the old SHA-1"),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, ISSUE, "another secret"),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, b'{"action": "a"}', "written again"),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, b'{\n  "action":"a"}', "written again"),
        ({"x_hub_signature_256": "sha256=" + "0" * 64}, ISSUE + b"\n", "written again"),
        ({"x_hub_signature_256": "0" * 64}, ISSUE, "sha256="),
        ({"x_hub_signature_256": "sha256=é"}, ISSUE, "sha256="),
        ({"x_hub_signature_256": f"{sign(ISSUE, SECRET)}, {sign(ISSUE, SECRET)}"}, ISSUE, "once"),
    ],
)
def test_a_signature_that_does_not_fit_is_refused_saying_what_is_likely_wrong(
    changed: dict[str, Any], body: bytes, says: str
) -> None:
    refused = refusal(body, headers(**changed))

    assert refused.status == 401
    assert says in str(refused)
    assert SECRET not in str(refused)
    assert sign(body, SECRET) not in str(refused)


def test_a_body_that_seems_written_again_is_no_proof_that_the_secret_is_the_right_one() -> None:
    by_hand = b'{\n  "action": "opened"\n}\n'

    refused = refusal(by_hand, headers(by_hand, secret="of somebody else"))

    assert "another secret" in str(refused)
    assert "written again" in str(refused)


def test_a_wrong_signature_hides_whether_the_body_is_json() -> None:
    assert refusal(b"[", headers(b"other")).status == 401


def test_a_gateway_that_anybody_can_reach_needs_a_secret_for_each_host() -> None:
    with pytest.raises(NoSecret, match=r"ghe\.acme\.example"):
        GitHubDialect({"github.com": ("a",), "ghe.acme.example": ("",)}, allow_unsigned=False)


def test_unsigned_deliveries_are_taken_where_allowed_and_no_secret_is_known() -> None:
    unsigned = headers(x_hub_signature_256=None)

    assert read(ISSUE, unsigned, GitHubDialect({"github.com": ()}, allow_unsigned=True))
    known = GitHubDialect({"github.com": (SECRET,)}, allow_unsigned=True)
    assert refusal(ISSUE, unsigned, known).status == 401


# Hosts


def test_enterprise_hosts_have_their_own_keys_and_secrets() -> None:
    by = dialect(ghe_acme_example=("of acme",), acme_ghe_com=("of the tenant",))

    server = read(ISSUE, headers(secret="of acme", x_github_enterprise_host="GHE.acme.example"), by)
    tenant = read(ISSUE, headers(secret="of the tenant", x_github_tenant="acme"), by)

    assert (server.host, server.subject.key) == ("ghe.acme.example", "ghe.acme.example/9#7")
    assert (tenant.host, tenant.subject.key) == ("acme.ghe.com", "acme.ghe.com/9#7")
    assert by.hosts == ("github.com", "ghe.acme.example", "acme.ghe.com")


def test_the_secret_of_one_host_does_not_open_another() -> None:
    by = dialect(ghe_acme_example=("of acme",))

    assert refusal(ISSUE, headers(secret="of acme"), by).status == 401
    as_acme = headers(secret=SECRET, x_github_enterprise_host="ghe.acme.example")
    assert refusal(ISSUE, as_acme, by).status == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"x_github_enterprise_host": "elsewhere.example"},
        {"x_github_tenant": "elsewhere"},
        {"x_github_tenant": "github.com/"},
        {"x_github_enterprise_host": "github.com", "x_github_tenant": "acme"},
    ],
)
def test_a_host_that_was_not_configured_is_forbidden(changed: dict[str, Any]) -> None:
    refused = refusal(ISSUE, headers(**changed), dialect(acme_ghe_com=(SECRET,)))

    assert (refused.status, refused.reason) == (403, "unknown_host")


# Subjects


@pytest.mark.parametrize(
    ("payload", "key", "name"),
    [
        ({"issue": {"number": 7}}, "h/9#7", "octo/hello#7"),
        ({"pull_request": {"number": 8}, "number": 3}, "h/9#8", "octo/hello#8"),
        ({"discussion": {"number": 9}}, "h/9#9", "octo/hello#9"),
        ({"alert": {"number": 7}}, "h/9", "octo/hello"),
        ({"issue": {"number": True}}, "h/9", "octo/hello"),
        ({"issue": {"number": -1}}, "h/9", "octo/hello"),
        ({"issue": "7"}, "h/9", "octo/hello"),
    ],
)
def test_the_subject_within_a_repository(payload: dict[str, Any], key: str, name: str) -> None:
    payload["repository"] = {"id": 9, "full_name": "octo/hello"}
    payload["organization"] = {"id": 1, "login": "octo"}

    subject = subject_of(payload, "h")

    assert (subject.key, subject.name) == (key, name)


@pytest.mark.parametrize(
    ("payload", "key", "name"),
    [
        ({"organization": {"id": 1, "login": "octo"}}, "h/@1", "octo"),
        ({"installation": {"account": {"id": 2, "login": "mona"}}}, "h/@2", "mona"),
        ({"installation": {"id": 5}}, "h", "h"),
        ({"repository": None, "issue": {"number": 7}}, "h", "h"),
        ({"repository": {"id": 9, "full_name": None}}, "h/9", "h/9"),
        ({"repository": {"id": 9, "full_name": "a\nb"}}, "h/9", "h/9"),
        ({"repository": {"id": 10**30}}, "h", "h"),
        ({}, "h", "h"),
    ],
)
def test_the_subject_falls_back_step_by_step(payload: dict[str, Any], key: str, name: str) -> None:
    subject = subject_of(payload, "h")

    assert (subject.key, subject.name) == (key, name)


def test_a_refusal_survives_pickling() -> None:
    refused = refusal(ISSUE, headers(content_type="text/plain"))

    again = pickle.loads(pickle.dumps(refused))

    assert (again.status, str(again)) == (refused.status, str(refused))
