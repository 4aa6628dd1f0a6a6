import { emptyState } from '../conversation/empty-state.ts'
import { fold } from '../conversation/fold.ts'
import type { ImportRows } from '../protocol/commands.ts'
import { UNFINISHED } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import type { NewRow, Row } from '../protocol/fact.ts'
import { importMark, isImportMark } from '../protocol/import-mark.ts'
import { IMPORTED } from '../protocol/run.ts'
import type { ConversationScope } from '../protocol/scope.ts'
import type { ConversationState } from '../protocol/state.ts'
import { isRecord } from '../lib/shape.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { returns } from './run/queued-messages.ts'
import { settledFact, settlementAtEnd } from './run/settlement.ts'
import { checkRow } from './store/check-row.ts'
import { placed, type FactDraft } from './store/fact-draft.ts'
import { takenOver } from './store/record.ts'

type ImportRef = ConversationScope & { readonly importId: string }

/** A conversation of which more rows are to come; its lease is held. */
interface Half {
  readonly active: ActiveConversation
  readonly agentId: string
  /** Of its newest run and what is in force, which is all that its end needs. */
  state: ConversationState
  /** The file itself says that an import taints it. */
  isTakenIn: boolean
}

/** Conversations from elsewhere, which come in parts and are there whole or not at all. */
export class Imports {
  readonly #registry: ConversationRegistry
  readonly #now: () => number
  /** By import. */
  readonly #halves = new Map<string, Half>()

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
        // Half a conversation is owned: one that nobody imports any more makes room.
        const isHalf = !isLast || (await store.get(conversationId))?.broken === UNFINISHED
        if (isHalf && !(await this.#begin(command))) return false
      }
      const half = this.#halves.get(importId)
      // The worker that has seen the rows before these is gone.
      if (after > 0 && !half) throw takenOver()
      const before = half?.state ?? beginning(conversationId)
      const state = fold(before, rows)
      if (half) half.state = withoutMessages(state)
      const now = this.#now()
      const ends = isLast ? closing(state, now) : []
      const updatedAt = ends.length > 0 ? Math.max(now, command.updatedAt) : command.updatedAt
      const isTaken = isTakenIn(rows, half?.isTakenIn ?? false)
      if (half) half.isTakenIn = isTaken
      const taken = isLast && !isTaken ? [importMark(now)] : []
      const isPlaced = await store.place({
        ...command,
        updatedAt,
        rows: [...rows, ...ends, ...taken],
      })
      if (isLast || !isPlaced) this.#end(importId)
      if (isLast && isPlaced) await this.#changed(command)
      return isPlaced
    } catch (error) {
      // Where that fails, too, what there is of it stays refused.
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
      await this.#changed(scope)
    } finally {
      this.#end(importId)
    }
  }

  /** What it didn't finish and can't be deleted any more stays broken until it is imported again. */
  release(agentId: string): void {
    for (const [importId, half] of this.#halves)
      if (half.agentId === agentId)
        void this.dropImport({ ...half.active.scope, importId }).catch(() => undefined)
  }

  /** False: another tab, or something in this one, has the conversation. */
  async #begin({ importId, ...scope }: ImportRows): Promise<boolean> {
    const { agentId, conversationId } = scope
    const active = await this.#registry.take(scope)
    const isImported = [...this.#halves.values()].some((half) => half.active === active)
    if (isImported || active.ownership.holds(conversationId)) return false
    const state = beginning(conversationId)
    this.#halves.set(importId, { active, agentId, state, isTakenIn: false })
    const isOwn = await active.ownership.acquire(conversationId)
    if (!isOwn) this.#halves.delete(importId)
    return isOwn
  }

  #end(importId: string): void {
    this.#halves.get(importId)?.active.disown()
    this.#halves.delete(importId)
  }

  async #changed(scope: ConversationScope): Promise<void> {
    this.#registry.tabs(scope).recordChanged(scope.conversationId)
    await this.#registry.find(scope)?.conversation.refresh()
  }
}

function checkedRows({ conversationId, importId, after, rows }: ImportRows): Row[] {
  return rows.map((given, index) => {
    const stored = isRecord(given) ? { ...given, conversationId, appendId: importId } : given
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

/** Instructions are the app's. Those of a file are somebody's words: a person sees them as such, and so does the model. */
function withoutInstructions(row: Row): Row {
  if (row.type !== 'messages-imported') return row
  const messages = row.messages.map((message) =>
    message.role === 'system' ? { ...message, role: 'user' as const } : message,
  )
  return { ...row, messages }
}

/** Calls of a file are not undone: nobody knows that they happened. */
function withoutUndo(row: Row): Row {
  if (!('by' in row)) return row
  const { undoable: _undoable, ...by } = row.by
  return { ...row, by }
}

function beginning(conversationId: string): ConversationState {
  return withoutMessages(emptyState(conversationId))
}

/** A windowed state: of a long conversation, no more is kept than of a short one. */
function withoutMessages(state: ConversationState): ConversationState {
  return { ...state, path: [], others: [], forks: [], leaves: [], context: [], older: 1 }
}

/**
 * What an imported conversation ends with. A run that was open would be driven twice, here and where it comes
 * from: it is ended, and its calls as at any end. What a person allowed was allowed there. Pure.
 */
function closing({ run, queue, consents }: ConversationState, at: number): NewRow[] {
  const open = run?.end === null ? run : null
  const end = { outcome: 'aborted', reason: IMPORTED } as const
  const drafts: FactDraft[] = [
    ...(open?.calls.flatMap(settlementAtEnd).map(settledFact) ?? []),
    // The next run would take it for what the person at this page has written.
    ...returns({ queue }),
    ...(open ? [{ type: 'run-ended' as const, end }] : []),
    ...consents.map(({ consentId }) => ({
      type: 'consent-revoked' as const,
      consentId,
      runId: null,
    })),
  ]
  return placed(drafts, null).map((fact) => ({ runId: run?.runId ?? null, ...fact, at }))
}

/** An import before has said so, and the history wasn't cleared since. */
function isTakenIn(rows: readonly Row[], before: boolean): boolean {
  const row = rows.findLast((each) => each.type === 'history-cleared' || isImportMark(each))
  return row ? row.type !== 'history-cleared' : before
}
