// Shows what a reader is interested in alone: picked names, or a word that names have.
(() => {
  "use strict";
  const { element } = airpathFiles;
  const MOST_CHIPS = 14;
  const place = document.getElementById("names");
  if (!place) return;
  const names = JSON.parse(place.querySelector("script").textContent);
  const picked = new Set();
  const word = element("input", { type: "search", id: "names-word", autocomplete: "off", list: "names-list" });
  const status = element("span", { class: "meaning", role: "status" });

  // Whether a name stands in a text as a whole: "ue1" is not in "ue12".
  const holds = (text, name) => {
    const letter = (at) => at >= 0 && at < text.length && /[\p{L}\p{N}_]/u.test(text[at]);
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      if (!letter(at - 1) && !letter(at + name.length)) return true;
    }
    return false;
  };

  function tell() {
    const typed = word.value.trim().toLowerCase();
    const match = picked.size === 0 && typed === "" ? null : (text) =>
      [...picked].some((name) => holds(text, name))
      || (typed !== "" && text.toLowerCase().includes(typed));
    const some = names.filter((name) => match && match(name));
    status.textContent = match
      ? `${some.length} of ${names.length} are picked; in charts the others fade, in tables they are left out.` : "";
    for (const one of document.querySelectorAll(".findings li[data-name]")) {
      const name = one.dataset.name;
      one.hidden = Boolean(match) && names.some((known) => holds(name, known)) && !match(name);
    }
    document.dispatchEvent(new CustomEvent("airpath:names", { detail: match }));
  }

  const label = element("label", { for: "names-word", text: "Show only" });
  place.append(label, word);
  if (names.length <= MOST_CHIPS) {
    const list = element("ul", { class: "chips", "aria-label": "Pick some" });
    for (const name of names) {
      const chip = element("button", { type: "button", "aria-pressed": "false", text: name });
      chip.addEventListener("click", () => {
        if (!picked.delete(name)) picked.add(name);
        chip.setAttribute("aria-pressed", String(picked.has(name)));
        tell();
      });
      list.append(element("li", {}, chip));
    }
    place.append(list);
  } else {
    const list = element("datalist", { id: "names-list" });
    for (const name of names) list.append(element("option", { value: name }));
    place.append(list);
  }
  place.append(status);
  let timer;
  word.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(tell, 150);
  });
})();
