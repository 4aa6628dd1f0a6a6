/** Returns the nearest valid `lang`, or else the browser's language, or else English. */
export function localeFor(element: Element): string {
  const given = element.closest('[lang]')?.getAttribute('lang')
  return known(given) ?? known(navigator.language) ?? 'en'
}

function known(language: string | null | undefined): string | null {
  try {
    return (language && Intl.getCanonicalLocales(language)[0]) || null
  } catch {
    // Invalid tag, such as `en_US` in a page or `C` from a browser without a language.
    return null
  }
}
