"""What all runs of one version of a workflow share, worked out once."""

from typing import Any

from tidings.domain.preferences import Chosen, Merged, merge
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
        self._unchosen = merge(definition.preferences, {}, {})

    def preferences(self, chosen: Chosen, workflow_id: str) -> Merged:
        """What holds for somebody who chose that."""
        if chosen is NOBODY:
            return self._unchosen
        own = chosen.workflows.get(workflow_id, {})
        return merge(self.definition.preferences, chosen.channels, own)
