"use strict";
(function () {
  const articles = new Map(), links = new Map();
  for (const a of document.querySelectorAll("article")) articles.set(a.dataset.id, a);
  for (const l of document.querySelectorAll("nav a")) links.set(l.dataset.id, l);
  const lastChild = new Map();
  for (const [id, a] of articles) lastChild.set(a.dataset.parent, id);

  // show makes the path through an entry the one that is seen: up to the root,
  // and down along the latest children.
  function show(id) {
    const path = new Set();
    for (let at = id; at && articles.has(at) && !path.has(at); at = articles.get(at).dataset.parent) path.add(at);
    for (let at = lastChild.get(id); at && !path.has(at); at = lastChild.get(at)) path.add(at);
    for (const [k, a] of articles) a.hidden = !path.has(k);
    for (const [k, l] of links) {
      l.classList.toggle("on", path.has(k));
      l.classList.toggle("at", k === id);
    }
    document.body.dataset.shown = id;
  }
  function jump() {
    const id = decodeURIComponent(location.hash.slice(3));
    if (!articles.has(id)) return;
    show(id);
    articles.get(id).scrollIntoView();
  }
  addEventListener("hashchange", jump);
  jump();

  document.getElementById("filter").addEventListener("input", function (ev) {
    const words = ev.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const l of links.values()) {
      const text = l.textContent.toLowerCase();
      l.style.display = words.length === 0 ? "" : words.every((w) => text.includes(w)) ? "block" : "none";
    }
  });
  // Ctrl+T folds thinking, Ctrl+O output, as in the terminal.
  addEventListener("keydown", function (ev) {
    const which = ev.ctrlKey && !ev.shiftKey && { t: "thinking", o: "output" }[ev.key];
    if (!which) return;
    ev.preventDefault();
    const all = document.querySelectorAll("details." + which);
    const open = !Array.prototype.some.call(all, (d) => d.open);
    for (const d of all) d.open = open;
  });
})();
