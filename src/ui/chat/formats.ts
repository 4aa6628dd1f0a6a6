/** Caches a format for each locale. Creating one takes longer than the rest of rendering a message. */
function cachePerLocale<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const formats = new Map<string, Format>()
  return (locale) => {
    const format = formats.get(locale) ?? make(locale)
    formats.set(locale, format)
    return format
  }
}

export const numberFormat: (locale: string) => Intl.NumberFormat = cachePerLocale(
  (locale) => new Intl.NumberFormat(locale),
)
export const dayFormat: (locale: string) => Intl.DateTimeFormat = cachePerLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full' }),
)
/** Formats “today”, as `format(0, 'day')`. */
export const todayFormat: (locale: string) => Intl.RelativeTimeFormat = cachePerLocale(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
)
export const timeFormat: (locale: string) => Intl.DateTimeFormat = cachePerLocale(
  (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
)
