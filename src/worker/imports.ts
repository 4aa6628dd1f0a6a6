import { emptyState } from '../conversation/state.ts'
import { fold } from '../conversation/fold.ts'
import type { ImportRows } from '../protocol/worker-calls.ts'
import { type ConversationScope, INCOMPLETE_IMPORT } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import { importMark, isImportMark, type NewRow, type Row } from '../protocol/fact.ts'
import { IMPORTED } from '../protocol/run.ts'
import type { ConversationState } from '../protocol/state.ts'
import { isRecord } from '../lib/shape.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { withdrawalFacts } from './run/queued-messages.ts'
import { settledFact, settlementAtEnd } from './run/settle.ts'
import { checkRow } from './store/check-row.ts'
import { withParents, type FactDraft } from './store/fact-draft.ts'
import { takenOverError } from './store/record.ts'

type ImportRef = ConversationScope & { readonly importId: string }

/** A partly imported conversation. Its lease is held. */
interface PartialImport {
  readonly active: ActiveConversation
  readonly agentId: string
  /** State without messages: finishing the import needs only the newest run, the queue and the consents. */
  state: ConversationState
  /** Whether the file already marks its history as imported, and therefore as tainted. */
  isMarked: boolean
}

/** Imports conversations in parts. Each conversation is stored completely or not at all. */
export class Imports {
  readonly #registry: ConversationRegistry
  readonly #now: () => number
  /** Partial imports by import id. */
  readonly #partials = new Map<string, PartialImport>()

  constructor(registry: ConversationRegistry, { now }: Pick<Effects, 'now'>) {
    this.#registry = registry
    this.#now = now
  }

  async importRows(command: ImportRows): Promise<boolean> {
    const { after, isLast, importId, conversationId } = command
    try {
      const rows = checkedRows(command)
      const store = await this.#registry.store(command)
      if (after === 0) {
        // A partial conversation needs an owner. So does an abandoned import, which this one replaces.
        const needsOwner =
          !isLast || (await store.get(conversationId))?.broken === INCOMPLETE_IMPORT
        if (needsOwner && !(await this.#beginImport(command))) return false
      }
      const partial = this.#partials.get(importId)
      // The worker that received the earlier rows is gone, and its partial import with it.
      if (after > 0 && !partial) throw takenOverError()
      const previous = partial?.state ?? startState(conversationId)
      const state = fold(previous, rows)
      if (partial) partial.state = withoutMessages(state)
      const now = this.#now()
      const endRows = isLast ? closingRows(state, now) : []
      const updatedAt = endRows.length > 0 ? Math.max(now, command.updatedAt) : command.updatedAt
      const isMarked = hasImportMark(rows, partial?.isMarked ?? false)
      if (partial) partial.isMarked = isMarked
      const markRows = isLast && !isMarked ? [importMark(now)] : []
      const isPlaced = await store.place({
        ...command,
        updatedAt,
        rows: [...rows, ...endRows, ...markRows],
      })
      if (isLast || !isPlaced) this.#endImport(importId)
      if (isLast && isPlaced) await this.#notifyChanged(command)
      return isPlaced
    } catch (error) {
      // If the deletion fails too, the partial conversation stays broken.
      await this.dropImport(command).catch(() => undefined)
      throw error
    }
  }

  async dropImport({ importId, ...scope }: ImportRef): Promise<void> {
    try {
      const store = await this.#registry.store(scope)
      const record = await store.get(scope.conversationId)
      if (record?.importId !== importId) return
      await store.delete(scope.conversationId)
      await this.#notifyChanged(scope)
    } finally {
      this.#endImport(importId)
    }
  }

  /**
   * Drops the agent's unfinished imports. A partial conversation that can't be deleted stays broken until it is
   * imported again.
   */
  release(agentId: string): void {
    for (const [importId, partial] of this.#partials)
      if (partial.agentId === agentId)
        void this.dropImport({ ...partial.active.scope, importId }).catch(() => undefined)
  }

  /** Takes the lease for an import. False if another tab or other work in this tab has the lease. */
  async #beginImport({ importId, ...scope }: ImportRows): Promise<boolean> {
    const { agentId, conversationId } = scope
    const active = await this.#registry.openConversation(scope)
    const isImported = [...this.#partials.values()].some((partial) => partial.active === active)
    if (isImported || active.leases.holds(conversationId)) return false
    const state = startState(conversationId)
    this.#partials.set(importId, { active, agentId, state, isMarked: false })
    const isAcquired = await active.leases.acquire(conversationId)
    if (!isAcquired) this.#partials.delete(importId)
    return isAcquired
  }

  #endImport(importId: string): void {
    this.#partials.get(importId)?.active.releaseOwnership()
    this.#partials.delete(importId)
  }

  async #notifyChanged(scope: ConversationScope): Promise<void> {
    this.#registry.tabs(scope).recordChanged(scope.conversationId)
    await this.#registry.find(scope)?.conversation.refresh()
  }
}

function checkedRows({ conversationId, importId, after, rows }: ImportRows): Row[] {
  return rows.map((input, index) => {
    const stored = isRecord(input) ? { ...input, conversationId, appendId: importId } : input
    const row = checkRow(stored, after + index + 1)
    if (!('fault' in row)) return withoutUndo(withoutInstructions(row))
    const { fault, kind } = row
    throw new OffstageError(
      kind === 'newer' ? 'storage-newer' : 'conversation-broken',
      `Conversation ${conversationId} is not imported. ${fault}`,
      { details: { conversationId, fault } },
    )
  })
}

/**
 * Turns a file's system messages into user messages. Only the app may give instructions: text from a file counts as
 * content.
 */
function withoutInstructions(row: Row): Row {
  if (row.type !== 'messages-imported') return row
  const messages = row.messages.map((message) =>
    message.role === 'system' ? { ...message, role: 'user' as const } : message,
  )
  return { ...row, messages }
}

/** Keeps imported calls from being undone: nobody knows whether they really ran. */
function withoutUndo(row: Row): Row {
  if (!('by' in row)) return row
  const { undoable: _undoable, ...by } = row.by
  return { ...row, by }
}

function startState(conversationId: string): ConversationState {
  return withoutMessages(emptyState(conversationId))
}

/** Windowed state without messages, so that a long conversation takes no more memory than a short one. */
function withoutMessages(state: ConversationState): ConversationState {
  return { ...state, path: [], others: [], forks: [], leaves: [], context: [], older: 1 }
}

/**
 * Rows that end an imported conversation. An open run is ended, or two browsers would drive it: this one and the one
 * that exported it. Consents are revoked, since they were given elsewhere. Pure.
 */
function closingRows({ run, queue, consents }: ConversationState, at: number): NewRow[] {
  const open = run?.end === null ? run : null
  const end = { outcome: 'aborted', reason: IMPORTED } as const
  const drafts: FactDraft[] = [
    ...(open?.calls.flatMap(settlementAtEnd).map(settledFact) ?? []),
    // Withdraws queued messages, or the next run would treat them as written on this page.
    ...withdrawalFacts({ queue }),
    ...(open ? [{ type: 'run-ended' as const, end }] : []),
    ...consents.map(({ consentId }) => ({
      type: 'consent-revoked' as const,
      consentId,
      runId: null,
    })),
  ]
  return withParents(drafts, null).map((fact) => ({ runId: run?.runId ?? null, ...fact, at }))
}

/** Whether the history has an import mark, and wasn't cleared after it. `before`: the result for the earlier rows. */
function hasImportMark(rows: readonly Row[], before: boolean): boolean {
  const row = rows.findLast((each) => each.type === 'history-cleared' || isImportMark(each))
  return row ? row.type !== 'history-cleared' : before
}
