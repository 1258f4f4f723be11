// Sends the form as one trigger.
const form = document.getElementById("trigger");
const outcome = document.getElementById("outcome");
const samples = {
  comment: ["Mia replied to your comment", "“Looks good to me. Shall we ship it on Thursday?”"],
  invitation: ["You are invited to Project Aurora", "Jonas would like you to join as an editor."],
  alarm: ["New sign-in from an unknown device", "Firefox on Linux, near Lisbon. Was that you?"],
};

form.addEventListener("change", ({ target }) => {
  if (target.name === "kind") [form.title.value, form.text.value] = samples[target.value];
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(form);
  const body = { people: given.getAll("people"), kind: given.get("kind"), title: given.get("title"), text: given.get("text") };
  if (!body.people.length) {
    outcome.textContent = "Choose at least one person.";
    return;
  }
  outcome.textContent = "Sending…";
  const answer = await fetch("/demo/inbox/trigger", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const said = await answer.json();
  outcome.textContent = answer.ok ? `Accepted as ${said.transactionId}.` : said.message;
});
