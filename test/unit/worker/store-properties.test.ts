import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { importedCalls, isSettled } from '../../../src/conversation/pending.ts'
import type { NewRow, Row } from '../../../src/protocol/fact.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { checkRow } from '../../../src/worker/store/check-row.ts'
import type { Append, Store } from '../../../src/worker/store/store.ts'
import { KINDS, nextRows, renamed, type Kind } from './random-facts.ts'
import { codeOf, newId, nextOrder, stores } from './store-support.ts'
import { someOf } from '../more.ts'

const IDS = ['a', 'b'] as const
const OWNERS = 3

/** The next operation. Numbers select among the possible targets. */
type Op =
  | { readonly op: 'claim'; readonly id: string; readonly owner: number }
  | {
      readonly op: 'write'
      readonly id: string
      readonly owner: number
      readonly kinds: readonly Kind[]
      readonly pick: number
      /** Whether the first try reaches the store, and whether its answer comes back. */
      readonly first: 'answered' | 'answer-lost' | 'never-tried'
    }
  | { readonly op: 'race'; readonly id: string; readonly owner: number; readonly by: number }
  | { readonly op: 'repeat'; readonly pick: number }
  | { readonly op: 'delete'; readonly id: string }

const id = fc.constantFrom(...IDS)
const owner = fc.nat(OWNERS - 1)
const pick = fc.nat(7)
const write = fc.record({
  op: fc.constant('write' as const),
  id,
  owner,
  kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 }),
  pick,
  first: fc.constantFrom('answered' as const, 'answer-lost' as const, 'never-tried' as const),
})
const ops: fc.Arbitrary<Op[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ op: fc.constant('claim' as const), id, owner }) },
    { weight: 8, arbitrary: write },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('race' as const), id, owner, by: owner }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('repeat' as const), pick }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('delete' as const), id }) },
  ),
  { minLength: 10, maxLength: 40 },
)

describe.each(stores)(
  'the %s store, for any actions of its owners and any lost responses',
  (_name, open) => {
    it('has no row gaps, applies appends once, refuses old owners, and keeps records consistent', async () => {
      await fc.assert(
        fc.asyncProperty(ops, async (list) => {
          const world = new World(await open())
          for (const op of list) {
            await world.take(op)
            for (const each of IDS) await world.check(each)
          }
        }),
        { numRuns: someOf(200) },
      )
    })
  },
)

interface Done {
  readonly append: Append
  readonly rows: readonly Row[]
}

class World {
  readonly #store: Store
  /** By owner and conversation: the epoch of its newest claim. */
  readonly #epochs = new Map<string, number>()
  /** The owner that may write, by conversation. */
  readonly #holders = new Map<string, number>()
  /** Appends that were committed, by conversation, in their order; gone with it. */
  readonly #done = new Map<string, Done[]>()

  constructor(store: Store) {
    this.#store = store
  }

  async take(op: Op): Promise<void> {
    switch (op.op) {
      case 'claim':
        return this.#claim(op.id, op.owner)
      case 'write':
        return this.#write(op)
      case 'race':
        return this.#race(op)
      case 'repeat':
        return this.#repeat(op.pick)
      case 'delete':
        expect(await this.#store.delete(op.id)).toBe(this.#holders.delete(op.id))
        this.#done.delete(op.id)
        return
      default:
        op satisfies never
    }
  }

  async check(conversationId: string): Promise<void> {
    const { record, rows: stored } = await this.#store.read(conversationId)
    const rows = stored.map((row, index) => checkRow(row, index + 1) as Row)
    expect(rows).toEqual((this.#done.get(conversationId) ?? []).flatMap((done) => done.rows))
    expect(record).toEqual(await this.#store.get(conversationId))
    if (!this.#holders.has(conversationId)) return expect(record).toBeNull()
    const state = fold(emptyState(conversationId), rows)
    const { openCalls = [], ...rest } = record ?? {}
    expect(rest).toMatchObject({
      lastSeq: rows.length,
      era: state.era,
      title: state.title ?? '',
      openRunId: state.run?.end === null ? state.run.runId : null,
      updatedAt: Math.max(1, ...rows.map(({ at }) => at)),
    })
    expect(openCalls.toSorted()).toEqual(openBy(rows, state).toSorted())
  }

  async #claim(conversationId: string, by: number): Promise<void> {
    const { epoch } = await this.#store.claim(conversationId, 1)
    expect(epoch).toBeGreaterThan(Math.max(0, ...this.#epochs.values()))
    this.#epochs.set(`${by}:${conversationId}`, epoch)
    this.#holders.set(conversationId, by)
  }

  async #write(op: Extract<Op, { op: 'write' }>): Promise<void> {
    const append = await this.#prepare(op)
    if (op.first === 'answer-lost') await this.#store.append(append).catch(() => undefined)
    await this.#tryAppend(append, this.#holders.get(op.id) === op.owner)
    // Blindly, once more.
    if (op.first !== 'answered')
      await this.#tryAppend(append, this.#holders.get(op.id) === op.owner)
  }

  /** Somebody claims the conversation while its owner writes: the append is there as a whole, or not at all. */
  async #race({
    id: conversationId,
    owner: by,
    by: claimer,
  }: Extract<Op, { op: 'race' }>): Promise<void> {
    const kinds = ['renamed', 'run-started', 'model-output'] as const
    const append = await this.#prepare({ id: conversationId, owner: by, kinds, pick: 1 })
    const [written] = await Promise.all([
      codeOf(this.#store.append(append)),
      this.#claim(conversationId, claimer),
    ])
    expect(['null', 'ownership-lost']).toContain(written)
    await this.#tryAppend(append, written === 'null')
  }

  /** Repeats one of a conversation's newest appends, possibly by a former owner. */
  async #repeat(pickOf: number): Promise<void> {
    for (const list of this.#done.values()) {
      const newest = list.slice(-8)
      const done = newest[pickOf % newest.length]
      if (!done) continue
      const other = { ...done.append, rows: [renamed('Another')] }
      expect(await this.#store.append(other)).toEqual(done.rows)
    }
  }

  async #tryAppend(append: Append, isAllowed: boolean): Promise<void> {
    if (!isAllowed) return expect(await codeOf(this.#store.append(append))).toBe('ownership-lost')
    const rows = await this.#store.append(append)
    const list = this.#done.get(append.conversationId) ?? []
    const known = list.find((done) => done.append.appendId === append.appendId)
    if (known) return expect(rows).toEqual(known.rows)
    this.#done.set(append.conversationId, [...list, { append, rows }])
  }

  async #prepare(op: {
    readonly id: string
    readonly owner: number
    readonly kinds: readonly Kind[]
    readonly pick: number
  }): Promise<Append> {
    const stored = (await this.#store.read(op.id)).rows as readonly Row[]
    let state = fold(emptyState(op.id), stored)
    const rows: NewRow[] = []
    for (const kind of op.kinds) {
      for (const row of nextRows(kind, state, op.pick)) {
        rows.push(row)
        const place = {
          conversationId: op.id,
          format: 2,
          seq: state.seq + 1,
          appendId: '',
        } as const
        state = fold(state, [{ ...row, ...place }])
      }
    }
    const epoch = this.#epochs.get(`${op.owner}:${op.id}`) ?? 0
    return { conversationId: op.id, epoch, appendId: newId(), order: nextOrder(), rows }
  }
}

/** The calls without an outcome, by the rows alone; a run's are over with it unless it waits. */
function openBy(rows: readonly Row[], state: ConversationState): string[] {
  const begin = rows.findLastIndex(
    ({ type }) => type === 'run-started' || type === 'history-cleared',
  )
  const importedSince = new Set(
    rows
      .slice(begin + 1)
      .flatMap((row) =>
        row.type === 'messages-imported' ? row.messages.map((each) => each.id) : [],
      ),
  )
  const { run, path } = state
  const ofRun = run && (run.end?.outcome ?? 'waiting') === 'waiting' ? run.calls : []
  const imported = new Set(importedCalls(state).map(({ toolCallId }) => toolCallId))
  const ofImports = path
    .filter((node) => importedSince.has(node.id))
    .flatMap(({ calls }) => calls.filter(({ toolCallId }) => imported.has(toolCallId)))
  return [...ofRun.filter((call) => !isSettled(call)), ...ofImports].map((call) => call.toolCallId)
}
