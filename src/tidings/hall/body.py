"""Reads a request body straight into its record, strictly, and says which field is wrong."""

import re
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.dto import AbstractDTO, DTOConfig
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.types import HTTPReceiveMessage, Receive, Scope
from litestar.typing import FieldDefinition

from tidings.domain.errors import InvalidError, Problem
from tidings.hall.errors import WireError, plain

T = TypeVar("T")

_MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\.\.\.)\]")


class StrictJson(AbstractDTO[Any]):
    """The `data` of every handler of this door."""

    config = DTOConfig()
    decoders: dict[str, msgspec.json.Decoder[Any]] = {}

    def decode_bytes(self, value: bytes) -> Any:
        connection = self.asgi_connection
        assert isinstance(connection, Request)
        check_media_type(connection.scope)
        return decode(self.decoders[connection.route_handler.handler_id], value)

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        cls.decoders[handler_id] = msgspec.json.Decoder(field_definition.annotation)

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        schema: Reference | Schema = schema_creator.for_field_definition(field_definition)
        return schema

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        return True

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Any:
        fields: list[DTOFieldDefinition] = []
        return fields


def check_media_type(scope: Scope) -> None:
    sent = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    media_type = sent.partition(b";")[0].strip().lower()
    if media_type != b"application/json" and not media_type.endswith(b"+json"):
        raise WireError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "The body must be sent with Content-Type: application/json.",
        )


async def read(receive: Receive, limit: int) -> bytes:
    """The whole body."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise WireError(HTTPStatus.BAD_REQUEST, "The client left in mid-request.")
        parts.append(message["body"])
        size += len(message["body"])
        if size > limit:
            raise WireError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The request body is larger than {limit} bytes.",
            )
        more = message["more_body"]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def reader(body: bytes) -> Receive:
    """The body again, for the application to read."""

    async def receive() -> HTTPReceiveMessage:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def decode(decoder: msgspec.json.Decoder[T], value: bytes) -> T:
    try:
        return decoder.decode(value)
    except msgspec.ValidationError as error:
        raise _invalid(str(error), _whole(value)) from None
    except _MALFORMED as error:
        raise _malformed(error) from None


def _whole(value: bytes) -> Any:
    """The body without its type: it may turn out to be malformed further on."""
    try:
        return msgspec.json.decode(value)
    except _MALFORMED as error:
        raise _malformed(error) from None


def _malformed(error: Exception) -> WireError:
    reason = str(error).removeprefix("JSON is malformed: ")
    return WireError(HTTPStatus.BAD_REQUEST, f"The body is not valid JSON: {reason}.")


def _invalid(message: str, body: Any) -> InvalidError:
    reason, _, path = message.partition(" - at ")
    missing = re.search(r"missing required field `([^`]+)`", reason)
    steps = [match.group(1) or match.group(2) for match in _STEP.finditer(path.strip("`$"))]
    if missing:
        return InvalidError({".".join([*steps, missing[1]]): Problem(["is required"])})
    return InvalidError({".".join(steps) or "body": Problem([plain(reason)], _at(body, steps))})


def _at(body: Any, steps: list[str]) -> Any:
    for step in steps:
        try:
            body = body[int(step)] if isinstance(body, list) else body[step]
        except (KeyError, ValueError, IndexError, TypeError):
            return msgspec.UNSET
    return body
