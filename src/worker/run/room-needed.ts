import type { CompactionSettings } from '../../protocol/compaction.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { Room } from '../model/compaction/planned.ts'
import {
  COMPACTION_DEFAULTS,
  recallTokens,
  refuseTooSmall,
  roomOf,
  sizeOf,
} from './context-room.ts'
import type { CountedRun } from './counters.ts'
import type { RunContext } from './run-context.ts'

/** Smallest share of the room worth freeing, since each change breaks the server's prompt cache. */
const WORTH_ASKED = 0.15
/** Share of a refused request to free. The server's count evidently differs from our estimate. */
const WORTH_REFUSED = 0.3
/** Tokens assumed for an unknown window, to judge when clearing stale results pays. Few models have less. */
const ASSUMED_WINDOW = 32_000

export interface Occasion {
  readonly stepContext: StepContext
  /** `asked`: before a step's request. `refused`: after the server refused it as too long. */
  readonly occasion: 'asked' | 'refused'
}

/** Sizes in estimated tokens. */
export interface RoomNeeded {
  readonly room: Room
  /** Size that the next request may have. */
  readonly budget: number
  /** Size that fits into the window at all. Undefined: unknown. */
  readonly limit: number | undefined
  /** Size of the next request without a compaction. */
  readonly sent: number
  /** False: everything fits, so only stale results may be cleared. */
  readonly isShort: boolean
}

/** Room that the run's next request needs. Null if the run isn't open any more. Throws `context-too-small`. */
export function roomNeeded(
  context: RunContext,
  run: CountedRun | null,
  { stepContext, occasion, settings }: Occasion & { readonly settings: CompactionSettings },
): RoomNeeded | null {
  if (run === null || run.runId !== context.runId || run.end !== null) return null
  recallTokens(context, run, stepContext)
  const size = sizeOf(context, run, stepContext)
  const { fixed, sent } = size
  if (occasion === 'refused') {
    const worth = sent * WORTH_REFUSED
    const room = { total: sent, fixed, worth }
    return { room, budget: sent - worth, limit: undefined, sent, isShort: true }
  }
  const known = roomOf(context, stepContext, settings)
  if (known !== undefined) refuseTooSmall(stepContext, size)
  const total = known ?? ASSUMED_WINDOW / context.memory.tokenFactor(stepContext.model)
  const isShort = known !== undefined && sent >= known
  const limit = known && known / (settings.at ?? COMPACTION_DEFAULTS.at)
  const room = { total, fixed, worth: total * WORTH_ASKED }
  return { room, budget: total, limit, sent, isShort }
}
