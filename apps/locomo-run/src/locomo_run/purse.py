"""What a run may spend, has spent, and has put aside for calls in flight."""

from __future__ import annotations

from collections.abc import Iterable

from locomo_run.entry import Attempt
from locomo_run.errors import CostCapError
from locomo_run.ledger_rows import Bill
from locomo_run.prices import Prices


class Purse:
    """Pays for calls, and refuses one that could pass the cap.

    Args:
        prices: What tokens cost.
        cap: In dollars; None for no cap.
        bills: What the run has bought already.
    """

    def __init__(
        self, prices: Prices, cap: float | None = None, bills: Iterable[Bill] = ()
    ) -> None:
        self.prices = prices
        self.cap = cap
        self.spent = sum(prices.cost(bill.model, bill.usage) or 0.0 for bill in bills)
        """Dollars."""
        self.reserved = 0.0
        """Dollars that the calls in flight may cost at the most."""

    def reserve(self, cost: float) -> CostCapError | None:
        """Put money aside for a call, or say why that cannot be."""
        if self.cap is not None and self.spent + self.reserved + cost > self.cap:
            return CostCapError(
                f"stopped before a call that could pass the cost cap: "
                f"${self.spent:.2f} spent, up to ${self.reserved:.2f} in flight, up to "
                f"${cost:.4f} for the next call, cap ${self.cap:.2f}; everything "
                "stored is kept, and the same command with a higher --max-cost goes on"
            )
        self.reserved += cost
        return None

    def release(self, cost: float) -> None:
        """Take back what was put aside for a call that has ended."""
        self.reserved -= cost

    def pay(self, attempt: Attempt) -> None:
        """Count what an attempt cost."""
        if attempt.usage is not None:
            self.spent += self.prices.cost(attempt.model, attempt.usage) or 0.0
