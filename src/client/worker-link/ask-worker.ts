import type { ArgumentOf, ResultOf } from '../../protocol/call.ts'
import type { OffstageError } from '../../protocol/error.ts'
import { WORKER_CALLS, type WorkerCalls } from '../../protocol/worker-calls.ts'

/**
 * Sends a command to the worker, starting one if needed. If the worker dies, the next worker gets commands that
 * `WORKER_CALLS` marks as `survives`. Other commands reject with `worker-lost`. All errors are `OffstageError`s.
 */
export type CallWorker = <Name extends keyof WorkerCalls>(
  name: Name,
  argument: ArgumentOf<WorkerCalls[Name]>,
) => Promise<ResultOf<WorkerCalls[Name]>>

/** Sends an agent's commands to its worker. */
export interface WorkerCaller {
  readonly callWorker: CallWorker
  /** Sends the command to one worker only. For `Restarts`, which decides itself what the next worker gets. */
  readonly callWorkerOnce: CallWorker
}

/**
 * `carry` counts the commands that wait for the next worker. `next` resolves to false if there won't be another worker.
 */
export function createWorkerCaller(
  callOnce: CallWorker,
  { carry, next }: { carry(count: number): void; next(): Promise<boolean> | undefined },
): WorkerCaller {
  return {
    callWorkerOnce: callOnce,
    async callWorker(name, argument) {
      if (!WORKER_CALLS[name].survives) return callOnce(name, argument)
      carry(1)
      try {
        for (;;) {
          try {
            return await callOnce(name, argument)
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
