/** The language of the nearest `lang`, where browsers know it; else the browser's own. */
export function localeFor(element: Element): string {
  const { language } = navigator
  const given = element.closest('[lang]')?.getAttribute('lang')
  try {
    return Intl.getCanonicalLocales(given || language)[0] ?? language
  } catch {
    // `en_US`, for example.
    return language
  }
}
