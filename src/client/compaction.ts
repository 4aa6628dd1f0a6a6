import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from '../protocol/compaction.ts'

/**
 * Keeps a long conversation within the model's context window. Stored messages stay complete: only the request is
 * shortened.
 */
export interface CompactionOptions {
  /**
   * Tokens. Default: the model configuration's value, or the model's known window. If unknown, compacts when the
   * server refuses.
   */
  readonly contextWindow?: number
  /** The fraction of the window at which compaction starts: above 0, at most 1. Default 0.8. */
  readonly at?: number
  /**
   * How to make room. A function decides each time.
   * - `clear-results`: replaces all tool results but the newest with a note.
   * - `summarize`: replaces the oldest messages with a summary by the model. Without a summary, drops them.
   * - `drop-oldest`: leaves out the oldest messages.
   * - `auto` (default): `clear-results` if that is enough, otherwise `summarize`.
   */
  readonly policy?: CompactionPolicy | ChooseCompaction
}

/**
 * Chooses what to leave out of requests. Return a policy's name to apply that policy, or null to send everything. The
 * choice is stored, so the function isn't called again for it. `auto` is used, with a `warning`, if the function
 * throws, takes over 60 seconds, or makes an impossible or insufficient choice.
 */
export type ChooseCompaction = (
  situation: CompactionSituation & {
    /** Aborts with the run, or when the choice is no longer needed. */
    readonly signal: AbortSignal
  },
) => Choice | Promise<Choice>

type Choice = CompactionChoice | CompactionPolicy | null

/** The options for the worker: a function becomes `custom`. */
export function compactionSettings(options: CompactionOptions | false): CompactionSettings | false {
  if (!options || typeof options.policy !== 'function') return options as CompactionSettings | false
  return { ...options, policy: 'custom' }
}
