/* Comparison of a reader's .bib with the survey, entirely in this browser. Once the survey's
   own list is loaded, no server is contacted, and nothing is ever sent.
   Text from a file is never parsed as HTML. */

import { one, startEach } from "../../theme/scripts/dom.js";
import { loadJson, loadTypefaces } from "../../theme/scripts/files.js";
import { compared, summary } from "./comparison.js";
import { findings } from "./findings.js";
import { listen } from "./giving.js";
import { register } from "./matching.js";

startEach("[data-related]", async (root) => {
  const status = one("[role=status]", root);
  const form = one("form", root);
  let survey;
  let marks;
  try {
    [survey] = await Promise.all([loadJson(root.dataset.works), loadTypefaces()]);
    marks = register(survey);
  } catch {
    status.textContent = "The survey's list could not be loaded: reload the page to try again.";
    return;
  }
  one("[data-without]", root).remove();
  form.hidden = false;
  listen(form, show, tell);

  function show(sources) {
    const found = compared(sources, survey, marks);
    if (!found.works.length && !found.unread.length) return tell("Found no BibTeX entry, expected something like @article{key, title = {...}}.");
    status.textContent = summary(found, survey);
    one(".findings", root).replaceChildren(...findings(found, survey, root.dataset));
  }

  function tell(message) {
    one(".findings", root).replaceChildren();
    status.textContent = message;
  }
});
