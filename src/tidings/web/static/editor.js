/* The editor beyond plain HTML: previews while typing, completion of variables, no page loads for
   its buttons. Everything works without it. */
"use strict";

document.documentElement.classList.add("has-js");

const bench = () => document.getElementById("bench");
const theForm = () => document.querySelector("[data-step-form]");

/* Talking to the server: the form as it stands, answered with the inside of the page. */

async function send(path, submitter) {
  const form = theForm();
  const sent = new URLSearchParams(new FormData(form));
  if (submitter && submitter.name) sent.set(submitter.name, submitter.value);
  const answer = await fetch(path, {
    method: "POST", body: sent, credentials: "same-origin", headers: { "HX-Request": "true" },
  });
  if (!answer.ok) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

let asked = 0;
let waiting = null;

function previewSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(preview, 350);
}

async function preview() {
  const mine = ++asked;
  const page = await send(theForm().dataset.here + "/preview");
  if (!page || mine !== asked) return;
  showPreview(page);
  showIssues(page);
}

function showPreview(page) {
  const now = document.getElementById("preview");
  const next = page.getElementById("preview");
  if (!now || !next) return;
  const mail = now.querySelector("[data-mail]");
  if (!mail) {
    now.replaceChildren(...next.childNodes);
    return;
  }
  now.querySelector(".card-head").replaceWith(next.querySelector(".card-head"));
  const row = mail.querySelector(".mail-row");
  if (row) row.replaceWith(next.querySelector(".mail-row"));
  if (!next.querySelector("[data-blank]")) showMail(mail.querySelector(".mail-stage"));
}

/* A new frame for every preview: it is swapped in when it is drawn, and leaves no history. */
let frames = 0;
function showMail(stage) {
  const former = stage.querySelector("iframe");
  const frame = former.cloneNode(false);
  frame.removeAttribute("src");
  frame.name = "mail-frame-" + ++frames;
  frame.style.visibility = "hidden";
  stage.append(frame);
  let begun = false;
  frame.addEventListener("load", () => {
    if (!begun) return;
    frame.style.visibility = "";
    for (const each of stage.querySelectorAll("iframe")) if (each !== frame) each.remove();
  });
  const form = theForm();
  const sender = document.createElement("form");
  sender.method = "post";
  sender.action = form.dataset.here + "/frame";
  sender.target = frame.name;
  sender.hidden = true;
  for (const [name, value] of new FormData(form)) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    sender.append(field);
  }
  document.body.append(sender);
  begun = true;
  sender.submit();
  sender.remove();
}

function showIssues(page) {
  for (const list of document.querySelectorAll("[data-issues]")) {
    const next = page.getElementById(list.id);
    list.replaceChildren(...(next ? next.childNodes : []));
    const field = document.querySelector(`[aria-describedby~="${CSS.escape(list.id)}"]`);
    if (field) {
      if (list.children.length) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }
  number(document.querySelector("[data-lines]"));
  putList();
}

async function redraw(submitter) {
  clearTimeout(waiting);
  const mine = ++asked;
  const page = await send(theForm().dataset.here + "/draft", submitter);
  const next = page && page.getElementById("bench");
  if (!next || mine !== asked) return;
  const kept = looks();
  const open = [...bench().querySelectorAll("details")].map((each) => each.open);
  const scroll = scrollY;
  bench().replaceWith(document.importNode(next, true));
  bench().querySelectorAll("details").forEach((each, place) => { if (open[place]) each.open = true; });
  scrollTo(0, scroll);
  for (const box of document.querySelectorAll(".mail input")) box.checked = kept.includes(box.value);
  const focus = bench().querySelector("[autofocus]");
  if (focus) focus.focus({ preventScroll: false });
  changed();
  number(document.querySelector("[data-lines]"));
  const stage = document.querySelector(".mail-stage");
  if (stage) showMail(stage);
}

const looks = () => [...document.querySelectorAll(".mail input:checked")].map((box) => box.value);

/* What is not saved yet */

let unsaved = false;
function changed() {
  unsaved = true;
  const note = document.querySelector("[data-unsaved]");
  if (note) note.hidden = false;
}
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

document.addEventListener("submit", (event) => {
  const by = event.submitter;
  if (event.target === theForm()) {
    if (by && by.hasAttribute("data-draft")) {
      event.preventDefault();
      redraw(by);
      return;
    }
    sessionStorage.setItem("tidings-scroll", location.pathname + " " + scrollY);
  }
  unsaved = false;
});

document.addEventListener("input", (event) => {
  const field = event.target;
  if (!theForm() || field.form !== theForm()) return;
  if (field.name === "tint") {
    showMail(document.querySelector(".mail-stage"));
    return;
  }
  if (field.name !== "sample") changed();
  if (!field.hasAttribute("data-redraw")) previewSoon();
  if (field.hasAttribute("data-liquid")) complete(field);
  number(field);
});
document.addEventListener("change", (event) => {
  if (event.target.hasAttribute("data-redraw") && event.target.form === theForm()) redraw(event.target);
});

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s" && theForm()) {
    const save = document.querySelector("[data-save]");
    if (save) {
      event.preventDefault();
      theForm().requestSubmit(save);
    }
  }
});

/* Completion of variables, after {{ and of filters, after | */

let list = null;
let choices = [];
let chosen = 0;
let target = null;

function words(field) {
  const before = field.value.slice(0, field.selectionStart);
  const start = before.lastIndexOf("{{");
  if (start < 0 || before.indexOf("}}", start) >= 0) return null;
  const inside = before.slice(start + 2);
  const pipe = inside.lastIndexOf("|");
  if (pipe >= 0) return { kind: "filter", typed: inside.slice(pipe + 1).trimStart() };
  return /^\s*[\w.[\]-]*$/.test(inside) ? { kind: "variable", typed: inside.trimStart() } : null;
}

function known(kind) {
  if (kind === "filter") {
    return [...document.querySelectorAll("[data-filter]")].map((each) => [each.dataset.filter, each.textContent]);
  }
  return [...document.querySelectorAll("[data-insert]")].map((each) => [each.dataset.insert, each.querySelector("span").textContent]);
}

function complete(field) {
  const found = words(field);
  const typed = found ? found.typed.toLowerCase() : "";
  choices = found ? known(found.kind).filter(([name]) => name.toLowerCase().includes(typed) && name !== found.typed) : [];
  choices.sort((a, b) => b[0].toLowerCase().startsWith(typed) - a[0].toLowerCase().startsWith(typed));
  choices = choices.slice(0, 40);
  if (!choices.length) return close();
  target = field;
  chosen = 0;
  if (!list) {
    list = document.createElement("ul");
    list.className = "completion";
    list.id = "completion";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Variables");
    list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) take(Number(item.dataset.place));
    });
    document.body.append(list);
  }
  list.replaceChildren(...choices.map(([name, said], place) => {
    const item = document.createElement("li");
    item.id = "completion-" + place;
    item.dataset.place = place;
    item.setAttribute("role", "option");
    const code = document.createElement("code");
    code.textContent = name;
    const note = document.createElement("span");
    note.textContent = said;
    item.append(code, note);
    return item;
  }));
  putList();
  field.setAttribute("aria-controls", "completion");
  mark();
}

function putList() {
  if (!list) return;
  const box = target.getBoundingClientRect();
  list.style.left = Math.max(8, Math.min(box.left, innerWidth - list.offsetWidth - 8)) + scrollX + "px";
  list.style.top = Math.min(box.bottom, innerHeight - 40) + scrollY + 2 + "px";
}

function mark() {
  [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
  list.children[chosen].scrollIntoView({ block: "nearest" });
  target.setAttribute("aria-activedescendant", "completion-" + chosen);
}

function close() {
  if (target) {
    target.removeAttribute("aria-activedescendant");
    target.removeAttribute("aria-controls");
  }
  if (list) list.remove();
  list = target = null;
  choices = [];
}

function take(place) {
  const field = target;
  const found = words(field);
  const at = field.selectionStart;
  const [name] = choices[place];
  const rest = field.value.slice(at);
  const gap = /\{\{$|\|$/.test(field.value.slice(0, at - found.typed.length)) ? " " : "";
  const end = rest.trimStart().startsWith("}}") ? "" : " }}";
  field.setRangeText(gap + name + end, at - found.typed.length, at, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("keydown", (event) => {
  if (!list || event.target !== target) return;
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in moves) {
    chosen = (chosen + moves[event.key] + choices.length) % choices.length;
    mark();
  } else if (event.key === "Enter" || event.key === "Tab") take(chosen);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
document.addEventListener("focusout", (event) => { if (event.target === target) close(); });

/* A click on a variable puts it where one was writing last */

let last = null;
document.addEventListener("focusin", (event) => {
  if (event.target.hasAttribute("data-liquid")) last = event.target;
});
document.addEventListener("click", (event) => {
  const insert = event.target.closest("[data-insert]");
  if (insert && last && last.isConnected) {
    last.setRangeText(`{{ ${insert.dataset.insert} }}`, last.selectionStart, last.selectionEnd, "end");
    last.focus();
    last.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const jump = event.target.closest("[data-line]");
  if (jump) {
    const field = document.getElementById(jump.dataset.for);
    if (field) goTo(field, Number(jump.dataset.line));
  }
});

function goTo(field, line) {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1] || "").length);
  field.scrollTop = field.scrollHeight * ((line - 1) / lines.length) - 40;
}

/* Numbers of lines beside code, those with problems in red */

function number(field) {
  if (!field || !field.hasAttribute("data-lines")) return;
  const box = field.parentElement;
  let gutter = box.querySelector(".gutter");
  if (!gutter) {
    gutter = document.createElement("div");
    gutter.className = "gutter";
    gutter.setAttribute("aria-hidden", "true");
    box.classList.add("numbered");
    box.prepend(gutter);
    field.addEventListener("scroll", () => { gutter.scrollTop = field.scrollTop; });
  }
  const wrong = new Set([...document.querySelectorAll("[data-line]")].map((each) => Number(each.dataset.line)));
  gutter.replaceChildren(...field.value.split("\n").flatMap((_, place) => {
    const text = document.createTextNode(place + 1 + "\n");
    if (!wrong.has(place + 1)) return [text];
    const bold = document.createElement("b");
    bold.append(text);
    return [bold];
  }));
  gutter.scrollTop = field.scrollTop;
}

/* A name suggests its identifier, until one is typed */

const suggests = document.querySelector("[data-suggests]");
if (suggests) {
  const other = document.getElementById(suggests.dataset.suggests);
  let own = other.value !== "";
  other.addEventListener("input", () => { own = other.value !== ""; });
  suggests.addEventListener("input", () => {
    if (own) return;
    const words = suggests.value.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
    other.value = words.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  });
}

number(document.querySelector("[data-lines]"));
const kept = (sessionStorage.getItem("tidings-scroll") || "").split(" ");
sessionStorage.removeItem("tidings-scroll");
if (theForm() && kept[0] === location.pathname) scrollTo(0, Number(kept[1]));
