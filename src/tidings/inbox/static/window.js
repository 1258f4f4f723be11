// Writes down what the element tells the page.
const list = document.getElementById("events");

function note(name, detail) {
  const entry = document.createElement("li");
  const label = document.createElement("code");
  label.textContent = `tidings:${name}`;
  entry.append(label, " ", detail);
  list.prepend(entry);
  while (list.children.length > 12) list.lastChild.remove();
}

const described = {
  ready: () => "",
  count: ({ count }) => `${count} unread`,
  open: () => "",
  close: () => "",
  message: ({ notification }) => notification.subject ?? notification.body,
  action: ({ notification, type }) => `${type}: ${notification[`${type}Action`].label}`,
  navigate: ({ url }) => new URL(url).pathname,
  preference: ({ workflow, channel, enabled }) => `${workflow ?? "everything"}, ${channel}: ${enabled ? "on" : "off"}`,
  error: ({ message }) => message,
};
for (const [name, describe] of Object.entries(described)) {
  document.addEventListener(`tidings:${name}`, (event) => note(name, describe(event.detail)));
}
