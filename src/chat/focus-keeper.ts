import type { ReactiveControllerHost } from 'lit'
import { waitingIn } from './walk-messages.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

interface Focused {
  readonly element: Element
  /** Id of the message around it. */
  readonly messageId: string | undefined
  /** The message is being edited. */
  readonly isEdited: boolean
  /** The card around it. */
  readonly card: HTMLElement | null
  /** The element is in the list shown in place of the messages. */
  readonly isInSheet: boolean
}

/**
 * Moves the focus nearby if its element is removed or disabled: within the message, card or list, to the composer, or
 * to the messages.
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

/** Runs before anything is removed. */
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
  // An approval card for several calls is replaced by another card once a single call is left.
  const next = card?.matches('.approvals') ? waitingIn(root) : null
  if (next) return next
  const inSheet = isInSheet ? root.querySelector<HTMLElement>(FIRST_IN_SHEET) : null
  if (inSheet) return inSheet
  return root.querySelector(element.closest('.composer') || isInSheet ? '.prompt' : '.log')
}

/** Finds the message. An edited message gets a new id: it is the person's newest one. */
function messageIn(root: ParentNode, id: string, isEdited: boolean): HTMLElement | null {
  const messages = [...root.querySelectorAll<HTMLElement>('[data-message]')]
  const same = messages.find(({ dataset }) => dataset['message'] === id)
  return same ?? (isEdited ? (messages.findLast((each) => each.matches('.own')) ?? null) : null)
}
