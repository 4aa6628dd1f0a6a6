/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

export const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }
/** Up to this opacity nobody sees a colour. */
export const FAINT = 0.05

/** A page has few colours, and each is asked for many times. */
const known = new Map<string, Colour | null>()
const MAX_KNOWN = 200

/** A colour as computed styles have it; null for one that can't be told. */
export function readColour(text: string): Colour | null {
  const found = known.get(text)
  if (found !== undefined) return found
  const colour = parse(text)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, colour)
  return colour
}

function parse(text: string): Colour | null {
  const parts = /^rgba?\(([^)]*)\)$/.exec(text)?.[1]?.split(/[\s,/]+/) ?? []
  const [red, green, blue, alpha = 1] = parts.map(Number)
  if (red === undefined || green === undefined || blue === undefined) return drawn(text)
  const colour = { red, green, blue, alpha }
  return Object.values(colour).some(Number.isNaN) ? null : colour
}

const NOTATION = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)/g

/** The colours in a computed value, such as that of a gradient; null when one can't be told. */
export function coloursIn(text: string): readonly Colour[] | null {
  const colours = (text.match(NOTATION) ?? []).map(readColour)
  return colours.every((one) => one !== null) ? colours : null
}

/** Whether anything of a colour is seen; also of one that can't be told. */
export function isSeen(colour: string): boolean {
  return (readColour(colour)?.alpha ?? 1) > FAINT
}

/** `oklch()` and the like: the browser knows what they look like. */
function drawn(text: string): Colour | null {
  if (!/^[a-z]+\(/.test(text) || typeof OffscreenCanvas !== 'function') return null
  const context = new OffscreenCanvas(1, 1).getContext('2d')
  if (!context) return null
  context.fillStyle = text
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
  return { red, green, blue, alpha: alpha / 255 }
}

/** What is seen where a colour lies over an opaque one. */
export function blend(over: Colour, under: Colour): Colour {
  const mix = (one: number, other: number): number => one * over.alpha + other * (1 - over.alpha)
  return {
    red: mix(over.red, under.red),
    green: mix(over.green, under.green),
    blue: mix(over.blue, under.blue),
    alpha: 1,
  }
}

/** The contrast of two opaque colours by WCAG 2, from 1 (none) to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance({ red, green, blue }: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const share = value / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
