/** Makes each format once: to make one takes longer than all else that a drawing of a message does. */
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
/** For the day 0, which is today. */
export const todayFormat: (locale: string) => Intl.RelativeTimeFormat = remember(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
)
export const timeFormat: (locale: string) => Intl.DateTimeFormat = remember(
  (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
)
