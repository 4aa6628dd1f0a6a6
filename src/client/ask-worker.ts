import type { ArgumentOf, ResultOf } from '../protocol/call.ts'
import type { OffstageError } from '../protocol/error.ts'
import { WORKER_CALLS, type WorkerCalls } from '../protocol/worker-calls.ts'

/**
 * Asks the worker, which is started if need be, and the next one where the table says that the command
 * survives. Rejects with an `OffstageError`; with `worker-lost` when the worker dies before it answers.
 */
export type AskWorker = <Name extends keyof WorkerCalls>(
  name: Name,
  argument: ArgumentOf<WorkerCalls[Name]>,
) => Promise<ResultOf<WorkerCalls[Name]>>

/** How an agent asks its worker. */
export interface WorkerCaller {
  readonly ask: AskWorker
  /** Asks one worker only, for supervision: it decides itself what the next one is asked. */
  readonly askOnce: AskWorker
}

/** `carry` counts the commands that wait for the next worker, `next` resolves to whether there is one. */
export function createWorkerCaller(
  askOnce: AskWorker,
  { carry, next }: { carry(by: number): void; next(): Promise<boolean> | undefined },
): WorkerCaller {
  return {
    askOnce,
    async ask(name, argument) {
      if (!WORKER_CALLS[name].survives) return askOnce(name, argument)
      carry(1)
      try {
        for (;;) {
          try {
            return await askOnce(name, argument)
          } catch (error) {
            if ((error as OffstageError).code !== 'worker-lost' || !(await next())) throw error
          }
        }
      } finally {
        carry(-1)
      }
    },
  }
}
