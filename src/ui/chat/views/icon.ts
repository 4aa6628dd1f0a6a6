import { html, nothing, type TemplateResult } from 'lit'
import type { CallState } from '../parts/shown-call.ts'

/** Outlines on a grid of 24 by 24. */
const PATHS = {
  list: 'M4 7h16M4 12h16M4 17h9',
  add: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  attach: 'M19 11l-7 7a1 1 0 0 1-7-7l8-8a1 1 0 0 1 5 5l-8 8a1 1 0 0 1-2-2l7-7',
  copy: 'M9 9h10v11H9zM6 15H5V4h10v2',
  done: 'M5 13l4 4L19 7',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  again: 'M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5',
  good: 'M8 11v9H4v-9zM8 11l3-7q3 0 3 3v3h6l-2 10H8',
  previous: 'M14 6l-6 6 6 6',
  next: 'M10 6l6 6-6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  chat: 'M4 5h16v11h-9l-4 4v-4H4z',
  report: 'M6 20V5h12l-3 4 3 4H6',
  waiting: 'M12 4a8 8 0 1 0 .01 0M12 8v4l3 2',
  problem: 'M12 4a8 8 0 1 0 .01 0M12 8v5M12 16v.01',
} as const

export type Icon = keyof typeof PATHS

export function iconView(name: Icon): TemplateResult {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${PATHS[name]}></path>
  </svg>`
}

/** Shows a spinner, or an icon for the outcome. */
export function stateIcon(kind: CallState['kind']): TemplateResult {
  return kind === 'working' ? html`<span class="ring"></span>` : iconView(kind)
}

/** A button that is an icon; its name is its tooltip. */
export function iconButton(
  icon: Icon,
  label: string,
  { press, type = 'quiet', isDisabled = false, isPressed, isExpanded }: IconButton,
): TemplateResult {
  return html`<button
    type="button"
    class="${type} round"
    title=${label}
    aria-label=${label}
    aria-pressed=${isPressed ?? nothing}
    aria-expanded=${isExpanded ?? nothing}
    ?disabled=${isDisabled}
    @click=${press}
  >
    ${iconView(icon)}
  </button>`
}

interface IconButton {
  readonly press: (event: Event) => void
  /** CSS class of the button. Default: `quiet`. */
  readonly type?: string
  readonly isDisabled?: boolean
  /** State of a toggle button. */
  readonly isPressed?: boolean
  /** State of a button that opens something. */
  readonly isExpanded?: boolean
}
