import type { ForkConversation, RowsFound, RowsQuery } from '../protocol/worker-calls.ts'
import type {
  AgentScope,
  ConversationRecord,
  ConversationScope,
  StoredConversation,
} from '../protocol/conversation.ts'
import { isSettled, allPendingCalls } from '../conversation/pending.ts'
import { nextRequestTaint, TaintWalk } from '../conversation/taint.ts'
import { ancestry } from '../conversation/tree.ts'
import { titleFromMessages } from '../conversation/title.ts'
import { OffstageError } from '../protocol/error.ts'
import { DELETED } from '../protocol/run.ts'
import { busyError, callsPending } from './active-conversation.ts'
import type { Effects } from './effects.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import { onlyCopy } from './store/record.ts'
import { soundRows } from './store/sound-rows.ts'
import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'
import type { FactDraft } from './store/fact-draft.ts'

/**
 * Facts that a fork begins with: messages up to `lastMessageId`, the title, and the model's other context, including
 * taint. Default for `lastMessageId`: the last message before open calls. Null if the given message doesn't exist.
 * Throws `calls-pending` if calls in these messages are open. Pure.
 */
function forkedFacts(
  state: ConversationState,
  lastMessageId: string | undefined,
): readonly FactDraft[] | null {
  const nodes =
    lastMessageId === undefined ? beforeOpenCalls(state.path) : pathTo(state, lastMessageId)
  if (nodes === null) return null
  const open = nodes.filter(hasOpenCalls).flatMap(({ calls }) => calls)
  if (open.length > 0) throw callsPending(open)
  const ids = new Set<string | null>([null, ...nodes.map(({ id }) => id)])
  const context = state.context.filter(
    (row) => ids.has(row.after) && (row.type !== 'compacted' || ids.has(row.keptFrom)),
  )
  const messages = nodes.map(({ id, message }) => ({ ...message, id }))
  return [
    ...(messages.length > 0 ? [{ type: 'messages-imported' as const, messages }] : []),
    ...context.filter(({ type }) => !TAINT_ROWS.has(type)).map(toDraft),
    // Imported messages don't record which of them derive from untrusted content, so the fork is tainted on all
    // branches.
    ...new TaintWalk(nodes, [...context, clearToolOrigins(nodes)]).taint.map(
      ({ at: _at, ...taint }) => ({
        type: 'context-tainted' as const,
        after: null,
        ...taint,
      }),
    ),
    ...(state.title === null ? [] : [{ type: 'renamed' as const, title: state.title }]),
  ]
}

const TAINT_ROWS: ReadonlySet<ContextRow['type']> = new Set([
  'context-tainted',
  'descriptions-changed',
])

/** Clears the origins of tool descriptions. The fork's own rows will name the origins for its requests. */
function clearToolOrigins(nodes: readonly MessageNode[]): ContextRow {
  const after = nodes.at(-1)?.id ?? null
  return { type: 'descriptions-changed', after, origins: [], seq: Infinity, at: 0 }
}

function toDraft({ seq: _seq, at: _at, ...fact }: ContextRow): FactDraft {
  return fact
}

/** Messages before the first step with open calls. Open calls belong to a run, which isn't forked. */
function beforeOpenCalls(path: readonly MessageNode[]): readonly MessageNode[] {
  const open = path.findIndex((node) => hasOpenCalls(node))
  return open < 0 ? path : path.slice(0, open)
}

function hasOpenCalls({ kind, calls }: MessageNode): boolean {
  return kind !== 'imported' && calls.some((call) => !isSettled(call))
}

/** The path to a message, and the results of its calls. Null if a message of the path is missing. */
function pathTo({ path, others }: ConversationState, id: string): readonly MessageNode[] | null {
  const nodes = new Map([...path, ...others].map((node) => [node.id, node]))
  const found = [...ancestry(nodes, id)].toReversed()
  if (found[0]?.parentId !== null) return null
  const results = [...nodes.values()].find(
    (node) => node.parentId === id && node.message.role === 'tool',
  )
  return results ? [...found, results] : found
}

/** Lists, reads, renames, forks and deletes stored conversations. Begins no runs. */
export class Library {
  readonly #registry: ConversationRegistry
  readonly #now: () => number

  constructor(registry: ConversationRegistry, { now }: Pick<Effects, 'now'>) {
    this.#registry = registry
    this.#now = now
  }

  async listConversations(
    scope: AgentScope & { readonly unfinished?: boolean; readonly children?: boolean },
  ): Promise<ConversationRecord[]> {
    // A claim without rows isn't a conversation yet: its first message may have been refused.
    const all = (await this.#registry.list(scope)).filter(
      ({ broken, lastSeq }) => lastSeq || broken,
    )
    const records = scope.children ? all : withoutChildren(all)
    return scope.unfinished ? records.filter((record) => record.openRunId !== null) : records
  }

  /** Reads a conversation. A broken conversation is read up to its fault. */
  async getConversation(scope: ConversationScope): Promise<StoredConversation | null> {
    const store = await this.#registry.store(scope)
    const { record } = await store.read(scope.conversationId, { limit: 0 })
    if (record === null) return null
    const { conversation } = await this.#registry.openConversation(scope)
    await conversation.refresh()
    const { fault, messages } = conversation
    if (fault !== null) return { ...record, broken: fault, messages: [...messages], pending: [] }
    const paused = conversation.pauseReason
    const { state } = conversation
    const { setAside } = state
    const taint = nextRequestTaint(state)
    return {
      ...record,
      messages: [...messages],
      pending: [...allPendingCalls(state)],
      ...(taint.length > 0 && { taint }),
      ...(setAside && { setAside }),
      ...(paused && { paused }),
    }
  }

  async renameConversation(
    scope: ConversationScope & { readonly title: string },
  ): Promise<boolean> {
    const { conversationId, title } = scope
    if (typeof title !== 'string') {
      throw new OffstageError('invalid-input', 'The title of a conversation must be a string.')
    }
    const store = await this.#registry.store(scope)
    const exists = await store.rename(conversationId, {
      title: title.trim() === '' ? await this.#defaultTitle(scope) : title,
      at: this.#now(),
    })
    if (!exists) return false
    this.#registry.tabs(scope).recordChanged(conversationId)
    await this.#registry.find(scope)?.conversation.refresh()
    return true
  }

  /** Title made from the first message with text. Empty if there is none. */
  async #defaultTitle(scope: ConversationScope): Promise<string> {
    const { conversation } = await this.#registry.openConversation(scope)
    await conversation.refresh()
    return titleFromMessages(conversation.state) ?? ''
  }

  /** Forks a conversation. A retry finds the fork that an earlier try made. */
  async forkConversation({ forkId, lastMessageId, ...scope }: ForkConversation): Promise<boolean> {
    if ((await (await this.#registry.store(scope)).get(scope.conversationId)) === null) return false
    const { conversation } = await this.#registry.openConversation(scope)
    await conversation.refresh()
    conversation.refuseBroken()
    const facts = forkedFacts(conversation.state, lastMessageId)
    if (facts === null) return false
    const fork = await this.#registry.openConversation({ ...scope, conversationId: forkId })
    return fork.enqueueNow(async () => {
      await fork.claim()
      try {
        if (fork.conversation.state.seq > 0 || facts.length === 0) return true
        return await fork.conversation.append(facts, { runId: null, once: true })
      } finally {
        fork.releaseOwnership()
      }
    })
  }

  async deleteConversation(scope: ConversationScope): Promise<boolean> {
    return (await this.#delete(scope)).length > 0
  }

  /**
   * Deletes a conversation with its descendants, and returns their ids. Aborts the conversation's own runs first, since
   * they could start more descendants, then the descendants' runs.
   */
  async #delete(scope: ConversationScope): Promise<string[]> {
    const active = await this.#registry.openConversation(scope)
    await active.discard(DELETED)
    return active.enqueue(async () => {
      await active.discard(DELETED)
      const store = await this.#registry.store(scope)
      const ids = [scope.conversationId]
      for (const conversationId of await store.descendants(scope.conversationId)) {
        ids.push(conversationId)
        await this.#registry.find({ ...scope, conversationId })?.discard(DELETED)
      }
      const wasDeleted = await store.delete(scope.conversationId)
      for (const conversationId of ids) {
        if (wasDeleted) this.#registry.tabs(scope).recordChanged(conversationId)
        await this.#registry.find({ ...scope, conversationId })?.conversation.refresh()
      }
      return wasDeleted ? ids : []
    })
  }

  /** Deletes all conversations. Requested runs that aren't stored yet don't begin. */
  async wipeConversations(scope: AgentScope): Promise<number> {
    const ids = new Set(this.#registry.inUse(scope))
    for (const { conversationId } of await this.#registry.list(scope)) ids.add(conversationId)
    const deleted = new Set<string>()
    for (const conversationId of ids) {
      if (deleted.has(conversationId)) continue
      for (const id of await this.#delete({ ...scope, conversationId })) deleted.add(id)
    }
    return deleted.size
  }

  async exportRows({ after, count, ...scope }: RowsQuery): Promise<RowsFound | null> {
    const store = await this.#registry.store(scope)
    const { record, rows, isCopy } = await store.read(scope.conversationId, { after, limit: count })
    if (isCopy) throw onlyCopy()
    const { sound, fault } = soundRows(rows, { after, record: null })
    return record && { record, rows: sound, fault: fault && fault.fault }
  }

  async clearHistory(scope: ConversationScope): Promise<boolean> {
    const { conversationId } = scope
    if ((await (await this.#registry.store(scope)).get(conversationId)) === null) return false
    const active = await this.#registry.openConversation(scope)
    return active.enqueueNow(async () => {
      if (active.driver) throw busyError(conversationId)
      await active.appendBetweenRuns(() => [{ type: 'history-cleared' }])
      // Flushes, so that the caller sees the cleared history.
      active.conversation.stream.flush()
      return true
    })
  }
}

/** Leaves out conversations that a call of another listed conversation started. */
function withoutChildren(records: readonly ConversationRecord[]): ConversationRecord[] {
  const ids = new Set(records.map(({ conversationId }) => conversationId))
  return records.filter(({ parent }) => !parent || !ids.has(parent.conversationId))
}
