/** Milliseconds without a change after which waiting stops. Much longer than every time limit of a run. */
const QUIET_MS = 120_000
/** Milliseconds after which waiting stops even if something still changes. */
const LIMIT_MS = 900_000

/** Waits as long as something changes. A fixed time limit would depend on how busy the machine is. */
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
