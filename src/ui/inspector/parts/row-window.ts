/** Extra rows to draw above and below those in view. */
const AROUND = 8

export interface RowWindow {
  readonly from: number
  /** Index after the last drawn row. */
  readonly to: number
}

/** Returns which of `count` rows to draw. All rows have the same height. */
export function rowWindow(
  count: number,
  view: { readonly top: number; readonly height: number; readonly row: number },
): RowWindow {
  const inView = Math.ceil(view.height / view.row)
  const first = Math.min(Math.floor(view.top / view.row), Math.max(0, count - inView))
  return {
    from: Math.max(0, first - AROUND),
    to: Math.min(count, first + inView + AROUND + 1),
  }
}
