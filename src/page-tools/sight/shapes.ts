/** What computed styles leave of an element. Only what is certain: shapes that can't be told leave all. */

/** A length in percent of `size`, or in pixels; not a number for others. */
function length(text: string, size: number): number {
  const value = Number.parseFloat(text)
  if (/^-?[\d.]+%$/.test(text)) return (value / 100) * size
  return /^-?[\d.]+px$/.test(text) || value === 0 ? value : Number.NaN
}

/** Whether a `clip` leaves nothing of the element. */
export function isEmptyClip(clip: string): boolean {
  const sides = /^rect\(([^)]*)\)$/.exec(clip)?.[1]?.split(/[\s,]+/) ?? []
  const [top = Number.NaN, right = Number.NaN, bottom = Number.NaN, left = Number.NaN] = sides.map(
    Number.parseFloat,
  )
  return right - left <= 1 || bottom - top <= 1
}

/** Whether a `clip-path` leaves nothing of a box. */
export function isEmptyClipPath(
  path: string,
  box: { readonly width: number; readonly height: number },
): boolean {
  const [, shape, inside = ''] =
    /^(inset|circle|ellipse|polygon)\((.*?)\)(?: [a-z-]+)?$/.exec(path) ?? []
  if (shape === 'inset') return isEmptyInset(inside, box)
  if (shape === 'circle' || shape === 'ellipse') {
    const radii = (inside.split(' at ')[0] ?? '').trim().split(/\s+/)
    return radii.some((radius) => length(radius, 1) === 0)
  }
  return shape === 'polygon' && isEmptyPolygon(inside, box)
}

function isEmptyInset(
  inside: string,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const sides = (inside.split(' round ')[0] ?? '').trim().split(/\s+/)
  const [top = '0', right = top, bottom = top, left = right] = sides
  return (
    length(top, height) + length(bottom, height) >= height ||
    length(left, width) + length(right, width) >= width
  )
}

function isEmptyPolygon(
  inside: string,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  const points = inside
    .replace(/^(nonzero|evenodd),\s*/, '')
    .split(',')
    .map((point) => {
      const [x = '', y = ''] = point.trim().split(/\s+/)
      return { x: length(x, width), y: length(y, height) }
    })
  const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)
  return spread(points.map(({ x }) => x)) < 1 || spread(points.map(({ y }) => y)) < 1
}

/** The opacity that a `filter` leaves, from 0 to 1. */
export function filterOpacity(filter: string): number {
  let opacity = 1
  for (const [, value = '', unit] of filter.matchAll(/opacity\(([\d.]+)(%?)\)/g))
    opacity *= Math.min(1, Number(value) / (unit ? 100 : 1))
  return opacity
}

/** Whether all colours of all gradients of a `mask-image` are transparent. */
export function isEmptyMask(image: string): boolean {
  if (!image.includes('gradient(') || /url\(|image/.test(image.replaceAll('-image', '')))
    return false
  const colours = image.match(/rgba?\([^)]*\)/g) ?? []
  return colours.length > 0 && colours.every((colour) => /^rgba\(.*[,/]\s*0\)$/.test(colour))
}
