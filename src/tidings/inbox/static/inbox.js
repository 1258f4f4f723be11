/**
 * <tidings-inbox>: a bell, and the inbox of one subscriber behind it.
 *
 *   <script type="module" src="https://tidings.example/inbox.js"></script>
 *   <tidings-inbox application-identifier="..." subscriber-id="..." subscriber-hash="..."></tidings-inbox>
 *
 * One file without dependencies. What a message says is put on the page as text, or as a few
 * harmless elements; never as markup of its own.
 */

const HOME = new URL(".", import.meta.url).href.replace(/\/$/, "");
const PAGE = 10;
const MOST = 100;
const HEARD_WITHIN = 45_000;
const FIRST_RETRY = 1_000;
const LAST_RETRY = 30_000;
const STREAM_ABSENT_RETRY = 300_000;
const HOUR = 3_600_000;

const VIEWS = {
  all: { archived: false, snoozed: false },
  unread: { read: false, archived: false, snoozed: false },
  archived: { archived: true, snoozed: false },
  snoozed: { snoozed: true },
};

/* ---------------------------------------------------------------- words */

export const LABELS = {
  en: {
    title: "Notifications", bell: "Notifications, {count} unread", bellNone: "Notifications",
    all: "All", unread: "Unread", archived: "Archived", snoozed: "Snoozed", filter: "Show",
    markAllRead: "Mark all as read", preferences: "Preferences", close: "Close", back: "Back",
    read: "Mark as read", markUnread: "Mark as unread", archive: "Archive", unarchive: "Move back",
    snooze: "Snooze", unsnooze: "Wake now", delete: "Delete", deleteAsk: "Delete for good?", keep: "Keep",
    inAnHour: "In an hour", thisEvening: "This evening", tomorrow: "Tomorrow morning",
    nextWeek: "Next week", chooseTime: "Other time", snoozeUntil: "Snooze until", set: "Set",
    until: "Until {when}", more: "Show more", loading: "Loading…", now: "now", important: "Important",
    done: "done", undo: "Undo", isRead: "Marked as read.", isUnread: "Marked as unread.",
    isArchived: "Archived.", isUnarchived: "Moved back.", isSnoozed: "Snoozed.",
    isUnsnoozed: "Back in the inbox.", isDeleted: "Deleted.", allRead: "All marked as read.",
    arrived: "New notification: {text}",
    emptyAll: "Nothing here yet", emptyAllMore: "When something happens that concerns you, it appears here.",
    emptyUnread: "You are all caught up", emptyUnreadMore: "Everything has been read.",
    emptyArchived: "Nothing archived", emptyArchivedMore: "Archive what is dealt with to keep the inbox short.",
    emptySnoozed: "Nothing snoozed", emptySnoozedMore: "Snooze a notification and it comes back when you want it.",
    prefsIntro: "How would you like to hear from us?", everything: "Everything",
    everythingMore: "Applies to all kinds of notifications.", always: "Important: always sent.",
    in_app: "In-app", email: "Email", sms: "SMS", push: "Push", chat: "Chat",
    emptyPrefs: "Nothing to choose yet", emptyPrefsMore: "As soon as there are kinds of notifications, you can choose here how to get them.",
    failed: "That did not work.", unavailable: "Notifications are not available", retry: "Try again",
    unreachable: "{url} cannot be reached. Check the connection, and that api-url is right.",
    missing: "The attribute {name} is missing on <tidings-inbox>.",
  },
  de: {
    title: "Benachrichtigungen", bell: "Benachrichtigungen, {count} ungelesen", bellNone: "Benachrichtigungen",
    all: "Alle", unread: "Ungelesen", archived: "Archiv", snoozed: "Später", filter: "Anzeigen",
    markAllRead: "Alle als gelesen markieren", preferences: "Einstellungen", close: "Schließen", back: "Zurück",
    read: "Als gelesen markieren", markUnread: "Als ungelesen markieren", archive: "Archivieren",
    unarchive: "Zurückholen", snooze: "Später erinnern", unsnooze: "Jetzt anzeigen", delete: "Löschen",
    deleteAsk: "Endgültig löschen?", keep: "Behalten", inAnHour: "In einer Stunde", thisEvening: "Heute Abend",
    tomorrow: "Morgen früh", nextWeek: "Nächste Woche", chooseTime: "Andere Zeit",
    snoozeUntil: "Erinnern am", set: "Setzen", until: "Bis {when}", more: "Mehr anzeigen",
    loading: "Wird geladen …", now: "jetzt", important: "Wichtig", done: "erledigt", undo: "Rückgängig",
    isRead: "Als gelesen markiert.", isUnread: "Als ungelesen markiert.", isArchived: "Archiviert.",
    isUnarchived: "Zurückgeholt.", isSnoozed: "Auf später verschoben.", isUnsnoozed: "Wieder im Posteingang.",
    isDeleted: "Gelöscht.", allRead: "Alle als gelesen markiert.", arrived: "Neue Benachrichtigung: {text}",
    emptyAll: "Noch nichts da", emptyAllMore: "Sobald etwas geschieht, das dich betrifft, steht es hier.",
    emptyUnread: "Alles gelesen", emptyUnreadMore: "Es wartet nichts Neues.",
    emptyArchived: "Das Archiv ist leer", emptyArchivedMore: "Archiviere Erledigtes, dann bleibt der Posteingang kurz.",
    emptySnoozed: "Nichts verschoben", emptySnoozedMore: "Verschobenes kommt zur gewünschten Zeit zurück.",
    prefsIntro: "Wie möchtest du von uns hören?", everything: "Alles",
    everythingMore: "Gilt für alle Arten von Benachrichtigungen.", always: "Wichtig: wird immer gesendet.",
    in_app: "In der App", email: "E-Mail", sms: "SMS", push: "Push", chat: "Chat",
    emptyPrefs: "Noch nichts zu wählen", emptyPrefsMore: "Sobald es Benachrichtigungen gibt, wählst du hier, wie du sie bekommst.",
    failed: "Das hat nicht geklappt.", unavailable: "Benachrichtigungen sind nicht verfügbar", retry: "Nochmals versuchen",
    unreachable: "{url} ist nicht erreichbar. Prüfe die Verbindung und das Attribut api-url.",
    missing: "Das Attribut {name} fehlt an <tidings-inbox>.",
  },
};

/* ---------------------------------------------------------------- looks */

const LIGHT = `
  --_accent: var(--tidings-accent, #4250d6); --_on-accent: var(--tidings-on-accent, #fff);
  --_bg: var(--tidings-background, #fff); --_text: var(--tidings-text, #1c1f26);
  --_muted: var(--tidings-muted, #5f6675); --_border: var(--tidings-border, #e6e8ee);
  --_hover: var(--tidings-hover, #f5f6fa); --_unread: var(--tidings-unread, #f4f5ff);
  --_badge: var(--tidings-badge, #cf2338); --_on-badge: var(--tidings-on-badge, #fff);
  --_danger: var(--tidings-danger, #b3202f);
  --_shadow: var(--tidings-shadow, 0 0 0 1px rgb(20 24 40 / 6%), 0 12px 40px rgb(20 24 40 / 18%));
  color-scheme: light;`;
const DARK = `
  --_accent: var(--tidings-accent, #a3acff); --_on-accent: var(--tidings-on-accent, #14172a);
  --_bg: var(--tidings-background, #191b21); --_text: var(--tidings-text, #eceef4);
  --_muted: var(--tidings-muted, #a2a8b6); --_border: var(--tidings-border, #2e313b);
  --_hover: var(--tidings-hover, #22252d); --_unread: var(--tidings-unread, #20233a);
  --_badge: var(--tidings-badge, #ff6b7a); --_on-badge: var(--tidings-on-badge, #27060b);
  --_danger: var(--tidings-danger, #ff8c98);
  --_shadow: var(--tidings-shadow, 0 0 0 1px rgb(255 255 255 / 9%), 0 16px 48px rgb(0 0 0 / 60%));
  color-scheme: dark;`;

const STYLE = `
:host { ${LIGHT}
  display: inline-block; position: relative;
  font: var(--tidings-font-size, 14px)/1.45 var(--tidings-font, system-ui, sans-serif); color: var(--_text); }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { ${DARK} } }
:host([theme=dark]) { ${DARK} }
:host([hidden]) { display: none; }
:host([placement=inline]) { display: block; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
h2, h3, p, ul, fieldset, legend { margin: 0; padding: 0; border: 0; font: inherit; min-width: 0; }
button, input { font: inherit; color: inherit; }
button { border: 0; background: none; padding: 0; cursor: pointer; border-radius: 8px; }
button:disabled { cursor: default; }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; display: block; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bell { position: relative; display: grid; place-items: center; color: inherit;
  width: var(--tidings-bell-size, 40px); height: var(--tidings-bell-size, 40px); border-radius: 50%; }
.bell svg { width: 55%; height: 55%; }
.bell:hover, .bell[aria-expanded=true] { background: color-mix(in srgb, currentColor 9%, transparent); }
.badge { position: absolute; inset-block-start: 1px; inset-inline-start: 52%; min-width: 18px; padding: 0 5px;
  font-size: 11px; font-weight: 650; line-height: 18px; text-align: center; border-radius: 9px; font-variant-numeric: tabular-nums;
  background: var(--_badge); color: var(--_on-badge); box-shadow: 0 0 0 2px var(--tidings-badge-ring, transparent); }

.panel { position: fixed; inset: auto; margin: 0; padding: 0; border: 0; z-index: var(--tidings-z-index, 1000);
  left: var(--_x, 8px); top: var(--_y, 8px); width: min(var(--tidings-panel-width, 400px), calc(100vw - 16px));
  height: min(var(--tidings-panel-height, 600px), var(--_room, 100vh)); color: var(--_text); background: var(--_bg);
  border-radius: var(--tidings-radius, 14px); box-shadow: var(--_shadow); overflow: hidden; display: flex; flex-direction: column;
  animation: appear .14s ease-out; }
.panel:focus { outline: none; }
@keyframes appear { from { opacity: 0; transform: translateY(-4px); } }
:host([placement=inline]) .panel { position: static; width: 100%; height: var(--tidings-panel-height, 600px); animation: none; box-shadow: none; border: 1px solid var(--_border); }
:host([placement=inline]) :is(.bell, .close) { display: none; }

header { display: flex; align-items: center; gap: 2px; padding: 12px 10px 8px 18px; padding-inline: 18px 10px; }
h2 { flex: 1; font-size: 1.15em; font-weight: 650; letter-spacing: -.01em; }
h2:focus { outline: none; }
.icon { display: grid; place-items: center; width: 34px; height: 34px; color: var(--_muted); flex: none; }
.icon:hover { background: var(--_hover); color: var(--_text); }
.icon:disabled { opacity: .4; background: none; }
.close { margin-inline-start: 2px; }
.back { margin-inline-start: -10px; }
[dir=rtl] .back svg { transform: scaleX(-1); }
.tabs { display: flex; gap: 4px; padding: 0 14px; border-bottom: 1px solid var(--_border); overflow-x: auto; scrollbar-width: none; flex: none; }
.tabs button { display: flex; gap: 5px; align-items: baseline; padding: 8px 6px 9px; color: var(--_muted); border-radius: 6px 6px 0 0; white-space: nowrap; position: relative; margin-inline-end: 6px; }
.tabs button:hover { color: var(--_text); }
.tabs [aria-selected=true] { color: var(--_text); font-weight: 600; }
.tabs [aria-selected=true]::after { content: ""; position: absolute; inset: auto 2px -1px; height: 2px; border-radius: 2px; background: var(--_accent); }
.tabs button:focus-visible { outline-offset: -3px; }
.tabs span { font-weight: 600; font-size: .86em; color: var(--_accent); }
.scroll { flex: 1; overflow-y: auto; overscroll-behavior: contain; min-height: 0; scrollbar-width: thin; }
.scroll:focus-visible { outline-offset: -3px; }

.item { position: relative; display: flex; gap: 12px; padding: 14px 18px 14px 26px; padding-inline: 26px 18px; border-bottom: 1px solid var(--_border); cursor: default; }
.item:last-child { border-bottom: 0; }
.item.goes { cursor: pointer; }
.item:hover { background: var(--_hover); }
.item.unread { background: var(--_unread); }
.item:focus-visible { outline-offset: -3px; border-radius: 8px; }
.dot { position: absolute; inset-inline-start: 10px; inset-block-start: 20px; width: 8px; height: 8px; border-radius: 50%; background: var(--_accent); }
.high .dot { background: var(--_badge); }
.avatar { width: 36px; height: 36px; border-radius: 50%; object-fit: cover; flex: none; background: var(--_border); }
.text { flex: 1; min-width: 0; }
.line { display: flex; align-items: baseline; gap: 10px; min-height: 22px; }
.subject { flex: 1; font-weight: 500; overflow-wrap: anywhere; }
.unread .subject { font-weight: 650; }
.subject a { color: inherit; text-decoration: none; }
.goes:hover .subject a { text-decoration: underline; text-underline-offset: 2px; }
time { color: var(--_muted); font-size: .86em; white-space: nowrap; flex: none; }
.body { color: var(--_muted); overflow-wrap: anywhere; white-space: pre-line; margin-top: 2px; }
.unread .body { color: var(--_text); }
.body a { color: var(--_accent); }
.body :is(ul, ol) { padding-inline-start: 1.4em; margin: 4px 0; }
.flag { display: inline-block; font-size: .8em; font-weight: 600; color: var(--_danger); border: 1px solid currentColor; border-radius: 5px; padding: 0 5px; margin-inline-end: 7px; }
[dir=ltr] [dir=auto] { text-align: left; }
[dir=rtl] [dir=auto] { text-align: right; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 10px; }
.button { padding: 6px 13px; font-weight: 550; border: 1px solid var(--_border); background: var(--_bg); display: inline-flex; gap: 6px; align-items: center; min-height: 34px; }
.button:hover:not(:disabled) { border-color: var(--_muted); }
.button.primary { background: var(--_accent); color: var(--_on-accent); border-color: transparent; }
.button.primary:hover:not(:disabled) { filter: brightness(1.08); }
.button.danger { color: var(--_danger); }
.button.completed { background: none; color: var(--_muted); border: 1px solid var(--_border); }
.button svg { width: 16px; height: 16px; }
.tools { display: flex; gap: 2px; position: absolute; inset-block-start: 6px; inset-inline-end: 10px; padding: 1px; border-radius: 9px;
  background: var(--_bg); box-shadow: 0 0 0 1px var(--_border); opacity: 0; pointer-events: none; }
.tools .icon { width: 28px; height: 28px; }
.tools svg { width: 17px; height: 17px; }
.item:is(:hover, :focus-visible, :has(:focus-visible), :has(.drawer:not([hidden]))) .tools { opacity: 1; pointer-events: auto; }
.item:is(:hover, :focus-visible, :has(:focus-visible), :has(.drawer:not([hidden]))) time { visibility: hidden; }
@media (hover: none) {
  .item { padding-block-end: 46px; }
  .item .tools { opacity: 1; pointer-events: auto; inset-block: auto 8px; box-shadow: none; background: none; }
  .item .tools .icon { width: 38px; height: 38px; }
  .item time { visibility: visible !important; }
}
.drawer { margin-top: 10px; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.drawer p { width: 100%; color: var(--_muted); font-size: .9em; }
.drawer input { padding: 5px 8px; min-height: 34px; border: 1px solid var(--_border); border-radius: 8px; background: var(--_bg); min-width: 0; flex: 1; }
.page { min-height: 100%; display: grid; }
.after { padding: 12px; text-align: center; color: var(--_muted); }

.empty { display: flex; flex-direction: column; align-items: center; justify-content: center; padding: 32px 36px 72px; text-align: center; gap: 6px; color: var(--_muted); }
.empty svg { width: 44px; height: 44px; stroke-width: 1.2; margin-bottom: 12px; color: var(--_accent); }
.empty h3 { color: var(--_text); font-weight: 600; font-size: 1.08em; }
.empty p { overflow-wrap: anywhere; max-width: 34em; text-wrap: balance; }
.empty .button { margin-top: 14px; color: var(--_text); }
.notice { display: flex; align-items: center; gap: 10px; padding: 9px 10px; padding-inline-start: 18px; border-top: 1px solid var(--_border); background: var(--_hover); flex: none; }
.notice span { flex: 1; }
.notice button { padding: 5px 10px; color: var(--_accent); font-weight: 600; }

.prefs { padding: 4px 18px 24px; }
.prefs > p { color: var(--_muted); padding: 8px 0 4px; }
.prefs fieldset { padding: 14px 0 8px; border-bottom: 1px solid var(--_border); }
.prefs fieldset:last-child { border-bottom: 0; }
.prefs legend { font-weight: 600; float: inline-start; width: 100%; overflow-wrap: anywhere; }
.prefs small { display: block; clear: both; font-size: .9em; color: var(--_muted); }
.prefs label { display: flex; align-items: center; gap: 12px; padding: 6px 0; clear: both; cursor: pointer; }
.prefs label > span { flex: 1; }
.prefs label:has(:disabled) { color: var(--_muted); cursor: default; }
input[role=switch] { appearance: none; width: 38px; height: 22px; margin: 0; border-radius: 11px; background: var(--_border); box-shadow: inset 0 0 0 1.5px var(--_muted); position: relative; cursor: inherit; flex: none; }
input[role=switch]::before { content: ""; position: absolute; inset-block-start: 5px; inset-inline-start: 5px; width: 12px; height: 12px; border-radius: 50%; background: var(--_muted); transition: inset-inline-start .12s; }
input[role=switch]:checked { background: var(--_accent); box-shadow: none; }
input[role=switch]:checked::before { inset-inline-start: 19px; background: var(--_on-accent); inset-block-start: 4px; width: 14px; height: 14px; }
input[role=switch]:disabled { opacity: .55; }

.toast { position: fixed; inset: auto; inset-block-end: 20px; inset-inline-end: 20px; margin: 0; width: min(340px, calc(100vw - 40px)); padding: 13px 16px; text-align: start; border: 0;
  color: var(--_text); background: var(--_bg); box-shadow: var(--_shadow); border-radius: 12px; z-index: var(--tidings-z-index, 1000); }
.toast b { display: block; font-weight: 650; }

@media (max-width: 480px) {
  :host(:not([placement=inline])) .panel { left: 0; top: 0; width: 100vw; max-width: none; height: 100vh; height: 100dvh; max-height: none; border-radius: 0; animation-name: rise; }
  .icon { width: 40px; height: 40px; }
}
@keyframes rise { from { opacity: 0; transform: translateY(16px); } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
@media (forced-colors: active) { .dot, .badge { forced-color-adjust: none; } .item.unread { border-inline-start: 3px solid; } }
`;

const ICONS = {
  bell: "M6 9a6 6 0 0 1 12 0c0 6 2.5 7 2.5 7h-17S6 15 6 9M10 20a2.2 2.2 0 0 0 4 0",
  checks: "M2.5 12.5l4.5 4.5L16 8M11 15.5l1.5 1.5L21.5 8",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  read: "M5 12.5l4.5 4.5L19 7.5",
  unread: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  unarchive: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 2.5h4l1-2.5h5",
  snooze: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15M12 8v4.5l3 1.5",
  delete: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7",
  plug: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15M12 8.5v4.5M12 15.8v.2",
};

/* ---------------------------------------------------------------- building blocks */

function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** The address if it leads somewhere harmless: the web, mail, or a place on this site. */
export function safeUrl(address, schemes = ["http:", "https:", "mailto:"]) {
  if (typeof address !== "string" || !address.trim()) return null;
  try {
    const url = new URL(address.trim(), document.baseURI);
    return schemes.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const KEPT = new Set("A B BR CODE DEL EM I LI OL P S SMALL SPAN STRONG SUB SUP U UL".split(" "));
const SKIPPED = new Set("SCRIPT STYLE TEMPLATE IFRAME OBJECT SVG MATH NOSCRIPT TITLE TEXTAREA SELECT".split(" "));
const MARKUP = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>|<!--[^]*?-->|[^<]+|</gi;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const LONGEST_MARKUP = 20_000;

const decoded = (text) => text.replace(/&(?:#(x[\da-f]{1,6}|\d{1,7})|(\w{2,4}));/gi, (whole, number, name) => {
  if (!number) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = /^x/i.test(number) ? parseInt(number.slice(1), 16) : Number(number);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
});

/**
 * Harmless nodes from markup. No parser of the browser sees it: known elements are made here, of
 * their attributes only links stay, the rest is text or nothing.
 */
export function harmless(markup) {
  const result = document.createDocumentFragment();
  const open = [result];
  let skipping = null;
  for (const [whole, closing, tag, attributes] of markup.slice(0, LONGEST_MARKUP).matchAll(MARKUP)) {
    const name = tag?.toUpperCase();
    if (skipping) {
      if (closing && name === skipping) skipping = null;
    } else if (!tag) {
      if (!whole.startsWith("<!--")) open.at(-1).append(decoded(whole));
    } else if (closing) {
      const at = open.findLastIndex((node) => node.nodeName === name);
      if (at > 0) open.length = at;
    } else if (SKIPPED.has(name)) {
      skipping = name;
    } else if (KEPT.has(name)) {
      const node = document.createElement(name);
      const [, , quoted, bare] = (name === "A" && /\shref\s*=\s*(?:(["'])([^]*?)\1|([^\s"'>]+))/i.exec(attributes)) || [];
      const href = safeUrl(decoded(quoted ?? bare ?? ""));
      if (href) Object.assign(node, { href, target: "_blank", rel: "noopener noreferrer" });
      open.at(-1).append(node);
      if (name !== "BR" && open.length < 32) open.push(node);
    }
  }
  return result;
}

const plain = (text, asMarkup) => (asMarkup ? harmless(text).textContent : text).replace(/\s+/g, " ").trim();

class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/* ---------------------------------------------------------------- the server */

/** The inbox of one subscriber on the server. */
class Server {
  constructor(url, application, subscriber, hash) {
    Object.assign(this, { url, application, subscriber, hash, token: null, opening: null });
    this.leaving = new AbortController();
  }

  /** Open a session; asked twice at the same time, it is opened once. */
  open() {
    this.opening ??= this.#send("POST", "/session", {
      applicationIdentifier: this.application,
      subscriber: { subscriberId: this.subscriber, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      subscriberHash: this.hash || undefined,
    })
      .then(({ data }) => {
        this.token = data.token;
        return data;
      })
      .finally(() => (this.opening = null));
    return this.opening;
  }

  /** The answer's body; a session that has run out is opened anew. */
  async ask(method, path, body) {
    try {
      return await this.#send(method, path, body);
    } catch (error) {
      if (error.status !== 401) throw error;
      await this.open();
      return this.#send(method, path, body);
    }
  }

  /** The stream of news, for as long as it lasts. */
  async *news(lastId) {
    const headers = { Authorization: `Bearer ${this.token}`, Accept: "text/event-stream" };
    if (lastId) headers["Last-Event-ID"] = lastId;
    const answer = await fetch(`${this.url}/v1/inbox/stream`, { headers, cache: "no-store", signal: this.leaving.signal });
    const type = answer.headers.get("content-type") ?? "";
    if (!answer.ok || !type.startsWith("text/event-stream")) throw new Refusal("no stream", answer.ok ? 404 : answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).replace(/\r\n?/g, "\n").split("\n\n");
      rest = blocks.pop();
      if (!blocks.length) yield null;
      for (const block of blocks) {
        const fields = {};
        for (const line of block.split("\n")) {
          const [, name, text] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
          if (name) fields[name] = name in fields ? `${fields[name]}\n${text}` : text;
        }
        yield fields;
      }
    }
  }

  async #send(method, path, body) {
    const headers = { "Content-Type": "application/json" };
    if (this.token && path !== "/session") headers.Authorization = `Bearer ${this.token}`;
    let answer;
    try {
      answer = await fetch(`${this.url}/v1/inbox${path}`, {
        method, headers, body: body && JSON.stringify(body), signal: this.leaving.signal, cache: "no-store",
      });
    } catch (error) {
      throw error.name === "AbortError" ? error : new Refusal("", 0);
    }
    if (answer.status === 204) return null;
    const read = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refusal(read.message ?? answer.statusText, answer.status);
    return read;
  }
}

/**
 * News from the server. Browsers allow few connections to one host, so of all windows that show the
 * same inbox one listens and tells the others. Where there is no stream, each asks now and then.
 */
class Live {
  constructor(server, seconds, tell) {
    Object.assign(this, { server, tell, heard: 0, left: false });
    const name = `tidings-inbox ${server.url} ${server.application} ${server.subscriber}`;
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
    if (this.channel) this.channel.onmessage = ({ data }) => this.#hear(data);
    this.asking = setInterval(() => {
      if (!document.hidden && Date.now() - this.heard > HEARD_WITHIN) tell({ event: "poll" });
    }, seconds * 1000);
    if (navigator.locks) navigator.locks.request(name, { signal: server.leaving.signal }, () => this.#listen()).catch(() => {});
    else this.#listen();
  }

  leave() {
    this.left = true;
    clearInterval(this.asking);
    this.channel?.close();
    this.wake?.();
  }

  #hear(fields) {
    this.heard = Date.now();
    if (fields?.event) this.tell(fields);
  }

  async #listen() {
    let wait = FIRST_RETRY;
    let lastId;
    let cut = false;
    let counted = false;
    while (!this.left) {
      try {
        for await (const fields of this.server.news(lastId)) {
          if (this.left) return;
          wait = FIRST_RETRY;
          lastId = fields?.id ?? lastId;
          const first = !counted && fields?.event === "unread_count_changed";
          counted ||= first;
          this.#hear(first ? { ...fields, first } : fields);
          this.channel?.postMessage(fields);
          if (cut) this.tell({ event: "reconnected" });
          cut = false;
        }
      } catch (error) {
        if (error.status === 401) await this.server.open().catch(() => {});
        if (error.status === 404) wait = STREAM_ABSENT_RETRY;
      }
      cut = true;
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, wait);
      });
      wait = Math.min(wait * 2, Math.max(LAST_RETRY, wait));
    }
  }
}

/* ---------------------------------------------------------------- the element */

const HTMLBase = globalThis.HTMLElement ?? class {};

export class TidingsInbox extends HTMLBase {
  static observedAttributes = ["application-identifier", "subscriber-id", "subscriber-hash", "api-url", "locale", "labels", "placement", "poll-seconds"];

  static #shown = new Set();

  /** Texts of another language, for all elements; what is left out is said in English. */
  static addLanguage(code, words) {
    LABELS[code.toLowerCase()] = words;
    for (const each of this.#shown) each.#restart();
  }

  #server = null;
  #live = null;
  #session = null;
  #failure = null;
  #view = "all";
  #messages = [];
  #more = false;
  #loaded = false;
  #busy = null;
  #unread = 0;
  #known = new Set();
  #isOpen = false;
  #words = {};
  #parts = {};
  #prefs = null;
  #timers = {};
  #generation = 0;
  #off = null;
  #arrived = new Set();
  /** Unread messages that came without news of their own: before the stream, or for want of one. */
  #risen = 0;
  /** Messages the page was told about, each time they were delivered. */
  #told = new Set();
  #looking = false;
  /** Lists may be answered out of turn, or show how it was before a change. */
  #asked = 0;
  #answered = 0;
  #changes = 0;
  #lookAgain = false;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.attachShadow({ mode: "open", delegatesFocus: false }).adoptedStyleSheets = [sheet];
  }

  /* -------- for the page */

  get count() { return this.#unread; }
  get isOpen() { return this.#isOpen; }
  get labels() { return this.#words; }
  set labels(words) { this.setAttribute("labels", JSON.stringify(words)); }

  open() {
    if (this.#isOpen || !this.isConnected) return;
    this.#isOpen = true;
    const { panel, bell } = this.#parts;
    panel.hidden = false;
    if (!this.#inline && panel.showPopover) {
      panel.popover = "manual";
      panel.showPopover();
    }
    bell.setAttribute("aria-expanded", "true");
    this.#place();
    this.#listenOutside();
    this.#load().then(() => this.#focusFirst());
    this.#emit("open");
  }

  close(restore = true) {
    if (!this.#isOpen || this.#inline) return;
    this.#isOpen = false;
    const { panel, bell } = this.#parts;
    const inside = panel.contains(this.shadowRoot.activeElement);
    if (panel.popover) panel.hidePopover();
    panel.hidden = true;
    this.#off?.abort();
    bell.setAttribute("aria-expanded", "false");
    if (restore && (inside || !this.shadowRoot.activeElement)) bell.focus();
    if (this.#view === "preferences") this.#show("all");
    this.#emit("close");
  }

  toggle() { this.#isOpen ? this.close() : this.open(); }

  /** Ask the server what is there now. */
  refresh() { return this.#refresh(); }

  /* -------- life */

  connectedCallback() {
    TidingsInbox.#shown.add(this);
    this.#restart();
    this.#timers.clock = setInterval(() => this.#isOpen && this.#drawTimes(), 60_000);
    document.addEventListener("visibilitychange", this.#onVisible);
    addEventListener("online", this.#onVisible);
  }

  disconnectedCallback() {
    TidingsInbox.#shown.delete(this);
    this.#leave();
    Object.values(this.#timers).forEach(clearTimeout);
    this.#timers = {};
    this.#off?.abort();
    this.#isOpen = false;
    document.removeEventListener("visibilitychange", this.#onVisible);
    removeEventListener("online", this.#onVisible);
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || !this.isConnected || this.#timers.restart) return;
    this.#timers.restart = setTimeout(() => {
      this.#timers.restart = null;
      if (this.isConnected) this.#restart();
    });
  }

  #onVisible = () => {
    if (!document.hidden && this.#session) this.#refresh();
  };

  #leave() {
    this.#generation++;
    this.#live?.leave();
    this.#server?.leaving.abort();
    this.#live = this.#server = this.#session = null;
  }

  #restart() {
    const wasOpen = this.#isOpen;
    this.#leave();
    this.#off?.abort();
    Object.assign(this.#parts, { panel: null });
    this.#messages = [];
    this.#known.clear();
    this.#told.clear();
    this.#risen = 0;
    this.#loaded = this.#isOpen = false;
    this.#prefs = this.#failure = null;
    this.#view = "all";
    this.#chooseWords();
    this.#build();
    this.#setUnread(0);
    this.#connect();
    if (wasOpen || this.#inline) this.open();
  }

  async #connect() {
    const generation = this.#generation;
    const missing = ["application-identifier", "subscriber-id"].find((name) => !this.getAttribute(name));
    if (missing) return this.#fail(new Refusal(this.#say("missing", { name: missing }), 0));
    const url = (this.getAttribute("api-url") || HOME).replace(/\/+$/, "");
    const server = new Server(
      url, this.getAttribute("application-identifier"), this.getAttribute("subscriber-id"), this.getAttribute("subscriber-hash"),
    );
    this.#server = server;
    try {
      const session = await server.open();
      if (generation !== this.#generation) return;
      this.#session = session;
      this.#failure = null;
      this.#setUnread(session.totalUnreadCount);
      this.#live = new Live(server, Number(this.getAttribute("poll-seconds")) || 20, (news) => this.#hear(news));
      this.#emit("ready");
      if (this.#isOpen) await this.#load();
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
    }
  }

  /** There is no session: say why, to the reader and to whoever built the page. */
  #fail(error) {
    if (error.name === "AbortError") return;
    const url = this.#server?.url;
    this.#failure = error.message || this.#say("unreachable", { url });
    console.warn(`<tidings-inbox>: ${this.#failure}`);
    this.#emit("error", { message: this.#failure, status: error.status ?? 0 });
    if (!error.status && url) this.#timers.again = setTimeout(() => this.#failure && this.#connect(), LAST_RETRY);
    this.#drawList();
  }

  /** An operation did not succeed; what is shown stays. */
  #complain(error) {
    if (error.name === "AbortError") return;
    const message = error.message || this.#say("unreachable", { url: this.#server?.url });
    this.#notify(`${this.#say("failed")} ${message}`);
    this.#emit("error", { message, status: error.status ?? 0 });
  }

  /* -------- words */

  get #inline() { return this.getAttribute("placement") === "inline"; }
  get #locale() { return this.getAttribute("locale") || this.closest("[lang]")?.lang || navigator.language || "en"; }

  #chooseWords() {
    const locale = this.#locale.toLowerCase();
    let own = {};
    try {
      own = JSON.parse(this.getAttribute("labels") || "{}");
    } catch {
      console.warn("<tidings-inbox>: the attribute labels is not JSON");
    }
    this.#words = { ...LABELS.en, ...LABELS[locale.split("-")[0]], ...LABELS[locale], ...own };
  }

  #say(key, values = {}) {
    return String(this.#words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  }

  #intl(make) {
    try {
      return make(this.#locale);
    } catch {
      return make("en");
    }
  }

  #ago(moment) {
    const seconds = Math.round((new Date(moment) - Date.now()) / 1000);
    if (seconds > -60) return this.#say("now");
    const format = this.#intl((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "narrow" }));
    for (const [unit, length, limit] of [["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, 604800]]) {
      if (-seconds < limit) return format.format(Math.trunc(seconds / length), unit);
    }
    return this.#intl((locale) => new Date(moment).toLocaleDateString(locale, { day: "numeric", month: "short" }));
  }

  #when(moment, style = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" }) {
    return this.#intl((locale) => new Date(moment).toLocaleString(locale, style));
  }

  #emit(name, detail = {}, cancelable = false) {
    return this.dispatchEvent(new CustomEvent(`tidings:${name}`, { detail, cancelable, bubbles: true, composed: true }));
  }

  #announce(text) {
    const { live } = this.#parts;
    live.textContent = "";
    setTimeout(() => (live.textContent = text), 50);
  }

  /* -------- news */

  #hear({ event, data, first }) {
    if (event === "poll" || event === "reconnected") return void this.#refresh();
    let told = {};
    try {
      told = JSON.parse(data);
    } catch { /* a look at the list tells the same */ }
    if (event === "unread_count_changed" && told.counts) {
      if (first) this.#noteRise(told.counts.total);
      this.#setUnread(told.counts.total);
    }
    if (event === "notification_received" && told.message) this.#arrived.add(told.message._id);
    clearTimeout(this.#timers.news);
    this.#timers.news = setTimeout(() => this.#look(), 80);
  }

  async #refresh() {
    if (!this.#session) return this.#failure ? this.#connect() : undefined;
    try {
      const filters = encodeURIComponent(JSON.stringify([VIEWS.unread]));
      const { data } = await this.#server.ask("GET", `/notifications/count?filters=${filters}`);
      this.#noteRise(data[0].count);
      this.#setUnread(data[0].count);
      await this.#look();
    } catch (error) {
      if (error.status) this.#complain(error);
    }
  }

  #noteRise(count) { this.#risen += Math.max(0, count - this.#unread); }

  /** At what has come, and at the list if it is shown; once for all who ask meanwhile. */
  async #look() {
    if (this.#looking) return void (this.#lookAgain = true);
    this.#looking = true;
    const [arrived, risen] = [this.#arrived, this.#risen];
    this.#arrived = new Set();
    this.#risen = 0;
    try {
      if (arrived.size || risen) this.#welcome((await this.#fetch("all", PAGE)).data, arrived, risen);
      if (this.#isOpen && this.#loaded && this.#view in VIEWS) await this.#sync();
    } catch (error) {
      if (error.status) this.#complain(error);
    } finally {
      const again = this.#lookAgain;
      this.#looking = this.#lookAgain = false;
      if (again) this.#look();
    }
  }

  /** Tell the page and the reader about messages that were not here before. */
  #welcome(messages, arrived, risen) {
    const delivery = ({ id, createdAt }) => `${id} ${createdAt}`;
    const isNew = ({ id }) => arrived.has(id) || (risen > 0 && !this.#known.has(id));
    const fresh = messages
      .filter((each) => !each.isRead && !this.#told.has(delivery(each)) && isNew(each))
      .slice(0, Math.max(arrived.size, risen));
    messages.forEach((each) => this.#known.add(each.id));
    for (const message of fresh.reverse()) {
      this.#told.add(delivery(message));
      this.#emit("message", { notification: message });
      this.#announce(this.#say("arrived", { text: this.#title(message) }));
      if (this.hasAttribute("toasts") && !this.#isOpen) this.#toast(message);
    }
  }

  #toast(message) {
    const { toasts } = this.#parts;
    const toast = h("button", { class: "toast", part: "toast", type: "button", onclick: () => { toast.remove(); this.open(); } },
      h("b", { dir: "auto" }, this.#title(message)), message.subject ? h("span", { dir: "auto" }, this.#bodyText(message).slice(0, 140)) : null);
    toasts.replaceChildren(toast);
    if (toast.showPopover) {
      toast.popover = "manual";
      toast.showPopover();
    }
    clearTimeout(this.#timers.toast);
    this.#timers.toast = setTimeout(() => toast.remove(), 8000);
  }

  #setUnread(count) {
    const changed = count !== this.#unread;
    this.#unread = count;
    const { bell, badge, tabCount, allRead } = this.#parts;
    badge.textContent = tabCount.textContent = count > 99 ? "99+" : count || "";
    badge.hidden = tabCount.hidden = !count;
    allRead.disabled = !count;
    bell.setAttribute("aria-label", count ? this.#say("bell", { count: count > 99 ? "99+" : count }) : this.#say("bellNone"));
    if (changed) this.#emit("count", { count });
  }

  /* -------- the list */

  async #fetch(view, limit, after) {
    const query = new URLSearchParams({ limit });
    if (after) query.set("after", after);
    for (const [name, value] of Object.entries(VIEWS[view])) query.set(name, value);
    return this.#server.ask("GET", `/notifications?${query}`);
  }

  /** The first page of the present view, unless it is there. */
  async #load() {
    if (!this.#session || this.#view === "preferences") return this.#drawList();
    if (!this.#loaded) this.#drawList();
    await this.#sync();
  }

  async #sync() {
    const view = this.#view;
    let page, turn, changes;
    try {
      do {
        turn = ++this.#asked;
        changes = this.#changes;
        page = await this.#fetch(view, Math.min(MOST, Math.max(PAGE, this.#messages.length)));
        if (view !== this.#view || turn < this.#answered) return;
      } while (changes !== this.#changes);
      this.#answered = turn;
      const listed = new Set(page.data.map((each) => each.id));
      const last = page.data.at(-1);
      const older = (each) => page.hasMore && !listed.has(each.id) && each.createdAt <= last.createdAt;
      const rest = this.#messages.filter(older);
      this.#messages = [...page.data, ...rest];
      if (!rest.length) this.#more = page.hasMore;
      this.#loaded = true;
      this.#drawList();
      this.#noteSeen(page.data);
    } catch (error) {
      if (this.#loaded) this.#complain(error);
      else this.#fail(error);
    }
  }

  async #loadMore() {
    if (this.#busy || !this.#more) return;
    const view = this.#view;
    this.#parts.feed.setAttribute("aria-busy", "true");
    this.#busy = this.#fetch(view, PAGE, this.#messages.at(-1)?.id);
    try {
      const page = await this.#busy;
      if (view !== this.#view) return;
      const listed = new Set(this.#messages.map((each) => each.id));
      this.#messages.push(...page.data.filter((each) => !listed.has(each.id)));
      this.#more = page.hasMore && page.data.length > 0;
      this.#drawList();
      this.#noteSeen(page.data);
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#busy = null;
      this.#parts.feed.removeAttribute("aria-busy");
    }
  }

  #noteSeen(messages) {
    messages.forEach((each) => this.#known.add(each.id));
    const unseen = messages.filter((each) => !each.isSeen && !each.isSnoozed).map((each) => each.id);
    if (unseen.length && this.#isOpen && !document.hidden) {
      messages.forEach((each) => (each.isSeen = true));
      this.#server.ask("POST", "/notifications/seen", { notificationIds: unseen }).catch(() => {});
    }
  }

  #belongs(message) {
    if (message.isSnoozed !== (this.#view === "snoozed")) return false;
    if (this.#view === "snoozed") return true;
    return message.isArchived === (this.#view === "archived") && !(this.#view === "unread" && message.isRead);
  }

  /* -------- what a reader does */

  async #change(message, verb, body, { said, undo } = {}) {
    try {
      const answer = await this.#server.ask(verb === "delete" ? "DELETE" : "PATCH", `/notifications/${message.id}/${verb}`, body);
      const changed = answer?.data ?? null;
      this.#changes++;
      const at = this.#messages.findIndex((each) => each.id === message.id);
      if (changed && this.#belongs(changed)) {
        if (at >= 0) this.#messages[at] = changed;
      } else if (at >= 0) {
        this.#messages.splice(at, 1);
      }
      this.#drawList();
      if (said) this.#notify(this.#say(said), undo && (() => this.#change(message, undo).then(() => this.#refresh())));
      this.#recount();
      return changed;
    } catch (error) {
      this.#complain(error);
      if (error.status === 404) this.#sync();
      return null;
    }
  }

  /** Soon, and once for many changes; the stream tells the same, if there is one. */
  #recount() {
    clearTimeout(this.#timers.count);
    this.#timers.count = setTimeout(() => this.#refresh(), 100);
  }

  async #readAll() {
    try {
      await this.#server.ask("POST", "/notifications/read", {});
      this.#changes++;
      this.#notify(this.#say("allRead"));
      await this.#refresh();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Enter or a click on a message: it is read, and leads where it leads. */
  async #activate(message) {
    const reading = message.isRead || message.isSnoozed ? null : this.#change(message, "read");
    await this.#go(message, message.redirect, reading);
  }

  async #act(message, type) {
    const action = message[`${type}Action`];
    this.#emit("action", { notification: message, type });
    const done = action.isCompleted ? null : this.#change(message, "complete", { actionType: type });
    await this.#go(message, action.redirect, done);
  }

  async #go(message, redirect, before) {
    const url = safeUrl(redirect?.url);
    if (!url) return void (await before);
    const target = redirect.target === "_unfencedTop" ? "_top" : redirect.target || "_self";
    if (!this.#emit("navigate", { notification: message, url, target }, true)) return;
    if (target !== "_blank") await Promise.race([before, new Promise((resolve) => setTimeout(resolve, 1500))]);
    h("a", { href: url, target, rel: "noopener" }).click();
  }

  #presets() {
    const at = (days, hour) => {
      const day = new Date();
      day.setDate(day.getDate() + days);
      day.setHours(hour, 0, 0, 0);
      return day;
    };
    const now = Date.now();
    const choices = [["inAnHour", new Date(now + HOUR)], ["thisEvening", at(0, 18)], ["tomorrow", at(1, 9)], ["nextWeek", at(((8 - new Date().getDay()) % 7) || 7, 9)]];
    const longest = now + this.#session.maxSnoozeDurationHours * HOUR;
    return choices.filter(([, moment]) => moment - now > HOUR / 2 && moment <= longest);
  }

  /* -------- drawing */

  #build() {
    const p = this.#parts;
    const button = (name, label, act, extra = {}) =>
      h("button", { type: "button", class: `icon ${extra.class ?? ""}`, "aria-label": this.#say(label), title: this.#say(label), onclick: act }, icon(name));
    p.badge = h("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true });
    p.bell = h("button", { class: "bell", part: "bell", type: "button", "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "panel", onclick: () => this.toggle() },
      h("slot", { name: "bell" }, icon("bell")), p.badge);
    p.heading = h("h2", { id: "heading", tabindex: "-1" }, this.#say("title"));
    p.back = button("back", "back", () => this.#show("all"), { class: "back" });
    p.allRead = button("checks", "markAllRead", () => this.#readAll());
    p.gear = button("gear", "preferences", () => this.#show("preferences"));
    p.close = button("close", "close", () => this.close(), { class: "close" });
    p.tabCount = h("span", { "aria-hidden": "true", hidden: true });
    p.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": this.#say("filter"), onkeydown: (event) => this.#onTabKey(event) },
      ...Object.keys(VIEWS).map((view) => h("button", { type: "button", role: "tab", id: `tab-${view}`, "data-view": view, "aria-controls": "scroll", onclick: () => this.#show(view) },
        this.#say(view), view === "unread" ? p.tabCount : null)));
    p.feed = h("div", { role: "feed", onkeydown: (event) => this.#onFeedKey(event), onfocusin: (event) => this.#setCurrent(event.target.closest(".item")) });
    p.after = h("div", { class: "after" });
    p.page = h("div", { class: "page", hidden: true });
    p.scroll = h("div", { class: "scroll", id: "scroll", role: "tabpanel", onscroll: () => this.#onScroll() }, p.feed, p.after, p.page);
    p.notice = h("div", { class: "notice", hidden: true });
    p.live = h("div", { class: "sr", role: "status", "aria-live": "polite" });
    p.toasts = h("div");
    p.panel = h("section", { class: "panel", part: "panel", id: "panel", role: this.#inline ? "region" : "dialog", "aria-labelledby": "heading", tabindex: "-1", hidden: true, onkeydown: (event) => this.#onPanelKey(event) },
      h("header", { part: "header" }, p.back, p.heading, p.allRead, p.gear, p.close), p.tabs, p.scroll, p.notice);
    this.shadowRoot.replaceChildren(p.bell, p.panel, p.toasts, p.live);
    this.#drawFrame();
  }

  #drawFrame() {
    const { heading, back, allRead, gear, tabs, scroll } = this.#parts;
    const choosing = this.#view === "preferences";
    heading.textContent = this.#say(choosing ? "preferences" : "title");
    back.hidden = !choosing;
    allRead.hidden = gear.hidden = tabs.hidden = choosing;
    for (const tab of tabs.children) {
      const chosen = tab.dataset.view === this.#view;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    scroll.setAttribute("role", choosing ? "group" : "tabpanel");
    scroll.setAttribute("aria-labelledby", choosing ? "heading" : `tab-${this.#view}`);
    this.#parts.feed.setAttribute("aria-labelledby", `tab-${choosing ? "all" : this.#view}`);
  }

  async #show(view) {
    const from = this.#view;
    this.#view = view;
    this.#messages = [];
    this.#loaded = this.#more = false;
    this.#prefs = null;
    this.#notify(null);
    this.#drawFrame();
    this.#drawList();
    this.#parts.scroll.scrollTop = 0;
    if (!this.#isOpen) return;
    if (view === "preferences") this.#parts.back.focus();
    else if (from === "preferences") this.#parts.gear.focus();
    await (view === "preferences" ? this.#loadPrefs() : this.#load());
  }

  #drawList() {
    const { feed, after, page, panel } = this.#parts;
    panel.dir = getComputedStyle(this).direction;
    const listing = this.#view in VIEWS && !this.#failure && this.#loaded && this.#messages.length > 0;
    feed.hidden = after.hidden = !listing;
    page.hidden = listing;
    if (!listing) {
      feed.replaceChildren();
      return page.replaceChildren(this.#drawPage());
    }
    page.replaceChildren();
    const focused = this.#focusedPlace();
    const drawn = new Map([...feed.children].map((node) => [node.dataset.id, node]));
    const nodes = this.#messages.map((message, index) => {
      const text = this.#fingerprint(message);
      let node = drawn.get(message.id);
      if (node?.drawnFrom !== text) {
        node = this.#drawItem(message);
        node.drawnFrom = text;
      }
      node.setAttribute("aria-posinset", String(index + 1));
      node.setAttribute("aria-setsize", this.#more ? "-1" : String(this.#messages.length));
      return node;
    });
    nodes.forEach((node, index) => feed.children[index] !== node && feed.insertBefore(node, feed.children[index] ?? null));
    while (feed.children.length > nodes.length) feed.lastChild.remove();
    this.#restoreFocus(focused);
    if (!feed.querySelector('.item[tabindex="0"]')) this.#setCurrent(feed.firstElementChild);
    after.replaceChildren(...(this.#more ? [h("button", { type: "button", class: "button", onclick: () => this.#loadMore() }, this.#say("more"))] : []));
  }

  /** What stands where messages would be: preferences, a reason, or a friendly nothing. */
  #drawPage() {
    if (this.#failure) {
      return this.#drawEmpty("plug", this.#say("unavailable"), this.#failure,
        h("button", { type: "button", class: "button", onclick: () => { this.#failure = null; this.#drawList(); this.#session ? this.#load() : this.#connect(); } }, this.#say("retry")));
    }
    if (this.#view === "preferences") return this.#prefs ? this.#drawPrefs() : h("p", { class: "after" }, this.#say("loading"));
    if (!this.#loaded) return h("p", { class: "after" }, this.#say("loading"));
    const name = this.#view[0].toUpperCase() + this.#view.slice(1);
    const picture = { all: "bell", unread: "read", archived: "archive", snoozed: "snooze" }[this.#view];
    return this.#drawEmpty(picture, this.#say(`empty${name}`), this.#say(`empty${name}More`));
  }

  #drawEmpty(picture, title, text, ...more) {
    return h("div", { class: "empty", part: "empty" }, icon(picture), h("h3", {}, title), h("p", {}, text), ...more);
  }

  /** Everything that its drawing shows. */
  #fingerprint(message) {
    const { subject, body, avatar, severity, isRead, isArchived, isSnoozed, snoozedUntil, createdAt, redirect, primaryAction, secondaryAction } = message;
    return JSON.stringify([subject, body, avatar, severity, isRead, isArchived, isSnoozed, snoozedUntil, createdAt, redirect, primaryAction, secondaryAction, this.#view]);
  }

  #isMarkup(message) { return message.data?.format === "html"; }
  #bodyText(message) { return plain(message.body ?? "", this.#isMarkup(message)); }
  #title(message) { return plain(message.subject || "", this.#isMarkup(message)) || this.#bodyText(message) || message.workflow?.name || ""; }

  #drawItem(message) {
    const id = message.id;
    const url = safeUrl(message.redirect?.url);
    const unread = !message.isRead && !message.isSnoozed;
    const avatar = safeUrl(message.avatar, ["http:", "https:"]);
    const moment = message.isSnoozed ? message.snoozedUntil : message.createdAt;
    const title = this.#title(message);
    const open = (event) => {
      if (event.type === "click" && event.target.closest("button, input, .drawer, .body a")) return;
      if (event.metaKey || event.ctrlKey || String(getSelection())) return;
      event.preventDefault();
      this.#activate(message);
    };
    const text = message.subject && message.body ? h("div", { class: "body", id: `body-${id}`, dir: "auto" }, this.#isMarkup(message) ? harmless(message.body) : message.body) : null;
    const item = h("article", {
      class: `item ${unread ? "unread" : ""} ${url ? "goes" : ""} ${message.severity === "high" ? "high" : ""}`, part: `item${unread ? " unread" : ""}`,
      tabindex: "-1", "data-id": id, "aria-labelledby": `title-${id}`, "aria-describedby": text ? `body-${id}` : null, onclick: open,
    },
      unread ? h("span", { class: "dot" }) : null,
      avatar ? h("img", { class: "avatar", src: avatar, alt: "", loading: "lazy", referrerpolicy: "no-referrer" }) : null,
      h("div", { class: "text" },
        h("div", { class: "line" },
          h("h3", { class: "subject", id: `title-${id}`, dir: "auto" },
            unread ? h("span", { class: "sr" }, `${this.#say("unread")}: `) : null,
            message.severity === "high" ? h("span", { class: "flag" }, this.#say("important")) : null,
            url ? h("a", { href: url, tabindex: "-1" }, title) : title),
          h("time", { datetime: moment, title: this.#when(moment, { dateStyle: "full", timeStyle: "short" }), "data-snoozed": message.isSnoozed || null }, this.#timeText(message))),
        text, this.#drawActions(message)));
    const drawer = h("div", { class: "drawer", role: "group", hidden: true });
    item.lastChild.append(drawer);
    item.append(this.#drawTools(message, drawer));
    return item;
  }

  #timeText(message) {
    return message.isSnoozed ? this.#say("until", { when: this.#when(message.snoozedUntil) }) : this.#ago(message.createdAt);
  }

  #drawTimes() {
    for (const node of this.#parts.feed.querySelectorAll("time:not([data-snoozed])")) node.textContent = this.#ago(node.dateTime);
  }

  #drawActions(message) {
    const buttons = ["primary", "secondary"].filter((type) => message[`${type}Action`]?.label && !message.isSnoozed).map((type) => {
      const { label, isCompleted, redirect } = message[`${type}Action`];
      return h("button", { type: "button", class: `button ${type} ${isCompleted ? "completed" : ""}`, part: "action", "data-act": type, disabled: isCompleted && !safeUrl(redirect?.url), onclick: () => this.#act(message, type) },
        isCompleted ? icon("read") : null, h("span", { dir: "auto" }, label), isCompleted ? h("span", { class: "sr" }, `(${this.#say("done")})`) : null);
    });
    return buttons.length ? h("div", { class: "buttons" }, ...buttons) : null;
  }

  #drawTools(message, drawer) {
    const tool = (name, label, act, expands) =>
      h("button", { type: "button", class: "icon", "data-act": name, "aria-label": this.#say(label), title: this.#say(label), "aria-expanded": expands ? "false" : null, onclick: act }, icon(name));
    const change = (verb, said, undo) => () => this.#change(message, verb, undefined, { said, undo });
    const tools = [];
    if (message.isSnoozed) tools.push(tool("bell", "unsnooze", change("unsnooze", "isUnsnoozed")));
    else {
      tools.push(message.isRead ? tool("unread", "markUnread", change("unread", "isUnread")) : tool("read", "read", change("read", this.#view === "unread" ? "isRead" : null, "unread")));
      if (this.#session?.maxSnoozeDurationHours > 0 && !message.isArchived) {
        tools.push(tool("snooze", "snooze", (event) => this.#toggleDrawer(drawer, event.currentTarget, () => this.#drawSnooze(message)), true));
      }
      tools.push(message.isArchived ? tool("unarchive", "unarchive", change("unarchive", "isUnarchived", "archive"))
        : tool("archive", "archive", change("archive", "isArchived", message.isRead ? "unarchive" : "unread")));
    }
    tools.push(tool("delete", "delete", (event) => this.#toggleDrawer(drawer, event.currentTarget, () => this.#drawDelete(message, drawer)), true));
    return h("div", { class: "tools" }, ...tools);
  }

  #toggleDrawer(drawer, button, fill) {
    const opens = button.getAttribute("aria-expanded") !== "true";
    for (const other of button.parentNode.querySelectorAll("[aria-expanded=true]")) other.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-expanded", String(opens));
    drawer.hidden = !opens;
    if (!opens) return button.focus();
    drawer.replaceChildren(...fill());
    drawer.setAttribute("aria-label", button.getAttribute("aria-label"));
    drawer.querySelector("button")?.focus();
    drawer.scrollIntoView({ block: "nearest" });
  }

  #drawSnooze(message) {
    const until = (moment) => this.#change(message, "snooze", { snoozeUntil: moment.toISOString() }, { said: "isSnoozed", undo: "unsnooze" });
    const local = (moment) => new Date(moment - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    const field = h("input", { type: "datetime-local", "aria-label": this.#say("snoozeUntil"), min: local(Date.now()), value: local(Date.now() + 2 * HOUR) });
    return [
      ...this.#presets().map(([label, moment]) => h("button", { type: "button", class: "button", title: this.#when(moment), onclick: () => until(moment) }, this.#say(label))),
      h("p", {}, this.#say("chooseTime")), field,
      h("button", { type: "button", class: "button", onclick: () => field.value && until(new Date(field.value)) }, this.#say("set")),
    ];
  }

  #drawDelete(message, drawer) {
    return [
      h("p", {}, this.#say("deleteAsk")),
      h("button", { type: "button", class: "button danger", onclick: () => this.#change(message, "delete", undefined, { said: "isDeleted" }) }, this.#say("delete")),
      h("button", { type: "button", class: "button", onclick: () => this.#toggleDrawer(drawer, drawer.closest(".item").querySelector("[aria-expanded=true]")) }, this.#say("keep")),
    ];
  }

  #notify(text, undo) {
    const { notice } = this.#parts;
    clearTimeout(this.#timers.notice);
    notice.hidden = !text;
    if (!text) return notice.replaceChildren();
    notice.replaceChildren(h("span", {}, text), undo ? h("button", { type: "button", onclick: () => { this.#notify(null); undo(); this.#focusFirst(); } }, this.#say("undo")) : "");
    this.#announce(text);
    this.#timers.notice = setTimeout(() => notice.contains(this.shadowRoot.activeElement) || this.#notify(null), 8000);
  }

  /* -------- preferences */

  async #loadPrefs() {
    if (!this.#session) return;
    try {
      const { data } = await this.#server.ask("GET", "/preferences?criticality=all");
      this.#prefs = data;
    } catch (error) {
      this.#fail(error);
    }
    if (this.#view === "preferences") this.#drawPrefsKeepingFocus();
  }

  #drawPrefsKeepingFocus() {
    const focused = this.shadowRoot.activeElement?.dataset.switch;
    this.#drawList();
    if (focused) this.#parts.page.querySelector(`[data-switch="${CSS.escape(focused)}"]`)?.focus();
  }

  #drawPrefs() {
    const shown = this.#prefs.filter((each) => Object.keys(each.channels ?? {}).length);
    if (!shown.length) return this.#drawEmpty("gear", this.#say("emptyPrefs"), this.#say("emptyPrefsMore"));
    return h("div", { class: "prefs" }, h("p", {}, this.#say("prefsIntro")), ...shown.map((each) => this.#drawPref(each)));
  }

  #drawPref(preference) {
    const workflow = preference.level === "global" ? null : preference.workflow;
    const note = workflow ? workflow.critical && this.#say("always") : this.#say("everythingMore");
    return h("fieldset", { part: "preference" },
      h("legend", { dir: "auto" }, workflow ? workflow.name : this.#say("everything")),
      note ? h("small", {}, note) : null,
      ...Object.entries(preference.channels).map(([channel, enabled]) => {
        const box = h("input", { type: "checkbox", role: "switch", checked: enabled, disabled: Boolean(workflow?.critical), "data-switch": `${workflow?.id ?? "all"} ${channel}`,
          onchange: () => this.#choose(workflow, channel, box.checked) });
        return h("label", {}, h("span", {}, this.#say(channel)), box);
      }));
  }

  async #choose(workflow, channel, enabled) {
    try {
      await this.#server.ask("PATCH", workflow ? `/preferences/${workflow.id}` : "/preferences", { [channel]: enabled });
      this.#emit("preference", { workflow: workflow?.identifier ?? null, channel, enabled });
    } catch (error) {
      this.#complain(error);
    }
    await this.#loadPrefs();
  }

  /* -------- keyboard, focus, place */

  #onTabKey(event) {
    const tabs = [...this.#parts.tabs.children];
    const at = tabs.indexOf(event.target.closest("[role=tab]"));
    const step = getComputedStyle(this).direction === "rtl" ? -1 : 1;
    const next = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: tabs.length - 1 }[event.key];
    if (event.key === "ArrowDown") {
      event.preventDefault();
      return this.#parts.feed.querySelector('.item[tabindex="0"]')?.focus();
    }
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    this.#show(tab.dataset.view);
    tab.focus();
  }

  #onFeedKey(event) {
    const item = event.target.closest(".item");
    if (!item || event.target.closest("input")) return;
    const items = [...this.#parts.feed.children];
    const at = items.indexOf(item);
    const next = { ArrowDown: at + 1, PageDown: at + 1, ArrowUp: at - 1, PageUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      if (next < 0) return this.#parts.tabs.querySelector("[aria-selected=true]").focus();
      if (next >= items.length) return this.#more && this.#loadMore().then(() => this.#parts.feed.children[next]?.focus());
      items[next].focus();
    } else if (event.key === "Enter" && event.target === item) {
      event.preventDefault();
      this.#activate(this.#messages[at]);
    }
  }

  #onPanelKey(event) {
    if (event.key === "Escape") {
      const opened = event.target.closest?.(".item")?.querySelector(".drawer:not([hidden])");
      if (opened) this.#toggleDrawer(opened, opened.closest(".item").querySelector("[aria-expanded=true]"));
      else if (this.#view === "preferences") this.#show("all");
      else if (this.#inline) return;
      else this.close();
      event.stopPropagation();
      event.preventDefault();
    } else if (event.key === "Tab" && this.#isSheet) {
      this.#keepInside(event);
    }
  }

  get #isSheet() { return !this.#inline && matchMedia("(max-width: 480px)").matches; }

  /** A sheet covers the page: nothing behind it may be reached. */
  #keepInside(event) {
    const places = [...this.#parts.panel.querySelectorAll("button, input, [tabindex='0']")].filter((each) => each.tabIndex >= 0 && !each.disabled && each.getClientRects().length);
    const [first, last] = [places[0], places.at(-1)];
    const active = this.shadowRoot.activeElement;
    if (event.shiftKey && (active === first || !places.includes(active))) {
      event.preventDefault();
      last?.focus();
    } else if (!event.shiftKey && active === last) {
      event.preventDefault();
      first?.focus();
    }
  }

  /** One message is in the tab order, with its buttons. */
  #setCurrent(item) {
    if (!item) return;
    for (const each of this.#parts.feed.children) {
      const index = each === item ? "0" : "-1";
      if (each.getAttribute("tabindex") === index && each.isSettled) continue;
      each.setAttribute("tabindex", index);
      each.isSettled = true;
      for (const inside of each.querySelectorAll("button, input, .body a")) inside.setAttribute("tabindex", index);
    }
  }

  #focusFirst() {
    if (!this.#isOpen || this.#inline) return;
    const { feed, panel } = this.#parts;
    const active = this.shadowRoot.activeElement;
    if (active && panel.contains(active) && active !== panel) return;
    (feed.hidden ? panel : feed.querySelector('.item[tabindex="0"]') ?? panel).focus({ preventScroll: true });
  }

  #focusedPlace() {
    const active = this.shadowRoot.activeElement;
    const item = active?.closest?.(".item");
    return item && { item, index: [...this.#parts.feed.children].indexOf(item), id: item.dataset.id, act: active.dataset.act };
  }

  /** After a redraw: the same button of the same message, else the message that took its place. */
  #restoreFocus(place) {
    if (!place || this.shadowRoot.activeElement?.closest?.(".item") === place.item) return;
    const items = [...this.#parts.feed.children];
    const same = items.find((each) => each.dataset.id === place.id);
    const item = same ?? items[Math.min(place.index, items.length - 1)];
    this.#setCurrent(item);
    ((same && place.act && item.querySelector(`[data-act="${place.act}"]:not(:disabled)`)) || item)?.focus({ preventScroll: Boolean(same) });
  }

  #onScroll() {
    const { scroll } = this.#parts;
    if (this.#more && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 200) this.#loadMore();
  }

  #listenOutside() {
    this.#off?.abort();
    this.#off = new AbortController();
    const options = { signal: this.#off.signal };
    if (this.#inline) return;
    document.addEventListener("pointerdown", (event) => event.composedPath().includes(this) || this.close(false), options);
    document.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && this.close(), options);
    addEventListener("resize", () => this.#place(), options);
    addEventListener("scroll", () => this.#place(), { ...options, capture: true, passive: true });
  }

  /** Beside the bell where there is room, within the window. */
  #place() {
    const { panel, bell } = this.#parts;
    if (this.#inline) return;
    panel.setAttribute("aria-modal", String(this.#isSheet));
    const [side = "bottom", align = "end"] = (this.getAttribute("placement") || "").split("-").filter(Boolean);
    const box = bell.getBoundingClientRect();
    const gap = 8;
    const [above, below] = [box.top - 2 * gap, innerHeight - box.bottom - 2 * gap];
    const upwards = side === "top" ? above > 240 || above > below : below < 240 && above > below;
    panel.style.setProperty("--_room", `${Math.max(200, upwards ? above : below)}px`);
    const toEnd = (align === "end") === (getComputedStyle(this).direction !== "rtl");
    const x = toEnd ? box.right - panel.offsetWidth : box.left;
    panel.style.setProperty("--_x", `${Math.max(gap, Math.min(x, document.documentElement.clientWidth - panel.offsetWidth - gap))}px`);
    panel.style.setProperty("--_y", `${upwards ? Math.max(gap, box.top - gap - panel.offsetHeight) : box.bottom + gap}px`);
  }
}

if (globalThis.customElements && !customElements.get("tidings-inbox")) customElements.define("tidings-inbox", TidingsInbox);
