// @novu/js over HTTP: does what it is told, one step after the other, and says what came of it as
// one JSON object per line. Arguments: server address, application identifier, subscriber, steps.
// A step is a list: the method's name, then its arguments.

import { Novu } from "@novu/js";

const [base, applicationIdentifier, subscriberId, steps] = process.argv.slice(2);
const novu = new Novu({
  applicationIdentifier,
  subscriber: { subscriberId, firstName: "Ada" },
  apiUrl: base,
  socketUrl: base,
  useCache: false,
});

const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

for (const [name, ...values] of JSON.parse(steps)) {
  const path = name.split(".");
  const method = path.pop();
  const owner = path.reduce((found, part) => found[part], novu);
  const { data, error } = await owner[method](...values);
  const reason = error && { message: error.message, cause: String(error.originalError?.message) };
  console.log(JSON.stringify({ name, data: plain(data), error: reason ?? null }));
}
process.exit(0);
