/* The script of the empty page that shows reports: writes what it is sent in its own place. */

addEventListener("message", function show({ data }) {
  history.replaceState(null, "", "#"); // what was chosen in the report before means nothing in this one
  document.open(); // removes this listener, too
  document.write(data);
  document.close();
  addEventListener("message", show);
});
