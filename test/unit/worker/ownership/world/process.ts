/** A worker, as the origin's lock manager and channels see it. */
export interface Process {
  readonly isAlive: boolean
  readonly isOpaque: boolean
  /** Runs in it: later when it is frozen, never when it is gone. */
  task(ms: number, run: () => void): void
}
