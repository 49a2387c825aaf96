"""What calls of models cost, reckoned before they are made and after."""

from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 3  # fewer than there are, so that a prompt is not thought too cheap
ANSWER_TOKENS = 1000  # that an answer is thought to have where nobody has set a limit


@dataclass(frozen=True, slots=True)
class Price:
    """Of one model, in US dollars a token."""

    prompt: float = 0.0
    answer: float = 0.0

    def of(self, prompt_tokens: int, answer_tokens: int) -> float:
        """What a call of that size costs; in US dollars."""
        return prompt_tokens * self.prompt + answer_tokens * self.answer

    def at_most(self, prompt_characters: int, answer_tokens: int | None) -> float:
        """What a call will cost at most, roughly; in US dollars."""
        most = ANSWER_TOKENS if answer_tokens is None else answer_tokens
        return self.of(prompt_characters // CHARACTERS_PER_TOKEN + 1, most)


FREE = Price()
"""Also of a model whose price nobody knows."""
