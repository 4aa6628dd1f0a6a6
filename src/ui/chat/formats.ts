/** Caches a format for each locale. Creating one takes longer than the rest of rendering a message. */
function remember<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const made = new Map<string, Format>()
  return (locale) => {
    const known = made.get(locale) ?? make(locale)
    made.set(locale, known)
    return known
  }
}

export const numberFormat: (locale: string) => Intl.NumberFormat = remember(
  (locale) => new Intl.NumberFormat(locale),
)
export const dayFormat: (locale: string) => Intl.DateTimeFormat = remember(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full' }),
)
/** Used as `format(0, 'day')`, which gives “today”. */
export const todayFormat: (locale: string) => Intl.RelativeTimeFormat = remember(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
)
export const timeFormat: (locale: string) => Intl.DateTimeFormat = remember(
  (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
)
