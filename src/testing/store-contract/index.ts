import { emptyState } from '../../conversation/state.ts'
import { fold } from '../../conversation/fold.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { NewRow, Row } from '../../protocol/fact.ts'
import type { Append, Store } from '../../worker/store/store.ts'
import {
  type ContractCase,
  appendOf,
  codeOf,
  runEnded,
  expectTrue,
  newId,
  type Requirement,
  expectSame,
  runStarted,
  type StorePair,
  type StoreUnderTest,
} from './expectations.ts'
import { FOLLOWS, READS } from './reads.ts'
import { APPENDS, LATE_REQUESTS, OWNERS } from './writes.ts'

const IDS = ['a', 'b', 'c'] as const
const HISTORY_COUNT = 15
const HISTORY_LENGTH = 40
interface WrittenAppend {
  readonly append: Append
  readonly rows: readonly Row[]
}

/** Expected content of the stores, by conversation. */
interface Model {
  readonly epochs: Map<string, number>
  readonly written: Map<string, WrittenAppend[]>
  readonly newest: Map<string, number>
}

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const HISTORIES_CASES: Record<string, Requirement> = {}
for (let seed = 1; seed <= HISTORY_COUNT; seed++)
  HISTORIES_CASES[`of two owners result in one list of rows, seed ${seed}`] = (pair) =>
    playHistory(pair, createRandom(seed))

const GROUPS: readonly (readonly [group: string, cases: Record<string, Requirement>])[] = [
  ['appends', APPENDS],
  ['owners', OWNERS],
  ['late requests', LATE_REQUESTS],
  ['reading, lists, titles, deletion and imports', READS],
  ['following', FOLLOWS],
  ['random histories', HISTORIES_CASES],
]

/**
 * Requirements for every store, as cases for any test runner: `for (const { name, run } of storeContract(tested))
 * it(name, run)`. Each case opens and closes its own store.
 */
export function storeContract(tested: StoreUnderTest): ContractCase[] {
  return GROUPS.flatMap(([group, cases]) =>
    Object.entries(cases).map(([name, requirement]) => ({
      group,
      name: `${group}: ${name}`,
      run: async () => {
        const pair = await tested.open()
        try {
          await requirement(pair, tested)
        } finally {
          pair.store.close()
          pair.other.close()
        }
      },
    })),
  )
}

async function playHistory(pair: StorePair, random: () => number): Promise<void> {
  const model: Model = { epochs: new Map(), written: new Map(), newest: new Map() }
  for (let step = 0; step < HISTORY_LENGTH; step++) {
    const id = IDS[Math.floor(random() * IDS.length)] ?? 'a'
    const owner = random() < 0.5 ? 'store' : 'other'
    await playStep(pair, model, { id, owner, random })
    await compareWithModel(pair, model, id)
  }
}

async function playStep(
  pair: StorePair,
  { epochs, written, newest }: Model,
  { id, owner, random }: { id: string; owner: 'store' | 'other'; random: () => number },
): Promise<void> {
  const store = pair[owner]
  const roll = random()
  if (roll < 0.2) {
    const { epoch } = await store.claim(id, 1)
    expectSame(epoch > Math.max(0, ...epochs.values()), true, 'an epoch is newer than all before')
    epochs.set(`${owner} ${id}`, epoch)
    newest.set(id, epoch)
  } else if (roll < 0.26) {
    expectSame(await store.delete(id), newest.delete(id), 'whether there was something to delete')
    written.delete(id)
  } else if (roll < 0.4) {
    const history = written.get(id) ?? []
    const repeated = history[Math.floor(random() * history.length)]
    if (repeated) await repeatAppend(store, repeated, repeated === history.at(-1))
  } else {
    const epoch = epochs.get(`${owner} ${id}`) ?? 0
    const append = appendOf(id, epoch, randomRows(random))
    if (newest.get(id) !== epoch)
      return expectSame(
        await codeOf(store.append(append)),
        'ownership-lost',
        'what a former owner gets',
      )
    written.set(id, [...(written.get(id) ?? []), { append, rows: await store.append(append) }])
  }
}

/** Repeats an append. A store must recognize its newest append, but may reject an older one as late. */
async function repeatAppend(
  store: Store,
  { append, rows }: WrittenAppend,
  isNewest: boolean,
): Promise<void> {
  const result = await store.append(append).catch((error: unknown) => error)
  if (Array.isArray(result) || isNewest) return expectSame(result, rows, 'what a repeat returns')
  const code = OffstageError.is(result) ? result.code : describeThrown(result)
  expectTrue(
    code === 'storage-failed' || code === 'ownership-lost',
    `the code ${code} of a late repeat`,
  )
}

function randomRows(random: () => number): NewRow[] {
  const runId = newId('r')
  const rows: NewRow[] = [runStarted(runId, `Words ${random()}`)]
  if (random() < 0.7) rows.push(runEnded(runId, Math.floor(random() * 100)))
  if (random() < 0.1) rows.push({ type: 'history-cleared', runId: null, at: 3 })
  return rows
}

async function compareWithModel(
  { store, other }: StorePair,
  model: Model,
  id: string,
): Promise<void> {
  const expectedRows = (model.written.get(id) ?? []).flatMap(({ rows }) => rows)
  const { record, rows } = await other.read(id)
  expectSame(rows, expectedRows, 'all rows')
  expectSame(record, await store.get(id), 'the record that is read, and that of the other one')
  expectSame(record !== null, model.newest.has(id), 'whether it is there')
  if (record === null) return
  const state = fold(emptyState(id), expectedRows)
  const openRunId = state.run?.end === null ? state.run.runId : null
  expectSame(
    [record.lastSeq, record.title, record.era, record.openRunId, record.epoch],
    [expectedRows.length, state.title ?? '', state.era, openRunId, model.newest.get(id)],
    'the record: lastSeq, title, era, openRunId, epoch',
  )
}
