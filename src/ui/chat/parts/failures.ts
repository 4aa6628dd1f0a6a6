import type { ConversationSnapshot, ErrorData, ShownMessage } from '../../../index.ts'
import { visibleText } from '../../../conversation/index.ts'
import type { Words } from '../words/words.ts'

/** The outcome of a failed run. */
export type Failure = Extract<
  NonNullable<ConversationSnapshot['ended']>,
  { readonly outcome: 'failed' }
>

/** Failures by the id of the turn's last message. An entry is removed when another run starts or the turn continues. */
export class Failures {
  readonly #byMessage = new Map<string, Failure>()
  #newestRunId: string | undefined
  /** The newest run that this page has driven. If it fails offline, only this page continues it. */
  #ownRunId: string | undefined
  /** The run that failed because the page was offline. */
  #lostRunId: string | undefined

  update(
    { messages, runId, ended, ownership }: ConversationSnapshot,
    isOffline: boolean,
  ): ReadonlyMap<string, Failure> {
    if (ownership === 'this-tab') this.#ownRunId = runId
    const turn = turnOf(messages)
    const last = turn.findLast(({ role }) => role !== 'tool')
    for (const message of turn)
      if (runId !== undefined || message !== last) this.#byMessage.delete(message.id)
    if (
      runId === undefined &&
      ended?.outcome === 'failed' &&
      ended.runId !== this.#newestRunId &&
      last
    ) {
      this.#newestRunId = ended.runId
      this.#byMessage.set(last.id, ended)
      const isOwn = ended.runId === this.#ownRunId
      if (isOffline && isOwn && ended.error.code === 'network') this.#lostRunId = ended.runId
    }
    return this.#byMessage
  }

  /** Whether the last run failed while the page was offline and can continue now. True only once for each run. */
  takeLostRun({ runId, ended }: ConversationSnapshot, isOffline: boolean): boolean {
    if (isOffline || this.#lostRunId === undefined) return false
    const isLost = runId === undefined && ended?.runId === this.#lostRunId
    this.#lostRunId = undefined
    return isLost
  }
}

/** Matches the end of a sentence or line. */
export const SENTENCE_END: RegExp = /[.!?…](?=\s)|[。！？]|\n/g

/** A failure as it is shown to a person. */
export interface FailureText {
  /** The failure in short. */
  readonly text: string
  /** Possible causes, one per line, for developers. Empty if none are known. */
  readonly details: string
}

/**
 * Splits a message of several lines after its first sentence: the rest names possible causes. Other messages stay
 * whole.
 */
export function shortenFailure(message: string): FailureText {
  const at = message.includes('\n') ? message.search(SENTENCE_END) + 1 : message.length
  return {
    text: visibleText(message.slice(0, at).trim()),
    details: visibleLines(message.slice(at).trim()),
  }
}

/** Makes invisible characters visible, and keeps the lines. */
export function visibleLines(text: string): string {
  return visibleText(text).replaceAll('⏎\n', '\n')
}

/** Describes a failure in plain words. The original error message becomes the details. */
export function describeFailure({ code, message }: ErrorData, { failures }: Words): FailureText {
  const text = failures[code]
  return text === undefined ? shortenFailure(message) : { text, details: visibleLines(message) }
}

/** Returns the person's last message and everything after it. */
export function turnOf(messages: readonly ShownMessage[]): readonly ShownMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  )
}
