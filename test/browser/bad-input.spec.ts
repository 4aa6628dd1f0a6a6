import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/driven.ts'

const scripted = { provider: 'scripted', model: 'x', script: { fallback: [{ text: 'Hi.' }] } }

test('invalid configuration throws at once and says what to do', MORE, async ({ openPage }) => {
  const page = await openPage({ hasPackage: true })
  const codes = await page.evaluate((model) => {
    const { createAgent, defineTool, OffstageError } = window.offstage
    const tool = defineTool({ name: 'same', description: 'x', execute: () => undefined })
    const attempt = (act: () => unknown): string => {
      try {
        act()
        return 'nothing thrown'
      } catch (error) {
        return OffstageError.is(error) ? `${error.code}: ${error.message}` : String(error)
      }
    }
    return {
      provider: attempt(() => createAgent({ model: { provider: 'nobody', model: 'x' } })),
      model: attempt(() => createAgent({ model: { provider: 'openai', model: '' } })),
      duplicate: attempt(() => createAgent({ model, tools: [tool, { ...tool }] })),
      schema: attempt(() =>
        defineTool({ name: 'bad', description: 'x', inputSchema: 3 as never, execute: () => 1 }),
      ),
    }
  }, scripted)
  expect(codes.provider).toMatch(/^(unknown-provider|invalid-config): .*nobody/)
  expect(codes.model).toMatch(/^invalid-config: /)
  expect(codes.duplicate).toMatch(/^duplicate-tool: .*same/)
  expect(codes.schema).toMatch(/^schema-(invalid|unsupported): /)
})

test(
  'an empty message fails the run, and the conversation still works',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ hasPackage: true })
    const outcome = await page.evaluate(async (model) => {
      const agent = window.offstage.createAgent({ model })
      const empty = await agent.run('', { conversationId: 'c' }).result
      const next = await agent.run('hello', { conversationId: 'c' }).result
      return { empty, next }
    }, scripted)
    expect(outcome.empty).toMatchObject({ outcome: 'failed', error: { code: 'invalid-input' } })
    expect(outcome.next).toMatchObject({ outcome: 'completed', text: 'Hi.' })
  },
)

test('F26 when IndexedDB is refused, the run works in memory, and this is reported', async ({
  openPage,
  site,
}) => {
  site.add('/no-database.js', {
    body: `
      const open = () => { throw new DOMException('denied', 'SecurityError') }
      Object.defineProperty(self, 'indexedDB', { value: { open } })
    `,
  })
  site.add('/no-database-worker.js', {
    body: `
      import '/no-database.js'
      import { startWorker } from '/dist/start-worker.js'
      startWorker()
    `,
  })
  const page = await openPage({ hasPackage: true })
  const outcome = await page.evaluate(async (model) => {
    const agent = window.offstage.createAgent({
      model,
      worker: () => new Worker('/no-database-worker.js', { type: 'module' }),
    })
    const modes: string[] = []
    agent.on('storage', (event) => modes.push(event.mode))
    const result = await agent.run('hi', { conversationId: 'c' }).result
    return { result, modes, stored: (await agent.conversations.get('c'))?.messages.length }
  }, scripted)
  expect(outcome).toMatchObject({ result: { outcome: 'completed' }, modes: ['memory'], stored: 2 })
})

test('F29 F31 any value that a tool returns or throws becomes its result, and the run continues', async ({
  openPage,
  model,
}) => {
  const names = ['function', 'circular', 'bigint', 'huge', 'throws', 'string', 'undefined', 'void']
  model.enqueue(
    callTools(names.map((name, n) => ({ id: `call_${n}`, name, input: {} }))),
    say('Well.'),
  )
  const page = await openPage({ hasPackage: true })
  const result = await page.evaluate(async (baseURL) => {
    const { createAgent, defineTool } = window.offstage
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const results: Record<string, () => unknown> = {
      function: () => () => 1,
      circular: () => circular,
      bigint: () => ({ n: 10n }),
      huge: () => 'x'.repeat(50_000_000),
      throws: () => {
        throw new Error('out of order')
      },
      string: () => {
        throw 'just words'
      },
      undefined: () => {
        throw undefined
      },
      void: () => undefined,
    }
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: Object.entries(results).map(([name, execute]) =>
        defineTool({
          name,
          description: name,
          inputSchema: { type: 'object', properties: {} },
          execute,
        }),
      ),
    })
    return agent.run('go').result
  }, model.baseURL)
  expect(result.outcome).toBe('completed')
  const status = Object.fromEntries(result.toolCalls.map((call) => [call.toolName, call.status]))
  expect(status).toMatchObject({
    throws: 'failed',
    string: 'failed',
    undefined: 'failed',
    void: 'succeeded',
  })
  const words = JSON.stringify(result.toolCalls)
  expect(words).toContain('out of order')
  expect(words).toContain('just words')
  expect(words.length).toBeLessThan(300_000)
  expect(words).toMatch(/truncated/)
})
