import type { UserContent } from '../../protocol/fact.ts'
import { OffstageError } from '../../protocol/error.ts'
import { randomId } from '../../lib/random-id.ts'
import type { RunLimits } from '../../protocol/run.ts'
import type { AgentCommands } from '../agent-commands.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { Run } from '../run.ts'
import type { Firing } from './record.ts'

/** How often a delivery is tried while runs begin and end in between. */
const MOST_ATTEMPTS = 5

/** Commands to the worker that triggers need. */
export interface TriggerCommands extends Pick<AgentCommands, 'rows' | 'steer' | 'withdraw'> {
  /** Limits of the triggers' runs. */
  readonly limits: RunLimits
}

interface Delivery {
  readonly conversationId: string
  readonly message: UserContent
}

/** Begins a run with the message, or queues it for the run after the open one. Resolves once that is stored. */
export async function deliver(
  { runs }: Pick<AgentParts, 'runs'>,
  { limits, steer }: TriggerCommands,
  { conversationId, message }: Delivery,
): Promise<'started' | 'queued'> {
  for (let attempt = 1; ; attempt++) {
    const queued = await steer(conversationId, { message, when: 'after-run' })
    if (queued !== null) return 'queued'
    const ref = { runId: randomId(), conversationId }
    const { run } = runs.start({ ...ref, message, limits, ifBusy: 'refuse' })
    if (await isBegun(run)) return 'started'
    const result = await run.result
    const error = OffstageError.fromData(
      result.outcome === 'failed'
        ? result.error
        : { code: 'aborted', message: 'The run was stopped before it began.', retryable: false },
    )
    if (error.code !== 'conversation-busy' || attempt === MOST_ATTEMPTS) throw error
  }
}

async function isBegun(run: Run): Promise<boolean> {
  for await (const { type } of run) if (type === 'run-start' || type === 'run-snapshot') return true
  return false
}

/** Whether the message of a firing is in its conversation. */
export async function isStored(
  { rows }: TriggerCommands,
  { conversationId, messageId }: Firing,
): Promise<boolean> {
  for (let after = 0; ;) {
    const part = await rows(conversationId, { after })
    const last = part?.rows.at(-1)
    if (!part || !last) return false
    if (part.rows.some((row) => 'message' in row && idOf(row.message) === messageId)) return true
    if (!part.hasMore) return false
    after = last.seq
  }
}

function idOf(message: unknown): unknown {
  return (message as { readonly id?: unknown } | null)?.id
}
