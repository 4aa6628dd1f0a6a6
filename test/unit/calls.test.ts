import { describe, expect, test } from 'vitest'
import { createWorkerCaller } from '../../src/client/worker-link/ask-worker.ts'
import { workerLostError } from '../../src/client/runs/restarts.ts'
import { callsOf, type CallToWorker, type CallToPage } from '../../src/protocol/call.ts'
import type { ErrorCode } from '../../src/protocol/error.ts'
import { PAGE_CALLS } from '../../src/protocol/page-calls.ts'
import { WORKER_CALLS, type WorkerCalls } from '../../src/protocol/worker-calls.ts'
import { stoppablePage } from '../../src/worker/stopping.ts'

type Rows<Row> = readonly (readonly [name: string, row: Row])[]

const questions: Rows<CallToPage<unknown, unknown, ErrorCode>> = Object.entries(PAGE_CALLS)
const commands: Rows<CallToWorker<unknown, unknown, ErrorCode>> = Object.entries(WORKER_CALLS)

/** How a promise has ended by now, or after the microtasks that are due. */
async function ending(promise: Promise<unknown>): Promise<unknown> {
  const later = new Promise((resolve) => setTimeout(resolve, 0)).then(() => 'open')
  return Promise.race([promise.catch((thrown: { code?: string }) => thrown.code), later])
}

test('every property in the tables of calls is used', () => {
  for (const [, row] of questions) expect(['', 'stops']).toContain(Object.keys(row).join())
  for (const [, row] of commands) expect(['', 'survives']).toContain(Object.keys(row).join())
})

describe('a request to the page', () => {
  test.each(questions)('is aborted with its run if declared so: %s', async (name, { stops }) => {
    const stop = new AbortController()
    const silent = callsOf(PAGE_CALLS, () => () => new Promise(() => undefined))
    const page = stoppablePage(silent, stop.signal)
    const answer = page[name as keyof typeof page](undefined as never)
    expect(await ending(answer)).toBe('open')
    stop.abort()
    expect(await ending(answer)).toBe(stops ? 'aborted' : 'open')
  })
})

describe('a command to a worker', () => {
  /** A line whose first worker dies of every command. */
  function dying(isReplaced: boolean) {
    let asked = 0
    let carried = 0
    const line = createWorkerCaller(
      async () => {
        if (++asked === 1) throw workerLostError()
        return undefined as never
      },
      { carry: (by) => (carried += by), next: async () => isReplaced },
    )
    return { line, asked: () => asked, carried: () => carried }
  }
  const ask = ({ line }: ReturnType<typeof dying>, name: string) =>
    line.callWorker(name as keyof WorkerCalls, undefined as never)

  test.each(commands)(
    'is sent again after its worker died if declared so: %s',
    async (name, { survives }) => {
      const replaced = dying(true)
      expect(await ending(ask(replaced, name))).toBe(survives ? undefined : 'worker-lost')
      expect(replaced.asked()).toBe(survives ? 2 : 1)
      expect(replaced.carried()).toBe(0)

      const gone = dying(false)
      expect(await ending(ask(gone, name))).toBe('worker-lost')
      expect(gone.carried()).toBe(0)
    },
  )

  test('for one worker only is not sent again', async () => {
    const { line, asked } = dying(true)
    expect(await ending(line.callWorkerOnce('getConversation', undefined as never))).toBe(
      'worker-lost',
    )
    expect(asked()).toBe(1)
  })
})
