"""Links to files elsewhere: no build and no import follows them, and no build replaces what they lead to."""

from __future__ import annotations

import pytest

from tests.fuzz.links import outcomes


@pytest.mark.filterwarnings("ignore")
def test_no_link_out_of_a_folder_is_followed() -> None:
    found = list(outcomes())
    assert [one for one in found if one[2] not in ("refused", "not read")] == []
    assert len(found) > 50
