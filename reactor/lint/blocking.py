"""Calls that hold up the event loop, and with it everything else that a worker does.

Looked for by name, in what runs on the loop: `async` actions and executors, conditions, estimates,
and the functions of the same file that they call.  What runs in a thread may block.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reactor.conditions import Asked
from reactor.installed import Action
from reactor.lint.finding import Finding, Spot
from reactor.lint.places import AnyFunction, Source, node_of
from reactor.platform import Platform

_THREAD = "make the method a plain one, which runs in a thread, or use `asyncio.to_thread`"
_BLOCKING: Mapping[str, str] = {
    "time.sleep": "use `await asyncio.sleep`",
    "input": "ask a person with `wait_for`",
    **dict.fromkeys(
        (
            "os.popen",
            "os.system",
            "os.wait",
            "os.waitpid",
            "socket.create_connection",
            "socket.getaddrinfo",
            "socket.gethostbyname",
            "sqlite3.connect",
            "subprocess.call",
            "subprocess.check_call",
            "subprocess.check_output",
            "subprocess.getoutput",
            "subprocess.run",
            "urllib.request.urlopen",
            "urllib.request.urlretrieve",
            "github.Github",
            "smtplib.SMTP",
        ),
        _THREAD,
    ),
    **dict.fromkeys(
        (
            *(f"httpx.{verb}" for verb in ("delete", "get", "head", "patch", "post", "put")),
            "httpx.request",
            "httpx.stream",
            "httpx.Client",
        ),
        "use `httpx.AsyncClient`",
    ),
    "redis.Redis": "use `redis.asyncio`",
    "redis.from_url": "use `redis.asyncio`",
    "redis.Redis.from_url": "use `redis.asyncio`",
}
_BLOCKING_MODULES = ("requests.", "pymysql.", "psycopg2.")


def blocking_in(platform: Platform) -> Iterator[Finding]:
    """Each call in the code of components that would block the loop."""
    for where, package, method in _on_the_loop(platform):
        for call in blocking_calls(method):
            yield Finding(
                severity="warning",
                rule="blocking",
                package=package,
                where=where,
                problem=f"calls {call.name} on the event loop{call.through}; {call.advice}",
                spot=call.spot,
            )


def _on_the_loop(platform: Platform) -> Iterator[tuple[str, str, Callable[..., object]]]:
    executors = (executor.action for executor in platform.executors.values())
    for action in (*platform.actions.values(), *executors):
        package = action.component.package.name
        if action.signature.is_async:
            yield action.name, package, action.call
        for call in _estimates(action):
            yield action.name, package, call
    for condition in platform.conditions.values():
        if isinstance(condition, Asked):
            method = condition.method
            yield method.name, method.component.package.name, method.call


def _estimates(action: Action) -> list[Callable[..., object]]:
    return [worth.call for worth in (action.cost, action.value) if worth.call is not None]


@dataclass(frozen=True, slots=True)
class BlockingCall:
    """A call by a name that blocks."""

    name: str  # "time.sleep"
    spot: Spot
    advice: str
    through: str  # " (through fetch)", where a function of the same file makes it


def blocking_calls(method: Callable[..., object]) -> list[BlockingCall]:
    """Those that a function makes, itself or through functions of its file."""
    found = node_of(method)
    if found is None:
        return []
    source, node = found
    names, functions = _imported(source.tree), _functions(source, node)
    calls, seen, waiting = list[BlockingCall](), {node}, [(node, "")]
    while waiting:
        function, through = waiting.pop()
        for call in _calls_in(function):
            name = _called(call.func, names)
            if advice := _advice(name):
                spot = Spot(source.file, call.lineno)
                calls.append(BlockingCall(name, spot, advice, through))
            other = functions.get(name)
            if other is not None and other not in seen:
                seen.add(other)
                waiting.append((other, f" (through {other.name})"))
    return calls


def _advice(name: str) -> str:
    if name.startswith(_BLOCKING_MODULES):
        return _THREAD
    return _BLOCKING.get(name, "")


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names mean that the file imports."""
    names = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                names[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                names[each.asname or each.name] = f"{node.module}.{each.name}"
    return names


def _functions(source: Source, node: AnyFunction) -> dict[str, AnyFunction]:
    """The functions of the file, and the methods beside `node` as "self.name"."""
    found = dict[str, AnyFunction]()
    for each in source.tree.body:
        if isinstance(each, AnyFunction):
            found[each.name] = each
        elif isinstance(each, ast.ClassDef) and node in each.body:
            methods = [method for method in each.body if isinstance(method, AnyFunction)]
            found |= {f"self.{method.name}": method for method in methods}
    return found


def _calls_in(function: AnyFunction) -> Iterator[ast.Call]:
    """Its calls, but for those in functions that it only defines."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, AnyFunction | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _called(node: ast.expr, names: Mapping[str, str]) -> str:
    """`time.sleep` of `sleep(1)` after `from time import sleep`; "" for what has no name."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])
