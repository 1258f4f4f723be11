"""What all runs of one version of a workflow share, worked out once."""

from typing import Any

import msgspec

from tidings.domain.preferences import Chosen, Merged, WorkflowPreferences, merge
from tidings.domain.workflows import Definition

NOBODY = Chosen(channels={}, schedule=None, workflows={})
"""What somebody chose who chose nothing."""


class Blueprint:
    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.steps = {step.id: step for step in definition.steps}
        self.channels = tuple(dict.fromkeys(step.type for step in definition.steps))
        self.tags = tuple(definition.tags)
        self.workflow: dict[str, Any] = {
            "workflowId": definition.key,
            "name": definition.name,
            "description": definition.description,
            "tags": definition.tags,
        }
        """As templates and conditions see it."""
        self._stored = msgspec.convert(
            msgspec.to_builtins(definition.preferences), WorkflowPreferences
        )
        self._unchosen = merge(self._stored, {}, {})

    def preferences(self, chosen: Chosen, workflow_id: str) -> Merged:
        """What holds for somebody who chose that."""
        if chosen is NOBODY:
            return self._unchosen
        return merge(self._stored, chosen.channels, chosen.workflows.get(workflow_id, {}))
