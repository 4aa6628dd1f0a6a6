import type { WorkerApi } from '../protocol/api.ts'

/** Asks the worker. Rejects with an `OffstageError`; with `worker-lost` when it dies before it answers. */
export type AskWorker = <Method extends keyof WorkerApi>(
  method: Method,
  ...command: Parameters<WorkerApi[Method]>
) => Promise<Answer<Method>>

type Answer<Method extends keyof WorkerApi> = WorkerApi[Method] extends (
  ...command: never[]
) => Promise<infer Value>
  ? Value
  : never

/** How an agent asks its worker. */
export interface Line {
  readonly ask: AskWorker
  /** As `ask`, and asked again of the next worker when this one dies: for what may be asked twice. */
  readonly carry: AskWorker
}
