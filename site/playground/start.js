(function () {
  var start = document.getElementById("start");
  if (location.protocol === "file:") {
    start.textContent = "A browser loads no module from a file. Serve this folder, for example by " +
      "python3 -m http.server, and open http://localhost:8000/ instead.";
  } else if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
    start.textContent = "The playground takes a browser with WebAssembly of 2023 or later. " +
      "airpath runs as a program, too: docs/install.md has the ways.";
  }
})();
