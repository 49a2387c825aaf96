"""Calls of a model and its tokens for one task (`article`), by who decides what is next.

    GOAP            the planner decides; a model is asked for what only a model can do
    supervisor      a model picks among actions that can run, the engine runs them
    ReAct           a model in one conversation calls tools until it has an answer
    ReAct, cut      the same, shown `SHOWN` characters of each result
    langgraph one   `langgraph-supervisor` over one agent that has all the tools
    langgraph each  the same over an agent for each tool

The same steps, the same stub of a provider over HTTP, one tokenizer, and a model that decides as
well as can be (`author`).  The floor is GOAP: the three steps that ask a model whoever decides.
For the rows of langgraph: `pip install --group compare`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from article import ARTICLE, TASK, Article, OutOfOrder, Summary, SummaryAgent, Toolbox
from author import DRAFT, Author, Spent, Tokenizer

from reactor import AgentInvocation, Package, Platform, SupervisorInvocation
from reactor.adapters.litellm_models import LitellmModels, Provided
from reactor.ai import Ai, Choices, Runtime
from reactor.ai.calling import Caller
from reactor.ai.circuit import Circuits
from reactor.ai.exchange import Message, Request
from reactor.ai.tools import Tool
from tests.fixtures.models.server import StubModels, serving

SHOWN = 400
MOST_TURNS = 20
STUB = "stub"
REACT = "Reach the goal step by step: think, call tools, look at what they give, go on."
COMPARED = ("langgraph_supervisor", "langchain_openai")


@dataclass(frozen=True)
class Bench:
    """What the ways are run with."""

    url: str  # of the provider
    models: LitellmModels
    ai: Ai


Way = Callable[[Bench], Awaitable[str]]  # gives the summary


async def goap(bench: Bench) -> str:
    """By the plan."""
    return await _summed_up(AgentInvocation.on(_platform(bench)))


async def supervisor(bench: Bench) -> str:
    """By what a model picks."""
    return await _summed_up(SupervisorInvocation.on(_platform(bench)))


async def react(bench: Bench, *, shown: int | None = None) -> str:
    """By a conversation."""
    toolbox = Toolbox(bench.ai)
    tools = {name: Tool.of(tool) for name, tool in toolbox.tools.items()}
    messages = [Message(role="system", text=REACT), Message(role="user", text=TASK)]
    for _ in range(MOST_TURNS):
        reply = await bench.models.complete(
            Request(
                model=STUB,
                messages=tuple(messages),
                tools=tuple(tool.schema for tool in tools.values()),
            )
        )
        if not reply.calls:
            return reply.text if toolbox.summary else ""
        messages.append(Message(role="assistant", text=reply.text, calls=reply.calls))
        for call in reply.calls:
            try:
                given = await toolbox.tools[call.name]()
            except OutOfOrder as error:
                given = str(error)
            messages.append(Message(role="tool", text=given[:shown], answers=call.id))
    return ""


async def langgraph(bench: Bench, *, has_one_agent: bool) -> str:
    """By a team."""
    from langgraph_team import answer

    return await answer(bench.url, Toolbox(bench.ai), has_one_agent=has_one_agent)


WAYS: dict[str, Way] = {
    "GOAP": goap,
    "supervisor": supervisor,
    "ReAct": react,
    "ReAct, cut": partial(react, shown=SHOWN),
    "langgraph one": partial(langgraph, has_one_agent=True),
    "langgraph each": partial(langgraph, has_one_agent=False),
}


async def main() -> None:
    """Measure, and print."""
    tokenizer = Tokenizer()
    floor: Spent | None = None
    print(f"{'way':<16}{'calls':>6}{'decide':>8}{'work':>6}{'of floor':>10}", end="")
    print(f"{'prompt':>9}{'of floor':>10}{'answer':>8}  tokens")
    missing = [name for name in COMPARED if find_spec(name) is None]
    with serving(StubModels()) as stub:
        for name, way in WAYS.items():
            if name.startswith("langgraph") and missing:
                print(f"{name:<16}skipped: {' and '.join(missing)} not installed (group compare)")
                continue
            author = Author(tokenizer)
            stub.answering = author.answer
            async with _bench(stub.url) as bench:
                summary = await way(bench)
            if summary != DRAFT.text:
                raise SystemExit(f"{name} did not do the task; it gave {summary!r}")
            floor = floor or author.spent
            _print(name, author.spent, floor)


def _print(name: str, spent: Spent, floor: Spent) -> None:
    print(
        f"{name:<16}{spent.calls:>6}{spent.deciding:>8}{spent.working:>6}"
        f"{spent.calls / floor.calls:>10.2f}{spent.prompt_tokens:>9,}"
        f"{spent.prompt_tokens / floor.prompt_tokens:>10.2f}{spent.completion_tokens:>8,}"
    )


@asynccontextmanager
async def _bench(url: str) -> AsyncIterator[Bench]:
    there = Provided(model="openai/gpt-4o-mini", api_base=url, api_key="k")
    with closing(LitellmModels({STUB: there})) as models:
        caller = Caller(models=models, circuits=Circuits(lambda: 0.0))
        runtime = Runtime(caller=caller, choices=Choices(models={STUB: ()}))
        yield Bench(url=url, models=models, ai=Ai(runtime))


def _platform(bench: Bench) -> Platform:
    package = Package(name="summary", components=(SummaryAgent,))
    return Platform(packages=[package], services={Ai: bench.ai})


async def _summed_up(invocation: AgentInvocation[object]) -> str:
    process = await invocation.returning(Summary).run_async(Article(name=ARTICLE.name))
    summary = process.board.last(Summary)
    return summary.text if summary else ""


if __name__ == "__main__":
    asyncio.run(main())
