"""The four tools as a model calls them: documentation, checked arguments, and an answer to every mistake."""

from __future__ import annotations

import difflib
import inspect
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import dspy
import pydantic

from debriefer.errors import DebrieferError
from debriefer.models import neutralise
from debriefer.workbench import Workbench
from dspy_programs.solver.trajectory import Call, Observation

TOOL_NAMES = ("explore_data", "read_solver", "edit_solver", "run_solver")

_log = logging.getLogger(__name__)
_ARGUMENT_LINE = re.compile(r"(\w+):\s+(.*)")


@dataclass(frozen=True)
class Tool:
    """A tool as a model sees it.

    Attributes:
        name: Name of the method of `Workbench`.
        description: What it does and returns.
        parameters: JSON schema of each argument by name; one without `default` must be given.
        model: Checks and converts the arguments.
    """

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    model: type[pydantic.BaseModel]

    @property
    def usage(self) -> str:
        """The call in one line: `explore_data(query: string, limit: integer = 50)`."""
        return f"{self.name}({', '.join(_parameter(name, schema) for name, schema in self.parameters.items())})"

    def documentation(self) -> str:
        """Return the tool's documentation as text, for models without native tool calls."""
        lines = [self.usage, self.description]
        lines += [f"- {name}: {schema['description']}" for name, schema in self.parameters.items()]
        return "\n".join(lines)

    def as_dspy(self) -> dspy.Tool:
        """Return the tool's schema for DSPy.

        It holds the function of the class and no workbench, so that traces and examples that carry it can be
        copied and pickled; calls go through `Toolbox.run`.
        """
        parameters = {name: dict(schema) for name, schema in self.parameters.items()}
        return dspy.Tool(
            getattr(Workbench, self.name), name=self.name, desc=self.description, args=parameters, arg_types={}
        )


class Toolbox:
    """The tools over one workbench."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    def run(self, call: Call, seconds: float | None = None) -> Observation:
        """Make one call and return what the model is shown; never raises for a mistake in the call.

        An unknown tool or bad arguments come back as an observation that says what is right. The text of the tool
        is neutralised, because cells and documents may hold anything.

        Args:
            call: The call.
            seconds: Wall time that the run has left, beyond which no script may go on; `None` for no bound.
        """
        tool = TOOLS.get(call.tool)
        if tool is None:
            return _refusal(call, _unknown_tool(call.tool))
        try:
            arguments = tool.model.model_validate(call.arguments).model_dump()
        except pydantic.ValidationError as error:
            return _refusal(call, _bad_arguments(tool, call.arguments, error))
        if seconds is not None and "timeout_seconds" in arguments:
            arguments["timeout_seconds"] = min(arguments["timeout_seconds"], seconds)
        method: Callable[..., str] = getattr(self._workbench, tool.name)
        try:
            text = method(**arguments)
        except DebrieferError as error:
            text = error.render()
        except Exception as error:  # noqa: BLE001
            # A fault of the tool must not cost the attempt, and a traceback would show the model our paths.
            _log.warning("`%s` failed", tool.name, exc_info=True)
            text = f"error: `{tool.name}` failed with {type(error).__name__}\nhint: try it another way"
        return Observation(call_id=call.id, tool=tool.name, text=neutralise(text))


def _describe(name: str) -> Tool:
    """Read a tool's documentation and the types of its arguments off the method of `Workbench`."""
    method = getattr(Workbench, name)
    description, meanings = _split_docstring(inspect.getdoc(method) or "")
    hints = get_type_hints(method)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], pydantic.Field(default))
    model = pydantic.create_model(name, __config__=pydantic.ConfigDict(extra="forbid", allow_inf_nan=False), **fields)
    parameters = {}
    for argument, schema in model.model_json_schema()["properties"].items():
        kept = {key: value for key, value in schema.items() if key != "title"}
        parameters[argument] = {**kept, "description": meanings.get(argument, "")}
    return Tool(name, description, parameters, model)


def _split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Return the description of a Google docstring and the meaning of each argument."""
    parts = re.split(r"^(Args|Returns|Raises|Source|Attributes|Examples?):", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    meanings: dict[str, str] = {}
    current = None
    for line in sections.get("Args", "").splitlines():
        found = _ARGUMENT_LINE.fullmatch(line.strip())
        if found is not None and len(line) - len(line.lstrip()) <= _ARGUMENT_INDENT:
            current = found[1]
            meanings[current] = found[2]
        elif current is not None and line.strip():
            meanings[current] += " " + line.strip()
    description = parts[0].strip()
    if "Returns" in sections:
        description += "\nReturns: " + " ".join(sections["Returns"].split())
    return description, meanings


_ARGUMENT_INDENT = 4


def _parameter(name: str, schema: Mapping[str, Any]) -> str:
    kind = schema.get("type") or " or ".join(str(option.get("type", "any")) for option in schema.get("anyOf", ()))
    text = f"{name}: {kind or 'any'}"
    return f"{text} = {json.dumps(schema['default'])}" if "default" in schema else text


def _refusal(call: Call, text: str) -> Observation:
    return Observation(call_id=call.id, tool=neutralise(call.tool), text=neutralise(text), refused=True)


def _unknown_tool(name: str) -> str:
    lines = [f"error: there is no tool `{name}`"]
    near = difflib.get_close_matches(name, TOOL_NAMES, n=1)
    lines.append(f"hint: did you mean `{near[0]}`?" if near else "hint: call one of the tools below")
    return "\n".join([*lines, "the tools are:", *(f"- {tool.usage}" for tool in TOOLS.values())])


def _bad_arguments(tool: Tool, arguments: Mapping[str, Any], error: pydantic.ValidationError) -> str:
    lines = [f"error: `{tool.name}` was not called, its arguments are wrong"]
    for problem in error.errors(include_url=False):
        name = str(problem["loc"][0]) if problem["loc"] else ""
        if problem["type"] == "missing":
            lines.append(f"- `{name}` is missing")
        elif problem["type"] == "extra_forbidden":
            near = difflib.get_close_matches(name, tool.parameters, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            lines.append(f"- there is no argument `{name}`{hint}")
        else:
            lines.append(f"- `{name}`: {problem['msg'].lower()}, got {_short(arguments.get(name))}")
    return "\n".join([*lines, f"right: {tool.usage}"])


def _short(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


TOOLS: dict[str, Tool] = {name: _describe(name) for name in TOOL_NAMES}
