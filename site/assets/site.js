// What keyboards and screen readers need and Material leaves out: the search has a name, and what scrolls
// can be reached. Material wraps tables after the page is there, so this looks again as the page changes.
(() => {
  const scrolls = ".md-typeset__scrollwrap, .highlight-ipynb, .jp-OutputArea-output, .jp-OutputArea-output pre";
  const mend = () => {
    document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
    for (const part of document.querySelectorAll(scrolls)) {
      if (part.scrollWidth > part.clientWidth && !part.hasAttribute("tabindex")) part.tabIndex = 0;
    }
  };
  const soon = () => requestAnimationFrame(mend);
  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener("resize", soon);
  soon();
})();
