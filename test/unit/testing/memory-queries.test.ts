import { expect, test, vi } from 'vitest'
import type { AgentMemory } from '../../../src/index.ts'
import { recentMemory } from '../../../src/memory/index.ts'
import { createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, statusOf, talk } from './talk.ts'

test('several messages that are delivered together are a query of the memory', async () => {
  const queries: string[] = []
  const memory: AgentMemory = {
    retrieve(query) {
      queries.push(query)
      return []
    },
  }
  const { chat, work } = talk([call('work'), answer('Done.')], createTestStorage(), { memory })
  const run = chat.send('One')
  await until(() => statusOf(chat, 'work') === 'executing')
  const said = [run.send('It is about order A7'), run.send('And be brief')]
  await until(() => chat.getSnapshot().queued.length === 2)
  work.open()
  for (const { outcome } of said) expect((await outcome).status).toBe('delivered')
  await run.result
  expect(queries).toEqual(['One', 'It is about order A7\nAnd be brief'])
})

test('a regenerated answer takes the place of the first one in a memory with write-back', async () => {
  const memory = recentMemory({ storage: 'memory', writeBack: true, tools: false })
  const { chat } = talk([answer('Wrong.'), answer('Right.')], createTestStorage(), { memory })
  await chat.send('What is it?').result
  await vi.waitFor(async () => expect(JSON.stringify(await memory.list())).toContain('Wrong.'))
  expect((await chat.regenerate().result).text).toBe('Right.')
  await vi.waitFor(async () => expect(JSON.stringify(await memory.list())).toContain('Right.'))
})
