import type * as Colors from './code-colors.ts'

let loading: Promise<typeof Colors> | undefined

/**
 * Colours code where the browser can without other elements. How is loaded with the first block that is finished; without
 * it, code stays plain. `isOpen`: more of the code may come.
 */
export function colorCode(code: HTMLElement, isOpen: boolean): void {
  if (isOpen ? loading : CSS.highlights)
    (loading ??= import('./code-colors.ts')).then(
      ({ show }) => show(code, isOpen),
      () => {
        loading = undefined
      },
    )
}
