"""The protocol itself, by its official SDK. The only module that imports it, and only when an assistant calls."""

import logging
from importlib.metadata import version

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from app.store.read import Store
from app.web.assist.answers import answered
from app.web.assist.arguments import Refused, read
from app.web.assist.reached import hosts, origins
from app.web.assist.tools import BY_NAME, TOOLS, input_schema, output_schema
from app.web.errors import BROKEN
from app.web.openapi import Ask
from app.web.origin import known_as, origin_of

LARGEST_REQUEST = 64 * 2**10

INSTRUCTIONS = """\
Benchmarks of LLM inference as Pareto curves: throughput against interactivity, by chip, engine and precision, and what
KV-cache offload did. Filters take keys, which `vocabulary` lists. A point is one result at one concurrency; a frontier
never crosses models, workloads or origins, so compare within one. Every number has its unit in its name or in
`vocabulary`: latencies are seconds, shares fractions of 1, interactivity p90 is the slow tail. null means not reported,
never 0. `flags` are doubts about a number: tell them with it. `predicted` and `synthetic` origins are no measurements.
Give the reader the `page` link for what may change, `page_frozen` for what must stay. All tools only read."""

_READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

Context = ServerRequestContext[object, Request]

_log = logging.getLogger("halo.web")


class Protocol:
    """Answers one request at a time; nothing is kept between two, so any worker may get the next."""

    def __init__(self, ask: Ask, store: Store) -> None:
        self._ask = ask
        self._store = store
        self._server = Server(
            "halo",
            version=version("halo-dashboard"),
            title="Halo",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self._security = TransportSecuritySettings(allowed_hosts=hosts(), allowed_origins=origins())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A manager of its own for each request: without sessions there is nothing that would have to outlive it.
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=self._security,
            max_request_body_size=LARGEST_REQUEST,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    async def _list(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.text,
                    input_schema=input_schema(tool),
                    output_schema=output_schema(tool),
                    annotations=_READ_ONLY,
                )
                for tool in TOOLS
            ]
        )

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in BY_NAME:
            known = ", ".join(BY_NAME)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}; there are {known}")
        request = context.request
        reached = origin_of(request.scope) if request else known_as()
        try:
            call = read(params.name, params.arguments or {}, self._store.prices)
            answer = await answered(call, self._ask, reached)
        except Refused as refused:
            return types.CallToolResult(content=[types.TextContent(text=str(refused))], is_error=True)
        except Exception as error:
            _log.exception("tool %s failed", params.name)
            raise MCPError(types.INTERNAL_ERROR, f"{params.name}: {BROKEN}") from error
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=answer.document)
