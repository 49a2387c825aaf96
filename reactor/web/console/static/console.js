// The console's one script.  It keeps a page fresh while somebody looks at it; everything works
// without it.  A part of a page that may change has an id and `data-live`; the server says when
// (see live.py), then the page is fetched again and those parts are put in place of the old ones.
"use strict";

(() => {
  const quiet = window.matchMedia("(prefers-reduced-motion: reduce)");
  const main = document.getElementById("main");
  const parts = () => [...document.querySelectorAll("[data-live][id]")];
  const said = document.getElementById("said"); // read out by screen readers
  const place = document.getElementById("live"); // where the switch goes
  let source = null;
  let waiting = null; // a page that came while somebody was reading
  let shown = main.dataset.digest; // of the document that the page was made of
  let isOn = sessionStorage.getItem("live") !== "off";

  // Time

  const steps = [[60, 1, "s"], [3600, 60, "min"], [172800, 3600, "h"], [2592000, 86400, "days"]];

  function ago(written) {
    const seconds = Math.max(0, (Date.now() - Date.parse(written)) / 1000);
    for (const [below, unit, name] of steps) {
      if (seconds < below) return `${Math.floor(seconds / unit)} ${name} ago`;
    }
    return null; // old ones are shown as dates, which do not change
  }

  function tellTimes() {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const text = ago(time.dateTime);
      if (text !== null && time.textContent !== text) time.textContent = text;
    }
  }

  // Fresh parts

  const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";

  function isRead(part) {
    const active = document.activeElement;
    const isList = part.dataset.live === "list";
    const holds = active && active !== document.body && part.contains(active);
    if (holds && (isList || active.matches("input, select, textarea"))) return true;
    const chosen = document.getSelection();
    if (chosen && !chosen.isCollapsed && part.contains(chosen.anchorNode)) return true;
    return isList && part.getBoundingClientRect().top < -40;
  }

  function opened(part) {
    return [...part.querySelectorAll("details")].map((each) => each.open);
  }

  function put(old, fresh) {
    const known = new Set([...old.querySelectorAll("[data-key]")].map((each) => each.dataset.key));
    const open = opened(old);
    const sideways = [...old.querySelectorAll(".wide")].map((each) => each.scrollLeft);
    const details = [...fresh.querySelectorAll("details")];
    if (details.length === open.length || old.dataset.live !== "list") {
      details.forEach((each, number) => { if (open[number]) each.open = true; });
    }
    const focused = [...old.querySelectorAll(focusable)].indexOf(document.activeElement);
    old.replaceWith(fresh);
    if (focused >= 0) fresh.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
    [...fresh.querySelectorAll(".wide")].forEach((each, n) => { each.scrollLeft = sideways[n] || 0; });
    const added = [...fresh.querySelectorAll("[data-key]")].filter((e) => !known.has(e.dataset.key));
    if (!quiet.matches) added.forEach((each) => each.setAttribute("data-fresh", ""));
    return added.length;
  }

  function differs(old, fresh) {
    const plain = (part) => part.innerHTML
      .replace(/(<time[^>]*>)[^<]*/g, "$1")
      .replace(/ (open|data-fresh)=""/g, "");
    return plain(old) !== plain(fresh);
  }

  // Puts what has changed in its place, but for what somebody reads: that is offered.
  function show(page, isWanted) {
    let added = 0;
    const held = [];
    for (const old of parts()) {
      const fresh = page.getElementById(old.id);
      if (!fresh || !differs(old, fresh)) continue;
      if (!isWanted && isRead(old)) held.push(old);
      else added += put(old, document.importNode(fresh, true));
    }
    document.title = page.title;
    waiting = held.length ? page : null;
    if (waiting) offer();
    else document.getElementById("more")?.remove();
    tellTimes();
    if (added && said) said.textContent = added === 1 ? "1 new" : `${added} new`;
  }

  function offer() {
    if (document.getElementById("more")) return;
    const button = document.createElement("button");
    button.id = "more";
    button.type = "button";
    button.textContent = "There is news: show it";
    button.addEventListener("click", () => {
      main.focus({ preventScroll: true });
      document.getSelection()?.removeAllRanges();
      window.scrollTo({ top: 0, behavior: quiet.matches ? "auto" : "smooth" });
      if (waiting) show(waiting, true);
    });
    document.body.append(button);
  }

  async function refresh() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    shown = page.getElementById("main").dataset.digest;
    show(page, false);
  }

  let isBusy = false;
  let isStale = false;

  async function changed() {
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    while (isStale) {
      isStale = false;
      try { await refresh(); } catch { tell("away"); }
    }
    isBusy = false;
  }

  // The stream

  const words = { on: "Live", off: "Paused", away: "Not connected" };

  function tell(state) {
    const button = place?.querySelector("button");
    if (!button) return;
    button.dataset.state = state;
    button.setAttribute("aria-pressed", String(isOn));
    button.querySelector("span").textContent = words[state];
  }

  function close() {
    source?.close();
    source = null;
  }

  function open() {
    if (source || !isOn || document.hidden || !parts().length) return;
    source = new EventSource(`/live?page=${encodeURIComponent(location.pathname + location.search)}`);
    source.addEventListener("changed", (event) => {
      tell("on");
      if (event.data !== shown) changed();
    });
    source.addEventListener("away", () => tell("away"));
    source.addEventListener("error", () => {
      tell("away");
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        window.setTimeout(open, 10000);
      }
    });
  }

  function follow() {
    if (document.hidden || !isOn) {
      close(); // browsers have few connections to one server: a page in the background holds none
      tell(isOn ? "on" : "off");
    } else {
      open();
      tell("on");
    }
  }

  if (place && parts().length) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "live";
    button.title = "Follow changes while this page is open";
    button.append(document.createElement("i"), document.createElement("span"));
    button.addEventListener("click", () => {
      isOn = !isOn;
      sessionStorage.setItem("live", isOn ? "on" : "off");
      follow();
    });
    place.append(button);
    document.addEventListener("visibilitychange", follow);
    window.addEventListener("pagehide", close);
    window.addEventListener("pageshow", follow);
    follow();
  }

  // Details whose content is on another page come when they are opened

  document.addEventListener("toggle", async (event) => {
    const from = event.target.querySelector?.("a[data-fetch]");
    if (!event.target.open || !from) return;
    const answer = await fetch(from.getAttribute("href"), { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById(from.dataset.fetch);
    if (found) from.replaceWith(...document.importNode(found, true).childNodes);
  }, true);

  const current = document.querySelector(".top nav [aria-current]");
  if (current) current.parentElement.scrollLeft = current.offsetLeft - 40; // narrow: where we are

  tellTimes();
  window.setInterval(tellTimes, 5000);
})();
