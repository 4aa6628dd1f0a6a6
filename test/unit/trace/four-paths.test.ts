import { Session, type Profiler } from 'node:inspector'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestAgent } from '../../../src/testing/index.ts'

/** Modules of src/ that a path enters, and functions that it calls at least once. */
interface Entered {
  readonly modules: ReadonlySet<string>
  readonly functions: number
}

const session = new Session()

beforeAll(async () => {
  session.connect()
  await post('Profiler.enable')
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})

afterAll(() => session.disconnect())

function post(method: string, params: object = {}): Promise<object> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result = {}) => (error ? reject(error) : resolve(result)))
  })
}

/** Returns what was called since the last time. */
async function takeCalls(): Promise<Entered> {
  const { result } = (await post(
    'Profiler.takePreciseCoverage',
  )) as Profiler.TakePreciseCoverageReturnType
  const modules = new Set<string>()
  let functions = 0
  for (const { url, functions: all } of result) {
    const [, module] = /[\\/](src[\\/].+\.ts)$/.exec(url) ?? []
    // The first function of a script is its top level.
    const called = all.slice(1).filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length
    if (module === undefined || called === 0) continue
    modules.add(module)
    functions += called
  }
  return { modules, functions }
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const CALL = {
  tool_calls: [{ index: 0, id: 'c1', function: { name: 'book', arguments: '{"slot":"9:00"}' } }],
}

/** A model whose answers the test writes, piece by piece. */
class Model {
  #requests: (() => void)[] = []
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly fetch = (): Promise<Response> => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => (this.#body = controller),
    })
    for (const onRequest of this.#requests.splice(0)) onRequest()
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }

  requested(): Promise<void> {
    return new Promise((resolve) => this.#requests.push(resolve))
  }

  write(text: string): void {
    this.#body?.enqueue(new TextEncoder().encode(text))
  }

  end(): void {
    this.write(chunk({}, 'stop'))
    this.write('data: [DONE]\n\n')
    this.#body?.close()
  }
}

/** Runs a turn that streams text, gets a call approved, runs it, and asks the model again; measures each path. */
async function turn(needsApproval: boolean): Promise<Record<string, Entered>> {
  const model = new Model()
  vi.stubGlobal('fetch', model.fetch)
  const paths: Record<string, Entered> = {}
  let onExecute = (): void => undefined
  const executed = new Promise<void>((resolve) => (onExecute = resolve))
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const agent = createTestAgent({
    model: { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:1/v1' },
    tools: [
      {
        name: 'book',
        description: 'Books a slot.',
        inputSchema: { type: 'object', properties: { slot: { type: 'string' } } },
        needsApproval,
        annotations: { reversible: true },
        execute: async () => {
          onExecute()
          await finished
          return 'Booked.'
        },
      },
    ],
  })
  await agent.prepare()

  let requested = model.requested()
  await takeCalls()
  const run = agent.run('Book a slot')
  await requested
  paths['run to fetch'] = await takeCalls()

  const events = run[Symbol.asyncIterator]()
  const next = async (type: string): Promise<void> => {
    for (;;) {
      const { value } = await events.next()
      if (value?.type === type) return
      if (value === undefined) throw new Error(`No ${type} came.`)
    }
  }
  model.write(chunk({ role: 'assistant', content: 'One' }))
  await next('text-delta')
  await takeCalls()
  model.write(chunk({ content: ' moment' }))
  await next('text-delta')
  paths['chunk to event'] = await takeCalls()

  model.write(chunk(CALL))
  await next('tool-input-delta')
  await takeCalls()
  model.end()
  if (needsApproval) {
    await next('tool-approval-request')
    await takeCalls()
    const [call] = agent.conversation(run.conversationId).getSnapshot().pending
    await agent.approve(call ?? { conversationId: run.conversationId, toolCallId: 'c1' })
    await executed
    paths['approve to execute'] = await takeCalls()
  } else {
    await executed
    paths['call to execute'] = await takeCalls()
  }
  requested = model.requested()
  finish()
  await requested
  paths['result to fetch'] = await takeCalls()
  model.write(chunk({ content: 'Done.' }))
  model.end()
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  await agent.dispose()
  vi.unstubAllGlobals()
  return paths
}

/** Ceilings, which only go down: modules, and functions called at least once. */
const CEILINGS: Readonly<Record<string, readonly [modules: number, functions: number]>> = {
  'run to fetch': [140, 830],
  'chunk to event': [30, 145],
  'call to execute': [107, 580],
  'result to fetch': [123, 620],
  'approve to execute': [97, 580],
}

test('the four paths enter few modules and call few functions', async () => {
  // The first turns load the parts that are loaded on demand. On a slow machine a timer may fire in a path, so the
  // least of several rounds counts.
  for (const needsApproval of [true, false]) await turn(needsApproval)
  const rounds: Record<string, Entered>[] = []
  for (let round = 0; round < 4; round++)
    rounds.push({ ...(await turn(true)), ...(await turn(false)) })
  for (const [path, [modules, functions]] of Object.entries(CEILINGS)) {
    const entered = rounds.flatMap((round) => round[path] ?? [])
    expect(entered).toHaveLength(rounds.length)
    expect(Math.min(...entered.map((one) => one.modules.size)), path).toBeLessThanOrEqual(modules)
    expect(Math.min(...entered.map((one) => one.functions)), path).toBeLessThanOrEqual(functions)
    // The path was measured at all.
    for (const one of entered)
      expect(one.modules).toContain(
        path === 'chunk to event' ? 'src/conversation/project.ts' : 'src/worker/run/run-driver.ts',
      )
  }
})
