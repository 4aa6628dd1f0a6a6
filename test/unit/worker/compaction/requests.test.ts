import { expect, onTestFinished, test } from 'vitest'
import type { Message } from '../../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../../src/providers/provider.ts'
import { createTestAgent } from '../../../../src/testing/index.ts'
import { fold } from '../../../../src/conversation/fold.ts'
import { emptyState } from '../../../../src/conversation/state.ts'
import { FORMAT, type Identified } from '../../../../src/protocol/fact.ts'
import { checkChoice } from '../../../../src/worker/model/compaction.ts'
import { createMemoryStore } from '../../../../src/worker/store/memory-store.ts'
import { ended } from '../store-support.ts'
import { fileOf, write } from '../transfer-support.ts'

const SUMMARY = 'Earlier messages were removed to save room. Summary of them:\nHe counted.'

const textOf = ({ parts }: Message): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** A stored conversation of one, two and three, of which the first two are compacted. */
async function talk() {
  const store = createMemoryStore()
  const messages = ['one', 'two', 'three'].map((text) => ({
    role: 'user' as const,
    id: text,
    parts: [{ type: 'text' as const, text }],
  }))
  const of = { runId: null, at: 1 }
  await write(
    store,
    'talk',
    {
      type: 'run-started',
      runId: 'r',
      at: 1,
      parentId: null,
      message: { id: 'zero', parts: [{ type: 'text', text: 'zero' }] },
      limits: { maxSteps: 10, retries: 3 },
    },
    ended('r'),
    { ...of, type: 'messages-imported', parentId: 'zero', messages },
    {
      ...of,
      type: 'compacted',
      after: 'three',
      from: 'one',
      to: 'two',
      keptFrom: 'three',
      summary: 'He counted.',
    },
  )
  const sent: string[][] = []
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(request) {
      sent.push(request.messages.map(textOf))
      yield [
        { type: 'text-delta', delta: 'Yes.' },
        { type: 'finish', finishReason: 'stop', usage: {} },
      ]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm' },
    providers: [provider],
    testStorage: { open: async () => store },
  })
  onTestFinished(() => agent.dispose())
  return { agent, chat: agent.conversation('talk'), sent }
}

test('a summary replaces its messages in requests, also in a fork, while all stay stored', async () => {
  const { agent, chat, sent } = await talk()
  await chat.send('four').result
  expect(sent).toEqual([['zero', SUMMARY, 'three', 'four']])
  expect(await fileOf(agent, 'talk')).toContain('"text":"two"')
  const forked = await agent.conversations.fork('talk')
  await agent.conversation(forked ?? '').send('five').result
  expect(sent[1]).toEqual(['zero', SUMMARY, 'three', 'four', 'Yes.', 'five'])
})

test('a branch without the summarized messages is sent without the summary', async () => {
  const { chat, sent } = await talk()
  await chat.edit('zero', 'nil').result
  expect(sent).toEqual([['nil']])
})

test('an imported history that ends with a request may be summarized up to that request', () => {
  const [first, answer, last] = (['user', 'assistant', 'user'] as const).map((role, at) => ({
    role,
    id: `m${at}`,
    parts: [{ type: 'text' as const, text: 'word '.repeat(50) }],
  }))
  const messages = [first, answer, last] as readonly Identified<Message>[]
  const row = { type: 'messages-imported', parentId: null, messages, runId: null } as const
  const stored = { format: FORMAT, conversationId: 'c', seq: 1, at: 1, appendId: 'a' } as const
  const state = fold(emptyState('c'), [{ ...row, ...stored }])
  const choice = { summary: 'All.', firstKept: 'm2' }
  const { facts } = checkChoice(state, choice, { fixed: 0, total: 1000 }) as { facts: unknown }
  expect(facts).toMatchObject([{ type: 'compacted', from: 'm0', to: 'm1', keptFrom: 'm2' }])
})
