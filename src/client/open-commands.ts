import type { OffstageError } from '../protocol/error.ts'
import type { WorkerApi, WorkerCalls } from '../protocol/worker-calls.ts'
import { toOffstageError } from './failures.ts'

/** A command to the worker, on behalf of an agent. */
export interface SentCommand {
  readonly agentId: string
  readonly name: keyof WorkerCalls
  readonly argument: unknown
}

/** Commands to a worker that have no answer yet. */
export class OpenCommands {
  readonly #open = new Map<(error: OffstageError) => void, SentCommand>()

  get size(): number {
    return this.#open.size
  }

  send(worker: WorkerApi, command: SentCommand): Promise<never> {
    const answer = worker[command.name] as (argument: unknown) => Promise<never>
    return new Promise((resolve, reject) => {
      this.#open.set(reject, command)
      void answer(command.argument)
        .then(resolve, (thrown) => reject(toOffstageError(thrown)))
        .finally(() => this.#open.delete(reject))
    })
  }

  /** Rejects the commands for which `errorOf` returns an error. */
  reject(errorOf: (command: SentCommand) => OffstageError | false): void {
    for (const [reject, command] of this.#open) {
      const error = errorOf(command)
      if (!error) continue
      this.#open.delete(reject)
      reject(error)
    }
  }
}
