import { css, type CSSResult } from 'lit'

/** A sheet's name is its CSS part and the prefix of its heading's id: `undo-sheet` has `undo-sheet-title`. */
interface Sheet {
  readonly name: string
  /** Styles of the content, besides those that all sheets share. */
  readonly styles: CSSResult
}

/** Opens a dialog as a modal sheet in the shadow root of the pressed button. The sheet is removed once it is closed. */
export function openSheet(
  dialog: HTMLDialogElement,
  opener: Element,
  { name, styles }: Sheet,
): void {
  const root = opener.getRootNode() as ShadowRoot
  for (const { styleSheet } of [sheet, styles])
    if (styleSheet && !root.adoptedStyleSheets.includes(styleSheet))
      root.adoptedStyleSheets.push(styleSheet)
  dialog.className = 'sheet'
  dialog.setAttribute('part', name)
  dialog.setAttribute('aria-labelledby', `${name}-title`)
  dialog.addEventListener('close', () => dialog.remove())
  root.append(dialog)
  dialog.showModal()
}

const sheet = css`
  .sheet[open] {
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

  .sheet::backdrop {
    background: rgb(0 0 0 / 0.4);
  }

  .sheet h3 {
    margin: 0;
    font-size: 1.0625em;
    font-weight: 600;
  }

  .sheet-content {
    min-block-size: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
  }
`
