"""An e-mail."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from tidings.steps.base import Controls, Kind, ui


class EmailControls(Controls, frozen=True, kw_only=True):
    subject: Annotated[str, Meta(min_length=1), ui("TEXT_INLINE_LABEL", "")]
    body: Annotated[str, Meta(min_length=1), ui("EMAIL_BODY", "")]
    editor_type: Annotated[Literal["block", "html"], ui("EMAIL_EDITOR_SELECT", "block")] = "block"
    disable_output_sanitization: Annotated[bool, ui("DISABLE_SANITIZATION_SWITCH", False)] = False
    layout_id: Annotated[str | UnsetType | None, ui("LAYOUT_SELECT")] = UNSET
    """Absent: the default layout. None: no layout."""
    preheader: Annotated[str | UnsetType, ui("TEXT_FULL_LINE", "")] = UNSET


STEP = Kind(
    type="email",
    group="EMAIL",
    variants=(EmailControls,),
    templates=("subject", "body", "preheader"),
)
