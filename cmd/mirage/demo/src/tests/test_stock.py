from stock import low, shortage

ITEMS = [
    {"name": "monitor", "stock": 3, "reorder": 5},
    {"name": "pen", "stock": 900, "reorder": 200},
]


def test_low():
    assert [item["name"] for item in low(ITEMS)] == ["monitor"]


def test_shortage():
    assert [shortage(item) for item in ITEMS] == [2, 0]
