// The language of the browser, made one that its own formats know: Chromium under LANG=C tells "en-US@posix", which Intl
// refuses, and plots ask for it when they are loaded. To be imported before them.

function isKnown(language: string): boolean {
  try { return Boolean(new Intl.NumberFormat(language)); } catch { return false; }
}

if (!isKnown(navigator.language)) {
  const plain = navigator.language.replace(/[^A-Za-z0-9-].*$/, "");
  const language = plain && isKnown(plain) ? plain : "en";
  Object.defineProperty(navigator, "language", { get: () => language, configurable: true });
  Object.defineProperty(navigator, "languages", { get: () => [language], configurable: true });
}
