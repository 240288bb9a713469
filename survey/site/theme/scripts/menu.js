/* The theme's menu button is a label, which the keyboard does not reach: makes it a button. */

export function menuButton(label) {
  for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", "Menu"]]) label.setAttribute(name, value);
  label.addEventListener("keydown", (event) => {
    if (event.key !== " ") return; // the theme answers to Enter on any label
    event.preventDefault(); // the space would scroll
    label.click();
  });
}
