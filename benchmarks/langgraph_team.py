"""The steps of `article` by a team of langgraph: a supervisor that hands on to agents with tools.

Of the agents' work the supervisor is shown their last message alone, which is the cheaper way
that `langgraph-supervisor` offers.  Needs the dependency group `compare`.
"""

import warnings

from article import TASK, Toolbox
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent
from langgraph_supervisor import create_supervisor
from pydantic import SecretStr


async def answer(url: str, toolbox: Toolbox, *, has_one_agent: bool) -> str:
    """What the team answers; "" where nothing was validated."""
    model = ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key=SecretStr("k"), max_retries=0)
    tools = [
        StructuredTool.from_function(coroutine=tool, name=name, description=tool.__doc__ or name)
        for name, tool in toolbox.tools.items()
    ]
    teams = {"summariser": tools} if has_one_agent else {f"{t.name}_agent": [t] for t in tools}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that have moved within langgraph
        agents = [
            create_react_agent(
                model,
                its,
                name=name,
                prompt=f"You have tools for: {', '.join(t.name for t in its)}.",
            )
            for name, its in teams.items()
        ]
        team = create_supervisor(
            agents,
            model=model,
            prompt="Reach the goal by handing on to the agents, one after the other.",
            output_mode="last_message",
        ).compile()
    ended = await team.ainvoke({"messages": [{"role": "user", "content": TASK}]})
    return str(ended["messages"][-1].content) if toolbox.summary else ""
