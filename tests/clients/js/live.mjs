// @novu/js with a live connection: says what it is told, one JSON object per line, until it has
// been told of a message, of the unread count with it, and of that after it was read.
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

let arrived = null;
novu.on("notifications.notification_received", ({ result }) => {
  arrived = result;
  say("received", { id: result.id, body: result.body, isRead: result.isRead, to: result.to });
});
novu.on("notifications.unseen_count_changed", ({ result }) => say("unseen", result));
novu.on("notifications.unread_count_changed", async ({ result }) => {
  say("unread", result);
  if (!arrived) return;
  if (result.total === 0) process.exit(0);
  const { error } = await arrived.read();
  if (error) fail(error);
});
novu.on("socket.connect.resolved", ({ error }) => (error ? fail(error) : say("connected")));
