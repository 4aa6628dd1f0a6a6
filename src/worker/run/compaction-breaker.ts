import { contextOn } from '../../conversation/context.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

/** Share of the request that a compaction must free to be useful, if the very next step needs another one. */
const WORTHWHILE = 0.2

/** Useless compactions in consecutive steps after which the run gives up. */
const ENOUGH = 2

const SPENT = `Each of the last ${ENOUGH} requests was too long, and less than ${WORTHWHILE * 100} % of it could be left out. Use a model with a larger window, or have tools return less.`

interface Compaction {
  /** Tokens of the request. */
  readonly before: number
  readonly after: number
  /** Model outputs since the compaction. */
  readonly age: number
}

/** Whether each of the run's last steps needed a compaction that freed hardly anything. */
export function isSpent(state: ConversationState, runId: string): boolean {
  const newest = compactionsIn(state, runId).slice(-ENOUGH)
  return (
    newest.length === ENOUGH &&
    newest.every(
      ({ before, after, age }, at) => after > before * (1 - WORTHWHILE) && age <= ENOUGH - at,
    )
  )
}

/** Warns, and ends the run with `context-overflow`. */
export function breakOff({ conversation, runId, stream }: RunContext): never {
  const step = (conversation.run?.steps ?? 0) + 1
  const code = 'compaction-spent'
  stream.delta({ type: 'warning', code, message: SPENT, runId, step, attempt: 1 })
  throw new OffstageError('context-overflow', SPENT)
}

/** The run's compactions, oldest first. Rows before the same step count as one compaction. */
function compactionsIn(state: ConversationState, runId: string): readonly Compaction[] {
  const ages = agesIn(state, runId)
  const found = new Map<string, Compaction>()
  for (const row of contextOn(state)) {
    if (row.type !== 'compacted' && row.type !== 'results-cleared') continue
    const { after: head, tokensBefore, tokensAfter: after } = row
    const age = head === null ? undefined : ages.get(head)
    if (head === null || age === undefined || !tokensBefore || after === undefined) continue
    found.set(head, { before: found.get(head)?.before ?? tokensBefore, after, age })
  }
  return [...found.values()]
}

/** The number of model outputs after each of the run's messages, by message id. */
function agesIn({ path }: ConversationState, runId: string): ReadonlyMap<string, number> {
  const ages = new Map<string, number>()
  let outputs = 0
  for (const node of path.toReversed()) {
    if (node.runId !== runId) continue
    ages.set(node.id, outputs)
    if (node.message.role === 'assistant') outputs++
  }
  return ages
}
