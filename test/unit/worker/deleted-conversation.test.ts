import { expect, it } from 'vitest'
import { Conversation } from '../../../src/worker/conversation.ts'
import { realEffects } from '../../../src/worker/effects.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import { started } from './store-support.ts'

it('a deleted conversation holds none of its messages when it is read again', async () => {
  const store = createMemoryStore()
  const conversation = new Conversation({
    conversationId: 'c',
    storage: 'memory',
    store,
    effects: realEffects,
    output: { notify: () => undefined, nextBatch: () => 1 },
  })
  await conversation.claim()
  const words = 'do {"name":"pay","arguments":{}} please'
  await conversation.append([started('r', words)])
  const tools = [{ name: 'pay', description: '', inputSchema: { type: 'object' } }]
  const holds = () => conversation.promptTexts.hasCall({ toolName: 'pay', input: {} }, tools)
  expect(holds()).toBe(true)
  await store.delete('c')
  await conversation.refresh()
  expect(holds()).toBe(false)
})
