import { callTools, say } from './support/mock-answers.ts'
import { startMockOpenAI } from './support/mock-openai.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Agents of a page share one worker. A run that hangs it must not fail the other agents' runs.

/** An answer that never ends. */
const begun = { pieces: (say('Begun').pieces ?? []).slice(0, -1), end: 'hang' } as const

test(
  'a regular expression that never finishes fails its run by name; other runs finish',
  MORE,
  async ({ openPage, model }) => {
    test.setTimeout(90_000)
    const other = await startMockOpenAI()
    // The word that the pattern takes forever on.
    model.enqueue(callTools([{ name: 'lookup', input: { sku: `${'a'.repeat(60)}!` } }]))
    other.enqueue(begun, say('Finished.'))
    const page = await openPage()
    const outcome = await page.evaluate(
      async ({ baseURL, otherURL }) => {
        const { createAgent } = window.offstage
        const at = (url: string) => ({ provider: 'openai-compatible', model: 'mock', baseURL: url })
        const innocent = createAgent({ model: at(otherURL), heartbeatMs: 1000 })
        const guilty = createAgent({
          model: at(baseURL),
          heartbeatMs: 1000,
          tools: [
            {
              name: 'lookup',
              description: 'Looks up.',
              inputSchema: {
                type: 'object',
                properties: { sku: { type: 'string', pattern: '^(a+)+$' } },
              },
              execute: () => 'found',
            },
          ],
        })
        let lost = 0
        innocent.on('worker', ({ state }) => (lost += state === 'lost' ? 1 : 0))
        const goesOn = innocent.run('go')
        for await (const event of goesOn) if (event.type === 'text-delta') break
        const hangs = guilty.run('look', { conversationId: 'guilty' })
        const [failed, finished] = await Promise.all([hangs.result, goesOn.result])
        const record = (await guilty.conversations.list()).find(
          ({ conversationId }) => conversationId === 'guilty',
        )
        return { failed, finished, lost, open: record?.openRunId, again: await guilty.resume() }
      },
      { baseURL: model.baseURL, otherURL: other.baseURL },
    )
    await other.close()
    expect(outcome.failed).toMatchObject({
      outcome: 'failed',
      error: { code: 'worker-hung', details: { toolName: 'lookup' } },
    })
    expect(outcome).toMatchObject({
      finished: { outcome: 'completed', text: 'Finished.' },
      lost: 1,
      open: null,
      again: null,
    })
  },
)

test(
  'a provider that never returns fails only its own run; other agents’ runs finish',
  MORE,
  async ({ openPage, model, site }) => {
    test.setTimeout(90_000)
    site.add('/endless-worker.js', {
      body: `
      import { startWorker } from '/dist/start-worker.js'
      startWorker({ providers: [{ id: 'endless', stream: async function* () { while (true); } }] })
    `,
    })
    model.enqueue(begun, begun, say('Finished.'))
    const page = await openPage()
    const outcome = await page.evaluate(async (baseURL) => {
      const { createAgent } = window.offstage
      const worker = () => new Worker('/endless-worker.js', { type: 'module' })
      const innocent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        heartbeatMs: 1000,
        worker,
      })
      const guilty = createAgent({
        model: { provider: 'endless', model: 'any' },
        heartbeatMs: 1000,
        worker,
      })
      const goesOn = innocent.run('go')
      for await (const event of goesOn) if (event.type === 'text-delta') break
      const hangs = guilty.run('go')
      const [failed, finished] = await Promise.all([hangs.result, goesOn.result])
      return { failed, finished }
    }, model.baseURL)
    expect(outcome).toMatchObject({
      failed: { outcome: 'failed', error: { code: 'worker-hung' } },
      finished: { outcome: 'completed', text: 'Finished.' },
    })
  },
)
