"""A reading of the folder of an agent team: its members and inboxes.

Choices: the members are those of all versions of the configuration; the one named as the lead is the main agent. The
run begins when the team was created and ends with the last message. A member lives from when it joined to the last
message that it sent; the lives of members that overlap are there at once. A message that asks to be idle or to shut
down is a message like any other. Tool calls, turns and tokens are in the sessions of the members, not here.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.traces.oracle.timeline import Reading, moment, most_at_once


def read(folder: Path) -> Reading:
    """The reading of one team."""
    configs = [json.loads(path.read_text()) for path in sorted(folder.glob("config*.json"))]
    members = {member["agentId"]: member for config in reversed(configs) for member in config["members"]}
    lead, created = configs[0]["leadAgentId"], configs[0]["createdAt"] / 1000
    letters = [letter for path in (folder / "inboxes").glob("*.json") for letter in json.loads(path.read_text())]
    sent = {id: [moment(each["timestamp"]) for each in letters if each["from"] == id.split("@")[0]] for id in members}
    lives = [(members[id]["joinedAt"] / 1000, max(sent[id])) for id in members if id != lead and sent[id]]
    return Reading(
        agents=len(members),
        sub_agents=len(members) - 1,
        at_once=most_at_once(lives),
        tool_calls=0,
        failed_tool_calls=0,
        delegations=len(members) - 1,
        turns=0,
        wall=max(moment(each["timestamp"]) for each in letters) - created,
    )
