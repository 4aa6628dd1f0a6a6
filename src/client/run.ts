import type { SendMessage } from '../protocol/commands.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { UserMessage } from '../protocol/message.ts'
import type { RunResult } from '../protocol/run.ts'
import type { PromptValues, RunInput } from './options.ts'

/** Outcome of a message sent to an open run. */
export type SentOutcome =
  /** The message is in the conversation, and in the model's next request. `run`: the run that begins with it. */
  | { readonly status: 'delivered'; readonly run?: Run }
  /** The message was withdrawn. */
  | { readonly status: 'withdrawn' }
  /**
   * The message is not in the conversation. The run ended without it, storing it failed (`error`), or the page let go
   * of the run before storage was confirmed.
   */
  | { readonly status: 'returned'; readonly message: UserMessage; readonly error?: ErrorData }
  /** The message is stored. Its run continues without this page, or later. */
  | { readonly status: 'left' }

export interface SendOptions {
  /** Default `next-step`. */
  readonly when?: SendMessage['when']
  /** Makes the message a template, filled with these and the agent's values. Default false: it is sent verbatim. */
  readonly values?: PromptValues | false
}

export interface SentMessage {
  readonly messageId: string
  /** Never rejects. */
  readonly outcome: Promise<SentOutcome>
  /** Withdraws the message. Resolves to false if it was delivered or returned before. */
  cancel(): Promise<boolean>
}

/**
 * Handle of a run on this page. Every iterator starts at the first event and never throws. Leaving the loop aborts
 * nothing.
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly runId: string
  readonly conversationId: string
  /** Resolves to the outcome, whatever happens in the run. Never rejects. */
  readonly result: Promise<RunResult>
  /**
   * Sends a message to the open run. The message never counts as the answer to a question or approval. If it isn't
   * delivered before the run ends, it is returned, as the `outcome` and as an event.
   *
   * - `next-step` (default): the model reads it in its next request, after the results of the step's calls.
   * - `now`: cuts the step short. The output so far is kept, running calls are stopped, and calls that wait for a
   *   person are denied.
   * - `after-run`: begins the next run once this one ends as `completed` or `max-steps`, together with all such
   *   messages and with the same limits. The `outcome` has that run. After any other end the message is returned.
   * - `soonest`: as `next-step` if the run has another step, else as `after-run`.
   *
   * Throws `invalid-input` if the message is empty or a value is missing, and `invalid-config` for unknown options.
   */
  send(input: RunInput, options?: SendOptions): SentMessage
  /**
   * Child runs started by calls of this run (`asTool`), in the order in which this page got their handles. Includes
   * those from before a reload. Each has its own conversation, which `ShownCall.child` names. Every iterator starts at
   * the first, never throws, and ends with the run.
   */
  readonly children: { [Symbol.asyncIterator](): AsyncIterator<Run, undefined> }
  /** Aborts the run. `result` resolves within 100 ms, whatever the worker does. */
  abort(reason?: string): void
  // TypeScript before 5.6 doesn't know the second type argument of `AsyncIterable`, so the method is declared here.
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined>
}
