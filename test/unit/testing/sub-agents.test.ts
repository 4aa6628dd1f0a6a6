import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type PendingCall,
} from '../../../src/index.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import {
  createTestAgent,
  createTestStorage,
  inProcessWorker,
  type Script,
} from '../../../src/testing/index.ts'

type Steps = NonNullable<Script['steps']>

const asks = (...inputs: readonly object[]): Steps[number] => ({
  toolCalls: inputs.map((input) => ({ toolName: 'ask_expert', input: input as never })),
})

interface Family {
  readonly parent: Steps
  readonly child: Steps
  readonly testStorage?: ReturnType<typeof createTestStorage>
  readonly childOptions?: Partial<AgentOptions>
  /** In place of `child`. */
  readonly childScript?: Script
  readonly tool?: object
}

const scripted = (script: Script) => ({ provider: 'scripted', model: 'scripted', script })

/** Two agents of one page, which share its worker. */
function family({
  parent,
  child,
  testStorage = createTestStorage(),
  childOptions,
  childScript,
  tool,
}: Family) {
  const worker = inProcessWorker({ storage: testStorage })
  const expert = createAgent({
    model: scripted(childScript ?? { steps: child }),
    worker,
    ...childOptions,
  })
  const boss = createAgent({
    model: scripted({ steps: parent }),
    worker,
    tools: [expert.asTool({ name: 'ask_expert', description: 'Knows all.', ...tool })],
  })
  const dispose = async (): Promise<void> => {
    await Promise.all([boss.dispose(), expert.dispose()])
  }
  onTestFinished(dispose)
  return { boss, expert, testStorage, dispose }
}

const LONG = { timeout: 30_000 }

/** Pending calls of a conversation, as soon as there are any. */
async function shownPending(
  agent: Agent,
  conversationId: string,
  kind: PendingCall['kind'] = 'approval',
): Promise<PendingCall> {
  const talk = agent.conversation(conversationId)
  const leave = talk.subscribe(() => undefined)
  const find = () => talk.getSnapshot().pending.find((call) => call.kind === kind)
  await expect.poll(find, LONG).toBeDefined()
  const found = find()
  leave()
  if (!found) throw new Error('Nothing is pending.')
  return found
}

const outputs = (calls: readonly { readonly output?: unknown }[]): unknown[] =>
  calls.map(({ output }) => output)

describe('an agent as a tool', () => {
  it('runs in its own conversation, and its answer is the result', async () => {
    const { boss } = family({
      parent: [asks({ prompt: 'How tall is it?' }), { text: 'It is 12 m tall.' }],
      child: [{ text: '12 m' }],
    })
    const result = await boss.run('Measure the lighthouse').result
    expect(result).toMatchObject({ outcome: 'completed', text: 'It is 12 m tall.' })
    expect(outputs(result.toolCalls)).toEqual([
      { type: 'json', value: { ok: true, status: 'completed', text: '12 m' } },
    ])
    const { conversationId } = result
    const all = await boss.conversations.list({ children: true })
    expect(all.map((record) => record.parent?.conversationId)).toContain(conversationId)
    expect(await boss.conversations.list()).toHaveLength(1)
  })

  it('returns results in call order: five at once, with failed, denied and aborted ones', async () => {
    const { boss, expert } = family({
      parent: [
        asks(
          { prompt: 'one' },
          { prompt: 'fail' },
          { prompt: 'pay' },
          { prompt: 'hang' },
          { prompt: 'five' },
        ),
        { text: 'Done.' },
      ],
      child: [],
      childScript: {
        scenes: [
          { match: ['one'], steps: [{ text: 'first' }] },
          { match: ['five'], steps: [{ text: 'fifth' }] },
          { match: ['fail'], steps: [{ error: 'The model is ill.' }] },
          {
            match: ['pay'],
            steps: [{ toolCalls: [{ toolName: 'pay', input: {} }] }, { text: 'It was not paid.' }],
          },
          { match: ['hang'], steps: [{ toolCalls: [{ toolName: 'hang', input: {} }] }] },
        ],
      },
      childOptions: {
        tools: [
          defineTool({
            name: 'pay',
            description: 'Pays.',
            needsApproval: true,
            execute: () => 'paid',
          }),
          defineTool({
            name: 'hang',
            description: 'Takes long.',
            timeoutMs: 600_000,
            execute: (_, { signal }) =>
              new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
          }),
        ],
      },
    })
    const run = boss.run('Ask five')
    const talk = boss.conversation(run.conversationId)
    const leave = talk.subscribe(() => undefined)
    await expect.poll(() => talk.getSnapshot().pending.length, LONG).toBe(1)
    const [asked] = talk.getSnapshot().pending
    expect(asked).toMatchObject({ toolName: 'pay', kind: 'approval' })
    expect(asked?.path).toHaveLength(2)
    expect(talk.getSnapshot().status).toBe('waiting')
    expect(await talk.deny(asked ?? '', 'too dear')).toBe(true)
    const calls = talk.getSnapshot().messages.flatMap((message) => message.calls ?? [])
    const child = calls[3]?.child?.conversationId ?? ''
    await expect.poll(() => expert.conversation(child).abort('enough'), LONG).toBe(true)
    const { toolCalls, text } = await run.result
    leave()
    expect(text).toBe('Done.')
    expect(toolCalls.map(({ status }) => status)).toEqual([
      'succeeded',
      'failed',
      'succeeded',
      'failed',
      'succeeded',
    ])
    const words = JSON.stringify(outputs(toolCalls))
    expect(words).toMatch(/first.*The model is ill.*It was not paid.*enough.*fifth/s)
  })

  it('is answered after a reload through the calling conversation', async () => {
    const steps = {
      parent: [asks({ prompt: 'Pay it' }), { text: 'Paid.' }],
      child: [
        { toolCalls: [{ toolName: 'pay', input: {} }] },
        { toolCalls: [{ toolName: 'ask_user', input: { question: 'A receipt?' } }] },
        { text: 'Paid, with a receipt.' },
      ],
    }
    const paid: string[] = []
    const childOptions = {
      controlTools: ['ask_user'],
      tools: [
        defineTool({
          name: 'pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => {
            paid.push('once')
            return 'paid'
          },
        }),
      ],
    } as const
    const first = family({ ...steps, childOptions })
    const run = first.boss.run('Pay the bill')
    const { conversationId } = run
    const before = await shownPending(first.boss, conversationId)
    expect(before).toMatchObject({ toolName: 'pay', kind: 'approval' })
    await first.dispose()

    const second = family({ ...steps, childOptions, testStorage: first.testStorage })
    expect(await second.expert.resume(before.conversationId)).toBeNull()
    const went = await second.boss.resume(conversationId)
    const approval = await shownPending(second.boss, conversationId)
    expect(approval.toolCallId).toBe(before.toolCallId)
    // The child is its own agent's, whoever answers.
    expect(await second.boss.approve(approval)).toBe(true)
    const question = await shownPending(second.boss, conversationId, 'answer')
    await second.dispose()

    const third = family({ ...steps, childOptions, testStorage: first.testStorage })
    const last = await third.boss.resume(conversationId)
    await shownPending(third.boss, conversationId, 'answer')
    expect(await third.boss.answer(question, 'Yes')).toBe(true)
    const result = await last?.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
    expect(JSON.stringify(result?.toolCalls)).toContain('Paid, with a receipt.')
    expect(paid).toEqual(['once'])
    expect(await went?.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
  })

  it('is stopped with the calling run', async () => {
    const { boss, expert } = family({
      parent: [asks({ prompt: 'Pay it' }), { text: 'Never.' }],
      child: [{ toolCalls: [{ toolName: 'ask_user', input: { question: 'Really?' } }] }],
      childOptions: { controlTools: ['ask_user'] },
    })
    const run = boss.run('Pay the bill')
    const { conversationId: childId = '' } = await shownPending(boss, run.conversationId, 'answer')
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted' })
    const child = expert.conversation(childId)
    const leave = child.subscribe(() => undefined)
    await expect
      .poll(() => child.getSnapshot().ended, LONG)
      .toMatchObject({ outcome: 'aborted', reason: 'parent-ended' })
    leave()
  })

  it('calls no sub-agents of its own', async () => {
    const testStorage = createTestStorage()
    const asked: string[][] = []
    const provider: StreamProviderDefinition = {
      id: 'listed',
      async *stream({ tools }) {
        asked.push(tools.map(({ name }) => name))
        yield [
          { type: 'text-delta', delta: 'No.' },
          { type: 'finish', finishReason: 'stop' },
        ]
      },
    }
    const deep = createTestAgent({ script: { steps: [{ text: 'deep' }] }, testStorage })
    const expert = createTestAgent({
      model: { provider: 'listed', model: 'm' },
      providers: [provider],
      testStorage,
      tools: [
        deep.asTool({ name: 'ask_deeper', description: 'Knows more.' }),
        defineTool({ name: 'look', description: 'Looks.', execute: () => 'seen' }),
      ],
    })
    const boss = createTestAgent({
      script: { steps: [asks({ prompt: 'Well?' }), { text: 'Done.' }] },
      testStorage,
      tools: [expert.asTool({ name: 'ask_expert', description: 'Knows all.' })],
    })
    onTestFinished(async () => {
      await Promise.all([deep.dispose(), expert.dispose(), boss.dispose()])
    })
    expect(await boss.run('Ask').result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    await expert.run('Well?').result
    expect(asked).toEqual([['look'], ['ask_deeper', 'look']])
  })

  it.each([
    ['with nothing to say', [{ text: ' ' }], /no answer/],
    [
      'at the end of its steps',
      [{ toolCalls: [{ toolName: 'ask_user', input: 1 as never }] }],
      /limit|failed/,
    ],
  ])('fails %s', async (_, child, words) => {
    const { boss } = family({
      parent: [asks({ prompt: 'Well?' }), { text: 'Done.' }],
      child,
      tool: { maxSteps: 1 },
    })
    const { toolCalls } = await boss.run('Ask').result
    expect(toolCalls[0]).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(toolCalls[0]?.output)).toMatch(words)
  })

  it('returns data of a schema, and accepts its own input', async () => {
    const { boss } = family({
      parent: [asks({ height: 12 }), { text: 'Done.' }],
      child: [],
      childScript: {
        scenes: [
          { match: ['outcome of this work'], steps: [{ text: '{"metres": 12}' }] },
          { match: ['Is it 12'], steps: [{ text: 'It is 12 m.' }] },
        ],
      },
      tool: {
        inputSchema: {
          type: 'object',
          properties: { height: { type: 'number' } },
          required: ['height'],
        },
        toPrompt: ({ height }: { height: number }) => `Is it ${height} m tall?`,
        output: {
          type: 'object',
          properties: { metres: { type: 'number' } },
          required: ['metres'],
        },
      },
    })
    const { toolCalls, totalUsage } = await boss.run('Ask').result
    expect(outputs(toolCalls)).toEqual([
      { type: 'json', value: { ok: true, status: 'completed', output: { metres: 12 } } },
    ])
    // Two of the boss, one of the expert, and one for the data.
    expect(totalUsage?.modelCalls).toBe(4)
  })

  it('is deleted with the calling conversation, and included in its export', async () => {
    const { boss } = family({
      parent: [asks({ prompt: 'How tall?' }), { text: 'Done.' }],
      child: [{ text: '12 m' }],
    })
    const { conversationId } = await boss.run('Ask').result
    const file = await new Response(await boss.conversations.export(conversationId)).text()
    expect(file).toContain('12 m')
    await boss.conversations.delete(conversationId)
    expect(await boss.conversations.list({ children: true })).toEqual([])
  })

  it("must share the calling agent's storage", async () => {
    const { boss } = family({
      parent: [asks({ prompt: 'How tall?' }), { text: 'Done.' }],
      child: [{ text: '12 m' }],
      childOptions: { storage: { name: 'elsewhere' } },
    })
    const { toolCalls } = await boss.run('Ask').result
    expect(JSON.stringify(toolCalls[0]?.output)).toContain('must have the storage')
  })
})
