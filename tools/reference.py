"""Write the pages that follow from the code: of the settings, and parts of GitHub's and the journal's.

Run by `make fix`; a test fails when a page is not what this would write.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from reactor.environment import environment_names
from reactor.github.repository_file import RepositoryFile
from reactor.reaction import Reaction
from reactor.settings import (
    ComponentGrant,
    HostSettings,
    ModelSettings,
    RepositoryGrant,
    Settings,
    TimerSettings,
)
from tools import journal_fields, permissions

ROOT = Path(__file__).resolve().parent.parent
GITHUB_PAGE = ROOT / "docs" / "github.md"
JOURNAL_PAGE = ROOT / "docs" / "journal.md"

INTRODUCTION = """\
<!-- Written by tools/reference.py (`make fix`) from reactor/settings/; change it there. -->

# Configuration

Settings come from one YAML file (`--config FILE`; else `config/reactor.yaml` or `reactor.yaml`, where there is one) and from the environment, which wins. Everything has a default. An unknown name is an error, every fault is listed at once, and no error repeats a value, since it may be a secret. Secrets may lie in files, as Docker hands them over: `NAME_FILE` names the file. [`config/reactor.schema.json`](../config/reactor.schema.json) lets an editor check the file while you write it.
"""

REACTIONS = """
## `reactions`

A list: which events start which processes. Several reactions to one event are several processes.

```yaml
reactions:
  - name: triage
    on: [issues.opened, issue_comment]
    when: '!issue.title.startsWith("[skip]")'
    scope: [triage]
  - name: tickets
    on: issues.opened
    agent: tickets # see components.md; the planner is the one that the agent declares
```

`issues.opened` is an event with its action, `issues` an event whatever its action, `*` every event that has a typed model (ping left out), `**` every event at all.

"""

TIMERS = """
## `timers`

A list: events that the clock sends. Each is a delivery like any other (`timer.nightly` here): it is kept, can be explained, and starts the reactions that name it; `*` leaves timers out. The fact it brings is a `TimerFired`, bound as `event`. What was due while nothing ran fires once, later.

```yaml
timers:
  - name: nightly
    cron: "0 3 * * 1-5"
    zone: Europe/Berlin
  - name: sweep
    every_s: 3600
    payload: {older_than_days: 30}
```

"""

REPOSITORIES = """
## `repositories`

What may be done where: a pattern of full names (`*` stands for any characters), and what it grants. Where `github.hosts` names another host, each says on which it is: `github.com/octo/*`, or `*/octo/*` for every one; `"*"` alone is all there is. A repository counts every pattern that fits it, and the most restrictive of them wins. What a repository says of itself in `.github/reactor.yml` only ever narrows this. Where it has no such file, `without_file` counts; **where nobody says that either, effects are only observed**, in live reactions too.

```yaml
repositories:
  "octo/*":
    without_file: approve # a person approves each change
  "octo/hello":
    allow: [AddLabels, RemoveLabels, PostComment]
    labels: ["area/*", bug]
```

"""

COMPONENTS = """
## `components`

One section for each component package, by its name; what may stand in it is said by the package (its README, and `reactor components`), but for three names that are the operator's with every package:

"""

COMPONENTS_EXAMPLE = """
```yaml
components:
  triage:
    allow: [AddLabels]
    urgent_at: 0.8
  hello:
    disabled: true
```
"""


def configuration_page() -> str:
    """docs/configuration.md."""
    return "".join(
        (
            *(INTRODUCTION, *_sections()),
            *(REACTIONS, _table(Reaction)),
            *(TIMERS, _table(TimerSettings)),
            *(REPOSITORIES, _table(RepositoryGrant)),
            *(COMPONENTS, _table(ComponentGrant), COMPONENTS_EXAMPLE),
        )
    )


def settings_schema() -> str:
    """config/reactor.schema.json."""
    schema = Settings.model_json_schema()
    for name in ("on", "scope"):  # one may stand there without a list
        field = schema["$defs"]["Reaction"]["properties"][name]
        field["anyOf"] = [
            {"type": "string"},
            {"type": field.pop("type"), "items": field.pop("items")},
        ]
    return json.dumps(schema, indent=2) + "\n"


def repository_schema() -> str:
    """config/repository.schema.json."""
    return json.dumps(RepositoryFile.model_json_schema(), indent=2) + "\n"


def pages() -> dict[Path, str]:
    """Each generated file with what it should hold."""
    return {
        ROOT / "docs" / "configuration.md": configuration_page(),
        ROOT / "config" / "reactor.schema.json": settings_schema(),
        ROOT / "config" / "repository.schema.json": repository_schema(),
        GITHUB_PAGE: permissions.filled(GITHUB_PAGE.read_text(encoding="utf-8")),
        JOURNAL_PAGE: journal_fields.filled(JOURNAL_PAGE.read_text(encoding="utf-8")),
    }


def _sections() -> Iterator[str]:
    yield f"\n## At the top\n\n{_table(Settings)}"
    for name, field in Settings.model_fields.items():
        if section := _model(field):
            yield f"\n## `{name}`\n\n{section.__doc__}\n\n{_table(section, prefix=name + '.')}"
            for inner, within in section.model_fields.items():
                if part := _model(within):
                    place = f"{name}.{inner}"
                    table = _table(part, prefix=f"{place}.")
                    yield f"\n### `{place}`\n\n{part.__doc__}\n\n{table}"
    yield f"\n### `github.hosts.<host>`\n\n{HostSettings.__doc__}\n\n{_table(HostSettings)}"
    models = _table(ModelSettings, prefix="llm.models.default.")
    yield f"\n### `llm.models.<name>`\n\n{ModelSettings.__doc__}\n\n{models}"


def _table(model: type[BaseModel], *, prefix: str = "") -> str:
    environment = environment_names()
    schema = model.model_json_schema(by_alias=False)
    rows = ["| name | default | environment | means |\n| --- | --- | --- | --- |\n"]
    for name, field in model.model_fields.items():
        if _model(field) or name in {"reactions", "timers", "repositories", "components"}:
            continue
        names = ", ".join(f"`{one}`" for one in environment.get(prefix + name, ()))
        meaning = " ".join(filter(None, (field.description, _choices(schema, name))))
        rows.append(f"| `{name}` | {_default(field)} | {names} | {meaning} |\n")
    return "".join(rows)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value is PydanticUndefined or value in ((), {}):
        return "none"
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{shown}`"


def _choices(schema: dict[str, Any], name: str) -> str:
    choices = schema["properties"][name].get("enum", ())
    return f"One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""


def _model(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
