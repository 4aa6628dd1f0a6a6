/** A box in coordinates of the view. */
export interface Sides {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Whether two boxes share an area. */
export function overlap(one: Sides, other: Sides): boolean {
  return (
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0
  )
}
