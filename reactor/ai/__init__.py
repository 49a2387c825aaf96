"""Language models: typed answers, tools, budgets; of providers only an adapter knows.

If you are here to read the code: `ai` is what actions have, `asking` the loop of one answer,
`calling` one call, `exchange` the port.
"""

from reactor.ai.ai import Ai, Creating, Defaults, Runtime, Verdict
from reactor.ai.choosing import NothingSuits, Ranked, Ranking
from reactor.ai.contributors import Instruction, Persona, PromptContributor, RoleGoalBackstory
from reactor.ai.errors import (
    BadAnswer,
    BudgetSpent,
    ModelRefused,
    ModelUnavailable,
    NoModels,
    UnknownModel,
    UnknownTemplate,
)
from reactor.ai.options import Choices, LlmOptions
from reactor.ai.tools import Tool
from reactor.untrusted import Trust, fence

__all__ = [
    "Ai",
    "BadAnswer",
    "BudgetSpent",
    "Choices",
    "Creating",
    "Defaults",
    "Instruction",
    "LlmOptions",
    "ModelRefused",
    "ModelUnavailable",
    "NoModels",
    "NothingSuits",
    "Persona",
    "PromptContributor",
    "Ranked",
    "Ranking",
    "RoleGoalBackstory",
    "Runtime",
    "Tool",
    "Trust",
    "UnknownModel",
    "UnknownTemplate",
    "Verdict",
    "fence",
]
