import { expect, test } from 'vitest'
import { createAgent, defineTool } from '../../../src/index.ts'
import { inProcessWorker } from '../../../src/testing/index.ts'
import { chatRoute, chatStream, serve } from '../doctor/small-server.ts'

test('a server that refuses tools: the warning has its words, without the key', async () => {
  const apiKey = 'sk-canary-0123456789'
  const words = `"auto" tool choice requires --enable-auto-tool-choice (Bearer ${apiKey})`
  const { origin } = await serve(
    chatRoute(['m'], {
      answer: ({ body }) =>
        body['tools']
          ? { status: 400, json: { error: { message: words } } }
          : { sse: chatStream([{ content: 'In words.' }]) },
    }),
  )
  const agent = createAgent({
    worker: inProcessWorker(),
    storage: 'memory',
    model: { provider: 'openai-compatible', model: 'm', baseURL: `${origin}/v1`, apiKey },
    tools: [defineTool({ name: 'add', description: 'Adds.', execute: () => 'added' })],
  })
  const run = agent.run('Hi')
  const warnings: string[] = []
  for await (const event of run)
    if (event.type === 'warning') warnings.push(`${event.code}: ${event.message}`)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'In words.' })
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/^tools-refused: .*ACTION mode/)
  expect(warnings[0]).toContain(
    'answered 400: "auto" tool choice requires --enable-auto-tool-choice',
  )
  expect(warnings[0]).not.toContain(apiKey)
  await agent.dispose()
})
