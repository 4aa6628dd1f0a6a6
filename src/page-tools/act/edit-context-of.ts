import * as native from '../native.ts'

/** Newer than the types. */
export interface EditContext extends EventTarget {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
  updateText(start: number, end: number, text: string): void
  updateSelection(start: number, end: number): void
}

/** Null: it has none, as in browsers other than Chromium. */
export function editContextOf(element: Element): EditContext | null {
  return (native.editContext(element) as EditContext | null | undefined) ?? null
}
