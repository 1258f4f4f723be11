"use strict";

const filter = document.getElementById("docs-filter");
const found = document.getElementById("docs-found");
const said = document.getElementById("docs-said");
const groups = [...document.querySelectorAll(".contents .group")];

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const group of groups) {
    const tag = group.querySelector("h2").textContent;
    let kept = 0;
    for (const link of group.querySelectorAll("a")) {
      const text = `${tag} ${link.textContent} ${link.title}`.toLowerCase();
      const matches = words.every((word) => text.includes(word));
      link.parentElement.hidden = !matches;
      kept += matches;
    }
    group.hidden = kept === 0;
    shown += kept;
  }
  found.textContent = words.length ? `${shown} found` : "";
}

function selectText(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copy(button) {
  const code = button.parentElement.querySelector("pre code");
  selectText(code);
  const done = navigator.clipboard
    ? await navigator.clipboard.writeText(code.textContent).then(() => true, () => false)
    : document.execCommand("copy"); // The clipboard API is missing on plain HTTP.
  button.textContent = said.textContent = done ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 2000);
}

filter.parentElement.hidden = false;
filter.addEventListener("input", applyFilter);
applyFilter();
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
