import type { ConversationState, MessageNode, Fork, RunState } from '../protocol/state.ts'
import type { Row } from '../protocol/fact.ts'

/** A conversation without any rows, to fold into. */
export function emptyState(conversationId: string): ConversationState {
  return {
    conversationId,
    seq: 0,
    era: 0,
    title: null,
    path: [],
    older: 0,
    others: [],
    forks: [],
    leaves: [],
    run: null,
    queue: [],
    returned: [],
    context: [],
    consents: [],
    isStale: false,
  }
}

/**
 * Adds a placeholder for the row's parent message to an empty state, so that later rows can be folded. Only the
 * parent's id is known. The result is a windowed state.
 */
export function rooted(state: ConversationState, row: Row): ConversationState {
  const parentId = 'parentId' in row ? row.parentId : null
  if (parentId === null || state.path.length > 0) return state
  const root: MessageNode = {
    id: parentId,
    parentId: null,
    seq: 0,
    runId: null,
    step: null,
    kind: 'imported',
    at: 0,
    message: { role: 'assistant', id: parentId, parts: [] },
    calls: [],
  }
  return { ...state, path: [root], older: Math.max(1, state.older) }
}

type ListName = 'path' | 'others' | 'context' | 'forks' | 'leaves'

type MutableState = { -readonly [Key in keyof ConversationState]: ConversationState[Key] }

/**
 * A state while rows are folded into it. The run and each long list are copied at their first change, and then changed
 * in place. Copying them for each row would take quadratic time for a long history.
 */
export class Draft {
  readonly state: MutableState
  readonly #copiedLists = new Set<ListName>()
  #copiedRun: RunState | null = null
  /** Indexes of the forks in their list, by parent. */
  #forkIndexCache: Map<string | null, number> | null = null

  constructor(state: ConversationState) {
    this.state = { ...state }
  }

  /** Returns a list of the state that may be changed in place. */
  mutableList<List extends ListName>(list: List): ConversationState[List][number][] {
    const entries = this.state[list] as ConversationState[List][number][]
    if (this.#copiedLists.has(list)) return entries
    const copy = entries.slice()
    this.replace(list, copy)
    return copy
  }

  replace<List extends ListName>(list: List, entries: ConversationState[List][number][]): void {
    this.#copiedLists.add(list)
    if (list === 'forks') this.#forkIndexCache = null
    this.state[list] = entries as unknown as MutableState[List]
  }

  changeRun(change: Partial<RunState>): void {
    const { run } = this.state
    if (run === null) return
    if (run === this.#copiedRun) Object.assign(run, change)
    else this.state.run = this.#copiedRun = { ...run, ...change }
  }

  /** The children of a message that has several. Usually undefined for other messages. */
  childrenAt(parentId: string | null): readonly string[] | undefined {
    return this.state.forks[this.#forkIndex.get(parentId) ?? -1]?.children
  }

  setFork(fork: Fork): void {
    const forks = this.mutableList('forks')
    const index = this.#forkIndex.get(fork.parentId) ?? forks.length
    forks[index] = fork
    this.#forkIndex.set(fork.parentId, index)
  }

  get #forkIndex(): Map<string | null, number> {
    this.#forkIndexCache ??= new Map(
      this.state.forks.map(({ parentId }, index) => [parentId, index]),
    )
    return this.#forkIndexCache
  }

  /** Changes the newest node that passes the test. Searches the path first. */
  changeNode(
    predicate: (node: MessageNode) => boolean,
    change: (node: MessageNode) => MessageNode,
  ): MessageNode | null {
    for (const list of ['path', 'others'] as const) {
      const index = this.state[list].findLastIndex(predicate)
      const node = this.state[list][index]
      if (!node) continue
      const next = change(node)
      if (next !== node) this.mutableList(list)[index] = next
      return next
    }
    return null
  }
}

/** Picks these fields, without undefined ones. */
export function pick<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> {
  const picked: Partial<Value> = {}
  for (const name of names) if (value[name] !== undefined) picked[name] = value[name]
  return picked as Pick<Value, Name>
}
