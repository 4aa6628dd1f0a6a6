import { isNumber, isText, listOf, oneOf, shape } from '../lib/shape.ts'
import type { Delta } from '../protocol/delta.ts'
import type { LiveStep } from '../protocol/live.ts'
import type { RunState } from '../protocol/state.ts'
import type { Effects } from './effects.ts'
import type { StepDraft, Store } from './store/store.ts'
import type { Stream } from './stream.ts'

/** Shortest pause between two writes of a step's text. Milliseconds. */
const LEAST_MS = 1000
/** Characters written per millisecond at most, so that a long text is rewritten less often. */
const MOST_PER_MS = 50

export interface DraftKeeperOptions {
  readonly conversationId: string
  readonly store: Pick<Store, 'keepDraft' | 'draftOf'>
  readonly stream: Stream
  readonly effects: Pick<Effects, 'sleep'>
  /** Epoch of the newest claim. */
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
 * Stores the text that the model is writing, so that people can see it after a crash. The text is one record that is
 * overwritten now and then, never a part of the history. Failed writes are ignored.
 */
export class DraftKeeper {
  readonly #options: DraftKeeperOptions
  /** True while the model writes a step here whose text may be stored. */
  #isOn = false
  /** Aborts the next write when the step is over. Null if no write is due. */
  #due: AbortController | null = null
  /** Message and attempt of the last write, and the length of its text. */
  #kept = { of: '', length: 0 }

  constructor(options: DraftKeeperOptions) {
    this.#options = options
  }

  begin(): void {
    this.#isOn = true
  }

  /** Schedules a write if the model has written text. */
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

  /** Writes the current text of a step that is written here. */
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

  /** Ends the step. Its result is stored as a row. */
  end(): void {
    this.#isOn = false
    this.#due?.abort()
    this.#due = null
    this.#kept = { of: '', length: 0 }
  }

  /** Shows the stored text of the open step, unless somebody is writing it. */
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

/** The stored step, if it is the open one. */
function leftOf(stored: unknown, { runId, steps, failedAttempts }: RunState): LiveStep | null {
  if (!isDraft(stored)) return null
  const { step, attempt, messageId, parts, ...of } = stored as StepDraft
  if (of.runId !== runId || step !== steps + 1 || attempt <= failedAttempts) return null
  const shown = parts.map((part, at) => ({ ...part, partId: `left-${at}` }))
  return { runId, step, attempt, messageId, parts: shown, inputs: [], isLeft: true }
}
