import type { CallRenderers, RendererActions } from '../chat/index.ts'
import type { ShownCall } from '../index.ts'
import { selection } from './selection.ts'

/** What a component that draws the calls of a tool is given. */
export interface CallCardProps {
  readonly call: ShownCall
  /**
   * Answers a call that waits: an approval (`true`; anything else denies it, a text as the reason), a question (a text, or the
   * values of its fields), an output. False when it was answered before.
   */
  readonly respond: (answer: unknown) => Promise<boolean>
}

/** A call that a component draws, and where. */
export interface Card extends RendererActions {
  readonly key: number
  readonly call: ShownCall
}

/** The calls that `<offstage-chat>` gives a component to draw. */
export interface Cards {
  /** For the element: the calls of the tools that these names are of become cards here. */
  readonly renderers: (named: object) => CallRenderers
  /** For the one that renders them. */
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
    // Their order is of no matter: each has its own place in the chat.
    const update = (call: ShownCall): void => show([...others(), { ...actions, key, call }])
    update(first)
    return { update, dispose: () => show(others()) }
  }
  return {
    // The same object for the same names, of which the chat draws nothing anew.
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
