// The run, for the drawing and for the list of its events.
const run = JSON.parse(document.getElementById("run-events").textContent);

// The name of what an event is, in a few words.
const named = (place) => {
  const facts = run.facts[place] || [];
  const result = run.names.types[run.types[place]] === "tool_result" ? ", result" : "";
  return `${run.names.activities[run.activities[place]]}${result}${facts[0] === "To" ? ` \u2192 ${facts[1]}` : ""}`;
};

// Tells both that an event was chosen.
const choice = new EventTarget();
const chooseEvent = (place) => choice.dispatchEvent(new CustomEvent("choose", { detail: place }));
