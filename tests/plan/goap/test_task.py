"""A goal is compiled to the steps and literals that it can need."""

from reactor.plan import Truth
from reactor.plan.goap.task import Domain, NotRan, bits
from tests.plan.worlds import aim, once, step, truths

NOTHING: frozenset[str] = frozenset()

FETCH = step("fetch", {"online": True}, {"text": True})
PARSE = step("parse", {"text": True, "parsed": False}, {"parsed": True, "text": False})
HUM = step("hum", {"online": True}, {"hummed": True})
PARSED = aim({"parsed": True})


def test_only_what_may_serve_the_goal_remains() -> None:
    task = Domain([HUM, PARSE, FETCH]).compile(PARSED, NOTHING)

    assert task.steps == (FETCH, PARSE)
    assert task.literals == (
        ("online", Truth.TRUE),
        ("parsed", Truth.FALSE),
        ("parsed", Truth.TRUE),
        ("text", Truth.TRUE),
    )


def test_an_effect_makes_one_literal_and_drops_the_others_of_its_condition() -> None:
    task = Domain([PARSE, FETCH]).compile(PARSED, NOTHING)
    literal = {meaning: 1 << place for place, meaning in enumerate(task.literals)}

    assert task.add[1] == literal["parsed", Truth.TRUE]
    assert task.drop[1] == literal["parsed", Truth.FALSE] | literal["text", Truth.TRUE]


def test_a_step_leads_from_state_to_state() -> None:
    task = Domain([PARSE, FETCH]).compile(PARSED, NOTHING)
    start = task.state(truths({"online": True, "parsed": False}), ())

    after = task.after(task.after(start, 0), 1)

    assert not task.pre[0] & ~start
    assert task.pre[1] & ~start
    assert after == task.state(truths({"online": True, "parsed": True, "text": False}), ())
    assert not task.goal & ~after


def test_true_false_unknown_and_absent_are_four_different_things() -> None:
    look = step("look", {"full": None}, {"full": True})
    task = Domain([look]).compile(aim({"full": True}), NOTHING)

    states = [task.state(truths({"full": value}), ()) for value in (True, False, None)]

    assert task.literals == (("full", Truth.TRUE), ("full", Truth.UNKNOWN))
    assert states == [0b01, 0b00, 0b10]
    assert task.state({}, ()) == 0
    assert task.literals_of("full") == 0b11
    assert task.after(0b10, 0) == 0b01


def test_a_step_that_may_run_once_needs_not_to_have_run() -> None:
    task = Domain([once("welcome", {}, {"welcomed": True})]).compile(
        aim({"welcomed": True}), NOTHING
    )

    fresh, used = task.state({}, ()), task.state({}, {"welcome", "other"})

    assert task.literals[1] == NotRan("welcome")
    assert not task.pre[0] & ~fresh
    assert task.pre[0] & ~used
    assert task.pre[0] & ~task.after(fresh, 0)


def test_excluded_and_unpriced_steps_are_not_there() -> None:
    free_fetch = step("beg", {}, {"text": True}, cost=float("nan"))
    domain = Domain([PARSE, FETCH, free_fetch])

    assert [s.name for s in domain.compile(PARSED, NOTHING).steps] == ["fetch", "parse"]
    assert [s.name for s in domain.compile(PARSED, frozenset({"fetch"})).steps] == ["parse"]


def test_bits_come_lowest_first() -> None:
    assert list(bits(0b101100)) == [0b100, 0b1000, 0b100000]
    assert list(bits(0)) == []
