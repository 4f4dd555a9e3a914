"""One address at a time over one connection: conditional, patient within bounds, and in words when it fails."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urljoin

import httpx2
import orjson

from app.addresses import split_address
from app.catalog.point import Json
from ingest.bodies import Endless, whole
from ingest.waiting import AGAIN, AGENT, pause, wait_s, why_no_longer

DELAY_S = 1.0
"""Between two requests. What is pulled can wait."""
_HOPS = 3
_TIMEOUT = httpx2.Timeout(30.0, read=120.0)
_SHOWN = 60


class NotFetched(Exception):
    """An address did not give what it should; the message says what it gave, and what would be right."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Validators:
    """What an answer said of its version, to be asked by next time."""

    etag: str | None = None
    last_modified: str | None = None

    def headers(self) -> dict[str, str]:
        told = {"if-none-match": self.etag, "if-modified-since": self.last_modified}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer as JSON with its bytes; both are empty where nothing is new since the validators."""

    value: Json
    data: bytes
    validators: Validators
    unchanged: bool = False
    """That it was 304: an answer may well be `null`, which is None."""


class Fetcher:
    """A connection to one host. `tell` hears of every wait."""

    def __init__(self, *, delay_s: float = DELAY_S, tell: Callable[[str], None] = lambda _: None) -> None:
        self._client = httpx2.Client(
            timeout=_TIMEOUT,
            headers={"user-agent": AGENT, "accept": "application/json"},
            limits=httpx2.Limits(max_connections=1),
        )
        self._delay_s = delay_s
        self._tell = tell
        self._last: float | None = None

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, url: str, known: Validators | None = None) -> Fetched:
        """The JSON at an address, asked again where that may help. Raises NotFetched."""
        attempt = 0
        while True:
            headers: Mapping[str, str] = {}
            try:
                answer = self._once(url, known or Validators())
                if answer.status_code == 304 and not (known and known.headers()):
                    raise NotFetched(f"{url} answered 304, not modified, though it was not asked that", 304)
                if answer.status_code not in AGAIN:
                    return _judged(answer, url)
                why, headers = f"it answered {answer.status_code}", answer.headers
            except _Cut as cut:
                why = str(cut)
            except httpx2.RequestError as error:
                why = f"there was no whole answer ({type(error).__name__}: {str(error)[:_SHOWN]})"
            wait = wait_s(attempt, headers)
            if wait is None:
                raise NotFetched(f"{url} was asked {_times(attempt + 1)}: {why}{why_no_longer(headers)}")
            self._tell(f"{url}: {why}; asking again in {wait:g} s")
            pause(wait)
            attempt += 1

    def _once(self, url: str, known: Validators) -> httpx2.Response:
        """The answer, redirects within the host followed."""
        at = url
        for _ in range(_HOPS + 1):
            self._keep_distance()
            try:
                with self._client.stream("GET", at, headers=known.headers()) as answer:
                    answer._content = whole(answer)
            except Endless as error:
                raise NotFetched(f"{url} {error}: ask for less at a time") from None
            except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
                raise NotFetched(f"{url} is no address that can be asked: {error}") from None
            if not answer.has_redirect_location:
                return answer
            target = urljoin(at, answer.headers.get("location", ""))
            if split_address(target).netloc != split_address(url).netloc:
                raise NotFetched(
                    f"{url} leads to another host, {target}: nothing is taken from there; ask it with --url"
                )
            at = target
        raise NotFetched(f"{url} leads from one address to the next, more than {_HOPS} times")

    def _keep_distance(self) -> None:
        if self._last is not None and (left := self._last + self._delay_s - time.monotonic()) > 0:
            pause(left)
        self._last = time.monotonic()


class _Cut(Exception):
    """A body that is not whole."""


def _judged(answer: httpx2.Response, url: str) -> Fetched:
    """The answer as JSON. Raises NotFetched, _Cut."""
    validators = Validators(answer.headers.get("etag"), answer.headers.get("last-modified"))
    if answer.status_code == 304:
        return Fetched(None, b"", validators, unchanged=True)
    data = answer.content
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if answer.status_code != 200:
        raise NotFetched(f"{url} answered {answer.status_code}{_said(data)}", answer.status_code)
    if data.lstrip()[:1] == b"<" or kind == "text/html":
        raise NotFetched(f"{url} answered with a page (HTML) where JSON is expected: is that the address of the API?")
    try:
        return Fetched(orjson.loads(data), data, validators)
    except orjson.JSONDecodeError:
        raise _Cut(f"its JSON is damaged or cut short after {len(data):,} bytes") from None


def _said(data: bytes) -> str:
    """What a problem document says."""
    try:
        document = orjson.loads(data)
        return f": {document.get('detail') or document['error']}"
    except (orjson.JSONDecodeError, KeyError, AttributeError):
        return ""


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
