"""A server's effective config: its keys and switches. Which plugins it has is what maintainers ask first."""

from collections.abc import Callable, Mapping

from wedged.bundle.collecting import Basket
from wedged.facts.redaction import REDACTED
from wedged.facts.server import Line

# The preview has no route for it.
_ROUTES: Mapping[Line, str] = {Line.V1: "/config", Line.V2_RELEASED: "/api/config"}
# What names a choice. Every other string may be an address, a prompt, a command or a key.
_TOLD = frozenset(
    {
        *("$schema", "model", "small_model", "default_agent", "npm", "share", "mode", "type", "theme"),
        *("logLevel", "layout", "plugin", "plugins", "enabled_providers", "disabled_providers", "permission"),
        *("action", "effect", "resource", "autoupdate", "update", "snapshot", "path", "providerID"),
        "package",
    }
)
_WORDS = frozenset({"allow", "ask", "deny", "auto", "manual", "disabled", "notify"})


def collect_config(basket: Basket, fetch: Callable[[str], object], line: Line) -> object:
    """``config.json``. What is returned is the config as it is, with its secrets, to learn them from."""
    route = _ROUTES.get(line)
    if route is None:
        basket.gap("the effective config", "this server has no route for it")
        return None
    tree = fetch(route)
    basket.add("config.json", told_config(tree))
    return tree


def told_config(tree: object, key: str = "") -> object:
    """A config's keys, numbers and switches, and the strings that name a choice; the others redacted."""
    if isinstance(tree, str):
        return tree if not tree or key in _TOLD or tree in _WORDS else REDACTED
    if isinstance(tree, Mapping):
        return {str(name): told_config(item, str(name)) for name, item in tree.items()}
    return [told_config(item, key) for item in tree] if isinstance(tree, list) else tree
