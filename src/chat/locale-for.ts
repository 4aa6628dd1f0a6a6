/** The language of the nearest `lang`, where browsers know it; else the browser's own, which may be none either. */
export function localeFor(element: Element): string {
  const given = element.closest('[lang]')?.getAttribute('lang')
  return known(given) ?? known(navigator.language) ?? 'en'
}

function known(language: string | null | undefined): string | null {
  try {
    return (language && Intl.getCanonicalLocales(language)[0]) || null
  } catch {
    // `en_US` of a page, for example, or `C` of a browser without a language.
    return null
  }
}
