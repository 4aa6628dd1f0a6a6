/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

/** Colours with this opacity or less are invisible. */
export const FAINT = 0.05

/** Cache of parsed colours: a page has few, and reads each many times. */
const known = new Map<string, Colour | null>()
const MAX_KNOWN = 200

/** Parses a colour of a computed style; null if it can't be parsed. */
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

/** The colours in a computed value, such as a gradient; null if any can't be parsed. */
export function coloursIn(text: string): readonly Colour[] | null {
  const colours = (text.match(NOTATION) ?? []).map(readColour)
  return colours.every((one) => one !== null) ? colours : null
}

/** Lets the browser draw `oklch()` and similar colours, and reads the pixel. */
function drawn(text: string): Colour | null {
  if (!/^[a-z]+\(/.test(text) || typeof OffscreenCanvas !== 'function') return null
  const context = new OffscreenCanvas(1, 1).getContext('2d')
  if (!context) return null
  context.fillStyle = text
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
  return { red, green, blue, alpha: alpha / 255 }
}
