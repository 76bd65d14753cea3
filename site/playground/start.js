(function () {
  var start = document.getElementById("start");
  function refuse(reason) {
    start.setAttribute("data-refused", "");
    start.textContent = reason;
  }
  if (location.protocol === "file:") {
    refuse("A browser loads no module from a file. Serve this folder, for example by " +
      "python3 -m http.server, and open http://localhost:8000/ instead.");
  } else if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
    refuse("The playground takes a browser with WebAssembly of 2023 or later. Use another browser, or " +
      "install the program: docs/install.md has the ways.");
  }
})();
