for (const place of document.querySelectorAll(".component.timeline")) {
  const meta = JSON.parse(place.querySelector("script").textContent);
  load(meta).then((data) => new Timeline(place, data)).catch((error) => {
    place.append(element("p", { text: `The timeline cannot be drawn: ${error.message}` }));
    place.dataset.ready = "false";
  });
}
})();
