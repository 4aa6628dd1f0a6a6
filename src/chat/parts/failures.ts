import type { ConversationSnapshot } from '../../index.ts'
import { turnOf } from './turn-of.ts'

/** The end of a run that failed. */
export type Failure = Extract<
  NonNullable<ConversationSnapshot['ended']>,
  { readonly outcome: 'failed' }
>

/** Keeps why runs failed, by the message that was the last one then, until a run answers it. */
export class Failures {
  readonly #byMessage = new Map<string, Failure>()
  #newest: string | undefined
  /** The newest run that this page has driven: of several tabs, one goes on. */
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

  /** Whether the last run failed while the page was offline, and can go on now. True once. */
  takeLost({ runId, ended }: ConversationSnapshot, isOffline: boolean): boolean {
    if (isOffline || this.#lost === undefined) return false
    const isLost = runId === undefined && ended?.runId === this.#lost
    this.#lost = undefined
    return isLost
  }
}
