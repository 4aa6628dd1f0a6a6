/** Rows that are drawn beyond what is in view, at either end. */
const AROUND = 8

export interface RowWindow {
  readonly from: number
  /** The first one that isn't drawn. */
  readonly to: number
}

/** Which of `count` rows of one height are drawn. */
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
