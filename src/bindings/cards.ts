import type { CallRenderers, RendererActions } from '../chat/index.ts'
import type { ShownCall } from '../index.ts'
import { selection } from './selection.ts'

/** Props of a component that renders the calls of a tool. */
export interface CallCardProps {
  readonly call: ShownCall
  /**
   * Answers a waiting call. Approvals take `true`; anything else denies, with a text as the reason. Questions take a
   * text, or the values of their fields. Other calls take their output. Resolves to false if it was answered before.
   */
  readonly respond: (answer: unknown) => Promise<boolean>
}

/** A call for a component to render, with its container. */
export interface Card extends RendererActions {
  readonly key: number
  readonly call: ShownCall
}

/** Calls that `<offstage-chat>` leaves to components to render. */
export interface Cards {
  /** Returns the element's `renderers`: calls of the tools named here become cards. */
  readonly renderers: (named: object) => CallRenderers
  /** Subscribes the component that renders the cards. */
  subscribe(listener: () => void): () => void
  getSnapshot(): readonly Card[]
}

export function createCards(): Cards {
  let cards: readonly Card[] = []
  let count = 0
  let changed = (): void => {}
  const show = (next: readonly Card[]): void => {
    cards = next
    changed()
  }
  const open: CallRenderers[string] = (first, actions) => {
    const key = (count += 1)
    const others = (): readonly Card[] => cards.filter((card) => card.key !== key)
    // Order doesn't matter: each card has its own place in the chat.
    const update = (call: ShownCall): void => show([...others(), { ...actions, key, call }])
    update(first)
    return { update, dispose: () => show(others()) }
  }
  return {
    // Equal names return the same object, so the chat re-renders nothing.
    renderers: selection((named) =>
      Object.fromEntries(Object.keys(named).map((name) => [name, open])),
    ),
    subscribe(listener) {
      changed = listener
      return () => {
        changed = () => {}
      }
    },
    getSnapshot: () => cards,
  }
}
