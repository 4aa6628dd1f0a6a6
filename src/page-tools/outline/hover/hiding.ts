export type HidingProperty =
  | 'display'
  | 'visibility'
  | 'opacity'
  | 'clip'
  | 'clip-path'
  | 'height'
  | 'max-height'
  | 'width'
  | 'max-width'
  | 'left'
  | 'top'
  | 'right'

/**
 * Properties by which styles hide elements until hover, with a test for the values that hide. All others are ignored.
 */
const HIDING: Readonly<Record<HidingProperty, (value: string) => boolean>> = {
  display: (value) => value === 'none',
  visibility: (value) => value === 'hidden' || value === 'collapse',
  opacity: (value) => asNumber(value) <= FAINT,
  clip: (value) => /^rect\((?:[01](?:px)?[, ]*){4}\)$/.test(value),
  'clip-path': (value) => /^(?:inset\((?:50|100)%|circle\(0)/.test(value),
  height: isNothing,
  'max-height': isNothing,
  width: isNothing,
  'max-width': isNothing,
  left: isFar,
  top: isFar,
  right: isFar,
}

export const HIDING_PROPERTIES: readonly HidingProperty[] = Object.keys(HIDING) as HidingProperty[]

const FAINT = 0.05
const FAR_PX = -999
const PIXELS_PER: Readonly<Record<string, number>> = { px: 1, em: 16, rem: 16, vw: 10, '%': 10 }
/** Values that say nothing by themselves: a variable may be anything, and an inherited value depends on the parent. */
const UNKNOWN = /var\(|env\(|^(?:inherit|unset|revert|revert-layer)$/

/** Whether the value hides. An unknown value counts as hiding. */
export function hides(property: HidingProperty, value: string): boolean {
  return UNKNOWN.test(value) || HIDING[property](value.trim())
}

function asNumber(value: string): number {
  return Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1)
}

function isNothing(value: string): boolean {
  return /^[01](?:\.\d+)?(?:px|r?em|%)?$/.test(value) && Number.parseFloat(value) <= 1
}

function isFar(value: string): boolean {
  const [, number = '0', unit = ''] = /^(-?[\d.]+)(px|r?em|vw|%)$/.exec(value) ?? []
  return Number(number) * (PIXELS_PER[unit] ?? 0) < FAR_PX
}
