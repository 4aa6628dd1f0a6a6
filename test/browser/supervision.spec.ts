import type { Conversation, RunResult } from '../../src/index.ts'
import { MORE, inSlice } from './support/more.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/driven.ts'

declare global {
  interface Window {
    shown: {
      readonly workers: Worker[]
      readonly talk: Conversation
      readonly result: Promise<RunResult>
    }
  }
}

// The worker is the real one; it is killed by `terminate()`, or hung by a provider of its own.

for (const death of ['terminated', 'hung'] as const) {
  test(
    `F15 when the worker is ${death} during a tool call, the run continues; the tool ran once`,
    inSlice(death === 'terminated'),
    async ({ openPage, model, site }) => {
      model.enqueue(callTools([{ name: 'slow', input: {} }]), say('Done after all.'))
      // A worker that spins forever when it is told to, which no page can do to the shipped one.
      site.add('/hanging-worker.js', {
        body: `
        import { startWorker } from '/dist/start-worker.js'
        addEventListener('message', (event) => { if (event.data === 'hang') while (true); })
        startWorker()
      `,
      })
      const page = await openPage({ hasPackage: true })
      const outcome = await page.evaluate(
        async ({ baseURL, death }) => {
          const { createAgent, defineTool } = window.offstage
          const workers: Worker[] = []
          let calls = 0
          let started = (): void => undefined
          let finish = (): void => undefined
          const toolStarted = new Promise<void>((resolve) => (started = resolve))
          const agent = createAgent({
            model: { provider: 'openai-compatible', model: 'mock', baseURL },
            heartbeatMs: 500,
            worker: () => {
              const worker = new Worker('/hanging-worker.js', { type: 'module' })
              workers.push(worker)
              return worker
            },
            tools: [
              defineTool({
                name: 'slow',
                description: 'Takes its time.',
                inputSchema: { type: 'object', properties: {} },
                execute: async () => {
                  calls += 1
                  started()
                  await new Promise<void>((resolve) => (finish = resolve))
                  return 'finished'
                },
              }),
            ],
          })
          const states: string[] = []
          agent.on('worker', (event) => states.push(event.state))
          const run = agent.run('go')
          await toolStarted
          if (death === 'terminated') workers[0]?.terminate()
          else workers[0]?.postMessage('hang')
          while (workers.length < 2) await new Promise((resolve) => setTimeout(resolve, 50))
          finish()
          return { result: await run.result, calls, workers: workers.length, states }
        },
        { baseURL: model.baseURL, death },
      )
      expect(outcome).toMatchObject({
        result: {
          outcome: 'completed',
          text: 'Done after all.',
          toolCalls: [{ status: 'succeeded', output: { type: 'text', value: 'finished' } }],
        },
        calls: 1,
        workers: 2,
      })
      expect(outcome.states).toContain('lost')
      expect(model.requests).toHaveLength(2)
    },
  )
}

test(
  'F15 when the worker dies again and again, the run fails, and nothing hangs',
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(...Array.from({ length: 8 }, () => ({ pieces: [], end: 'hang' }) as const))
    const page = await openPage({ hasPackage: true })
    const outcome = await page.evaluate(async (baseURL) => {
      let made = 0
      let last: Worker | undefined
      const agent = window.offstage.createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        heartbeatMs: 200,
        worker: () => {
          made += 1
          last = new Worker('/dist/worker.js', { type: 'module' })
          return last
        },
      })
      agent.on('worker', ({ state }) => {
        const ready = last
        // Long enough for it to ask the model, mostly; it is to die either way.
        if (state === 'ready') setTimeout(() => ready?.terminate(), 1000)
      })
      const result = await agent.run('go').result
      return { result, made }
    }, model.baseURL)
    expect(outcome.result).toMatchObject({ outcome: 'failed' })
    expect(['worker-lost', 'crash-loop']).toContain(
      outcome.result.outcome === 'failed' ? outcome.result.error.code : '',
    )
    expect(outcome.made).toBeLessThanOrEqual(4)
  },
)

test('F15 a step that loses three workers pauses, and ends when it is continued', async ({
  openPage,
  model,
}) => {
  const hanging = { pieces: [], end: 'hang' } as const
  model.enqueue(hanging, hanging, hanging, say('Finished.'))
  const page = await openPage({ hasPackage: true })
  await page.evaluate((baseURL) => {
    const workers: Worker[] = []
    const agent = window.offstage.createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      worker: () => {
        const worker = new Worker('/dist/worker.js', { type: 'module' })
        workers.push(worker)
        return worker
      },
    })
    const { result, conversationId } = agent.run('go')
    const talk = agent.conversation(conversationId)
    talk.subscribe(() => undefined)
    window.shown = { workers, talk, result }
  }, model.baseURL)
  for (let deaths = 1; deaths <= 3; deaths++) {
    await expect.poll(() => model.requests.length).toBe(deaths)
    await page.evaluate(() => window.shown.workers.at(-1)?.terminate())
  }
  const pausedBy = () => page.evaluate(() => window.shown.talk.getSnapshot().paused)
  await expect.poll(pausedBy).toBe('crash-loop')
  expect(model.requests).toHaveLength(3)
  const ended = await page.evaluate(async () => {
    await window.shown.talk.continue()
    return window.shown.result
  })
  expect(ended).toMatchObject({ outcome: 'completed', text: 'Finished.' })
})

test(
  'F30 a tool that a busy page could not start in time is never started later',
  MORE,
  async ({ openPage, model }) => {
    const call = callTools([{ name: 'quick', input: {} }], { text: 'Now' }).pieces ?? []
    model.enqueue(
      { pieces: [...call.slice(0, 1), { waitMs: 2000 }, ...call.slice(1)] },
      say('Too late, then.'),
    )
    const page = await openPage({ hasPackage: true })
    const outcome = await page.evaluate(async (baseURL) => {
      const { createAgent, defineTool } = window.offstage
      let calls = 0
      const agent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        tools: [
          defineTool({
            name: 'quick',
            description: 'Has one second.',
            timeoutMs: 1000,
            inputSchema: { type: 'object', properties: {} },
            execute: () => {
              calls += 1
            },
          }),
        ],
      })
      const run = agent.run('go')
      for await (const event of run) if (event.type === 'text-delta') break
      // The call falls due while the page is blocked, and far more than a second before that is over.
      const until = performance.now() + 8000
      while (performance.now() < until);
      const result = await run.result
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return { result, calls }
    }, model.baseURL)
    expect(outcome).toMatchObject({
      calls: 0,
      result: {
        outcome: 'completed',
        toolCalls: [{ status: 'failed', output: { type: 'error', code: 'timeout' } }],
      },
    })
  },
)

test('F30 a hanging tool times out, its signal is aborted, and its late result dropped', async ({
  openPage,
  model,
}) => {
  model.enqueue(callTools([{ name: 'hang', input: {} }]), say('It took too long.'))
  const page = await openPage({ hasPackage: true })
  const outcome = await page.evaluate(async (baseURL) => {
    const { createAgent, defineTool } = window.offstage
    let aborted = false
    let finish = (): void => undefined
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [
        defineTool({
          name: 'hang',
          description: 'Hangs.',
          timeoutMs: 200,
          inputSchema: { type: 'object', properties: {} },
          execute: (_input, { signal }) =>
            new Promise<string>((resolve) => {
              signal.addEventListener('abort', () => (aborted = true))
              finish = () => resolve('late')
            }),
        }),
      ],
    })
    const result = await agent.run('go').result
    finish()
    return { result, aborted }
  }, model.baseURL)
  expect(outcome).toMatchObject({
    aborted: true,
    result: { toolCalls: [{ status: 'failed', output: { code: 'timeout' } }] },
  })
})

test('F17 double dispose and mount leave one worker, no leak, and a resumable run', async ({
  openPage,
  model,
}) => {
  const begun = (say('Begun').pieces ?? []).slice(0, -1)
  model.enqueue({ pieces: begun, end: 'hang' }, say('Finished.'))
  const page = await openPage({ hasPackage: true })
  const outcome = await page.evaluate(async (baseURL) => {
    const alive = new Set<Worker>()
    const counts = { made: 0, most: 0 }
    window.Worker = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given)
        alive.add(this)
        counts.made += 1
        counts.most = Math.max(counts.most, alive.size)
      }
      override terminate(): void {
        super.terminate()
        alive.delete(this)
      }
    }
    const { createAgent } = window.offstage
    const options = { model: { provider: 'openai-compatible', model: 'mock', baseURL } }
    const first = createAgent(options)
    await first.dispose()
    const unused = counts.made
    const second = createAgent(options)
    const run = second.run('go', { conversationId: 'mount' })
    for await (const event of run) if (event.type === 'text-delta') break
    await Promise.all([second.dispose(), second.dispose()])
    const disposed = await run.result
    // React's StrictMode does this: it mounts, unmounts and mounts again at once.
    const twin = createAgent(options)
    twin.prepare().catch(() => undefined)
    const leaving = twin.dispose()
    const third = createAgent(options)
    const resumed = await third.resume('mount')
    const finished = await resumed?.result
    await Promise.all([leaving, third.dispose()])
    const same = resumed?.runId === run.runId
    return { disposed, resumed: finished, same, unused, most: counts.most, left: alive.size }
  }, model.baseURL)
  expect(outcome).toMatchObject({
    disposed: { outcome: 'aborted', reason: 'disposed' },
    resumed: { outcome: 'completed', text: 'Finished.' },
    same: true,
    unused: 0,
    most: 1,
    left: 0,
  })
  // Disposing an agent releases everything that the page holds for it.
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const { held = [], pending = [] } = await navigator.locks.query()
        return [...held, ...pending].map(({ name }) => name)
      }),
    )
    .toEqual([])
})

test(
  'F17 a tool module reloaded during approval runs its newest function once',
  MORE,
  async ({ openPage, site }) => {
    // A bundler loads a module anew: the old one cleans up after itself, then the new one runs.
    const version = (n: number): string => `
    const remove = window.agent.registerTool({
      name: 'pay',
      description: 'Pays.',
      needsApproval: true,
      execute: () => { window.ran.push('version ${n}'); return 'paid by version ${n}' },
    })
    export const dispose = () => remove()
  `
    for (const n of [1, 2, 3]) site.add(`/pay-${n}.js`, { body: version(n) })
    const page = await openPage({ hasPackage: true })
    const outcome = await page.evaluate(async () => {
      const agent = window.offstage.createAgent({
        model: {
          provider: 'scripted',
          model: 'scripted',
          script: { steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'Paid.' }] },
        },
        storage: 'memory',
      })
      const ran: string[] = []
      Object.assign(window, { agent, ran })
      const load = (n: number): Promise<{ dispose(): void }> => import(`/pay-${n}.js`)
      const first = await load(1)
      const run = agent.run('Pay', { conversationId: 'c' })
      let approve = (): Promise<boolean> => Promise.resolve(false)
      for await (const event of run)
        if (event.type === 'tool-approval-request') {
          approve = () => agent.approve({ conversationId: 'c', toolCallId: event.toolCallId })
          break
        }
      first.dispose()
      const second = await load(2)
      second.dispose()
      await load(3)
      const isTaken = await approve()
      return { isTaken, result: await run.result, ran }
    })
    expect(outcome).toMatchObject({
      isTaken: true,
      result: {
        outcome: 'completed',
        text: 'Paid.',
        toolCalls: [{ status: 'succeeded', output: { value: 'paid by version 3' } }],
      },
      ran: ['version 3'],
    })
  },
)
