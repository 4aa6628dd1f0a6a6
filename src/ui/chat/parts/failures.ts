import type { ConversationSnapshot } from '../../../index.ts'
import { turnOf } from './turn-of.ts'

/** The outcome of a failed run. */
export type Failure = Extract<
  NonNullable<ConversationSnapshot['ended']>,
  { readonly outcome: 'failed' }
>

/** Failures by the id of the turn's last message. An entry is removed when another run starts or the turn continues. */
export class Failures {
  readonly #byMessage = new Map<string, Failure>()
  #newest: string | undefined
  /** The newest run that this page has driven. Other tabs don't continue it. */
  #own: string | undefined
  /** The run that failed because the page was offline. */
  #lost: string | undefined

  look(
    { messages, runId, ended, ownership }: ConversationSnapshot,
    isOffline: boolean,
  ): ReadonlyMap<string, Failure> {
    if (ownership === 'this-tab') this.#own = runId
    const turn = turnOf(messages)
    const last = turn.findLast(({ role }) => role !== 'tool')
    for (const message of turn)
      if (runId !== undefined || message !== last) this.#byMessage.delete(message.id)
    if (
      runId === undefined &&
      ended?.outcome === 'failed' &&
      ended.runId !== this.#newest &&
      last
    ) {
      this.#newest = ended.runId
      this.#byMessage.set(last.id, ended)
      const isOwn = ended.runId === this.#own
      if (isOffline && isOwn && ended.error.code === 'network') this.#lost = ended.runId
    }
    return this.#byMessage
  }

  /** Whether the last run failed while the page was offline and can continue now. True only once for each run. */
  takeLost({ runId, ended }: ConversationSnapshot, isOffline: boolean): boolean {
    if (isOffline || this.#lost === undefined) return false
    const isLost = runId === undefined && ended?.runId === this.#lost
    this.#lost = undefined
    return isLost
  }
}
