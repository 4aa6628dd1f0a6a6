import type { ReactiveControllerHost } from 'lit'
import { waitingIn } from './walk-messages.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

interface Focused {
  readonly element: Element
  /** Of the message that it is in. */
  readonly messageId: string | undefined
  /** It is edited. */
  readonly isEdited: boolean
  /** The card that it is on. */
  readonly card: HTMLElement | null
  /** It is in what is shown in place of the messages. */
  readonly isInSheet: boolean
}

/**
 * Where what had the focus is taken away or disabled, the focus goes on nearby: within its message, card or list, to where one
 * writes, or to the messages.
 */
export function keepFocus(host: Host): void {
  let focused: Focused | null = null
  host.addController({
    hostUpdate() {
      const { renderRoot } = host
      const element = renderRoot instanceof ShadowRoot ? renderRoot.activeElement : null
      focused = element && placeOf(element)
    },
    hostUpdated() {
      const had = focused
      focused = null
      if (!had || (had.element.isConnected && !had.element.matches(':disabled'))) return
      nextPlace(host.renderRoot, had)?.focus({ preventScroll: true })
    },
  })
}

const FIRST_IN_SHEET = '.list :is(input, button):not(:disabled)'

/** Before anything is taken away. */
function placeOf(element: Element): Focused {
  const message = element.closest<HTMLElement>('[data-message]')
  return {
    element,
    messageId: message?.dataset['message'],
    isEdited: message?.matches('.editor') === true,
    card: element.closest('.call'),
    isInSheet: element.closest('.list') !== null,
  }
}

function nextPlace(
  root: ParentNode,
  { element, messageId, isEdited, card, isInSheet }: Focused,
): HTMLElement | null {
  const message = messageId === undefined ? null : messageIn(root, messageId, isEdited)
  if (message) return message.querySelector('textarea') ?? message
  if (card?.isConnected && card !== element) return card
  // One that asks about several calls is another card once a single one is left.
  const next = card?.matches('.approvals') ? waitingIn(root) : null
  if (next) return next
  const inSheet = isInSheet ? root.querySelector<HTMLElement>(FIRST_IN_SHEET) : null
  if (inSheet) return inSheet
  return root.querySelector(element.closest('.composer') || isInSheet ? '.prompt' : '.log')
}

/** What an edited message has become is the person's newest one. */
function messageIn(root: ParentNode, id: string, isEdited: boolean): HTMLElement | null {
  const messages = [...root.querySelectorAll<HTMLElement>('[data-message]')]
  const same = messages.find(({ dataset }) => dataset['message'] === id)
  return same ?? (isEdited ? (messages.findLast((each) => each.matches('.own')) ?? null) : null)
}
