import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from '../protocol/compaction.ts'

/**
 * How a conversation that grows is kept within the model's context window. What is stored stays complete:
 * only what is sent is cut down.
 */
export interface CompactionOptions {
  /** Tokens. Default: the model configuration's, else what is known of the model; unknown: as the server refuses. */
  readonly contextWindow?: number
  /** The part of the window at which room is made, above 0 and at most 1. Default 0.8. */
  readonly at?: number
  /**
   * `clear-results`: results of tools are replaced by a note, all but the newest. `summarize`: the oldest messages
   * are replaced by a summary, which the model is asked for. `drop-oldest`: they are left out. `auto` (default):
   * the first where that is enough, else the second. Where no summary can be had, it is as with `drop-oldest`. A
   * function decides each time.
   */
  readonly policy?: CompactionPolicy | ChooseCompaction
}

/**
 * Decides what is no longer sent; the name of a policy has that one do it, and null sends all as it is. Its choice is
 * stored, and asked for once. Where it throws, takes longer than 60 seconds, or chooses what can't be done or isn't
 * enough, `auto` is used, with a `warning`.
 */
export type ChooseCompaction = (
  situation: CompactionSituation & {
    /** Aborted when the run is, and when nobody waits for the choice any more. */
    readonly signal: AbortSignal
  },
) => Choice | Promise<Choice>

type Choice = CompactionChoice | CompactionPolicy | null

/** The part of the options that the worker needs. */
export function compactionSettings(options: CompactionOptions | false): CompactionSettings | false {
  if (!options || typeof options.policy !== 'function') return options as CompactionSettings | false
  return { ...options, policy: 'custom' }
}
