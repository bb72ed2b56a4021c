"use strict";
// What a target sent only ever becomes text, never markup. The grid holds as many
// targets as a screen can show; the buttons turn over to the others.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const verdicts = ["fail", "warn", "blocked", "pass", "not-applicable"];
  const signs = ["✗", "!", "?", "✓", "–"];
  const words = ["failed", "warning", "blocked", "passed", "not applicable"];
  const page = 60;
  let from = 0;

  const make = (tag, className, ...children) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children);
    return node;
  };

  data.requirements.forEach((q, i) => {
    q.i = i;
    q.find = (q.id + " " + q.title).toLowerCase();
    const seen = new Set();
    q.red = 0;
    for (const t of data.targets) {
      const c = t.verdicts[i];
      if (c === "0" || c === "1") q.red++;
      if (c === "0" || c === "1" || c === "3") seen.add(c);
    }
    q.differs = seen.size > 1;
  });

  const draw = () => {
    const text = $("f-text").value.trim().toLowerCase();
    const name = $("f-target").value.trim().toLowerCase();
    const show = $("f-show").value;
    const rows = data.requirements.filter((q) => (!text || q.find.includes(text)) && (show === "all" || (show === "red" ? q.red > 0 : q.differs)));
    if ($("s-rows").value === "red") rows.sort((a, b) => b.red - a.red || a.i - b.i);
    const all = data.targets.filter((t) => !name || t.name.toLowerCase().includes(name));
    const order = $("s-columns").value;
    if (order === "red") all.sort((a, b) => b.fail - a.fail);
    if (order === "green") all.sort((a, b) => a.fail - b.fail);
    from = Math.max(0, Math.min(from, Math.floor((all.length - 1) / page) * page));
    const columns = all.slice(from, from + page);

    const table = $("grid");
    table.querySelectorAll("colgroup, thead, tbody").forEach((n) => n.remove());
    const group = make("colgroup", "", make("col", "q"));
    const head = make("tr", "");
    const corner = make("th", "", "Requirement");
    corner.scope = "col";
    head.append(corner);
    for (const t of columns) {
      group.append(make("col", "v"));
      const th = make("th", "t", make("span", "", t.name));
      th.scope = "col";
      th.title = t.name;
      head.append(th);
    }
    const body = make("tbody", "");
    for (const q of rows) {
      const th = make("th", "", make("span", "mono", q.id), " ", q.title);
      th.scope = "row";
      const row = make("tr", q.differs ? "differs" : "", th);
      for (const t of columns) {
        const k = t.verdicts[q.i] === " " ? -1 : Number(t.verdicts[q.i]);
        const td = make("td", k < 0 ? "" : "v-" + verdicts[k]);
        if (k >= 0 && t.page) {
          const a = make("a", "", signs[k]);
          a.href = t.page + "#" + encodeURIComponent(q.id);
          a.setAttribute("aria-label", `${q.id}: ${words[k]} for ${t.name}`);
          td.append(a);
        } else if (k >= 0) td.append(make("span", "", signs[k]), make("span", "hidden", words[k]));
        row.append(td);
      }
      body.append(row);
    }
    table.append(group, make("thead", "", head), body);
    table.hidden = false;
    const span = all.length > page ? `, targets ${from + 1} to ${from + columns.length} of ${all.length}` : `, ${all.length} targets`;
    $("f-count").textContent = `${rows.length} of ${data.requirements.length} requirements${span}`;
    $("before").disabled = from === 0;
    $("after").disabled = from + page >= all.length;
  };

  for (const id of ["f-text", "f-target"]) $(id).addEventListener("input", () => { from = 0; draw(); });
  for (const id of ["f-show", "s-rows", "s-columns"]) $(id).addEventListener("change", draw);
  $("before").addEventListener("click", () => { from -= page; draw(); });
  $("after").addEventListener("click", () => { from += page; draw(); });

  sortable($("targets"));
  for (const id of ["tools", "legend"]) $(id).hidden = false;
  draw();
})();
