import { expect, onTestFinished, test } from 'vitest'
import { createActions } from '../../../src/chat/actions.ts'
import { createLocalState } from '../../../src/chat/local-state.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const pay = {
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
} as const

/** A conversation whose run waits, as another page finds it. */
async function found({ isOpen }: { readonly isOpen: boolean }) {
  const storage = createTestStorage()
  const calls = { toolCalls: [{ toolName: 'pay', input: {} }] }
  const script = { steps: isOpen ? [calls, { text: 'Paid.' }] : [{ text: 'Hello.' }] }
  const before = createTestAgent({ script, tools: [pay], testStorage: storage })
  const first = before.conversation('c1')
  first.subscribe(() => {})
  const run = first.send('Pay')
  if (isOpen) await until(() => first.getSnapshot().pending.length)
  else await run.result
  await before.dispose()

  const agent = createTestAgent({
    script: { steps: [{ text: 'Again.' }] },
    tools: [pay],
    testStorage: storage,
  })
  onTestFinished(() => agent.dispose())
  const conversation = agent.conversation('c1')
  conversation.subscribe(() => {})
  const local = createLocalState(() => {})
  const actions = createActions({
    element: new EventTarget() as HTMLElement,
    local,
    agent: () => agent,
    conversation: () => conversation,
    view: () => {},
    toLatest: () => {},
    setOpen: () => {},
  })
  return { conversation, actions, local }
}

test('what is sent while the conversation loads reaches the run that turns out to be open', async () => {
  const { conversation, actions } = await found({ isOpen: true })
  expect(conversation.getSnapshot().status).toBe('loading')
  expect(actions.send('In blue')).toBe(true)
  await until(() => conversation.getSnapshot().queued.length)
  expect(conversation.getSnapshot().queued).toMatchObject([{ parts: [{ text: 'In blue' }] }])
})

test('what is sent while the conversation loads begins a run where none is open', async () => {
  const { conversation, actions } = await found({ isOpen: false })
  expect(conversation.getSnapshot().status).toBe('loading')
  expect(actions.send('In blue')).toBe(true)
  await until(() => conversation.getSnapshot().messages.length === 4)
  expect(conversation.getSnapshot().messages.at(-1)).toMatchObject({ parts: [{ text: 'Again.' }] })
})
