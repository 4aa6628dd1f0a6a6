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

/** Of the room: less isn't worth that the server's cache of the prompt is broken. */
const WORTH_ASKED = 0.15
/** Of what was sent: whoever refused it counts otherwise than the estimate. */
const WORTH_REFUSED = 0.3
/** What is taken for the window, in tokens, when it is to be said what is much: few models have less. */
const ASSUMED_WINDOW = 32_000

export interface Occasion {
  readonly stepContext: StepContext
  /** Before a step is asked for, or after its request was refused as too long. */
  readonly occasion: 'asked' | 'refused'
}

/** In estimated tokens. */
export interface RoomNeeded {
  readonly room: Room
  /** What the next request may have. */
  readonly budget: number
  /** What fits into the window at all; undefined: not known. */
  readonly limit: number | undefined
  /** Of the next request as it is. */
  readonly sent: number
  /** False: all would fit, and only what is out of date may go. */
  readonly isShort: boolean
}

/** What the run's next request would need; null when the run isn't open any more. Throws `context-too-small`. */
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
