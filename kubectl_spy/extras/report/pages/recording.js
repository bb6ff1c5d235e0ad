// Filters the changes and unfolds them. It reads text, and sets nothing but what is shown.
(() => {
"use strict";
const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const sections = all("section.object").map((element) => ({
  element, name: element.querySelector("h3").textContent,
  items: all(".changes > li", element).map((item) => ({ item, count: item.id ? 1 : all("li", item).length })),
}));
const total = sections.reduce((sum, { items }) => items.reduce((part, { count }) => part + count, sum), 0);
const search = byId("search");

function choose() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let matches = 0;
  for (const { element, name, items } of sections) {
    let found = false;
    for (const each of items) {
      if (words.length) each.text ??= `${name}\n${each.item.textContent}`.toLowerCase();
      const shown = words.every((word) => each.text.includes(word));
      each.item.hidden = !shown;
      if (shown) { found = true; matches += each.count; }
    }
    element.hidden = !found;
  }
  byId("count").textContent = `${matches} of ${total} changes`;
}
const openAll = (open) => {
  for (const each of all("details")) if (!each.closest("[hidden]")) each.open = open;
};
function reveal() {  // what a link leads to
  const target = byId(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) { search.value = ""; choose(); }
  for (let up = target; up; up = up.parentElement) if (up.localName === "details") up.open = true;
  const own = target.querySelector(":scope > details");
  if (own) own.open = true;
  target.scrollIntoView();
}
byId("tools").hidden = false;
byId("expand").addEventListener("click", () => openAll(true));
byId("collapse").addEventListener("click", () => openAll(false));
search.addEventListener("input", choose);
addEventListener("hashchange", reveal);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; choose(); }
  if (event.key !== "/" || event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});
choose();
reveal();
})();
