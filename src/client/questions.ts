import type { WorkerApi } from '../protocol/api.ts'
import type { OffstageError } from '../protocol/error.ts'
import { toOffstageError } from './failures.ts'

export interface Question {
  readonly agentId: string
  readonly method: keyof WorkerApi
  readonly command: readonly unknown[]
}

/** The questions to a worker that have no answer yet. */
export class Questions {
  readonly #open = new Map<(error: OffstageError) => void, Question>()

  get size(): number {
    return this.#open.size
  }

  ask(worker: WorkerApi, question: Question): Promise<never> {
    const answer = worker[question.method] as (...command: unknown[]) => Promise<never>
    return new Promise((resolve, reject) => {
      this.#open.set(reject, question)
      void answer(...question.command)
        .then(resolve, (thrown) => reject(toOffstageError(thrown)))
        .finally(() => this.#open.delete(reject))
    })
  }

  /** Rejects those that it gives an error for. */
  reject(errorOf: (question: Question) => OffstageError | false): void {
    for (const [reject, question] of this.#open) {
      const error = errorOf(question)
      if (!error) continue
      this.#open.delete(reject)
      reject(error)
    }
  }
}
