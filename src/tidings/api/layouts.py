"""Layouts: the frames of e-mails."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, patch, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import layouts as actions
from tidings.actions.layout_previews import preview
from tidings.actions.layouts import Wishes
from tidings.api.workflow_shapes import Name
from tidings.dialect import Dialect
from tidings.domain import variables
from tidings.domain.layouts import EditorType, Layout
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.offsets import Limit, Offset, limit_of, offset_of
from tidings.hall.wire import Id, Out, Timestamp, iso
from tidings.storage import layouts
from tidings.storage.layouts import OrderBy

_TAGS = ["Layouts"]

LayoutId = Annotated[str, PathParameter(name="layoutId")]
_DATA_SCHEMA = {
    "type": "object",
    "properties": {
        "email": {
            "type": "object",
            "properties": {
                "body": {"type": "string"},
                "editorType": {"enum": ["html", "block"]},
            },
            "required": ["body", "editorType"],
            "additionalProperties": False,
        }
    },
    "additionalProperties": False,
}
_UI_SCHEMA = {
    "group": "LAYOUT",
    "properties": {
        "email": {
            "component": "LAYOUT_EMAIL",
            "properties": {
                "body": {"component": "EMAIL_BODY", "placeholder": ""},
                "editorType": {"component": "EMAIL_EDITOR_SELECT", "placeholder": "block"},
            },
        }
    },
}


class EmailIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    body: str
    editor_type: EditorType = "html"


class ControlValuesIn(msgspec.Struct, frozen=True, kw_only=True):
    email: EmailIn | None = None


class LayoutPatchIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is absent stays as it is."""

    name: Name | UnsetType = UNSET
    is_default: bool | UnsetType = UNSET
    is_translation_enabled: bool | UnsetType = UNSET
    control_values: ControlValuesIn | None = None

    def wishes(self) -> Wishes:
        email = self.control_values and self.control_values.email
        return Wishes(
            name=self.name,
            is_default=self.is_default,
            is_translation_enabled=self.is_translation_enabled,
            body=email.body if email else UNSET,
            editor=email.editor_type if email else UNSET,
        )


class LayoutUpdateIn(LayoutPatchIn, frozen=True, kw_only=True, rename="camel"):
    name: Name


class LayoutCreateIn(LayoutUpdateIn, frozen=True, kw_only=True, rename="camel"):
    layout_id: str


class LayoutDuplicateIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: Name
    layout_id: str | None = None
    is_translation_enabled: bool | UnsetType = UNSET


class LayoutPreviewIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    control_values: ControlValuesIn | None = None
    preview_payload: dict[str, Any] = {}


class EmailOut(Out, frozen=True, kw_only=True):
    body: str
    editor_type: EditorType


class LayoutValuesOut(Out, frozen=True, kw_only=True):
    email: EmailOut


class LayoutControlsOut(Out, frozen=True, kw_only=True):
    data_schema: dict[str, Any]
    ui_schema: dict[str, Any]
    values: LayoutValuesOut


class LayoutOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    layout_id: str
    slug: str
    name: str
    is_default: bool
    is_translation_enabled: bool
    updated_at: Timestamp
    created_at: Timestamp
    origin: str
    type: Literal["REGULAR"]
    controls: LayoutControlsOut
    variables: dict[str, Any]

    @classmethod
    def of(cls, layout: Layout, dialect: Dialect) -> "LayoutOut":
        email = EmailOut(body=layout.body, editor_type=layout.editor)
        return cls(
            id=layout.id,
            layout_id=layout.key,
            slug=layout.slug,
            name=layout.name,
            is_default=layout.is_default,
            is_translation_enabled=layout.is_translation_enabled,
            updated_at=iso(layout.updated_at),
            created_at=iso(layout.created_at),
            origin=dialect.spell("svc-cloud"),
            type="REGULAR",
            controls=LayoutControlsOut(
                data_schema=_DATA_SCHEMA,
                ui_schema=_UI_SCHEMA,
                values=LayoutValuesOut(email=email),
            ),
            variables=variables.LAYOUT,
        )


class LayoutListOut(Out, frozen=True, kw_only=True):
    layouts: list[LayoutOut]
    total_count: int


class LayoutUserOut(Out, frozen=True, kw_only=True):
    name: str
    workflow_id: str


class LayoutUsageOut(Out, frozen=True, kw_only=True):
    workflows: list[LayoutUserOut]


class LayoutPreviewBodyOut(Out, frozen=True, kw_only=True):
    body: str


class LayoutPreviewResultOut(Out, frozen=True, kw_only=True):
    type: Literal["email"]
    preview: LayoutPreviewBodyOut
    error: str | UnsetType = UNSET


class LayoutPreviewOut(Out, frozen=True, kw_only=True):
    preview_payload_example: dict[str, Any]
    result: LayoutPreviewResultOut
    schema: dict[str, Any]


@post("/v2/layouts", tags=_TAGS, summary="Create a layout")
async def create_layout(
    data: JSONBody[LayoutCreateIn], tx: Tx, caller: ByCaller, world: InWorld, dialect: InDialect
) -> LayoutOut:
    """The first layout of an environment is its default. Without a body it starts from the
    built-in frame."""
    made = await actions.create(tx, caller.scope, world, data.layout_id, data.wishes())
    return LayoutOut.of(made, dialect)


@get("/v2/layouts", tags=_TAGS, summary="List layouts")
async def list_layouts(
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    search: Annotated[
        str | None,
        QueryParameter(name="query", description="Part of a name or layoutId, in any case."),
    ] = None,
    order_by: Annotated[OrderBy, QueryParameter(name="orderBy")] = "createdAt",
    order_direction: Annotated[
        Literal["ASC", "DESC"], QueryParameter(name="orderDirection")
    ] = "DESC",
    limit: Limit = 50,
    offset: Offset = 0,
) -> LayoutListOut:
    """A page of the environment's layouts."""
    found, total = await layouts.page(
        conn,
        caller.scope,
        search,
        order_by,
        order_direction == "DESC",
        limit_of(limit),
        offset_of(offset),
    )
    return LayoutListOut(layouts=[LayoutOut.of(each, dialect) for each in found], total_count=total)


@get("/v2/layouts/{layoutId:str}", tags=_TAGS, summary="Retrieve a layout")
async def retrieve_layout(
    layout_id: LayoutId, conn: Conn, caller: ByCaller, dialect: InDialect
) -> LayoutOut:
    """By its layoutId, `_id` or slug."""
    return LayoutOut.of(await layouts.get(conn, caller.scope, layout_id), dialect)


@put("/v2/layouts/{layoutId:str}", tags=_TAGS, summary="Update a layout")
async def update_layout(
    layout_id: LayoutId,
    data: JSONBody[LayoutUpdateIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> LayoutOut:
    """Send `isDefault` true to make it the layout of every step that names none."""
    changed = await actions.change(tx, caller.scope, world, layout_id, data.wishes())
    return LayoutOut.of(changed, dialect)


@patch("/v2/layouts/{layoutId:str}", tags=_TAGS, summary="Change parts of a layout")
async def patch_layout(
    layout_id: LayoutId,
    data: JSONBody[LayoutPatchIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> LayoutOut:
    """What is absent stays as it is."""
    changed = await actions.change(tx, caller.scope, world, layout_id, data.wishes())
    return LayoutOut.of(changed, dialect)


@delete("/v2/layouts/{layoutId:str}", tags=_TAGS, summary="Delete a layout")
async def delete_layout(layout_id: LayoutId, tx: Tx, caller: ByCaller, world: InWorld) -> None:
    """Refused while a workflow names it, or while it is the default among others."""
    await actions.remove(tx, caller.scope, world, layout_id)


@post("/v2/layouts/{layoutId:str}/duplicate", tags=_TAGS, summary="Duplicate a layout")
async def duplicate_layout(
    layout_id: LayoutId,
    data: JSONBody[LayoutDuplicateIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> LayoutOut:
    """A copy with a layoutId of its own."""
    wishes = Wishes(name=data.name, is_translation_enabled=data.is_translation_enabled)
    made = await actions.duplicate(tx, caller.scope, world, layout_id, data.layout_id, wishes)
    return LayoutOut.of(made, dialect)


@get("/v2/layouts/{layoutId:str}/usage", tags=_TAGS, summary="List the users of a layout")
async def list_layout_usage(layout_id: LayoutId, conn: Conn, caller: ByCaller) -> LayoutUsageOut:
    """The workflows with a step that names this layout."""
    layout = await layouts.get(conn, caller.scope, layout_id)
    users = await actions.used_by(conn, caller.scope, layout)
    return LayoutUsageOut(
        workflows=[LayoutUserOut(name=each.name, workflow_id=each.key) for each in users]
    )


@post("/v2/layouts/{layoutId:str}/preview", tags=_TAGS, summary="Preview a layout")
async def preview_layout(
    layout_id: LayoutId, data: JSONBody[LayoutPreviewIn], tx: Tx, caller: ByCaller
) -> LayoutPreviewOut:
    """The layout around a sample text."""
    layout = await layouts.get(tx, caller.scope, layout_id)
    email = data.control_values and data.control_values.email
    if email:
        layout = msgspec.structs.replace(layout, body=email.body, editor=email.editor_type)
    shown = await asyncio.to_thread(preview, layout, data.preview_payload)
    return LayoutPreviewOut(
        preview_payload_example=shown.sample,
        result=LayoutPreviewResultOut(
            type="email",
            preview=LayoutPreviewBodyOut(body=shown.html),
            error=shown.problem or UNSET,
        ),
        schema=variables.LAYOUT,
    )


HANDLERS = [
    create_layout,
    list_layouts,
    retrieve_layout,
    update_layout,
    patch_layout,
    delete_layout,
    duplicate_layout,
    list_layout_usage,
    preview_layout,
]
