import type { QuestionAnswer } from '../protocol/fields.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Run } from './run.ts'

/** A call: its id where that is unambiguous, else with its conversation. */
export type CallRef = string | { readonly conversationId?: string; readonly toolCallId: string }

/** What a long-running call came to. `error`: words for the model, or what was thrown. */
export type CallOutcome =
  | { readonly output: unknown; readonly error?: never }
  | { readonly error: unknown; readonly output?: never }

/** What a person, or the page, says to calls that wait. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * Lets a parked call run, with another input if given. False when it was settled already. This,
   * `answer` and `run-again` reject with `consent-refused` where page tools may have pressed the button.
   */
  approve(call: CallRef, options?: { readonly input?: JsonValue }): Promise<boolean>
  deny(call: CallRef, reason?: string): Promise<boolean>
  /**
   * Answers a question that the agent asked: with a text, or, where it asks for fields, with
   * `{ action: 'accept', content }`. `invalid-input` for what doesn't fit, with `details.fields` naming each field
   * that is wrong; the question stays open. `decline` and `cancel` settle the call as denied, and always work.
   */
  answer(call: CallRef, answer: string | QuestionAnswer): Promise<boolean>
  /**
   * The output of a call that the page ran: in one-shot mode, or of an imported history. The run that goes
   * on once the last is in, else null. `conversation-busy` while a run is open.
   */
  supplyOutput(call: CallRef, output: unknown): Promise<Run | null>
  /**
   * Says what the call of a long-running tool (`pending()`) came to: what the model is to see, or an error. False when
   * it was settled already, or waits for no outcome.
   */
  settle(call: CallRef, outcome: CallOutcome): Promise<boolean>
  /** Says what became of an interrupted call. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    output?: unknown,
  ): Promise<boolean>
}
