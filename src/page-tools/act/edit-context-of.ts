import * as native from '../native.ts'

/** `EditContext` is missing in TypeScript's DOM types. */
export interface EditContext extends EventTarget {
  readonly text: string
  readonly selectionStart: number
  readonly selectionEnd: number
  updateText(start: number, end: number, text: string): void
  updateSelection(start: number, end: number): void
}

/** The element's `EditContext`, or null. Only Chromium supports it. */
export function editContextOf(element: Element): EditContext | null {
  return (native.editContext(element) as EditContext | null | undefined) ?? null
}
