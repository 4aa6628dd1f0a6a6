import { type Component, getAllContexts, mount, unmount } from 'svelte'
import { fromStore, writable } from 'svelte/store'
import {
  type CallCardProps,
  CHAT_DEFAULTS,
  type ChatSettings,
  type GivenSettings,
  loadChat,
  setProperties,
} from '../bindings/chat-properties.ts'
import { memoizeSelector } from '../bindings/selection.ts'
import type { CallRenderers } from '../chat/index.ts'
import type { Agent } from '../../index.ts'
import { type Given, providedAgent, read } from './hooks.ts'

/** Components by the name of the tool whose calls they render. */
export interface CallCards {
  readonly [toolName: string]: Component<CallCardProps>
}

/** The properties of `<offstage-chat>`. */
export interface ChatOptions extends Omit<GivenSettings, 'renderers'> {
  /** Components that render calls in the chat, by tool name. Default: the chat's own cards. */
  readonly renderers?: CallCards | undefined
}

/** For `{@attach …}`. */
export type ChatAttachment = (element: HTMLElement) => void

/**
 * Attaches to this component's `<offstage-chat>`: loads the element, and sets its properties. `agent` defaults to the
 * provider's.
 */
export function attachChat(options: Given<ChatOptions> = {}): ChatAttachment {
  const provided = fromStore(providedAgent() ?? writable<Agent | null>(null))
  const context = getAllContexts()
  // Returns the same object for the same components: an object literal is new each time.
  const pick = memoizeSelector((cards: CallCards) => cards)
  const draw = memoizeSelector((cards: CallCards) => renderersOf(cards, context))
  // A template that shows the chat again attaches to a new element.
  const before = new WeakMap<HTMLElement, ChatSettings>()
  return (element) => {
    loadChat()
    const { renderers: cards = {}, ...settings } = read(options)
    const agent = settings.agent ?? provided.current
    const chat: HTMLElement & Partial<ChatSettings> = element
    const now = { ...settings, agent, renderers: draw(pick(cards)) }
    before.set(element, setProperties(chat, now, before.get(element) ?? CHAT_DEFAULTS))
  }
}

function renderersOf(cards: CallCards, context: Map<unknown, unknown>): CallRenderers {
  const draw =
    (card: Component<CallCardProps>): CallRenderers[string] =>
    (first, { container, respond }) => {
      const call = writable(first)
      const shown = fromStore(call)
      const props: CallCardProps = {
        get call() {
          return shown.current
        },
        respond,
      }
      const mounted = mount(card, { target: container, context, props })
      return { update: call.set, dispose: () => void unmount(mounted) }
    }
  return Object.fromEntries(Object.entries(cards).map(([name, card]) => [name, draw(card)]))
}
