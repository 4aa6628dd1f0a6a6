import type { Fact } from '../protocol/fact.ts'
import type { RedactFacts } from '../protocol/questions.ts'
import { partWhileStaying } from './page-leaving.ts'

/** An agent's function that redacts the facts of its storage before they are stored. */
export interface Redactor {
  /** The `storageKey` of that storage. */
  readonly storage: string
  readonly by: (fact: Fact) => Fact
  /** Emits a warning of the agent. */
  warn(message: string): void
}

/** Redacts facts for a page's worker, which all of the page's agents share. */
export class Redactors {
  readonly #agents = new Set<Redactor>()
  /** Redactors of disposed agents, by storage: facts that are stored late are still redacted. */
  readonly #last = new Map<string, Redactor>()

  add(redactor: Redactor): void {
    this.#agents.add(redactor)
  }

  release(redactor: Redactor | undefined): void {
    if (redactor && this.#agents.delete(redactor)) this.#last.set(redactor.storage, redactor)
  }

  async redact({ storage, facts }: RedactFacts): Promise<readonly unknown[]> {
    const live = [...this.#agents].filter((each) => each.storage === storage)
    const last = this.#last.get(storage)
    const redactors = live.length > 0 || last === undefined ? live : [last]
    const part = await partWhileStaying(() => import('./redact-facts.ts'))
    return part.redactFacts(redactors, facts)
  }
}
