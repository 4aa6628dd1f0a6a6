import type { CallAnswer } from '../protocol/commands.ts'
import { OffstageError } from '../protocol/error.ts'
import { isParked } from '../conversation/pending.ts'
import type { RunState } from '../protocol/state.ts'
import { answerCall, waitingCall } from './answer-call.ts'
import type { Drive } from './drive.ts'
import type { FactDraft } from './fact-draft.ts'
import { isElsewhere } from './ownership/elsewhere.ts'
import type { Tenure } from './tenure.ts'

/** How often a person's word is tried though other owners come in between. */
const MAX_CLAIMS = 3

/** What a person says to a run that waits: committed as its owner, then the loop looks again. */
export class PersonsWord {
  readonly #drive: Drive
  readonly #tenure: Tenure
  readonly #wake: () => void

  constructor(drive: Drive, tenure: Tenure, wake: () => void) {
    this.#drive = drive
    this.#tenure = tenure
    this.#wake = wake
  }

  /** A person's word on a parked call; false when it waits for none. */
  async answer(answer: CallAnswer['answer'], toolCallId: string): Promise<boolean> {
    const { conversation } = this.#drive
    try {
      return await this.say(() => answerCall(this.#drive, toolCallId, answer))
    } catch (error) {
      if (!isElsewhere(error)) throw error
      await conversation.refresh()
      if (waitingCall(conversation.run, toolCallId, answer)) throw error
      // The loop finds that the run goes on elsewhere.
      this.#wake()
      return false
    }
  }

  /** Lets a parked run go on: one that crashed again and again, or one that waits for the storage. */
  async goOn(): Promise<void> {
    const { conversation } = this.#drive
    conversation.patience.retry()
    if (!isParked(conversation.run)) return
    await this.say(async () => {
      const goesOn = (run: RunState | null): FactDraft[] | null =>
        isParked(run) ? [{ type: 'run-continued' }] : null
      await conversation.append(goesOn, { waits: false })
    })
  }

  /** Appends as the owner. */
  async say<T>(word: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#tenure.take()
      try {
        const said = await word()
        this.#tenure.announce()
        this.#wake()
        return said
      } catch (error) {
        if (!OffstageError.is(error) || error.code !== 'ownership-lost') throw error
        // Somebody else wrote first: what they wrote decides, so it is read before the next try.
        this.#tenure.end()
        if (attempt === MAX_CLAIMS) throw error
      }
    }
  }
}
