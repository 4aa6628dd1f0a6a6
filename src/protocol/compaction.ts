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
   * the first where that is enough, else the second. Where no summary can be had, it is as with `drop-oldest`.
   */
  readonly policy?: CompactionPolicy
}

export type CompactionPolicy = 'auto' | 'clear-results' | 'summarize' | 'drop-oldest'
