import type { ConversationState, MessageNode } from '../protocol/state.ts'

type Lists = 'path' | 'others' | 'context' | 'forks' | 'leaves'

type Fields = { -readonly [Key in keyof ConversationState]: ConversationState[Key] }

/**
 * A state while rows are folded into it: each of its long lists is copied once, at its first change, and
 * then changes in place. Copying per row would make a long history quadratic.
 */
export class Draft {
  readonly state: Fields
  readonly #owned = new Set<Lists>()

  constructor(state: ConversationState) {
    this.state = { ...state }
  }

  /** A list of the state, to be changed in place. */
  own<List extends Lists>(list: List): ConversationState[List][number][] {
    const found = this.state[list] as ConversationState[List][number][]
    if (this.#owned.has(list)) return found
    const copy = found.slice()
    this.replace(list, copy)
    return copy
  }

  /** Puts another list in place of the one there was. */
  replace<List extends Lists>(list: List, entries: ConversationState[List][number][]): void {
    this.#owned.add(list)
    this.state[list] = entries as unknown as Fields[List]
  }

  /** Changes the newest node that the test holds for; looks on the path first. */
  changeNode(
    holds: (node: MessageNode) => boolean,
    change: (node: MessageNode) => MessageNode,
  ): MessageNode | null {
    for (const list of ['path', 'others'] as const) {
      const index = this.state[list].findLastIndex(holds)
      const node = this.state[list][index]
      if (!node) continue
      const next = change(node)
      if (next !== node) this.own(list)[index] = next
      return next
    }
    return null
  }
}
