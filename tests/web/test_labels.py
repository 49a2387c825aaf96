"""Labels do not grow with what senders invent."""

from reactor.web.labels import Few


def test_the_first_values_stay_and_all_later_ones_are_one() -> None:
    label = Few(2)

    assert [label(value) for value in "abcabd"] == ["a", "b", "other", "a", "b", "other"]
