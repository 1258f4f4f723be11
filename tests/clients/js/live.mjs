// @novu/js with a live connection: says what it is told, one JSON object per line, until it has
// been told of a message and of the unread count after it was read.
// Arguments: server address, application identifier, subscriber, "socket.io" or "websocket".

import { Novu } from "@novu/js";

// Browsers and newer versions of Node.js have one.
globalThis.WebSocket ??= (await import("ws")).WebSocket;

const [base, applicationIdentifier, subscriberId, way] = process.argv.slice(2);
const say = (event, data) => console.log(JSON.stringify({ event, data }));
const fail = (reason) => {
  say("failed", String(reason));
  process.exit(1);
};
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

const connection =
  way === "websocket"
    ? {
        socketUrl: `${base.replace("http", "ws")}/v1/inbox/socket`,
        socketOptions: { socketType: "cloud" },
      }
    : { socketUrl: base };
const novu = new Novu({
  applicationIdentifier,
  subscriber: subscriberId,
  apiUrl: base,
  ...connection,
});

let arrived = false;
novu.on("notifications.notification_received", async ({ result }) => {
  arrived = true;
  say("received", { id: result.id, body: result.body, isRead: result.isRead, to: result.to });
  const { error } = await result.read();
  if (error) fail(error);
});
novu.on("notifications.unseen_count_changed", ({ result }) => say("unseen", result));
novu.on("notifications.unread_count_changed", ({ result }) => {
  say("unread", result);
  if (arrived && result.total === 0) process.exit(0);
});
novu.on("socket.connect.resolved", ({ error }) => (error ? fail(error) : say("connected")));
