/** Runs before the first paint, so that the stored theme and text size do not change a page that is already shown. */
try {
  const stored = JSON.parse(localStorage.getItem("mess-prefs") ?? "{}");
  for (const name of ["theme", "size"])
    if (stored[name]) document.documentElement.dataset[name] = stored[name];
} catch {
  // The defaults of the HTML stay.
}
