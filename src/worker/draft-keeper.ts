import { isNumber, isText, listOf, oneOf, shape } from '../lib/shape.ts'
import type { Delta } from '../protocol/delta.ts'
import type { LiveStep } from '../protocol/live.ts'
import type { RunState } from '../protocol/state.ts'
import type { Effects } from './effects.ts'
import type { StepDraft, Store } from './store/store.ts'
import type { Stream } from './stream.ts'

/** Between two writes of one step's text, at least. Milliseconds. */
const LEAST_MS = 1000
/** A long text is written anew less often: no more characters of it per millisecond. */
const MOST_PER_MS = 50

export interface DraftKeeperOptions {
  readonly conversationId: string
  readonly store: Pick<Store, 'keepDraft' | 'draftOf'>
  readonly stream: Stream
  readonly effects: Pick<Effects, 'sleep'>
  /** Of the newest claim. */
  readonly epoch: () => number
}

const text = shape({ type: isText, text: isText })

const isDraft = shape({
  runId: isText,
  step: isNumber,
  attempt: isNumber,
  messageId: isText,
  parts: listOf(oneOf('type', { text, reasoning: text })),
})

/**
 * Keeps the text of the step that the model is writing, for people to see after a crash: as one record that is
 * overwritten now and then, and never as a part of the history. What can't be written isn't kept.
 */
export class DraftKeeper {
  readonly #options: DraftKeeperOptions
  /** A step is written here, and its text may be stored. */
  #isOn = false
  /** Aborted when the step is over; null: nothing is to be written. */
  #due: AbortController | null = null
  /** What was written last, and how long that was. */
  #kept = { of: '', length: 0 }

  constructor(options: DraftKeeperOptions) {
    this.#options = options
  }

  begin(): void {
    this.#isOn = true
  }

  /** What the model has written. */
  note({ type }: Pick<Delta, 'type'>): void {
    if (!this.#isOn || this.#due !== null) return
    if (type === 'text-delta' || type === 'reasoning-delta') void this.#keepLater()
  }

  async #keepLater(): Promise<void> {
    const due = (this.#due = new AbortController())
    const restMs = Math.max(LEAST_MS, this.#kept.length / MOST_PER_MS)
    await this.#options.effects.sleep(restMs, due.signal)
    if (due.signal.aborted) return
    this.#due = null
    await this.keep()
  }

  /** Writes what there is now of a step that is written here. */
  async keep(): Promise<void> {
    if (!this.#isOn) return
    const { conversationId, stream, store, epoch } = this.#options
    const { step } = stream.live
    if (step === null || step.isLeft) return
    const { runId, attempt, messageId } = step
    const parts = step.parts.map(({ type, text }) => ({ type, text }))
    const length = parts.reduce((sum, part) => sum + part.text.length, 0)
    const of = `${messageId} ${attempt}`
    if (length === 0 || (this.#kept.of === of && this.#kept.length === length)) return
    this.#kept = { of, length }
    const draft = {
      conversationId,
      epoch: epoch(),
      runId,
      step: step.step,
      attempt,
      messageId,
      parts,
    }
    await store.keepDraft(draft).catch(() => undefined)
  }

  /** The step is over: what it came to is a row. */
  end(): void {
    this.#isOn = false
    this.#due?.abort()
    this.#due = null
    this.#kept = { of: '', length: 0 }
  }

  /** Shows what was left of the open step, where nobody writes it. */
  async show(run: RunState | null): Promise<void> {
    const { conversationId, stream, store } = this.#options
    if (run?.end !== null || !run.stepOpen || !isBare(stream)) return
    const left = leftOf(await store.draftOf(conversationId).catch(() => undefined), run)
    // Somebody may have begun to write meanwhile.
    if (left && isBare(stream)) stream.adopt({ ...stream.live, step: left })
  }
}

function isBare({ live }: Stream): boolean {
  return live.step === null && live.ownership !== 'other-tab'
}

/** The step as it was kept, if it is the one that is open. */
function leftOf(stored: unknown, { runId, steps, failedAttempts }: RunState): LiveStep | null {
  if (!isDraft(stored)) return null
  const { step, attempt, messageId, parts, ...of } = stored as StepDraft
  if (of.runId !== runId || step !== steps + 1 || attempt <= failedAttempts) return null
  const shown = parts.map((part, at) => ({ ...part, partId: `left-${at}` }))
  return { runId, step, attempt, messageId, parts: shown, inputs: [], isLeft: true }
}
