import type { ConsentScope } from '../protocol/fact.ts'
import type { QuestionAnswer } from '../protocol/fields.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Run } from './run.ts'

/** A call: its id where that is unambiguous, else with its conversation. */
export type CallRef =
  | string
  | {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
      /** An approval is refused once the call waits with another input than this. Events and pending calls have it. */
      readonly input?: JsonValue | undefined
    }

/** What a long-running call came to. `error`: words for the model, or what was thrown. */
export type CallOutcome =
  | { readonly output: unknown; readonly error?: never }
  | { readonly error: unknown; readonly output?: never }

/** That a person has consented to a call, by a press. For one answer to it, within two minutes. */
export interface PersonConsent {
  readonly toolCallId: string
  readonly conversationId?: string
}

/** The event of a press: the browser's own, or React's. */
export type PressEvent = (Pick<Event, 'isTrusted'> & Event) | { readonly nativeEvent: Event }

/** What an answer may come with. */
export interface AnswerOptions {
  /** Of `consent()`. Default: with `consent: 'person'`, the newest press, which is good for 5 seconds and one answer. */
  readonly consent?: PersonConsent
}

/** What a person's approval comes with: another input, and whether it holds for later calls. */
export interface ApproveOptions extends AnswerOptions {
  /** In place of the call's own, and checked as that was. */
  readonly input?: JsonValue
  /**
   * Later calls of the tool run unasked, as long as its definition is the same: in this run, or in this conversation, until
   * `conversation.revoke()`. `invalid-input` where a person is asked each time (no `rememberable` in the pending call).
   */
  readonly remember?: ConsentScope['within']
}

/** What a person, or the page, says to calls that wait. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * A consent by the press of this event (default: the newest press that was seen), for a handler that awaits longer than 5
   * seconds before it answers. Void once page tools act. To be called before anything is awaited; throws
   * `consent-refused` where no person pressed.
   */
  consent(call: CallRef, event?: PressEvent): PersonConsent
  /**
   * Lets a parked call run, with another input if given. False when it was settled already. This, `answer`, `undo` and
   * `run-again` reject with `consent-refused` where page tools may have pressed the button or, with
   * `consent: 'person'`, no person has; so do `supplyOutput` and `settle` then, but with an error.
   */
  approve(call: CallRef, options?: ApproveOptions): Promise<boolean>
  /**
   * Lets several calls run that a person was shown together, each with its own input: one press is good for all of them. It
   * has to be later than each of their questions. Says how many it let run; rejects with the first failure once all are
   * answered.
   */
  approveAll(calls: readonly CallRef[]): Promise<number>
  deny(call: CallRef, reason?: string): Promise<boolean>
  /**
   * Answers a question that the agent asked: with a text, or, where it asks for fields, with
   * `{ action: 'accept', content }`. `invalid-input` for what doesn't fit, with `details.fields` naming each field
   * that is wrong; the question stays open. `decline` and `cancel` settle the call as denied, and always work.
   */
  answer(call: CallRef, answer: string | QuestionAnswer, options?: AnswerOptions): Promise<boolean>
  /**
   * The output of a call that the page ran: in one-shot mode, or of an imported history. The run that goes
   * on once the last is in, else null. `conversation-busy` while a run is open.
   */
  supplyOutput(call: CallRef, output: unknown, options?: AnswerOptions): Promise<Run | null>
  /**
   * Says what the call of a long-running tool (`pending()`) came to: what the model is to see, or an error. False when
   * it was settled already, or waits for no outcome.
   */
  settle(call: CallRef, outcome: CallOutcome, options?: AnswerOptions): Promise<boolean>
  /** Says what became of an interrupted call. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    ...more: [output?: unknown, options?: AnswerOptions]
  ): Promise<boolean>
}
