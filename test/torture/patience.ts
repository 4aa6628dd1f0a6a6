/** After so long without any change, none is expected any more: much longer than every time limit of a run. Milliseconds. */
const QUIET_MS = 120_000
/** What changes all the time isn't waited for endlessly. Milliseconds. */
const LIMIT_MS = 900_000

/** Waits as long as something changes: what a clock says alone depends on how busy the machine is. */
export class Patience {
  readonly #begun = performance.now()
  #since = performance.now()
  #last = ''

  /** `state`: where it stands now. True when it is time to give up. */
  isOver(state: unknown): boolean {
    const now = performance.now()
    const next = JSON.stringify(state)
    if (next !== this.#last) this.#since = now
    this.#last = next
    return now - this.#since > QUIET_MS || now - this.#begun > LIMIT_MS
  }
}

/** Rejects with the name of what never answers. */
export async function inTime<Answer>(what: string, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} gets no answer.`)), 2 * QUIET_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
