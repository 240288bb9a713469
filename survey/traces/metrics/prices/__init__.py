"""List prices of models: the dated public table, and the reading of one's own."""

from survey.traces.metrics.prices.table import KINDS, BadPrices, Price, Prices, Rates, prices, public

__all__ = ["KINDS", "BadPrices", "Price", "Prices", "Rates", "prices", "public"]
