"""What a server starts with and ends with."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI


@asynccontextmanager
async def life(app: FastAPI) -> AsyncIterator[None]:
    """The browser that draws pictures and the previews end with the server."""
    yield
    await asyncio.to_thread(app.state.images.close)
    await asyncio.to_thread(app.state.previews.close)
