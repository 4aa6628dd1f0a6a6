/** Progress of an in-browser engine that loads a model. */
export interface EngineLoading {
  readonly model: string
  /** Units of `total`: bytes, or a fraction of 1. */
  readonly loaded?: number
  readonly total?: number
  /** The engine's own text. */
  readonly text?: string
}

/** Progress as it is shown. A missing value is unknown. */
export interface FormattedLoading {
  /** Between 0 and 1. */
  readonly ratio?: number
  readonly percent?: string
  /** `12 MB / 345 MB`, if progress comes in bytes. */
  readonly bytes?: string
}

/** A total up to this is a fraction, not a size. */
const WHOLE = 1

export function formatLoading({ loaded, total }: EngineLoading, locale: string): FormattedLoading {
  if (loaded === undefined) return {}
  if (total === undefined || total <= 0)
    return loaded > WHOLE ? { bytes: formatSize(loaded, locale) } : {}
  const ratio = Math.min(1, Math.max(0, loaded / total))
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(ratio)
  if (total <= WHOLE) return { ratio, percent }
  return { ratio, percent, bytes: `${formatSize(loaded, locale)} / ${formatSize(total, locale)}` }
}

function formatSize(bytes: number, locale: string): string {
  const [unit, size] =
    bytes < 1e6 ? ['kilobyte', 1e3] : bytes < 1e9 ? ['megabyte', 1e6] : ['gigabyte', 1e9]
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: String(unit),
    maximumSignificantDigits: 3,
  }).format(bytes / Number(size))
}
