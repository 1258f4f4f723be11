/* What the dashboard does beyond plain HTML; every page works without it. */
"use strict";

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) {
    const dialog = document.getElementById(opener.dataset.dialog);
    if (dialog && dialog.showModal) {
      event.preventDefault();
      dialog.showModal();
    }
    return;
  }
  if (event.target.closest("[data-close]")) {
    const dialog = event.target.closest("dialog");
    if (dialog) dialog.close();
    return;
  }
  const copier = event.target.closest("[data-copy]");
  if (copier) {
    const source = document.getElementById(copier.dataset.copy);
    copyText(source, copier);
    return;
  }
  const dismiss = event.target.closest("[data-dismiss]");
  if (dismiss) dismiss.closest(".toast").remove();
});

/* The clipboard API needs HTTPS; on plain HTTP the text is selected and copied the old way. */
function copyText(source, button) {
  const text = source.value || source.textContent;
  const done = () => {
    const said = button.querySelector("span") || button;
    const before = said.textContent;
    said.textContent = "Copied";
    setTimeout(() => { said.textContent = before; }, 2000);
  };
  if (navigator.clipboard && window.isSecureContext) {
    navigator.clipboard.writeText(text.trim()).then(done);
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  if (document.execCommand("copy")) done();
}

/* A select that leads somewhere goes there at once; without JavaScript its button does. */
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const toggle = document.getElementById("nav-toggle");
    if (toggle && toggle.checked) toggle.checked = false;
  }
  if (event.key === "/" && !event.target.closest("input, textarea, select, [contenteditable]")) {
    const search = document.querySelector("main input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});

/* htmx sends the same proof as our forms do. */
document.addEventListener("htmx:configRequest", (event) => {
  const proof = document.querySelector("meta[name=csrf]");
  if (proof) event.detail.headers["X-CSRF-Token"] = proof.content;
});
