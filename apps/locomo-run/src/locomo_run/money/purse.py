"""What a run may spend, has spent, and has put aside for calls in flight."""

from __future__ import annotations

from collections.abc import Iterable

from locomo_run.errors import CostCapError
from locomo_run.ledger.entry import Attempt, may_have_cost
from locomo_run.ledger.rows import Bill
from locomo_run.money.prices import Prices


class Purse:
    """Pays for calls, and refuses one that could pass the cap.

    Args:
        prices: What tokens cost.
        cap: In dollars; None for no cap.
        bills: What the run has bought already.
        lost: Dollars that calls without a reply may have cost, at the most.
    """

    def __init__(
        self,
        prices: Prices,
        cap: float | None = None,
        bills: Iterable[Bill] = (),
        *,
        lost: float = 0.0,
    ) -> None:
        self.prices = prices
        self.cap = cap
        self.spent = sum(prices.cost(bill.model, bill.usage) or 0.0 for bill in bills)
        """Dollars."""
        self.lost = lost
        """Dollars for replies that were perhaps written but never came."""
        self.reserved = 0.0
        """Dollars that the calls in flight may cost at the most."""

    def reserve(self, cost: float) -> CostCapError | None:
        """Put money aside for a call, or say why that cannot be."""
        if self.cap is not None and self.committed + cost > self.cap:
            return CostCapError(
                f"stopped before a call that could pass the cost cap: "
                f"${self.spent:.4f} spent, {self._lost()}up to ${self.reserved:.4f} in "
                f"flight, up to ${cost:.4f} for the next call, cap ${self.cap:g}; "
                "everything stored is kept, and the same command with a higher "
                "--max-cost goes on"
            )
        self.reserved += cost
        return None

    def release(self, cost: float) -> None:
        """Take back what was put aside for a call that has ended."""
        self.reserved -= cost

    def pay(self, attempt: Attempt) -> None:
        """Count what an attempt cost, or may have cost."""
        self.lost += may_have_cost(attempt)
        if attempt.usage is not None:
            self.spent += self.prices.cost(attempt.model, attempt.usage) or 0.0

    @property
    def committed(self) -> float:
        """Dollars that are spent, perhaps lost, or put aside."""
        return self.spent + self.lost + self.reserved

    def _lost(self) -> str:
        if not self.lost:
            return ""
        return f"up to ${self.lost:.4f} for replies that never came, "
