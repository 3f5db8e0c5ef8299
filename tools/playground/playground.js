// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The page: one scenario, chosen profiles, and the answers of the command line about them.
"use strict";

const at = (selector) => document.querySelector(selector);
const examples = JSON.parse(at("#examples").textContent);
let scenario = "";  // what the last command Schedule was about

// --- The library

const worker = new Worker(URL.createObjectURL(new Blob([at("#worker").textContent])));
const waiting = new Map();
let asked = 0;

worker.onmessage = ({data}) => {
  if (data.ready) return start();
  waiting.get(data.id)(data);
  waiting.delete(data.id);
};

// Runs `muster WORDS...` on files in memory.
function muster(words, files, read) {
  return new Promise((resolve) => {
    waiting.set(++asked, resolve);
    worker.postMessage({id: asked, words, files, read});
  });
}

function onScenario(command, ...words) {
  return muster([command, "scenario.json", ...words], {"scenario.json": scenario});
}

function say(text, bad = false) {
  at("#status").textContent = text;
  at("#status").classList.toggle("bad", bad);
}

// --- Cluster and profiles

function chosenProfiles() {
  const chosen = [...document.querySelectorAll("#profiles input:checked")].map((box) => box.value);
  const spec = at("#spec").value.trim();
  return spec ? [spec, ...chosen] : chosen;
}

// A scenario as it is; a dump as its importer reads it, with notes about what it leaves out.
async function readCluster(text) {
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch (problem) {
    throw new Error(`this is no JSON: ${problem.message}`);
  }
  at("#notes").replaceChildren();
  if (parsed !== null && typeof parsed === "object" && "muster" in parsed) return text;
  const read = await muster(["import", "dump.json", "-o", "scenario.json"], {"dump.json": text},
                            ["scenario.json"]);
  if (read.code !== 0) throw new Error(read.error);
  for (const line of read.error.split("\n").filter(Boolean)) {
    const item = document.createElement("li");
    item.textContent = line.replace(/^muster: /, "");
    at("#notes").append(item);
  }
  return read.files["scenario.json"];
}

async function schedule() {
  at("#go").disabled = true;
  say("Scheduling");
  const began = performance.now();
  try {
    scenario = await readCluster(at("#text").value);
    const profiles = chosenProfiles();
    const profile = profiles.length > 0 ? ["--profile", profiles[0]] : [];
    const list = profiles.length > 0 ? ["--profiles", profiles.join(" ")] : [];
    const run = await onScenario("run", ...profile);
    if (run.code !== 0) throw new Error(run.error);
    at("#decisions pre").textContent = run.out;
    at("#page iframe").srcdoc = (await onScenario("page", ...profile, ...list)).out;
    at("#reasons pre").textContent = (await onScenario("explain", ...profile)).out;
    showTable(await onScenario("compare", ...list, "--format", "csv"));
    listJobs();
    say(`${run.out.trimEnd().split("\n").pop()}\n${Math.round(performance.now() - began)} ms`);
  } catch (problem) {
    say(problem.message, true);
  }
  at("#go").disabled = false;
}

function listJobs() {
  const names = (JSON.parse(scenario).jobs ?? []).map((job) => job.name).filter(Boolean);
  at("#jobs").replaceChildren(...names.slice(0, 1000).map((name) => new Option(name, name)));
}

// --- Answers

function cells(line) {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
      .map(([, cell]) => cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
      .slice(0, -1);
}

function showTable({code, out, error}) {
  const rows = (code === 0 ? out.trimEnd().split("\n") : [error]).map(cells);
  at("#compare table").replaceChildren(...rows.map((row, i) => {
    const line = document.createElement("tr");
    for (const text of row) {
      const cell = document.createElement(i === 0 ? "th" : "td");
      cell.textContent = text;
      line.append(cell);
    }
    return line;
  }));
}

function firstProfile() {
  const profiles = chosenProfiles();
  return profiles.length > 0 ? ["--profile", profiles[0]] : [];
}

async function showRemedies(event) {
  event.preventDefault();
  if (!scenario) return say("Schedule a cluster first", true);
  const answer = await onScenario("remedies", at("#job").value, ...firstProfile());
  at("#reasons pre").textContent = answer.code === 0 ? answer.out : answer.error;
}

function changesOf(form) {
  const words = [];
  const add = (flag, value) => value && words.push(flag, value);
  if (Number(form.count.value) > 0) {
    add("--add-nodes", form.capacity.value);
    add("--count", form.count.value);
  }
  add("--remove-node", form.node.value);
  add("--remove-job", form.removed.value);
  add("--queue", form.queue.value);
  add("--weight", form.weight.value);
  add("--limit", form.limit.value);
  return words;
}

async function showChanges(event) {
  event.preventDefault();
  if (!scenario) return say("Schedule a cluster first", true);
  const answer = await onScenario("what-if", "--plan", ...firstProfile(), ...changesOf(event.target));
  at("#changes pre").textContent = answer.code === 0 ? answer.out : answer.error;
}

// --- The page itself

function take(text) {
  at("#text").value = text;
  schedule();
}

function selectTab(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.setAttribute("aria-selected", tab.dataset.tab === name);
    at(`#${tab.dataset.tab}`).hidden = tab.dataset.tab !== name;
  }
}

function listen() {
  at("#go").onclick = schedule;
  at("#example").onchange = ({target}) => target.value && take(examples[target.value].text);
  at("#file").onchange = async ({target}) => target.files[0] && take(await target.files[0].text());
  for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => selectTab(tab.dataset.tab);
  at("#reasons form").onsubmit = showRemedies;
  at("#changes form").onsubmit = showChanges;
  document.ondragover = (event) => {
    event.preventDefault();
    at("#drop").classList.add("over");
  };
  document.ondragleave = () => at("#drop").classList.remove("over");
  document.ondrop = async (event) => {
    event.preventDefault();
    at("#drop").classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file) take(await file.text());
  };
}

async function start() {
  const {profiles} = JSON.parse((await muster(["profiles", "--json"])).out);
  at("#profiles").replaceChildren(...profiles.map(({name, summary}) => {
    const label = document.createElement("label");
    label.title = summary;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = name;
    label.append(box, ` ${name}`);
    return label;
  }));
  examples.forEach(({title}, i) => at("#example").append(new Option(title, i)));
  listen();
  at("#go").disabled = false;
  say("Ready");
  if (location.hash === "#example") {  // a link to the page with something to see
    at("#example").value = 0;
    take(examples[0].text);
  }
}

const packed = Uint8Array.from(atob(at("#wasm").textContent), (c) => c.charCodeAt(0));
worker.postMessage({wasm: packed}, [packed.buffer]);
