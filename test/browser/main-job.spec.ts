import { startAimock } from './support/aimock.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

// The model here is aimock, or the scripted chat server of `support/mock-openai.ts`.

test('a page tool changes the DOM and the final text streams, against aimock over HTTP', async ({
  openPage,
}) => {
  const aimock = await startAimock((mock) => {
    mock.on(
      { predicate: (request) => request.messages.at(-1)?.role === 'tool' },
      { content: 'The heading now reads Hello.' },
    )
    mock.onMessage(/heading/, {
      toolCalls: [{ name: 'set_heading', arguments: '{"text":"Hello"}' }],
    })
  })
  const page = await openPage({ body: '<h1>Before</h1>' })
  const outcome = await page.evaluate(async (baseURL) => {
    const { createAgent, defineTool } = window.offstage
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [
        defineTool({
          name: 'set_heading',
          description: 'Set the heading.',
          inputSchema: {
            type: 'object',
            properties: { text: { type: 'string' } },
            required: ['text'],
          },
          execute: ({ text }) => {
            const heading = document.querySelector('h1')
            if (heading) heading.textContent = text
            return { was: 'Before' }
          },
        }),
      ],
    })
    const run = agent.run('Change the heading, please')
    const events = []
    for await (const event of run) events.push(event)
    return { events, result: await run.result }
  }, aimock.baseURL)
  await aimock.close()

  await expect(page.locator('h1')).toHaveText('Hello')
  expect(outcome.result).toMatchObject({
    outcome: 'completed',
    text: 'The heading now reads Hello.',
    steps: 2,
    toolCalls: [
      {
        toolName: 'set_heading',
        status: 'succeeded',
        output: { type: 'json', value: { was: 'Before' } },
      },
    ],
  })
  expect(outcome.events.map((event) => event.seq)).toEqual(outcome.events.map((_, n) => n))
  const told = outcome.events.map((event) => event.type)
  const order = [
    'run-start',
    'step-start',
    'tool-call',
    'tool-execution-start',
    'tool-result',
    'step-end',
    'text-delta',
    'run-end',
  ] as const
  const places = order.map((type) => told.indexOf(type))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
})

test(
  'a server that refuses tools is called in ACTION mode, and remembered',
  MORE,
  async ({ openPage, model }) => {
    model.refuseTools = true
    model.enqueue(
      say('I add them.\n<ACTION>\n<add><skuu>mug</skuu></add>\n</ACTION>', { pieceLength: 3 }),
      say('Corrected.\n<ACTION><add><sku>mug</sku><quantity>2</quantity></add></ACTION>', {
        pieceLength: 3,
      }),
      say('Two mugs are in.'),
      say('Anything else?'),
    )
    const page = await openPage()
    const { result, shown, second, warnings } = await page.evaluate(async (baseURL) => {
      const { createAgent, defineTool } = window.offstage
      const agent = createAgent({
        model: { provider: 'ollama', model: 'tiny', baseURL },
        tools: [
          defineTool({
            name: 'add',
            description: 'Add to the cart.',
            inputSchema: {
              type: 'object',
              properties: { sku: { type: 'string' }, quantity: { type: 'integer' } },
              required: ['sku'],
            },
            execute: (input) => input,
          }),
        ],
      })
      const run = agent.run('Two mugs')
      let shown = ''
      const warnings: string[] = []
      for await (const event of run) {
        if (event.type === 'text-delta') shown += event.delta
        if (event.type === 'warning') warnings.push(event.code)
      }
      const second = await agent.run('Thanks', { conversationId: run.conversationId }).result
      return { result: await run.result, shown, second, warnings }
    }, model.baseURL)

    expect(result).toMatchObject({ outcome: 'completed', text: 'Two mugs are in.', steps: 3 })
    expect(result.toolCalls.map((call) => call.status)).toEqual(['invalid', 'succeeded'])
    expect(result.toolCalls[1]?.input).toEqual({ sku: 'mug', quantity: 2 })
    expect(shown).not.toMatch(/<|ACTION|sku/)
    expect(warnings).toEqual(['tools-refused'])
    expect(second.outcome).toBe('completed')

    const withTools = model.requests.filter((request) => request.body.tools)
    expect(withTools, 'only the first request had tools').toHaveLength(1)
    const observed = JSON.stringify(model.requests[2]?.body.messages)
    expect(observed).toContain("unknown parameter 'skuu', did you mean 'sku'?")
    expect(JSON.stringify(model.requests[3]?.body.messages)).toContain('Tool add succeeded')
  },
)

test('text before a tool call is always seen before the tool runs', async ({ openPage }) => {
  const page = await openPage()
  const late = await page.evaluate(async () => {
    const { createAgent, defineTool } = window.offstage
    let seen = ''
    const late: number[] = []
    let trial = 0
    const agent = createAgent({
      model: {
        provider: 'scripted',
        model: 'x',
        script: {
          steps: [
            { text: 'before the tool', toolCalls: [{ toolName: 'look', input: {} }] },
            { text: 'after' },
          ],
        },
      },
      storage: 'memory',
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks at what the person has seen.',
          inputSchema: { type: 'object', properties: {} },
          execute: () => {
            if (!seen.endsWith('before the tool')) late.push(trial)
          },
        }),
      ],
    })
    for (trial = 0; trial < 500; trial++) {
      seen = ''
      for await (const event of agent.run('go')) {
        if (event.type === 'text-delta') seen += event.delta
      }
    }
    return late
  })
  expect(late).toEqual([])
})

test('an abort ends the run, both while streaming and while a tool runs', async ({
  openPage,
  model,
}) => {
  model.enqueue(
    { pieces: say('A long story that never ends').pieces ?? [], end: 'hang' },
    callTools([{ name: 'hang', input: {} }]),
    say('Fine.'),
  )
  const page = await openPage()
  const outcome = await page.evaluate(async (baseURL) => {
    const { createAgent, defineTool } = window.offstage
    let aborted = false
    let started = (): void => undefined
    const toolStarted = new Promise<void>((resolve) => (started = resolve))
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [
        defineTool({
          name: 'hang',
          description: 'Never returns.',
          inputSchema: { type: 'object', properties: {} },
          execute: (_input, { signal }) =>
            new Promise<never>(() => {
              started()
              signal.addEventListener('abort', () => (aborted = true))
            }),
        }),
      ],
    })
    const conversationId = 'abort'
    const abortAt = async (type: string, ready = Promise.resolve()) => {
      const run = agent.run('go', { conversationId })
      for await (const event of run) if (event.type === type) break
      await ready
      run.abort('enough')
      return run.result
    }
    const streaming = await abortAt('text-delta')
    const executing = await abortAt('tool-execution-start', toolStarted)
    const after = await agent.run('still there?', { conversationId }).result
    const stored = await agent.conversations.get(conversationId)
    return { streaming, executing, after, aborted, messages: stored?.messages ?? [] }
  }, model.baseURL)

  expect(outcome.streaming).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  expect(outcome.streaming.text).toContain('A long story')
  expect(outcome.executing).toMatchObject({ outcome: 'aborted' })
  expect(outcome.aborted).toBe(true)
  expect(outcome.after).toMatchObject({ outcome: 'completed', text: 'Fine.' })
  expect(outcome.messages.find((message) => 'partial' in message && message.partial)).toBeTruthy()
  await expect.poll(() => model.requests[0]?.abortedAt).toBeTruthy()
})
