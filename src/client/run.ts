import type { SendMessage } from '../protocol/commands.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { UserMessage } from '../protocol/message.ts'
import type { RunResult } from '../protocol/run.ts'
import type { PromptValues, RunInput } from './options.ts'

/** What became of a message that was sent to an open run. */
export type SentOutcome =
  /** It is a message of the conversation, and the model is asked with it next. `run`: the one that begins with it. */
  | { readonly status: 'delivered'; readonly run?: Run }
  /** It was taken back. */
  | { readonly status: 'withdrawn' }
  /**
   * The run ended without it, or it was not stored (`error`), or not known to be when the page let go of the run:
   * it is no part of the conversation.
   */
  | { readonly status: 'returned'; readonly message: UserMessage; readonly error?: ErrorData }
  /** The run goes on without this page, or later, and the message, which is stored, with it. */
  | { readonly status: 'left' }

export interface SendOptions {
  /** Default `next-step`. */
  readonly when?: SendMessage['when']
  /** The message is a template, with these and the agent's values. Default false: it is what a person typed. */
  readonly values?: PromptValues | false
}

export interface SentMessage {
  readonly messageId: string
  /** Never rejects. */
  readonly outcome: Promise<SentOutcome>
  /** Takes it back. False when it was delivered, or returned, before. */
  cancel(): Promise<boolean>
}

/**
 * A run as the page holds it. Every iterator starts at the first event and never throws; leaving the
 * loop detaches and aborts nothing.
 */
export interface Run extends AsyncIterable<RunEvent> {
  readonly runId: string
  readonly conversationId: string
  /** Resolves for everything that can happen in a run; never rejects. */
  readonly result: Promise<RunResult>
  /**
   * Says something to the open run. `next-step` (default): the model reads it when it is asked next, after the
   * results of the step's calls. `now`: the step is cut short for it; what the model has said of it is kept, calls
   * that run are stopped, and those that wait for a person are denied. It is never taken as the answer to a
   * question or approval. What is not delivered when the run ends is returned, as the `outcome` and as an event.
   * `after-run`: it begins the next run, as soon as this one ends as `completed` or `max-steps`, together with what else
   * was sent so, and with the same limits; the `outcome` has that run. Of any other end it is returned.
   * `soonest`: as `next-step` where the run has another step, else as `after-run`.
   * Throws `invalid-input` when there is nothing in it, or a value is missing, and `invalid-config` for options that
   * there aren't.
   */
  send(input: RunInput, options?: SendOptions): SentMessage
  /**
   * The runs of the agents that calls of this run ask (`asTool`), in the order in which this page got hold of them: those
   * of before a reload, too. Each is in a conversation of its own, which `ShownCall.child` names. Every iterator starts at
   * the first, never throws, and ends with the run.
   */
  readonly children: { [Symbol.asyncIterator](): AsyncIterator<Run, undefined> }
  /** Ends the run. `result` resolves within 100 ms, whatever the worker does. */
  abort(reason?: string): void
  // Not by a second argument of `AsyncIterable`, which TypeScript before 5.6 doesn't know.
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined>
}
