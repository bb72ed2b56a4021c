"use strict";
// Filters the rows of the servers, by what they say and by their result in a revision.
(() => {
  const $ = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll("tr[data-marks]")].map((tr) => ({ tr, text: tr.textContent.toLowerCase(), marks: tr.dataset.marks.split(" ") }));
  const filter = () => {
    const words = $("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const revision = $("f-revision").selectedIndex - 1; // -1 is any of them
    const mark = $("f-mark").value;
    const fits = (x) => !mark || (revision < 0 ? x.marks.includes(mark) : x.marks[revision] === mark);
    let n = 0;
    for (const x of rows) {
      const shown = fits(x) && words.every((w) => x.text.includes(w));
      x.tr.hidden = !shown;
      if (shown) n++;
    }
    $("f-count").textContent = `${n} of ${rows.length} servers`;
  };
  $("f-text").addEventListener("input", filter);
  for (const id of ["f-revision", "f-mark"]) $(id).addEventListener("change", filter);
  document.addEventListener("keydown", (e) => {
    const box = $("f-text");
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && document.activeElement.tagName !== "INPUT") {
      e.preventDefault();
      box.focus();
    }
    if (e.key === "Escape" && document.activeElement === box) {
      box.value = "";
      filter();
    }
  });
  for (const table of document.querySelectorAll("table.servers")) sortable(table);
  $("tools").hidden = false;
  filter();
})();
