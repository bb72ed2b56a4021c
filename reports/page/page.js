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
    fact(facts, "Excused", r.excused);
    fact(facts, r.as, r.paste && make("code", "command", r.paste));
    fact(facts, "Repeat", r.rerun && make("code", "command", r.rerun));
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
    fact(facts, "Expected", r.expected);
    fact(facts, "Actual", r.actual);
    if (r.v !== "warn" && r.reason !== r.actual) fact(facts, "Because", r.reason);
    fact(facts, "Change", r.hint);
    fact(facts, r.as, r.paste && make("code", "command", r.paste));
    fact(facts, "Repeat", r.rerun && make("code", "command", r.rerun));
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

  // Filters.
  const text = $("f-text"), inArea = $("f-area"), level = $("f-level");
  const boxes = [...document.querySelectorAll('input[name="verdict"]')];
  const find = (x) => x.find ??= [x.q.id, x.q.title, x.q.text, ...x.q.results.flatMap((r) => [r.code, r.reason, r.actual])].join(" ").toLowerCase();
  const filter = () => {
    const sought = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
    let shown = 0;
    for (const x of items) {
      const ok = (!inArea.value || x.q.area === inArea.value) && (!level.value || x.q.level === level.value) &&
        x.q.results.some((r) => wanted.has(r.v)) && sought.every((w) => find(x).includes(w));
      show(x, ok);
      if (ok) shown++;
    }
    heads();
    $("f-count").textContent = `${shown} of ${items.length} requirements`;
    $("nothing").hidden = shown > 0;
    if (!current || !current.shown) focusable(items.find((x) => x.shown) || null);
  };
  const reset = () => {
    text.value = inArea.value = level.value = "";
    boxes.forEach((b) => { b.checked = true; });
    filter();
  };
  text.addEventListener("input", filter);
  for (const field of [inArea, level, ...boxes]) field.addEventListener("change", filter);
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
    let parts = location.hash.slice(1).split("/");
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

  // Paper has nothing to click.
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    build(items.length);
    heads();
    unfolded = [...document.querySelectorAll("details.finding:not([open])")];
    for (const d of unfolded) {
      if (d.dataset.requirement) unfold(d);
      d.open = true;
    }
  });
  window.addEventListener("afterprint", () => unfolded.forEach((d) => { d.open = false; }));

  // The head of the table stays below the filters, which may take several lines.
  for (const id of ["tools", "keys", "wide"]) $(id).hidden = false;
  filter();
  follow();
  spare(more);
})();
