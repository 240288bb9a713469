"""List prices of models: the dated public table, the reading of one's own, and what a run spends at them."""

from survey.traces.metrics.prices.table import KINDS, BadPrices, Price, Prices, Rates, prices, public

__all__ = ["KINDS", "BadPrices", "Price", "Prices", "Rates", "prices", "public"]
