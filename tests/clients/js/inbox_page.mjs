// The published Inbox component on a page of its own. The address of the page says whose it is:
// ?server=...&application=...&subscriber=...

import { NovuUI } from "@novu/js/ui";

const asked = new URLSearchParams(location.search);
const server = asked.get("server");
const ui = new NovuUI({
  options: {
    applicationIdentifier: asked.get("application"),
    subscriber: asked.get("subscriber"),
    apiUrl: server,
    socketUrl: server,
  },
});
ui.mountComponent({ name: "Inbox", element: document.getElementById("inbox"), props: {} });
