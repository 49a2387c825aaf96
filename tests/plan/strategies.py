"""Small problems for hypothesis, which shrink to the smallest one that fails."""

from hypothesis import strategies as st

from reactor.plan import NIRVANA, Aim, Problem, Step, Truth

CONDITIONS = st.sampled_from("abcde")
NAMES = [f"s{number}" for number in range(6)]
AMOUNTS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0])

KNOWN = st.sampled_from([Truth.TRUE, Truth.FALSE])
ANY = st.sampled_from([Truth.TRUE, Truth.FALSE, Truth.UNKNOWN])


def wanted(truths: st.SearchStrategy[Truth] = KNOWN) -> st.SearchStrategy[dict[str, Truth]]:
    return st.dictionaries(CONDITIONS, truths, max_size=3)


def _steps(values: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[Step, ...]]:
    def step(name: str) -> st.SearchStrategy[Step]:
        return st.builds(
            Step,
            name=st.just(name),
            pre=wanted(st.sampled_from([Truth.TRUE, Truth.TRUE, Truth.FALSE, Truth.UNKNOWN])),
            effects=st.dictionaries(CONDITIONS, st.booleans(), min_size=1, max_size=2),
            cost=AMOUNTS,
            value=values,
            can_rerun=st.booleans(),
        )

    return st.integers(0, len(NAMES)).flatmap(lambda n: st.tuples(*map(step, NAMES[:n])))


def _aim(name: str, values: st.SearchStrategy[float]) -> st.SearchStrategy[Aim]:
    return st.builds(Aim, name=st.just(name), pre=wanted(), value=values)


def _problems(
    values: st.SearchStrategy[float], aims: st.SearchStrategy[tuple[Aim, ...]]
) -> st.SearchStrategy[Problem]:
    names = st.frozensets(st.sampled_from(NAMES), max_size=2)
    return st.builds(
        Problem,
        state=st.dictionaries(CONDITIONS, ANY, max_size=5),
        steps=_steps(values),
        aims=aims,
        ran=names,
        excluded=names,
    )


ONE_GOAL = _problems(st.just(0.0), st.tuples(_aim("goal", st.just(0.0))))
"""Problems with one goal, and no values."""

SEVERAL_GOALS = _problems(
    AMOUNTS,
    st.sampled_from([0, 1, 2, 3]).flatmap(
        lambda n: st.tuples(*(_aim(f"goal{number}", AMOUNTS) for number in range(n)))
    )
    | st.tuples(_aim("goal", AMOUNTS), st.just(NIRVANA)),
)
"""Problems with any number of goals, the endless one sometimes among them, and values."""

TRUTHS = st.fixed_dictionaries(dict.fromkeys("abcde", ANY))
"""What every condition would turn out to be."""
