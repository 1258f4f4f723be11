"""How many sends may be under way through one integration: a share of what all processes may."""

import asyncio
from collections import deque
from types import TracebackType

from tidings.domain.integrations import Integration
from tidings.domain.limits import Limits


class Gate:
    """Lets so many pass at once, in the order of arrival; the number may change."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def resize(self, places: int) -> None:
        self._places = places
        self._admit()

    async def __aenter__(self) -> None:
        if self._taken < self._places and not self._waiting:
            self._taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._taken -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._taken < self._places:
            turn = self._waiting.popleft()
            if not turn.done():
                self._taken += 1
                turn.set_result(None)


class Gates:
    """One gate per integration."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._gates: dict[str, tuple[Integration, Gate]] = {}
        self._processes = 1

    def of(self, integration: Integration) -> Gate:
        known, gate = self._gates.get(integration.id, (None, None))
        if gate is not None and known is integration:
            return gate
        gate = gate or Gate(0)
        gate.resize(self._share(integration))
        self._gates[integration.id] = (integration, gate)
        return gate

    def share_with(self, processes: int) -> None:
        """So many processes, this one included, send through the same integrations."""
        if processes != self._processes:
            self._processes = processes
            for integration, gate in self._gates.values():
                gate.resize(self._share(integration))

    def _share(self, integration: Integration) -> int:
        pace = self._limits.pace(integration.identifier, integration.provider_id)
        return max(1, (pace.concurrency or self._limits.send_concurrency) // self._processes)
