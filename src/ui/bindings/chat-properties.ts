import type { CallRenderers, ChatProperties, RendererActions } from '../chat/index.ts'
import type { ShownCall } from '../../index.ts'
import { memoizeSelector } from './selection.ts'

/** Properties that a component passes on to `<offstage-chat>`. */
export type ChatSettings = Omit<ChatProperties, 'send' | 'focusComposer' | 'open' | 'close'>

export const CHAT_DEFAULTS: ChatSettings = {
  agent: null,
  conversationId: null,
  placement: 'inline',
  theme: 'auto',
  heading: null,
  report: false,
  suggestions: [],
  words: {},
  renderers: {},
  markdown: {},
  answers: {},
}

/** Settings that a component was given; all are optional. */
export type GivenSettings = {
  readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined
}

/**
 * Sets only the properties that differ from `before`, because the element may show another conversation by now. Returns
 * the `before` of the next call.
 */
export function setProperties(
  element: Partial<ChatSettings>,
  newSettings: GivenSettings,
  before: ChatSettings,
): ChatSettings {
  const settings: Record<string, unknown> = {}
  const target = element as Record<string, unknown>
  for (const [name, fallback] of Object.entries(CHAT_DEFAULTS)) {
    const setting = newSettings[name as keyof ChatSettings] ?? fallback
    settings[name] = setting
    if (setting !== before[name as keyof ChatSettings]) target[name] = setting
  }
  return settings as unknown as ChatSettings
}

/** Loads the module that defines the element. Called only in a browser, once a chat is shown. */
export function loadChat(): void {
  import('../chat/index.ts').catch((thrown: unknown) => reportError(thrown))
}

/** Props of a component that renders the calls of a tool. */
export interface CallCardProps {
  readonly call: ShownCall
  /**
   * Answers a waiting call. Approvals take `true`; anything else denies, and a string is the reason. Questions take a
   * string, or the values of their fields. Other calls take their output. Resolves to false if the call was answered
   * before.
   */
  readonly respond: (answer: unknown) => Promise<boolean>
}

/** A call for a component to render, with its container. */
export interface Card extends RendererActions {
  readonly key: number
  readonly call: ShownCall
}

/** Calls that `<offstage-chat>` leaves to components to render. */
interface Cards {
  /** Returns the element's `renderers`: calls of the tools named here become cards. */
  readonly renderers: (tools: object) => CallRenderers
  /** Subscribes the component that renders the cards. */
  subscribe(listener: () => void): () => void
  getSnapshot(): readonly Card[]
}

export function createCards(): Cards {
  let cards: readonly Card[] = []
  let count = 0
  let notify = (): void => {}
  const show = (next: readonly Card[]): void => {
    cards = next
    notify()
  }
  const openCard: CallRenderers[string] = (first, actions) => {
    const key = (count += 1)
    const otherCards = (): readonly Card[] => cards.filter((card) => card.key !== key)
    // Order doesn't matter: each card has its own place in the chat.
    const update = (call: ShownCall): void => show([...otherCards(), { ...actions, key, call }])
    update(first)
    return { update, dispose: () => show(otherCards()) }
  }
  return {
    // Returns the same object for equal names, so that the chat doesn't render again.
    renderers: memoizeSelector((tools) =>
      Object.fromEntries(Object.keys(tools).map((name) => [name, openCard])),
    ),
    subscribe(listener) {
      notify = listener
      return () => {
        notify = () => {}
      }
    },
    getSnapshot: () => cards,
  }
}
