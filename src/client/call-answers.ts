import type { ConsentScope } from '../protocol/fact.ts'
import type { QuestionAnswer } from '../protocol/fields.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Run } from './run.ts'

/** A tool call: its id if that is unambiguous, else its id and conversation. */
export type CallRef =
  | string
  | {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
      /**
       * Input that the person was shown. An approval is refused if the call now has another one. Events and pending
       * calls include it.
       */
      readonly input?: JsonValue | undefined
    }

/** Outcome of a long-running call. `error`: a text for the model, or what was thrown. */
export type CallOutcome =
  | { readonly output: unknown; readonly error?: never }
  | { readonly error: unknown; readonly output?: never }

/** A person's consent to a call, given by a user gesture. Valid for one answer to that call, within two minutes. */
export interface PersonConsent {
  readonly toolCallId: string
  readonly conversationId?: string
}

/** Event of a user gesture: the browser's own, or React's. */
export type PressEvent = (Pick<Event, 'isTrusted'> & Event) | { readonly nativeEvent: Event }

/** Options of every answer. */
export interface AnswerOptions {
  /**
   * Result of `consent()`. Default: with `consent: 'person'`, the newest user gesture, valid for 5 seconds and one
   * answer.
   */
  readonly consent?: PersonConsent
}

/** Options of an approval: another input, and whether later calls need approval. */
export interface ApproveOptions extends AnswerOptions {
  /** Replaces the call's own input, and is checked in the same way. */
  readonly input?: JsonValue
  /**
   * Lets later calls of the tool run without approval while its definition stays the same: in this run, or in this
   * conversation until `conversation.revoke()`. Rejects with `invalid-input` if every call needs approval (no
   * `rememberable` in the pending call).
   */
  readonly remember?: ConsentScope['within']
}

/** Answers to calls that wait for a person or the page. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * Records consent by the user gesture of this event (default: the newest one seen), for handlers that await longer
   * than 5 seconds before they answer. Call it before the first `await`. Void once page tools act. Throws
   * `consent-refused` without a user gesture.
   */
  consent(call: CallRef, event?: PressEvent): PersonConsent
  /**
   * Approves a waiting call, with another input if given. Resolves to false if it was settled already.
   *
   * `approve`, `answer`, `undo` and `run-again` reject with `consent-refused` if page tools may have pressed the
   * button. With `consent: 'person'` they also reject without a user gesture, as do `supplyOutput` and `settle` (except
   * with an error).
   */
  approve(call: CallRef, options?: ApproveOptions): Promise<boolean>
  /**
   * Approves several calls that a person was shown together, each with its own input, by one user gesture. The gesture
   * must be newer than each request. Resolves to the number of calls that run. Rejects with the first failure once all
   * are answered.
   */
  approveAll(calls: readonly CallRef[]): Promise<number>
  deny(call: CallRef, reason?: string): Promise<boolean>
  /**
   * Answers a question of the agent: with a text, or, if it asks for fields, with `{ action: 'accept', content }`.
   * Rejects with `invalid-input` for content that doesn't fit; `details.fields` names each wrong field, and the
   * question stays open. `decline` and `cancel` settle the call as denied, and always work.
   */
  answer(call: CallRef, answer: string | QuestionAnswer, options?: AnswerOptions): Promise<boolean>
  /**
   * Supplies the output of a call that the page ran: in one-shot mode, or from an imported history. Resolves to the run
   * that continues once the last output is in, else null. Rejects with `conversation-busy` while a run is open.
   */
  supplyOutput(call: CallRef, output: unknown, options?: AnswerOptions): Promise<Run | null>
  /**
   * Reports the outcome of a long-running call (`pending()`): an output for the model, or an error. Resolves to false
   * if the call was settled already, or waits for no outcome.
   */
  settle(call: CallRef, outcome: CallOutcome, options?: AnswerOptions): Promise<boolean>
  /** Reports what became of an interrupted call, or runs it again. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    ...more: [output?: unknown, options?: AnswerOptions]
  ): Promise<boolean>
}
