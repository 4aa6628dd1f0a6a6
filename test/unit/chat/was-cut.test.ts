import { expect, test } from 'vitest'
import { wasCutOff } from '../../../src/ui/chat/element.ts'
import type { Conversation } from '../../../src/index.ts'
import { createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { agentFor, payCall, showChat } from './chat-stage.ts'

const isCut = async (conversation: Conversation): Promise<boolean | undefined> => {
  const run = await conversation.resume({ interrupted: 'ask' })
  return run ? wasCutOff(run, () => conversation.getSnapshot()) : undefined
}

test('a run that waits for a person was not cut off, whichever page resumes it', async () => {
  const storage = createTestStorage()
  const before = agentFor({ steps: [payCall, { text: 'Paid.' }] }, storage)
  const first = showChat(before).conversation
  first.send('Pay')
  await until(() => first.getSnapshot().pending.length)
  await before.dispose()
  const { conversation } = showChat(agentFor({ steps: [payCall, { text: 'Paid.' }] }, storage))
  expect(await isCut(conversation)).toBe(false)
})

test('a run interrupted while the model was writing was cut off', async () => {
  const storage = createTestStorage()
  const steps = [{ text: 'A long story, told slowly.' }]
  const before = agentFor({ steps, paceMs: 50 }, storage)
  const run = showChat(before).conversation.send('Tell')
  for await (const { type } of run) if (type === 'text-delta') break
  await before.dispose()
  const { conversation } = showChat(agentFor({ steps }, storage))
  expect(await isCut(conversation)).toBe(true)
})

test('a run started on this page was not cut off', async () => {
  const { conversation } = showChat(agentFor({ steps: [payCall, { text: 'Paid.' }] }))
  conversation.send('Pay')
  await until(() => conversation.getSnapshot().pending.length)
  expect(await isCut(conversation)).toBe(false)
})
