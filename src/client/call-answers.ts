import type { JsonValue } from '../protocol/json.ts'
import type { Run } from './run.ts'

/** A call: its id where that is unambiguous, else with its conversation. */
export type CallRef = string | { readonly conversationId?: string; readonly toolCallId: string }

/** What a person, or the page, says to calls that wait. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * Lets a parked call run, with another input if given. False when it was settled already. This,
   * `answer` and `run-again` reject with `consent-refused` where page tools may have pressed the button.
   */
  approve(call: CallRef, options?: { readonly input?: JsonValue }): Promise<boolean>
  deny(call: CallRef, reason?: string): Promise<boolean>
  /** Answers a question that the agent asked. */
  answer(call: CallRef, text: string): Promise<boolean>
  /**
   * The output of a call that the page ran: in one-shot mode, or of an imported history. The run that goes
   * on once the last is in, else null. `conversation-busy` while a run is open.
   */
  supplyOutput(call: CallRef, output: unknown): Promise<Run | null>
  /** Says what became of an interrupted call. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    output?: unknown,
  ): Promise<boolean>
}
