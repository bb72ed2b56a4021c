"use strict";
// sortable makes the heads of a table buttons that sort its rows.
const sortable = (list) => {
  const heads = [...list.tHead.rows[0].cells];
  heads.forEach((th, i) => {
    if (!th.classList.contains("sort")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = th.textContent;
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === (th.classList.contains("n") ? "descending" : "ascending");
      const up = th.classList.contains("n") ? down : !down;
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => row.cells[i].textContent.trim();
      const rows = [...list.tBodies[0].rows];
      rows.sort((a, b) => (th.classList.contains("n") ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b))) * (up ? 1 : -1));
      list.tBodies[0].append(...rows);
    });
  });
};
