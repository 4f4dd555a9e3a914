"""The application: the store of a folder behind the routes, the cache before them, the headers around everything."""

from pathlib import Path

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from app.store.read import Store
from app.web import api, changes, dashboard, docs, embed, errors, history, pages, pictures, preview, report, upload
from app.web.assets import serve_asset
from app.web.assist.layer import Assist
from app.web.compare import routes as compare_routes
from app.web.exports import routes as exports
from app.web.fast import Fast
from app.web.guard import Guard
from app.web.headers import Secured
from app.web.images import Images
from app.web.life import life
from app.web.origin import origin_of
from app.web.pointer import Pointer
from app.web.previews import Previews

DESCRIBED = (api.router, changes.router, history.router, exports.router, upload.router, preview.router, report.router)
"""Routes of the JSON API: each stands in the OpenAPI document."""

CACHED = (
    "/",
    "/embed",
    "/offload",
    "/compare",
    "/compare.json",
    "/history",
    "/history.json",
    "/plan",
    "/plan.json",
    "/data",
    "/data/changes",
    "/data/changes.json",
    "/glossary",
    "/api/docs",
    "/api/openapi.json",
)
CACHED_BELOW = ("/points/", "/configs/", "/glossary/", "/api/v1/", "/figures/")


def is_cached(path: str) -> bool:
    """Whether an address answers one live snapshot with the same bytes every time."""
    return path in CACHED or path.startswith(CACHED_BELOW)


def _origin(scope: Scope) -> str:
    """Pages name their own absolute address; what scripts read does not."""
    path: str = scope["path"]
    is_data = path.startswith(("/api/v", "/figures/")) or path.endswith(".json")
    return "" if is_data else origin_of(scope)


class Halo:
    """The application as a server runs it: every request passes these layers, the outermost first."""

    def __init__(self, folder: Path) -> None:
        store = Store(folder)
        self.routes = routes(store)
        self._app = Guard(Secured(Assist(Fast(self.routes, Pointer(folder), is_cached, told=_origin), store)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def create_app(folder: Path) -> Halo:
    """The whole web application over the store in `folder`."""
    return Halo(folder)


def routes(store: Store) -> FastAPI:
    """What each address answers, without cache and security headers."""
    app = FastAPI(title="Halo", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=life)
    app.state.store = store
    app.state.images = Images()
    app.state.previews = Previews(store.folder)
    errors.install(app)
    for router in DESCRIBED:
        app.include_router(router)
    app.include_router(docs.router)
    app.include_router(dashboard.router)
    app.include_router(pages.router)
    app.include_router(compare_routes.router)
    app.include_router(changes.pages)
    app.include_router(history.pages)
    app.include_router(pictures.router)
    app.include_router(embed.router)
    app.include_router(report.pages)
    app.mount("/static", serve_asset)
    return app
