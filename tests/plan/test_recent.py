"""What was made of an object is found again by identity."""

from reactor.plan.recent import Recent


def counted(size: int) -> tuple[Recent[object, int], list[object]]:
    made: list[object] = []

    def make(key: object) -> int:
        made.append(key)
        return len(made)

    return Recent(make, size=size), made


def test_the_same_object_is_made_of_once() -> None:
    recent, made = counted(2)
    key = tuple("ab")

    assert [recent(key), recent(key), recent(key)] == [1, 1, 1]
    assert made == [key]


def test_an_equal_object_is_another_one() -> None:
    recent, _ = counted(2)

    assert [recent(tuple("ab")), recent(tuple("ab"))] == [1, 2]


def test_what_was_asked_longest_ago_is_forgotten_first() -> None:
    recent, _ = counted(2)
    a, b, c = (tuple(name * 2) for name in "abc")

    assert [recent(key) for key in (a, b, a, c, a, b)] == [1, 2, 1, 3, 1, 4]


def test_a_list_may_change_so_nothing_is_kept_of_it() -> None:
    recent, _ = counted(2)
    key = [1]

    assert [recent(key), recent(key)] == [1, 2]
