import { OffstageError } from '../../protocol/error.ts'
import { isParked } from '../../conversation/pending.ts'
import type { RunState } from '../../protocol/state.ts'
import { answerCall, type PersonAnswer, waitingCall } from './answer-call.ts'
import { commitSteering, type Steering } from './queued-messages.ts'
import type { RunContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { isElsewhere } from '../ownership/elsewhere.ts'
import type { RunLease } from './run-lease.ts'

/** How often a person's word is tried though other owners come in between. */
const MAX_CLAIMS = 3

/** What a person says to a run that waits: committed as its owner, then the loop looks again. */
export class PersonAnswers {
  readonly #context: RunContext
  readonly #lease: RunLease
  readonly #wake: () => void

  constructor(context: RunContext, lease: RunLease, wake: () => void) {
    this.#context = context
    this.#lease = lease
    this.#wake = wake
  }

  /** A person's word on a parked call; false when it waits for none, null when somebody else goes on with the run. */
  async answer(given: PersonAnswer, answerId: string): Promise<boolean | null> {
    const { conversation } = this.#context
    try {
      const isWanted = (run: RunState | null): boolean =>
        waitingCall(run, given.toolCallId, given.answer) !== null
      return await this.#say(isWanted, () => answerCall(this.#context, given, answerId))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      await conversation.refresh()
      // The loop finds that the run goes on elsewhere.
      if (!waitingCall(conversation.run, given.toolCallId, given.answer)) this.#wake()
      return null
    }
  }

  /** A message for the run, or its withdrawal; false when it comes too late, null when somebody else goes on with the run. */
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

  /** Lets a parked run go on: one that crashed again and again, or one that waits for the storage. */
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

  /** Appends as the owner. `isWanted`: of a run that another device has, whether it still is. */
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
          // The loop gives the lease back where the run still waits.
          this.#wake()
          throw error
        }
        // Somebody else wrote first: what they wrote decides, so it is read before the next try.
        this.#lease.end()
        if (attempt === MAX_CLAIMS) throw error
      }
    }
  }
}
