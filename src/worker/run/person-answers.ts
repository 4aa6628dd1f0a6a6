import { OffstageError } from '../../protocol/error.ts'
import { isParked } from '../../conversation/pending.ts'
import type { RunState } from '../../protocol/state.ts'
import { answerCall, type PersonAnswer, waitingCall } from './answer-call.ts'
import { commitSteering, type Steering } from './queued-messages.ts'
import type { RunContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { isElsewhere } from '../ownership/elsewhere.ts'
import type { RunLease } from './run-lease.ts'

/** Attempts to commit a person's answer if other owners write first. */
const MAX_CLAIMS = 3

/** Commits a person's answers and messages to a run as its owner, then wakes the run's loop. */
export class PersonAnswers {
  readonly #context: RunContext
  readonly #lease: RunLease
  readonly #wake: () => void

  constructor(context: RunContext, lease: RunLease, wake: () => void) {
    this.#context = context
    this.#lease = lease
    this.#wake = wake
  }

  /** Commits a person's answer to a call. False: the call doesn't wait for it. Null: another owner has the run. */
  async answer(given: PersonAnswer, answerId: string): Promise<boolean | null> {
    const { conversation } = this.#context
    try {
      const isWanted = (run: RunState | null): boolean =>
        waitingCall(run, given.toolCallId, given.answer) !== null
      return await this.#say(isWanted, () => answerCall(this.#context, given, answerId))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      await conversation.refresh()
      // The woken loop finds that another owner has the run.
      if (!waitingCall(conversation.run, given.toolCallId, given.answer)) this.#wake()
      return null
    }
  }

  /** Sends or withdraws a message, or revokes a consent. False: too late. Null: another owner has the run. */
  async steer(said: Steering, steerId: string): Promise<boolean | null> {
    try {
      const isWanted = (run: RunState | null): boolean => run?.end === null
      return await this.#say(isWanted, () => commitSteering(this.#context, said, steerId))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      this.#wake()
      return null
    }
  }

  /** Continues a run that is paused after repeated crashes, or that waits for the storage. */
  async goOn(): Promise<void> {
    const { conversation } = this.#context
    conversation.storageRetry.retry()
    if (!isParked(conversation.run)) return
    await this.#say(isParked, async () => {
      const goesOn = (run: RunState | null): FactDraft[] | null =>
        isParked(run) ? [{ type: 'run-continued' }] : null
      await conversation.append(goesOn, { waits: false })
    })
  }

  /** Appends as the owner. `isWanted`: whether a run that another device owns still takes this answer or message. */
  async #say<T>(isWanted: (run: RunState | null) => boolean, word: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#lease.take(isWanted)
      try {
        const said = await word()
        this.#lease.announce()
        this.#wake()
        return said
      } catch (error) {
        if (!OffstageError.is(error) || error.code !== 'ownership-lost') {
          // If the run still waits, the loop gives the lease back.
          this.#wake()
          throw error
        }
        // Another owner wrote first. The next attempt reads that before it decides.
        this.#lease.end()
        if (attempt === MAX_CLAIMS) throw error
      }
    }
  }
}
