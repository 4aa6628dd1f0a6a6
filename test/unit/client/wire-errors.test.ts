import { expose, wrap } from 'comlink'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPageApi, type AgentPage } from '../../../src/client/page-api.ts'
import type { PageApi, WorkerApi } from '../../../src/protocol/api.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import { withPlainErrors, withRevivedErrors } from '../../../src/protocol/wire-errors.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

/** An object at the other end of a real port. */
function across<Api extends object>(api: Api): Api {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => {
    port1.close()
    port2.close()
  })
  expose(api, port1)
  return withRevivedErrors(wrap<Api>(port2) as unknown as Api)
}

const details = { status: 429, retryAfterMs: 10 }
const thrower = () =>
  Promise.reject(new OffstageError('rate-limited', 'Later.', { retryable: true, details }))
const failing = new Proxy({}, { get: () => thrower }) as never

const pageMethods: Record<keyof PageApi, true> = {
  stepContext: true,
  currentTools: true,
  credentials: true,
  fetchModel: true,
  openEngine: true,
  beforeToolCall: true,
  needsApproval: true,
  executeTool: true,
  knownExecutions: true,
  cancelTools: true,
  acknowledgeTools: true,
  reconcileTool: true,
}

const workerMethods: Record<keyof WorkerApi, true> = {
  connect: true,
  ping: true,
  confirmLease: true,
  holdLock: true,
  startRun: true,
  resumeRun: true,
  abortRun: true,
  answerCall: true,
  supplyOutput: true,
  toolsChanged: true,
  releaseAgent: true,
  extract: true,
  stopExtracting: true,
  prepare: true,
  stopPreparing: true,
  listConversations: true,
  getConversation: true,
  join: true,
  leave: true,
  olderMessages: true,
  switchBranch: true,
  takeOver: true,
  renameConversation: true,
  deleteConversation: true,
  clearHistory: true,
}

type AnyMethod = (command: unknown) => Promise<unknown>
const rejection = (api: object, method: string): Promise<unknown> =>
  (api as Record<string, AnyMethod>)[method]!({}).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('an error crosses with its code, its details and whether to try again', () => {
  test.each(Object.keys(pageMethods))('from the page: %s', async (method) => {
    const page = across(createPageApi(() => failing as AgentPage, failing, failing))
    const error = await rejection(page, method)
    expect(OffstageError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'rate-limited',
      message: 'Later.',
      retryable: true,
      details,
    })
  })

  test.each(Object.keys(workerMethods))('from the worker: %s', async (method) => {
    const api = Object.fromEntries(Object.keys(workerMethods).map((name) => [name, thrower]))
    const error = await rejection(across(withPlainErrors(api)), method)
    expect(OffstageError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'rate-limited', retryable: true, details })
  })

  test('and a foreign error keeps its words', async () => {
    const api = { ask: () => Promise.reject(new TypeError('Failed to fetch')) }
    const error = await rejection(across(withPlainErrors(api)), 'ask')
    expect(error).toMatchObject({ name: 'TypeError', message: 'Failed to fetch' })
  })
})

test.each([
  ['no-tools-available', { tools: [{ ...tool(), available: () => false }] }],
  ['invalid-config', { context: () => Promise.reject(new Error('no context')) }],
] as const)('a run that the page can not serve fails as %s', async (code, options) => {
  const agent = createTestAgent({ script: { steps: [{ text: 'hi' }] }, ...options })
  onTestFinished(() => agent.dispose())
  expect(await agent.run('x').result).toMatchObject({ outcome: 'failed', error: { code } })
})

test('a key function that fails is an authentication error', async () => {
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
