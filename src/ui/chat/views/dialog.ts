import { css, type CSSResult } from 'lit'

/** Creates the modal dialog of a part of the chat that loads by need. Its heading has the id `${name}-title`. */
export function createDialog(name: string): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'dialog'
  dialog.setAttribute('part', `${name}-sheet`)
  dialog.setAttribute('aria-labelledby', `${name}-title`)
  dialog.addEventListener('close', () => dialog.remove())
  return dialog
}

/** Adds the dialog to the chat that `opener` is in. Its content must have been drawn. */
export function openDialog(
  dialog: HTMLDialogElement,
  opener: Element,
  { styleSheet }: CSSResult,
): void {
  const root = opener.getRootNode() as ShadowRoot
  for (const sheet of [styles.styleSheet, styleSheet])
    if (sheet && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
  root.append(dialog)
  dialog.showModal()
}

const styles = css`
  .dialog[open] {
    display: flex;
    flex-direction: column;
    gap: 0.75em;
    inline-size: min(28rem, calc(100vw - 2rem));
    max-block-size: min(36rem, calc(100dvh - 2rem));
    padding: 1.25em;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_ground);
    color: var(--_text);
    box-shadow: var(--_shadow);
    font: inherit;
    overflow: hidden;
  }

  .dialog::backdrop {
    background: rgb(0 0 0 / 0.4);
  }

  .dialog h3 {
    margin: 0;
    font-size: 1.0625em;
    font-weight: 600;
  }

  .dialog-content {
    min-block-size: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
  }
`
