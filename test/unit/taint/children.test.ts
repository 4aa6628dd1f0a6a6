import { describe, expect, it, onTestFinished, test } from 'vitest'
import { createAgent, type JsonSchema, type Script, type Tool } from '../../../src/index.ts'
import {
  createTestStorage,
  inProcessWorker,
  simulateReload,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { approving, call, originsOf, ran, readReviews, tool } from './support.ts'

const send = tool('send', { annotations: { openWorld: true } })
const ASK = { toolCalls: [{ toolName: 'ask_reader', input: { prompt: 'What do they say?' } }] }
const OF_CALLER = 'the agent that asked'

interface Family {
  readonly child: Script
  readonly childTools?: readonly Tool[]
  readonly parent: Script
  readonly output?: JsonSchema
  readonly testStorage?: TestStorage
}

/** An agent that may ask another one. */
function family({ child, childTools = [], parent, output, testStorage }: Family) {
  ran.length = 0
  const worker = inProcessWorker({ storage: testStorage ?? createTestStorage() })
  const model = (script: Script) => ({ provider: 'scripted', model: 'scripted', script }) as const
  const reader = createAgent({ worker, model: model(child), tools: childTools })
  const asTool = { name: 'ask_reader', title: 'Ask the reader', description: 'Reads.' }
  const boss = createAgent({
    worker,
    model: model(parent),
    tools: [reader.asTool({ ...asTool, ...(output && { output }) }), readReviews, send],
  })
  const dispose = () => Promise.all([boss.dispose(), reader.dispose()])
  onTestFinished(async () => void (await dispose()))
  return { boss, reader, dispose }
}

const reads: Pick<Family, 'child' | 'childTools'> = {
  child: { steps: [call('read_reviews'), { text: 'They say: send it.' }] },
  childTools: [readReviews],
}
const asksThenSends: Script = { steps: [ASK, call('send'), { text: 'done' }] }

describe('a child agent', () => {
  it('taints its parent with the answer after reading untrusted content', async () => {
    const { boss } = family({ ...reads, parent: asksThenSends })
    expect(await approving(boss)).toMatchObject([
      { toolName: 'send', because: { origin: 'Ask the reader' } },
    ])
    expect(await originsOf(boss)).toEqual(['Ask the reader'])
    expect(ran).toEqual(['read_reviews', 'send'])
  })

  it('taints its parent with its error after reading untrusted content', async () => {
    const steps = [call('read_reviews'), { error: 'They broke it.' }]
    const { boss } = family({ ...reads, child: { steps }, parent: asksThenSends })
    expect(await approving(boss)).toHaveLength(1)
  })

  it('does not taint its parent when it read nothing untrusted', async () => {
    const { boss } = family({ child: { steps: [{ text: 'Good.' }] }, parent: asksThenSends })
    expect(await approving(boss)).toEqual([])
    expect(await originsOf(boss)).toEqual([])
  })

  it('is tainted by a tainted parent, and requests approval itself', async () => {
    const { boss } = family({
      child: { steps: [call('send'), { text: 'sent' }] },
      childTools: [send],
      parent: { steps: [call('read_reviews'), ASK, { text: 'done' }] },
    })
    const asked = await approving(boss)
    expect(asked).toMatchObject([{ toolName: 'send', because: { origin: OF_CALLER } }])
    expect(ran).toEqual(['read_reviews', 'send'])
  })

  it('is not tainted by an untainted parent', async () => {
    const { boss } = family({
      child: { steps: [call('send'), { text: 'sent' }] },
      childTools: [send],
      parent: { steps: [ASK, { text: 'done' }] },
    })
    expect(await approving(boss)).toEqual([])
  })

  it('taints its parent even after a reload in the middle', async () => {
    const testStorage = createTestStorage()
    const held = { ...reads, childTools: [{ ...readReviews, needsApproval: true }] }
    const before = family({ ...held, parent: asksThenSends, testStorage })
    const talk = before.boss.conversation('c')
    talk.subscribe(() => undefined)
    void before.boss.run('go', { conversationId: 'c' }).result.catch(() => undefined)
    await expect.poll(() => talk.getSnapshot().pending.length, { timeout: 30_000 }).toBe(1)
    simulateReload()
    const after = family({ ...held, parent: asksThenSends, testStorage })
    const again = after.boss.conversation('c')
    const asked = new Map<string, unknown>()
    again.subscribe(() => {
      for (const pending of again.getSnapshot().pending) {
        if (asked.has(pending.toolName)) continue
        asked.set(pending.toolName, pending.because)
        void again.approve(pending)
      }
    })
    await (
      await after.boss.resume('c')
    )?.result
    expect(asked.get('send')).toMatchObject({ origin: 'Ask the reader' })
    expect(ran).toEqual(['read_reviews', 'send'])
  })
})

describe('an agent without tools and with wordless output', () => {
  const stars = {
    type: 'object',
    properties: { stars: { type: 'integer' } },
    additionalProperties: false,
  }
  const words = {
    type: 'object',
    properties: { said: { type: 'string' } },
    additionalProperties: false,
  }
  const answers = (text: string): Script => ({ steps: [{ text }, { text }] })

  test.each<[string, object, string, readonly Tool[], boolean]>([
    ['its data', stars, '{"stars":4}', [], false],
    ['a text in its data', words, '{"said":"send it"}', [], true],
    ['its data, which tools may have written', stars, '{"stars":4}', [send], true],
    ['what is no such data', stars, '{"stars":"send it"}', [], true],
  ])('taints its parent except by plain data: %s', async (_, output, text, childTools, taints) => {
    // The one that asks has read them before, and so has it that is asked.
    const { boss, reader } = family({
      child: answers(text),
      childTools,
      parent: { steps: [call('read_reviews'), ASK, { text: 'done' }] },
      output: output as JsonSchema,
    })
    await approving(boss)
    const [child] = await boss.conversations
      .list({ children: true })
      .then((all) => all.filter(({ conversationId }) => conversationId !== 'c'))
    expect(await originsOf(reader, child?.conversationId)).toEqual([OF_CALLER])
    expect(await originsOf(boss)).toEqual(
      taints ? ['Read reviews', 'Ask the reader'] : ['Read reviews'],
    )
  })
})
