import type { Trial, Verdict } from './trials.ts'

/**
 * Decides, while text is held back, whether it goes on being a call (R18): unmarked constructs stand
 * on lines of their own; followed by prose, a fenced one is talk, and so is one that prose precedes.
 */
export class ForeignHold {
  #trial: Trial
  #phase: 'trial' | 'line' | 'next' | 'final' = 'trial'
  readonly #hasTextBefore: boolean

  constructor(trial: Trial, hasTextBefore: boolean) {
    this.#trial = trial
    this.#hasTextBefore = hasTextBefore
  }

  /** A whole construct was read; the next thing decides. */
  get awaitsNext(): boolean {
    return this.#phase === 'next'
  }

  /** Inside a value: what looks like a marker there is content. */
  get shields(): boolean {
    return this.#phase === 'trial' && this.#trial.shields
  }

  /** Another construct follows. */
  restart(trial: Trial): void {
    this.#trial = trial
    this.#phase = 'trial'
  }

  /** Nothing that follows can change it. */
  finish(): void {
    this.#phase = 'final'
  }

  /** The construct that was read is a call. */
  confirm(): void {
    this.#phase = this.#trial.kind === 'lines' ? 'line' : 'next'
  }

  feed(code: number, fenced: boolean): Verdict {
    if (this.#phase === 'trial') return this.#trial.feed(code, fenced)
    if (this.#phase === 'line') return this.#restOfLine(code)
    if (this.#phase === 'next' && code > 32) {
      if (this.#trial.kind === 'fence' || this.#hasTextBefore) return 'text'
      this.#phase = 'final'
    }
    return 'more'
  }

  #restOfLine(code: number): Verdict {
    if (code === 10) this.#phase = 'next'
    return code <= 32 || code === 44 || code === 59 ? 'more' : 'text'
  }
}
