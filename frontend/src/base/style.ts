/** Adds a style sheet to the page; TensorBoard's content security policy lets constructed sheets through. */
export function addStyles(...sheets: string[]): void {
  const made = sheets.map((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    return sheet;
  });
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...made];
}
