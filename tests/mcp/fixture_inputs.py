"""Fixtures of the conformance suite that ask the client, send log messages or announce changes.

waypost's own tools do none of that. These tools show that its transport carries such messages unchanged all the same.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import warnings
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    ClientCapabilities,
    EmptyResult,
    GetPromptResult,
    InputRequiredResult,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)

# The SDK warns of log messages and sampling, which its newest revision has no more; the handshake revisions have them.
warnings.simplefilter("ignore", MCPDeprecationWarning)

_SEAL = secrets.token_bytes(16)
_CHOICES = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
_OPTIONS = ["option1", "option2", "option3"]


def form(message: str, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """Question to the person behind a client."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def model(text: str) -> dict[str, Any]:
    """Question to the model of a client."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


TEXT: dict[str, Any] = {"type": "string"}
NAME = form("What is your name?", ["name"], name=TEXT)
CONFIRM = form("Please confirm", ["ok"], ok={"type": "boolean"})
ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}
ROUNDS: dict[str, list[dict[str, dict[str, Any]]]] = {
    "test_input_required_result_elicitation": [{"user_name": NAME}],
    "test_input_required_result_sampling": [{"capital_question": model("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [{"confirm": CONFIRM}],
    "test_input_required_result_tampered_state": [{"confirm": CONFIRM}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": NAME, "greeting": model("Generate a greeting"), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [
        {"step1": form("Step 1: What is your name?", ["name"], name=TEXT)},
        {"step2": form("Step 2: What is your favorite color?", ["color"], color=TEXT)},
    ],
    "test_input_required_result_capabilities": [{"user_name": NAME, "greeting": model("Generate a greeting")}],
    "test_streaming_elicitation": [{"user_name": NAME}],
}
"""Tool -> the requests of each round of a call by the stateless revision."""
STATELESS = {"test_input_required_result_elicitation", "test_input_required_result_sampling",
             "test_input_required_result_list_roots", "test_streaming_elicitation"}  # fmt: skip
"""Tools of ROUNDS without a state, as the suite describes them."""
PROMPT = "test_input_required_result_prompt"
PROMPT_INPUT = {"user_context": form("What context should the prompt use?", ["context"], context=TEXT)}
ELICITATIONS: dict[str, dict[str, Any]] = {
    "test_elicitation": form("Please answer", ["username", "email"], username=TEXT, email=TEXT),
    "test_elicitation_sep1034_defaults": form(
        "Please review", [],
        name={"type": "string", "default": "John Doe"}, age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5}, verified={"type": "boolean", "default": True},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    ),
    "test_elicitation_sep1330_enums": form(
        "Please choose", [],
        untitledSingle={"type": "string", "enum": _OPTIONS}, titledSingle={"type": "string", "oneOf": _CHOICES},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        titledMulti={"type": "array", "items": {"anyOf": _CHOICES}},
    ),
}  # fmt: skip
"""Tool -> its request to a client with a handshake."""
LOGS = ("Tool execution started", "Tool processing data", "Tool execution completed")
CHANGES = {"test_trigger_tool_change": ToolsListChanged, "test_trigger_prompt_change": PromptsListChanged}
TOOLS = (
    *ROUNDS, *ELICITATIONS, *CHANGES, "test_sampling", "test_tool_with_logging", "test_logging_tool",
    "test_missing_capability",
)  # fmt: skip
_BUS = InMemorySubscriptionBus()


def add_handlers(server: Server[Any]) -> None:
    """Give a server the methods that waypost's has not."""

    async def accepted(_: Any, __: Any) -> EmptyResult:
        return EmptyResult()

    for method, params in (
        ("logging/setLevel", SetLevelRequestParams),
        ("resources/subscribe", SubscribeRequestParams),
        ("resources/unsubscribe", UnsubscribeRequestParams),
    ):
        server.add_request_handler(method, params, accepted)
    server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, ListenHandler(_BUS))


async def called(context: Any, params: Any) -> CallToolResult | InputRequiredResult:
    """Result of a tool of TOOLS."""
    if params.name in ROUNDS:
        return await _round(context, params)
    if params.name in ELICITATIONS:
        request = ELICITATIONS[params.name]["params"]
        found = await context.session.elicit_form(request["message"], request["requestedSchema"], context.request_id)
        return _text(f"Elicitation completed: action={found.action}, content={found.content}")
    if params.name == "test_sampling":
        question = SamplingMessage(role="user", content=TextContent(type="text", text=params.arguments["prompt"]))
        answer = await context.session.create_message([question], max_tokens=100, related_request_id=context.request_id)
        return _text(f"LLM response: {answer.content.text}")
    if params.name == "test_missing_capability":
        if not context.session.check_client_capability(ClientCapabilities.model_validate({"sampling": {}})):
            data = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is required", data)
    elif params.name in CHANGES:
        await _BUS.publish(CHANGES[params.name]())
    else:
        for message in LOGS:
            await context.session.send_log_message("info", message, related_request_id=context.request_id)
            await anyio.sleep(0.05)
    return _text("done")


async def _round(context: Any, params: Any) -> CallToolResult | InputRequiredResult:
    """Next round of a call, or its result once all is answered. The state is the sealed number of the round."""
    rounds, number = ROUNDS[params.name], 0
    if params.request_state is not None:
        number = _unsealed(params.request_state, params.name)
    if params.name == "test_streaming_elicitation":
        await context.session.report_progress(1, 2)
    expected = _declared(context, rounds[number])
    if expected.keys() <= (params.input_responses or {}).keys():
        number += 1
        if number == len(rounds):
            return _text("state-ok: everything is answered")
        expected = _declared(context, rounds[number])
    state = {} if params.name in STATELESS else {"requestState": _sealed(number, params.name)}
    return InputRequiredResult.model_validate({"inputRequests": expected} | state)


def prompted(params: Any) -> GetPromptResult | InputRequiredResult:
    """Content of PROMPT, or the request for its context."""
    if PROMPT_INPUT.keys() <= (params.input_responses or {}).keys():
        text = {"type": "text", "text": "A prompt with the context that was given."}
        return GetPromptResult.model_validate({"messages": [{"role": "user", "content": text}]})
    return InputRequiredResult.model_validate({"inputRequests": PROMPT_INPUT})


def _declared(context: Any, requests: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Requests that the client said it can answer. A client that declared nothing gets all of them."""
    given = context.session.client_capabilities
    declared = set(given.model_dump(exclude_none=True)) if given else set()
    part = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
    return {name: each for name, each in requests.items() if not declared or part[each["method"]] in declared}


def _sealed(number: int, tool: str) -> str:
    return f"{number}.{hmac.new(_SEAL, f'{tool} {number}'.encode(), hashlib.sha256).hexdigest()}"


def _unsealed(state: str, tool: str) -> int:
    number = state.partition(".")[0]
    if not number.isdigit() or not hmac.compare_digest(state, _sealed(int(number), tool)):
        raise MCPError(INVALID_PARAMS, "the state was changed")
    return int(number)


def _text(text: str) -> CallToolResult:
    return CallToolResult.model_validate({"content": [{"type": "text", "text": text}]})
