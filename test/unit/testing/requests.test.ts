import { expect, test } from 'vitest'
import type { RunEvent } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const KEY = 'sk-dummy-key-that-is-nowhere'

function agentWith(requests: boolean) {
  return createTestAgent({
    model: {
      provider: 'scripted',
      model: 'm',
      apiKey: KEY,
      headers: { 'x-secret': KEY },
      script: { steps: [{ toolCalls: [{ toolName: 'read', input: {} }] }, { text: 'Done.' }] },
    },
    instructions: 'Be brief.',
    context: () => 'The page is green.',
    requests,
    tools: [
      {
        name: 'read',
        description: 'Reads the page.',
        annotations: { readOnly: true, supersedes: true },
        execute: () => 'word '.repeat(400),
      },
    ],
  })
}

async function eventsOf(requests: boolean): Promise<RunEvent[]> {
  const agent = agentWith(requests)
  const events: RunEvent[] = []
  for await (const event of agent.run('What is there?')) events.push(event)
  await agent.dispose()
  return events
}

test('with requests: true, each step reports its model request, without the key', async () => {
  const events = await eventsOf(true)
  const sent = events.flatMap((event) => (event.type === 'request' ? [event] : []))
  expect(sent.map(({ step, attempt }) => [step, attempt])).toEqual([
    [1, 1],
    [2, 1],
  ])
  const [first, second] = sent.map(({ request }) => request)
  expect(first).toMatchObject({ provider: 'scripted', model: 'm' })
  expect(first?.tools.map(({ name }) => name)).toEqual(['read'])
  expect(first?.context).toContain('The page is green.')
  expect(first?.tokens.snapshots).toBe(0)
  // Page content that the tool read counts as a snapshot, not as history.
  expect(second?.tokens.snapshots).toBeGreaterThan(300)
  expect(second?.tokens.history).toBeLessThan(100)
  expect(second?.messages.length).toBe(3)
  expect(JSON.stringify(events)).not.toContain(KEY)
  expect(events.findIndex(({ type }) => type === 'request')).toBeGreaterThan(
    events.findIndex(({ type }) => type === 'step-start'),
  )
})

test('without requests, no step reports it', async () => {
  expect((await eventsOf(false)).some(({ type }) => type === 'request')).toBe(false)
})

test('an agent reports each run handle once, and exposes the stored rows', async () => {
  const agent = agentWith(false)
  const told: string[] = []
  const off = agent.on('run', ({ run }) => told.push(run.runId))
  const run = agent.run('What is there?', { conversationId: 'talk' })
  await run.result
  expect(told).toEqual([run.runId])
  const all = await agent.conversations.rows('talk')
  expect(all?.hasMore).toBe(false)
  expect(all?.rows.map(({ seq }) => seq)).toEqual(all?.rows.map((_, at) => at + 1))
  expect(all?.rows.at(-1)?.type).toBe('run-ended')
  const rest = await agent.conversations.rows('talk', { after: 2 })
  expect(rest?.rows).toEqual(all?.rows.slice(2))
  expect(await agent.conversations.rows('nothing')).toBeNull()

  off()
  const second = agent.run('And now?', { conversationId: 'talk' })
  await second.result
  expect(told).toHaveLength(1)
  const upTo = all?.rows.length ?? 0
  const file = await new Response(
    await agent.conversations.export('talk', { through: upTo }),
  ).text()
  expect(file.split('\n').filter((line) => line.startsWith('{"row"'))).toHaveLength(upTo)
  const { imported, refused } = await agent.conversations.import(file)
  expect(refused).toEqual([])
  expect((await agent.conversations.get(imported[0]?.to ?? ''))?.messages).toHaveLength(4)
  await agent.dispose()
})
