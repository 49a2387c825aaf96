"""Every line, whoever writes it: what is bound is on it, no secret is, and JSON stays JSON."""

import asyncio
import json
import subprocess
import sys

import pytest

from reactor.log_context import bound, current

SECRET = "It's a Secret to Everybody"

SETUP = f"""
import logging, structlog
from reactor import logs
from reactor.log_context import bound
logs.configure(level="info", style={{style!r}}, secrets=[{SECRET!r}])
log = structlog.get_logger("reactor.test")
secret = {SECRET!r}
"""


def lines_of(program: str, *, style: str = "json") -> list[str]:
    """What the program writes to standard error; logging is set up for a whole interpreter."""
    text = SETUP.format(style=style) + program
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert run.stdout == ""
    return run.stderr.splitlines()


def test_a_line_has_what_is_bound_around_it_and_what_it_says_itself_stands() -> None:
    (line,) = lines_of("""
with bound(delivery_id="d-7", subject="octo/hello#7"):
    with bound(component="triage", subject="inner"):
        log.info("said", component="its own")
""")

    told = json.loads(line)
    assert (told["event"], told["level"], told["delivery_id"]) == ("said", "info", "d-7")
    assert (told["subject"], told["component"]) == ("inner", "its own")


def test_lines_of_libraries_go_the_same_way() -> None:
    (line,) = lines_of("""
with bound(delivery_id="d-7"):
    logging.getLogger("aiokafka").warning("no answer to %s", secret)
""")

    told = json.loads(line)
    assert (told["delivery_id"], told["level"]) == ("d-7", "warning")
    assert told["event"] == "no answer to [censored]"


@pytest.mark.parametrize("style", ["json", "console"])
@pytest.mark.parametrize(
    "written",
    [
        "log.info('said', what=secret, deep=[{'what': (secret,)}])",
        "log.info(secret)",
        "log.info('said', error=ValueError(secret))",
        "logging.getLogger('x').error('said', extra={'what': secret})",
        "raise ValueError(secret)",
        """
try:
    raise ValueError(secret)
except ValueError:
    log.exception("said")
""",
        """
try:
    raise ValueError("said") from OSError(secret)
except ValueError:
    logging.getLogger("x").exception("said")
""",
    ],
)
def test_a_known_secret_is_on_no_line_not_even_in_the_text_of_an_exception(
    style: str, written: str
) -> None:
    lines = lines_of(written, style=style)

    assert lines
    assert "Secret to Everybody" not in "\n".join(lines)


async def test_tasks_have_what_was_bound_where_they_began() -> None:
    seen: list[str] = []

    async def look() -> None:
        seen.append(current()["delivery_id"])

    with bound(delivery_id="d-7"):
        task = asyncio.create_task(look())
    await task

    assert seen == ["d-7"]
    assert current() == {}
