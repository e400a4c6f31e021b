"""Tells which items have to be ordered again."""


def low(items):
    """The items whose stock is below their reorder level."""
    return [item for item in items if item["stock"] < item["reorder"]]


def shortage(item):
    # TODO: take open orders into account
    return max(0, item["reorder"] - item["stock"])
