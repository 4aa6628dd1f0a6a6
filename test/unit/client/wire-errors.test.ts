import { expose, wrap } from 'comlink'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPageApi } from '../../../src/client/page-life/page-api.ts'
import {
  wrapRemoteCalls,
  type Calls,
  callsOf,
  type CallTable,
  serveCalls,
} from '../../../src/protocol/call.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import { PAGE_CALLS } from '../../../src/protocol/page-calls.ts'
import { WORKER_CALLS } from '../../../src/protocol/worker-calls.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

/** The calls of a table at the other end of a real port. */
function across<Table extends CallTable<Table>>(table: Table, api: Calls<Table>): Calls<Table> {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => {
    port1.close()
    port2.close()
  })
  expose(api, port1)
  return wrapRemoteCalls(table, wrap(port2))
}

const details = { status: 429, retryAfterMs: 10 }
const thrower = () =>
  Promise.reject(new OffstageError('rate-limited', 'Later.', { retryable: true, details }))

const rejection = (call: (argument: never) => Promise<unknown>): Promise<unknown> =>
  call({} as never).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table)[]

describe('an error keeps its code, details and retryability between worker and page', () => {
  test.each(namesOf(PAGE_CALLS))('from the page: %s', async (name) => {
    const agent = callsOf(PAGE_CALLS, () => thrower)
    const { executeTool, knownExecutions, cancelTools, acknowledgeTools, fetchModel } = agent
    const own = { executeTool, knownExecutions, cancelTools, acknowledgeTools, fetchModel }
    const page = across(
      PAGE_CALLS,
      createPageApi(() => agent, [own]),
    )
    const error = await rejection(page[name])
    expect(OffstageError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'rate-limited',
      message: 'Later.',
      retryable: true,
      details,
    })
  })

  test.each(namesOf(WORKER_CALLS))('from the worker: %s', async (name) => {
    const worker = across(
      WORKER_CALLS,
      serveCalls(WORKER_CALLS, () => thrower),
    )
    const error = await rejection(worker[name])
    expect(OffstageError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'rate-limited', retryable: true, details })
  })

  test('including the message of a foreign error', async () => {
    const failing = serveCalls(
      PAGE_CALLS,
      () => () => Promise.reject(new TypeError('Failed to fetch')),
    )
    const error = await rejection(across(PAGE_CALLS, failing).fetchModel)
    expect(error).toMatchObject({ name: 'TypeError', message: 'Failed to fetch' })
  })
})

test.each([
  ['no-tools-available', { tools: [{ ...tool(), available: () => false }] }],
  ['invalid-config', { context: () => Promise.reject(new Error('no context')) }],
] as const)("a run that the page can't serve fails as %s", async (code, options) => {
  const agent = createTestAgent({ script: { steps: [{ text: 'hi' }] }, ...options })
  onTestFinished(() => agent.dispose())
  expect(await agent.run('x').result).toMatchObject({ outcome: 'failed', error: { code } })
})

test('a failing key function is an authentication error', async () => {
  const agent = createTestAgent({
    model: {
      provider: 'openai-compatible',
      model: 'm',
      baseURL: 'http://127.0.0.1:9/v1',
      apiKey: () => Promise.reject(new Error('logged out')),
    },
  })
  onTestFinished(() => agent.dispose())
  expect(await agent.run('x').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'authentication' },
  })
})

function tool() {
  return { name: 'look', description: 'Looks.', execute: () => 'seen' }
}
