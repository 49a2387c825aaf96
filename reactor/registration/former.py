"""Former names of actions: what a process, a form or a reaction may still call them by."""

from collections.abc import Iterable, Mapping

from reactor.installed import Action
from reactor.registration.faults import Faults


def former_names(actions: Iterable[Action], faults: Faults) -> Mapping[str, str]:
    """Former full name -> the name of today.

    A former name that is another action's, now or formerly, is a fault of the package that says so.
    """
    listed = sorted(actions, key=lambda action: action.name)
    taken = {action.name for action in listed}
    found: dict[str, str] = {}
    for action in listed:
        home = action.name.rpartition(".")[0]
        for said in action.mark.formerly:
            former = said if "." in said else f"{home}.{said}"
            if former in taken:
                problem = f"was formerly {former}, which is an action of today; leave that out"
                faults.add(action.component.package, action.name, problem)
            elif former in found:
                problem = f"was formerly {former}, and so was {found[former]}; only one can go on"
                faults.add(action.component.package, action.name, problem)
            else:
                found[former] = action.name
    return found
