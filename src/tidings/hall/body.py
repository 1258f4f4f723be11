"""Reads a request body straight into its record, strictly, and says which field is wrong."""

import re
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.dto import AbstractDTO, DTOConfig
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
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
        media_type = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json" and not media_type.endswith("+json"):
            raise WireError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "The body must be sent with Content-Type: application/json.",
            )
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
