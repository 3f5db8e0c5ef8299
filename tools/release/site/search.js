// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The search of the site: rows of INDEX ([label, kind, url, text]) that hold every word of the
// query, names before texts. It reads nothing but index.js, so it works on files.
"use strict";

const SHOWN = 25;
const up = document.body.dataset.up;
const box = document.getElementById("search");
const list = document.getElementById("found");
const rows = INDEX.map(([label, kind, url, text]) => ({
  label, kind, url, text, low: label.toLowerCase(), all: `${label} ${text}`.toLowerCase(),
}));

// The lower, the better; null: not found.
function rank(row, words, whole) {
  for (const word of words) if (!row.all.includes(word)) return null;
  const last = row.low.split(/::|\./).pop();
  if (row.low === whole || last === whole) return 0;
  if (row.low.startsWith(whole) || last.startsWith(whole)) return 1;
  if (words.every((word) => row.low.includes(word))) return 2;
  return row.all.includes(whole) ? 3 : 4;
}

function find(query) {
  const whole = query.trim().toLowerCase();
  if (!whole) return [];
  const words = whole.split(/\s+/);
  const found = [];
  for (const row of rows) {
    const place = rank(row, words, whole);
    if (place !== null) found.push([place, row.label.length, row]);
  }
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return found.slice(0, SHOWN).map((entry) => entry[2]);
}

function show() {
  list.replaceChildren(...find(box.value).map((row, i) => {
    const item = document.createElement("li");
    if (i === 0) item.className = "chosen";
    const link = document.createElement("a");
    link.href = up + row.url;
    link.textContent = row.label;
    const kind = document.createElement("small");
    kind.textContent = row.kind;
    item.append(link, kind);
    return item;
  }));
}

function choose(step) {
  const items = [...list.children];
  const now = items.findIndex((item) => item.className === "chosen");
  const next = Math.min(Math.max(now + step, 0), items.length - 1);
  items.forEach((item, i) => { item.className = i === next ? "chosen" : ""; });
  if (items[next]) items[next].scrollIntoView({ block: "nearest" });
}

box.addEventListener("input", show);
box.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(1);
  else if (event.key === "ArrowUp") choose(-1);
  else if (event.key === "Enter") list.querySelector(".chosen a")?.click();
  else if (event.key === "Escape") { box.value = ""; show(); box.blur(); } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
