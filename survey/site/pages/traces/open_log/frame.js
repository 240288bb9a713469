/* The script of the empty page that shows reports: writes what it is sent in its own place. */

addEventListener("message", function show({ data }) {
  document.open(); // removes this listener, too
  document.write(data);
  document.close();
  addEventListener("message", show);
});
