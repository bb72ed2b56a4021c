"use strict";
// Opens the pages in headless Chromium: nothing on the console, the policy of the page in
// force, no violation found by axe in light, dark or print, filters that act on findings and
// stay in the address, commands that can be copied, keys, deep links, narrow windows, no scripts, and how long 5,000 results take.
// usage: node browser.cjs DIRECTORY-WITH-NODE_MODULES DIRECTORY-WITH-REPORTS
const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const [modules, out] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "node_modules/playwright-core"));
const axe = fs.readFileSync(path.join(modules, "node_modules/axe-core/axe.min.js"), "utf8");

const wanted = 5000; // results
const rounds = 5; // of which the median is told
const grossly = 5000; // milliseconds that are wrong on any machine

const fail = (message) => { console.error(message); process.exitCode = 1; };

// many writes a report of more than 5,000 results, of invented revisions, with a summary that fits them.
const many = () => {
  const report = JSON.parse(fs.readFileSync(path.join(out, "bad.json")));
  const results = [], combinations = [], before = report.results.length;
  for (let k = 0; results.length < wanted; k++) {
    const rename = (x) => ({ ...x, revision: k ? x.revision.slice(0, 8) + String(k + 10) : x.revision });
    results.push(...report.results.map(rename));
    combinations.push(...report.summary.combinations.map(rename));
  }
  report.results = results;
  report.summary.combinations = combinations.sort((a, b) => (a.revision < b.revision ? -1 : a.revision > b.revision ? 1 : 0));
  const times = results.length / before;
  for (const counts of [report.summary, report.summary.security]) {
    for (const [name, n] of Object.entries(counts)) {
      if (typeof n === "number" && !["observations", "duration_ms"].includes(name)) counts[name] = n * times;
    }
  }
  delete report.summary.revisions; // as an earlier version wrote it
  const json = path.join(out, "many.json"), html = path.join(out, "many.html");
  fs.writeFileSync(json, JSON.stringify(report));
  execFileSync(path.join(modules, "mcpcheck"), ["report", "convert", json, "--html", html, "--quiet"], { stdio: "ignore" });
  return html;
};

const open = async (browser, file, { scheme = "light", hash = "", width = 1300, tools = true } = {}) => {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  page.on("pageerror", (e) => errors.push(String(e)));
  // Ready is the first frame that is shown after the script of the page has run.
  await page.addInitScript(() => document.addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => setTimeout(() => { window.ready = performance.now(); }))));
  await page.goto("file://" + file + hash);
  await page.waitForFunction((tools) => window.ready && (!tools || !document.getElementById("tools").hidden), tools);
  const close = async (what) => {
    for (const e of errors) fail(`${what}: ${e}`);
    await context.close();
  };
  return { page, close };
};

const accessible = async (page, what) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const v of violations) fail(`${what}: ${v.id}: ${v.nodes[0].html.slice(0, 200)}`);
};

const whole = (page) => page.waitForFunction(() => document.querySelectorAll("#rows tr[id]").length === JSON.parse(document.getElementById("data").textContent).requirements.length);

const report = async (browser, scheme) => {
  const { page, close } = await open(browser, path.join(out, "bad.html"), { scheme });
  await whole(page);
  await page.click("details.finding summary");
  await page.waitForSelector("details.finding[open] ol.wire li.in");
  await accessible(page, "report, " + scheme);
  const id = await page.evaluate(() => document.querySelector("details.finding").dataset.requirement);
  const link = await page.evaluate((id) => document.querySelector(`tr#${id} td.v-fail a, tr#${id} td.v-warn a`).getAttribute("href"), id);
  await page.evaluate((link) => { location.hash = link; }, link);
  await page.waitForSelector("tr.detail .combo.aim");
  await accessible(page, "open requirement, " + scheme);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  await page.keyboard.type("cursor");
  const count = await page.textContent("#f-count");
  if (!/^\d+ of \d+ requirements, \d+ of \d+ findings$/.test(count) || count.startsWith("0 ")) fail("the filter shows " + count);
  const [some, , total] = count.split(" ").map(Number);
  if (some >= total) fail("the filter hides nothing");
  if (await page.locator("#rows tr[id]:visible").count() !== some) fail("the filter does not show what it counts");
  await page.click("#f-reset");
  await page.focus('table.matrix tbody th button[tabindex="0"]');
  const at = () => page.evaluate(() => document.activeElement.closest("tr").id);
  const before = await at();
  await page.keyboard.press("ArrowDown");
  if (before === await at()) fail("the arrow keys do not move");
  const expanded = () => page.evaluate(() => document.activeElement.getAttribute("aria-expanded"));
  const was = await expanded();
  await page.keyboard.press("Enter");
  if (was === await expanded()) fail("Enter does not open a row");
  await page.click("#theme");
  await accessible(page, "the other theme of " + scheme);
  await close("report, " + scheme);
  return link;
};

// filters act on findings as well, by revision too, and come back with the address.
const filters = async (browser, link) => {
  const file = path.join(out, "bad.html");
  const { page, close } = await open(browser, file);
  await whole(page);
  const findings = () => page.locator("details.finding[data-requirement]:visible").count();
  const said = async () => (await page.textContent("#f-count")).match(/(\d+) of (\d+) requirements, (\d+) of (\d+) findings/).slice(1).map(Number);
  const all = await findings();
  if (all !== (await said())[3]) fail(`${all} findings are shown, and not those that are counted`);
  await page.uncheck('input[name="verdict"][value="fail"]');
  const warnings = await findings();
  if (warnings >= all || warnings !== (await said())[2]) fail(`${warnings} of ${all} findings are shown without failures`);
  await page.check('input[name="verdict"][value="fail"]');
  const revision = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).columns[0].revision);
  await page.selectOption("#f-revision", revision);
  const elsewhere = await page.evaluate((revision) => [...document.querySelectorAll("details.finding[data-requirement]")].filter((d) => !d.hidden &&
    !d.dataset.in.split(" ").some((i) => JSON.parse(document.getElementById("data").textContent).columns[i].revision === revision)).length, revision);
  if (elsewhere) fail(`${elsewhere} findings of other revisions than ${revision} are shown`);
  await page.selectOption("#f-level", "MUST");
  await page.uncheck('input[name="verdict"][value="pass"]');
  const before = await said();
  const address = await page.evaluate(() => location.hash);
  await accessible(page, "filtered");
  await close("filters");
  for (const hash of [address, link + address.slice(1)]) {
    const { page, close } = await open(browser, file, { hash });
    await whole(page);
    const after = (await page.textContent("#f-count")).match(/\d+/g).map(Number);
    if (after.join() !== before.join()) fail(`${hash} shows ${after}, not ${before}`);
    if (hash !== address) await page.waitForSelector("tr.detail .combo.aim");
    if (await page.evaluate(() => location.hash) !== hash) fail(`${hash} became ${await page.evaluate(() => location.hash)}`);
    await page.click("#f-reset");
    if ((await page.evaluate(() => location.hash)).includes("?")) fail("filters that were taken back stay in the address");
    await close("address with filters");
  }
};

// copies holds that a command ends in the clipboard, by the keyboard too.
const copies = async (browser) => {
  const { page, close } = await open(browser, path.join(out, "bad.html"));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await whole(page);
  await page.click("details.finding summary");
  const button = page.locator("details.finding[open] button.copy").last();
  const command = await button.evaluate((b) => b.previousElementSibling.textContent);
  await button.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("copied").textContent !== "");
  const got = await page.evaluate(() => navigator.clipboard.readText());
  if (got !== command || !command.startsWith("mcpcheck run")) fail(`the clipboard has ${got}, not ${command}`);
  await accessible(page, "copied");
  await close("copy");
};

// inSight holds that a link leads to its verdict, and to the row it belongs to, with
// nothing over them.
const inSight = async (page, link, height) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { head, row, verdict } = await page.evaluate(() => {
    const stays = [document.getElementById("tools"), document.getElementById("rows").tHead].filter((n) => getComputedStyle(n).position === "sticky");
    const box = document.querySelector(".combo.aim");
    return {
      head: Math.max(0, ...stays.map((n) => n.getBoundingClientRect().bottom)),
      row: box.closest("tr").previousElementSibling.getBoundingClientRect().top, verdict: box.getBoundingClientRect().top,
    };
  });
  if (row < head) fail(`${link} leads to a row at ${row}, under the heads that end at ${head}`);
  if (verdict < head || verdict > height) fail(`${link} leads to what is not in sight, at ${verdict}`);
};

// lastLinks are the addresses of the last verdict in some rows: the first, those in the
// middle, and those with findings.
const lastLinks = (page) => page.evaluate(() => {
  const rows = [...document.querySelectorAll("#rows tr[id]")];
  const some = [rows[0], rows[Math.floor(rows.length / 2)], ...document.querySelectorAll("#rows tr[id]:has(td.v-fail)")].slice(0, 6);
  return some.map((row) => [...row.querySelectorAll("td.c a")].pop().getAttribute("href"));
});

// other looks at the report in other ways: by a deep link at once, on paper, in a
// narrow window, and without scripts.
const others = async (browser, link) => {
  const file = path.join(out, "bad.html");
  {
    const { page, close } = await open(browser, file, { hash: link });
    await page.waitForSelector("tr.detail .combo.aim");
    await inSight(page, link, 900);
    await close("deep link");
  }
  for (const width of [1300, 900, 360]) { // with filters in one line and in several, and with none that stay
    const { page, close } = await open(browser, file, { width });
    await whole(page);
    for (const link of await lastLinks(page)) {
      await page.evaluate((link) => { location.hash = link; }, link);
      await page.waitForFunction((link) => document.querySelector(`.combo.aim a[href="${link}"]`), link);
      await inSight(page, `${link} in ${width} pixels`, 900);
    }
    await close("deep links");
  }
  {
    const { page, close } = await open(browser, file);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await whole(page);
    if (await page.locator("details:not([open])").count() > 0) fail("something stays closed on paper");
    const sheets = await page.evaluate(() => [...document.styleSheets[0].cssRules].filter((r) => r instanceof CSSPageRule)
      .map((r) => r.cssText).join());
    if (!sheets.includes((await page.textContent("h1")).slice(0, 9))) fail("the sheets do not name the target: " + sheets);
    if (await page.locator("details.finding ol.wire li").count() === 0) fail("paper lacks the conversations");
    await accessible(page, "paper");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    if (await page.locator("details[open]").count() > 0) fail("something stays open after printing");
    await close("paper");
  }
  {
    const { page, close } = await open(browser, file, { width: 360 });
    await whole(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) fail(`a window of 360 pixels has to scroll sideways, to ${width}`);
    await accessible(page, "narrow");
    await close("narrow");
  }
  for (const width of [1300, 1200, 800, 400]) { // the tables of the overview side by side, and below each other
    const { page, close } = await open(browser, file, { width });
    const cut = await page.evaluate(() => [...document.querySelectorAll(".pair .wide")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.getAttribute("aria-label")}, ${e.scrollWidth} of ${e.clientWidth}`));
    if (cut.length > 0) fail(`in a window of ${width} pixels tables of the overview are cut off: ${cut.join("; ")}`);
    await close("overview");
  }
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("file://" + file);
  const text = await page.innerText("body");
  for (const part of ["NOT CONFORMANT", "Findings", "Without JavaScript"]) if (!text.includes(part)) fail(`without scripts the page lacks "${part}"`);
  await page.click("details.finding summary");
  if (!await page.locator("details.finding ol.wire li.in").first().isVisible()) fail("without scripts a finding has no evidence");
  await context.close();
};

// fast tells how long a page of 5,000 results takes until a reader can use it. Only what
// is wrong on any machine is an error: this one may be busy.
const fast = async (browser) => {
  const file = many(), times = [];
  for (let i = 0; i < rounds; i++) {
    const { page, close } = await open(browser, file);
    times.push(await page.evaluate(() => window.ready));
    await page.fill("#f-text", "cursor");
    if (!/^[1-9]/.test(await page.textContent("#f-count"))) fail("many results: the filter shows nothing");
    await page.click("#f-reset");
    await whole(page);
    await close("many results");
  }
  const median = times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
  console.log(`${wanted} results: ready after ${Math.round(median)} ms (median of ${rounds}), ${Math.round(fs.statSync(file).size / 1024)} KiB`);
  if (median > grossly) fail("the page of many results is far too slow");
};

// site holds that the site of a repository of certificates is accessible, fits a narrow window and is quick to load and to filter.
const site = async (browser) => {
  const file = (name) => path.join(out, name + ".html");
  const opened = async (name, options, what) => {
    const { page, close } = await open(browser, file(name), { tools: name === "site" || name === "site-few", ...options });
    const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (width > 0) fail(`${what} has to scroll sideways, by ${width} pixels`);
    return { page, close: () => close(what) };
  };
  for (const name of ["site-few", "site-server", "site-hostile"]) {
    for (const options of [{ scheme: "light" }, { scheme: "dark" }, { width: 400 }]) {
      const what = name + ", " + JSON.stringify(options);
      const { page, close } = await opened(name, options, what);
      await accessible(page, what);
      await close();
    }
  }
  const times = [];
  for (const options of [{ scheme: "light" }, { scheme: "dark" }, { width: 400 }]) {
    const { page, close } = await opened("site", options, "site");
    times.push(await page.evaluate(() => window.ready));
    await page.keyboard.press("/");
    await page.keyboard.type("server-1234");
    if (await page.textContent("#f-count") !== "1 of 2000 servers" || await page.locator("tr[data-marks]:visible").count() !== 1) fail("the site's filter shows " + await page.textContent("#f-count"));
    await page.keyboard.press("Escape");
    times.push(await page.evaluate(() => {
      const begun = performance.now();
      document.getElementById("f-mark").value = "fail";
      document.getElementById("f-mark").dispatchEvent(new Event("change"));
      document.body.getBoundingClientRect(); // laid out
      return performance.now() - begun;
    }));
    if (!/^\d{2,3} of 2000/.test(await page.textContent("#f-count"))) fail("the site's filter by result shows " + await page.textContent("#f-count"));
    await close();
  }
  console.log(`2,000 servers: ready and filtered after ${times.map(Math.round).join(", ")} ms, ${Math.round(fs.statSync(file("site")).size / 1024)} KiB`);
  if (Math.max(...times) > grossly) fail("the page of many servers is far too slow");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("file://" + file("site"));
  if (await page.locator("tr[data-marks]:visible").count() !== 2000) fail("without scripts the site does not show all servers");
  await context.close();
};

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  let link;
  for (const scheme of ["light", "dark"]) link = await report(browser, scheme);
  await filters(browser, link);
  await copies(browser);
  await others(browser, link);
  const { page, close } = await open(browser, path.join(out, "matrix/index.html"));
  await page.selectOption("#f-show", "all");
  if (await page.locator("#grid tbody tr").count() < 100) fail("the matrix shows too few rows");
  await accessible(page, "matrix");
  await close("matrix");
  await site(browser);
  await fast(browser);
  await browser.close();
})().catch((e) => { console.error(e); process.exit(1); });
