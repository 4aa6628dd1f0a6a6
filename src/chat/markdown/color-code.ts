import type * as Colors from './code-colors.ts'

let loading: Promise<typeof Colors> | undefined

/**
 * Colours code with the CSS Custom Highlight API; code stays plain in browsers without it. The colouring code loads with the
 * first finished block. `isOpen`: more code may follow.
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
