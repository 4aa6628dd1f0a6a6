import type { CallRenderers, RendererActions } from '../chat/index.ts'
import type { ShownCall } from '../index.ts'

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

/** The calls that `<offstage-chat>` gives components to draw, to be followed by what renders these. */
export class Cards {
  #cards: readonly Card[] = []
  #count = 0
  readonly #listeners = new Set<() => void>()

  /** For the element: the calls of these tools become cards here. */
  renderers(toolNames: readonly string[]): CallRenderers {
    return Object.fromEntries(toolNames.map((name) => [name, this.#open]))
  }

  readonly #open: CallRenderers[string] = (call, actions) => {
    const key = (this.#count += 1)
    const others = (): readonly Card[] => this.#cards.filter((card) => card.key !== key)
    this.#show([...this.#cards, { ...actions, key, call }])
    return {
      update: (newest) =>
        this.#show(
          this.#cards.map((card) => (card.key === key ? { ...card, call: newest } : card)),
        ),
      dispose: () => this.#show(others()),
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): readonly Card[] => this.#cards

  #show(cards: readonly Card[]): void {
    this.#cards = cards
    for (const listener of this.#listeners) listener()
  }
}
