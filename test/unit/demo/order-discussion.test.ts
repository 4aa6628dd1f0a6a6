import { expect, test } from 'vitest'
import { withDiscussion } from '../../../demo/shop/order-discussion.ts'
import { shopScenes } from '../../../demo/shop/shop-scenes.ts'
import { createProvider } from '../../../src/providers/index.ts'

const ordinary = { scenes: shopScenes.map(({ script }) => script) }
const schema = { type: 'object', properties: { speed: { enum: ['standard', 'express'] } } } as const

async function answer(question: string, tool: string): Promise<readonly unknown[]> {
  const tools = [{ name: tool, description: '', inputSchema: schema }]
  const script = withDiscussion(ordinary, tools)
  const provider = createProvider({
    provider: 'scripted',
    model: 'script',
    script: { ...script, paceMs: 0 },
  })
  const messages = [{ role: 'user', id: 'm', parts: [{ type: 'text', text: question }] }] as const
  const calls: unknown[] = []
  for await (const part of provider.stream({ messages, tools }))
    if (part.type === 'tool-call') calls.push([part.toolName, part.input])
  return calls
}

test('a question about the waiting order gets a cheaper one as a suggestion', async () => {
  expect(await answer('Is there a cheaper delivery?', 'suggest_change')).toEqual([
    ['suggest_change', { speed: 'standard' }],
  ])
})

test('other questions about it get an answer in words', async () => {
  expect(await answer('What would you order?', 'suggest_change')).toEqual([])
})

test('the same words in the conversation itself play its own scene', async () => {
  expect(await answer('Book a delivery', 'book_delivery')).toEqual([
    ['book_delivery', { slot: 'Thursday morning' }],
  ])
})
