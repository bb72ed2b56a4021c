"use strict";
// The verdict and a line for each finding are in the document. The script makes the
// rest from the data beside it, and only what is looked at: conversations when they are
// opened, the rows of the matrix and what is known of the findings while the browser has
// nothing else to do, or when one is asked for.
// What a target sent only ever becomes text, never markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const table = $("rows");
  const signs = { pass: "✓", fail: "✗", warn: "!", blocked: "?", "not-applicable": "–" };
  const words = { pass: "passed", fail: "failed", warn: "warning", blocked: "blocked", "not-applicable": "not applicable" };
  const label = (r) => words[r.v] + (r.excused ? ", excused" : "");

  const make = (tag, className, ...children) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
    return node;
  };
  const fact = (list, name, value) => {
    if (value) list.append(make("dt", "", name), make("dd", "", value));
  };
  const link = (url, text) => {
    const a = make("a", "", text);
    a.href = url;
    a.rel = "noreferrer";
    return a;
  };

  // Commands are there to be copied. Where a page has no clipboard of its own, as at an
  // address without encryption, what is selected is copied.
  const copy = async (code, button) => {
    let done = true;
    try { await navigator.clipboard.writeText(code.textContent); } catch {
      getSelection().selectAllChildren(code);
      done = document.execCommand("copy");
    }
    button.firstChild.data = done ? "Copied" : "Selected";
    $("copied").textContent = done ? "Copied" : "Selected, to be copied by hand";
    setTimeout(() => { button.firstChild.data = "Copy"; $("copied").textContent = ""; }, 2000);
  };
  const copied = (code, name) => {
    const button = make("button", "copy", "Copy", make("span", "hidden", ": " + name));
    button.type = "button";
    button.addEventListener("click", () => copy(code, button));
    return button;
  };
  const command = (list, name, text) => {
    if (!text) return;
    const code = make("code", "command", text);
    fact(list, name, make("span", "", code, " ", copied(code, name)));
  };
  for (const code of document.querySelectorAll("code.command")) code.after(" ", copied(code, code.closest("dd")?.previousElementSibling.textContent ?? "the command"));

  // Conversations.
  let frames = null;
  const frame = (n) => {
    frames ??= JSON.parse($("frames").textContent);
    const f = frames[n];
    if (!f) return null;
    const arrow = { out: "→ to the target", in: "← from the target" }[f.d] || "· event";
    const meta = make("div", "meta", make("span", "", arrow), make("span", "", "#" + n), f.s ? make("span", "", f.s) : null,
      make("span", "", f.t.toFixed(1) + " ms"), f.l ? make("span", "mono", f.l) : null);
    const item = make("li", f.d, meta);
    if (f.n) item.append(make("div", "", f.n));
    if (f.k) item.append(make("pre", "headers", f.k));
    if (f.h) item.append(make("details", "", make("summary", "", "all headers"), make("pre", "", f.h)));
    if (f.x) {
      const pre = make("pre", "", f.x);
      pre.tabIndex = 0;
      item.append(pre);
    }
    if (f.m) item.append(make("div", "soft", f.m));
    return item;
  };
  const conversation = (numbers) => {
    const most = 60;
    const list = make("ol", "wire");
    let known = 0;
    for (const n of numbers) {
      if (list.children.length === most) break;
      const item = frame(n);
      if (!item) continue;
      list.append(item);
      known++;
    }
    const box = make("div", "", known ? list : null);
    if (known < numbers.length) box.append(make("p", "soft", `${numbers.length - known} frames more are in the JSON report`));
    return box;
  };
  // What a row of the matrix opens to.
  const verdict = (q, r) => {
    const box = make("div", "combo");
    const where = make("span", "");
    r.in.forEach((i, k) => {
      const c = data.columns[i];
      where.append(k ? ", " : "", link(address(q, c), `${c.revision} on ${c.transport}`));
    });
    box.dataset.in = r.in.join(" ");
    box.append(make("span", "chip v-" + r.v, label(r)), " ", where);
    const facts = make("dl", "facts");
    fact(facts, "Code", r.code);
    fact(facts, "Because", r.reason);
    fact(facts, "Expected", r.expected);
    fact(facts, "Actual", r.actual);
    fact(facts, "Change", r.hint);
    fact(facts, "SDK", r.sdk);
    fact(facts, "Excused", r.excused);
    command(facts, "Send", r.paste);
    command(facts, "Repeat", r.rerun);
    box.append(facts);
    if (!r.frames) return box;
    if (r.v === "pass" || r.v === "not-applicable") {
      const fold = make("details", "", make("summary", "", "What was said"));
      fold.addEventListener("toggle", () => { if (fold.open && fold.children.length === 1) fold.append(conversation(r.frames)); });
      box.append(fold);
    } else box.append(conversation(r.frames));
    return box;
  };
  const detail = (q) => {
    const facts = make("dl", "facts");
    fact(facts, "Section", q.link ? link(q.link, q.section) : q.section);
    fact(facts, "Tolerated", q.tolerated);
    const cell = make("td", "", make("div", "", q.text && make("p", "", q.text), facts, ...q.results.map((r) => verdict(q, r))));
    cell.colSpan = 2 + data.columns.length;
    return make("tr", "detail", cell);
  };

  // The rows of the matrix, in the order of the data, a body for each area.
  const address = (q, c) => "#" + [q.id, c.revision, c.transport].map(encodeURIComponent).join("/");
  const items = data.requirements.map((q) => ({ q, row: null, detail: null, shown: true }));
  const byID = new Map(items.map((x) => [x.q.id, x]));
  const names = new Map(data.areas.map((a) => [a.key, a.name]));
  let built = 0, body = null;
  const row = (q) => {
    const button = make("button", "", make("span", "mono", q.id), " ", q.title);
    button.type = "button";
    button.tabIndex = -1;
    button.setAttribute("aria-expanded", "false");
    const head = make("th", "", button);
    head.scope = "row";
    const cells = data.columns.map(() => make("td", "c"));
    for (const r of q.results) {
      for (const i of r.in) {
        const c = data.columns[i];
        const a = make("a", "", signs[r.v]);
        a.href = address(q, c);
        a.tabIndex = -1;
        a.setAttribute("aria-label", `${label(r)} in ${c.revision} on ${c.transport}`);
        cells[i].className = "c v-" + r.v;
        cells[i].append(a);
      }
    }
    const line = make("tr", "", head, make("td", "", q.level), ...cells);
    line.id = q.id;
    return line;
  };
  const area = (key) => {
    const name = names.get(key) ?? key;
    const head = make("th", "", name, name === key ? "" : make("span", "soft mono", " " + key));
    head.colSpan = 2 + data.columns.length;
    head.scope = "rowgroup";
    body = make("tbody", "", make("tr", "area", head));
    body.dataset.area = key;
    table.append(body);
  };
  const build = (to) => {
    for (; built < to && built < items.length; built++) {
      const x = items[built];
      if (!body || body.dataset.area !== x.q.area) area(x.q.area);
      x.row = row(x.q);
      show(x, x.shown);
      body.append(x.row);
    }
  };
  const show = (x, on) => {
    x.shown = on;
    if (x.row && x.row.hidden === on) x.row.hidden = !on;
    if (x.detail) x.detail.hidden = !on;
  };
  // What a finding opens to: first the facts, and the conversation once it is open.
  const findings = [...document.querySelectorAll("details.finding[data-place]")];
  const tell = (finding) => {
    if (!finding.dataset.place) return;
    const { q } = byID.get(finding.dataset.requirement);
    const r = q.results[finding.dataset.place];
    const facts = make("dl", "facts");
    fact(facts, "Level", make("span", "", q.level, ", ", q.link ? link(q.link, q.section) : q.section));
    if (r.v === "warn") fact(facts, "Why a warning", r.reason);
    fact(facts, "Excused", r.excused);
    fact(facts, "In", finding.querySelector(".where").textContent);
    for (const id of (finding.dataset.also || "").split(" ").filter((id) => byID.has(id))) fact(facts, "Also", link("#" + encodeURIComponent(id), id + " " + byID.get(id).q.title));
    fact(facts, "Expected", r.expected);
    fact(facts, "Actual", r.actual);
    if (r.v !== "warn" && r.reason !== r.actual) fact(facts, "Because", r.reason);
    fact(facts, "Change", r.hint);
    fact(facts, "SDK", r.sdk);
    command(facts, "Send", r.paste);
    command(facts, "Repeat", r.rerun);
    finding.append(make("div", "body", facts, make("div", "said"), make("p", "", link("#" + encodeURIComponent(q.id), "All verdicts on " + q.id))));
    finding.frames = r.frames;
    delete finding.dataset.place;
  };
  const unfold = (finding) => {
    tell(finding);
    if (!finding.frames) return;
    finding.querySelector(".said").append(make("h3", "", "What was said"), conversation(finding.frames));
    finding.frames = null;
  };
  for (const d of findings) d.addEventListener("toggle", () => { if (d.open) unfold(d); });

  const spare = window.requestIdleCallback ? (f) => requestIdleCallback(f, { timeout: 300 }) : (f) => setTimeout(f, 30);
  let told = 0;
  const more = () => {
    if (built < items.length) {
      build(built + 30);
      heads();
    } else findings.slice(told, told += 50).forEach(tell);
    if (built < items.length || told < findings.length) spare(more);
  };
  // An area without a row that is shown has no head either.
  const heads = () => {
    const wanted = new Set(items.filter((x) => x.shown).map((x) => x.q.area));
    for (const b of table.tBodies) b.hidden = !wanted.has(b.dataset.area);
  };

  const button = (x) => x.row.cells[0].querySelector("button");
  const open = (x, on = true) => {
    if (Boolean(x.detail) === on) return;
    button(x).setAttribute("aria-expanded", String(on));
    if (on) x.row.after(x.detail = detail(x.q));
    else {
      x.detail.remove();
      x.detail = null;
    }
  };

  // Only one row is in the order of the Tab key; arrows move it.
  let current = null;
  const focusable = (x) => {
    if (current) button(current).tabIndex = -1;
    current = x;
    if (x) {
      build(items.indexOf(x) + 1);
      button(x).tabIndex = 0;
    }
  };
  table.addEventListener("click", (event) => {
    const x = event.target.closest("th button") && byID.get(event.target.closest("tr").id);
    if (!x) return;
    focusable(x);
    open(x, !x.detail);
  });
  table.addEventListener("keydown", (event) => {
    const x = byID.get(event.target.closest("tr").id);
    if (!x || event.ctrlKey || event.metaKey || event.altKey) return;
    const stops = (y) => [button(y), ...y.row.querySelectorAll("td.c a")];
    const here = stops(x).indexOf(event.target);
    const list = items.filter((y) => y.shown);
    const at = list.indexOf(x);
    let to = x, stop = here;
    switch (event.key) {
      case "ArrowDown": to = list[at + 1]; break;
      case "ArrowUp": to = list[at - 1]; break;
      case "Home": to = list[0]; break;
      case "End": to = list[list.length - 1]; break;
      case "ArrowRight": stop++; break;
      case "ArrowLeft": stop = Math.max(0, here - 1); break;
      default: return;
    }
    if (here < 0) return;
    event.preventDefault();
    if (!to) return;
    focusable(to);
    const all = stops(to);
    all[Math.min(stop, all.length - 1)].focus();
  });

  // Filters act on the findings and on the rows of the matrix. They stand in the address,
  // behind what it leads to: #PAGE-02/2025-06-18/http?verdict=fail,warn
  const text = $("f-text"), fields = { find: text, area: $("f-area"), level: $("f-level"), revision: $("f-revision") };
  const boxes = [...document.querySelectorAll('input[name="verdict"]')];
  const every = [...document.querySelectorAll("details.finding[data-requirement]")];
  const find = (x) => x.find ??= [x.q.id, x.q.title, x.q.text, ...x.q.results.flatMap((r) => [r.code, r.reason, r.actual])].join(" ").toLowerCase();
  const path = () => location.hash.slice(1).split("?")[0];
  const note = () => {
    const query = new URLSearchParams();
    for (const [name, field] of Object.entries(fields)) if (field.value) query.set(name, field.value);
    const on = boxes.filter((b) => b.checked).map((b) => b.value);
    if (on.length < boxes.length) query.set("verdict", on.join(","));
    const hash = (path() ? "#" + path() : "") + (query.size ? (path() ? "?" : "#?") + query : "");
    if (hash !== location.hash) history.replaceState(null, "", location.href.split("#")[0] + hash);
  };
  const filter = () => {
    const sought = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
    const { area, level, revision } = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const within = (columns) => !revision || columns.some((i) => data.columns[i].revision === revision);
    const about = (q) => (!area || q.area === area) && (!level || q.level === level);
    let shown = 0, told = 0;
    for (const x of items) {
      const ok = about(x.q) && x.q.results.some((r) => wanted.has(r.v) && within(r.in)) && sought.every((w) => find(x).includes(w));
      show(x, ok);
      if (ok) shown++;
    }
    for (const finding of every) {
      const x = byID.get(finding.dataset.requirement);
      const says = finding.querySelector("summary").textContent.toLowerCase();
      const ok = (!x || about(x.q)) && wanted.has(finding.dataset.verdict) && within(finding.dataset.in.split(" ").filter(Boolean)) &&
        sought.every((w) => says.includes(w) || x && find(x).includes(w));
      finding.hidden = !ok;
      if (ok) told++;
    }
    heads();
    $("f-count").textContent = `${shown} of ${items.length} requirements` + (every.length ? `, ${told} of ${every.length} findings` : "");
    $("nothing").hidden = shown > 0;
    if ($("no-finding")) $("no-finding").hidden = [...$("no-finding").parentElement.querySelectorAll("details.finding")].some((d) => !d.hidden);
    if (!current || !current.shown) focusable(items.find((x) => x.shown) || null);
    note();
  };
  const reset = () => {
    for (const field of Object.values(fields)) field.value = "";
    boxes.forEach((b) => { b.checked = true; });
    filter();
  };
  // What an address says of the filters; one that says nothing leaves them as they are.
  const restore = () => {
    const at = location.hash.indexOf("?");
    if (at < 0) return note();
    const query = new URLSearchParams(location.hash.slice(at + 1));
    for (const [name, field] of Object.entries(fields)) {
      field.value = query.get(name) ?? "";
      if (field.selectedIndex < 0) field.value = "";
    }
    const on = query.get("verdict")?.split(",");
    boxes.forEach((b) => { b.checked = !on || on.includes(b.value); });
    filter();
  };
  text.addEventListener("input", filter);
  for (const field of [fields.area, fields.level, fields.revision, ...boxes]) field.addEventListener("change", filter);
  $("f-reset").addEventListener("click", reset);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      event.preventDefault();
      text.focus();
    }
  });

  // The head of the table stays below the filters, which may take several lines; what a
  // link leads to comes below both, where they stay in sight.
  const tools = $("tools"), style = document.documentElement.style;
  const measure = () => {
    const height = (node) => getComputedStyle(node).position === "sticky" ? node.offsetHeight : 0;
    style.setProperty("--tools", tools.offsetHeight + "px");
    style.setProperty("--heads", height(tools) + height(table.tHead) + "px");
  };
  const sizes = new ResizeObserver(measure);
  for (const node of [tools, table.tHead]) sizes.observe(node);

  // Deep links: #PAGE-02, or #PAGE-02/2025-06-18/http.
  const follow = () => {
    restore();
    let parts = path().split("/");
    try { parts = parts.map(decodeURIComponent); } catch { return; }
    const [id, revision, transport] = parts;
    const x = byID.get(id);
    if (!x) return;
    if (!x.shown) reset();
    focusable(x);
    open(x);
    document.querySelectorAll(".combo.aim").forEach((n) => n.classList.remove("aim"));
    const column = data.columns.findIndex((c) => c.revision === revision && c.transport === transport);
    const box = [...x.detail.querySelectorAll(".combo")].find((n) => n.dataset.in.split(" ").includes(String(column)));
    if (box) {
      // It comes first, so that it stands in sight together with the row it belongs to.
      x.detail.querySelector(".combo").before(box);
      box.classList.add("aim");
    }
    measure();
    x.row.scrollIntoView({ block: "start" });
    button(x).focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", follow);

  // Paper has nothing to click, and each sheet says whose it is.
  const whose = document.querySelector("header.top > div").innerText;
  const printable = whose.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]+|[\\"]/gu, " ").slice(0, 160);
  document.styleSheets[0].insertRule(`@page { font: 8pt sans-serif;
    @top-left { width: 100%; content: "${printable}"; } @bottom-right { content: counter(page) "/" counter(pages); } }`);
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    build(items.length);
    heads();
    unfolded = [...document.querySelectorAll("details:not([open])")];
    for (const d of unfolded) {
      if (d.dataset.requirement) unfold(d);
      d.open = true;
    }
  });
  window.addEventListener("afterprint", () => unfolded.forEach((d) => { d.open = false; }));

  for (const id of ["tools", "keys", "wide"]) $(id).hidden = false;
  if (!location.hash.includes("?")) filter();
  follow();
  spare(more);
})();
