/** A box in coordinates of the view. */
export interface Sides {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Whether two boxes share an area of more than `least` pixels in both directions. */
export function overlap(one: Sides, other: Sides, least = 0): boolean {
  return (
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > least &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > least
  )
}

export function isWithin(inner: Sides, outer: Sides): boolean {
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.right <= outer.right &&
    inner.bottom <= outer.bottom
  )
}

/** A box that is larger by so many pixels on each side. */
export function widened({ left, top, right, bottom }: Sides, by: number): Sides {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by }
}

export function moved({ left, top, right, bottom }: Sides, x: number, y: number): Sides {
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y }
}
