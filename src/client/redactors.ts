import type { Fact } from '../protocol/fact.ts'
import type { RedactFacts } from '../protocol/questions.ts'
import { partWhileStaying } from './page-leaving.ts'

/** What an agent does to the facts of its storage before they are stored. */
export interface Redactor {
  /** `storageKey` of it. */
  readonly storage: string
  readonly by: (fact: Fact) => Fact
  /** Reports to the agent's app. */
  warn(message: string): void
}

/** What redacts facts for the worker of a page, which is shared by all of its agents. */
export class Redactors {
  readonly #agents = new Set<Redactor>()
  /** Of agents that are gone, by storage: what is stored late is still redacted. */
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
