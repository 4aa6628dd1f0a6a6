import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { OffstageError, type Tool } from '../../../src/index.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { gate } from '../testing/talk.ts'
import { asked, AT, callsOf, composite, ended, Pages, shown } from './support.ts'

describe('a composite tool', () => {
  test('with five calls and an approval runs each call once', async () => {
    const pages = new Pages('work')
    let lives = 0
    const work = composite(async (_input, { call, step, now, random }) => {
      lives += 1
      const found = (await call('find', { q: 'mug' })) as { find: { q: string } }
      const at = now()
      const noted = await step('note', () => {
        pages.ran.push('note')
        return { at: at > 0, with: found.find.q }
      })
      const chance = random()
      await call('reserve', { chance })
      await call('pay', { sum: 5 })
      const [one, other] = await Promise.all([call('mail', { to: 'a' }), call('mail', { to: 'b' })])
      return { noted, one, other, chance }
    })
    const tools = [
      pages.tool('find'),
      pages.tool('reserve'),
      pages.tool('pay', { needsApproval: true }),
      pages.tool('mail'),
      work,
    ]
    const agent = pages.open(tools)
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    expect(id).toMatch(/\/\d+$/)
    expect(talk.getSnapshot()).toMatchObject({
      status: 'waiting',
      pending: [{ toolName: 'pay', kind: 'approval', path: [expect.any(String), id] }],
    })
    expect(callsOf(talk).map(({ toolName, status }) => [toolName, status])).toEqual([
      ['work', 'suspended'],
      ['find', 'succeeded'],
      ['reserve', 'succeeded'],
      ['pay', 'awaiting-approval'],
    ])
    expect(lives).toBe(1)
    // Nobody can supply the composite call's own output.
    const { toolCallId: workId } = callsOf(talk)[0]!
    expect(await agent.settle({ ...AT, toolCallId: workId }, { output: 'paid' })).toBe(false)
    expect(await agent.approve({ ...AT, toolCallId: id! })).toBe(true)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(lives).toBe(2)
    expect(pages.ran).toEqual(['find', 'note', 'reserve', 'pay', 'mail', 'mail'])
    const [top, ...nested] = result.toolCalls
    expect(top).toMatchObject({ toolName: 'work', status: 'succeeded' })
    expect(top).not.toHaveProperty('path')
    expect(top?.output).toMatchObject({
      type: 'json',
      value: { noted: { at: true, with: 'mug' }, one: { mail: { to: 'a' } } },
    })
    expect(nested.map(({ toolName }) => toolName)).toEqual([
      'find',
      'reserve',
      'pay',
      'mail',
      'mail',
    ])
    for (const { path } of nested) expect(path).toHaveLength(2)
  })

  test('gives the model its own result only, and nested events carry their path', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call, progress }) => {
      progress('half')
      return call('find', { q: 1 })
    })
    const agent = pages.open([pages.tool('find'), work])
    const run = agent.run('Work', AT)
    const seen: string[] = []
    for await (const event of run) {
      if (!('toolCallId' in event) || event.type.startsWith('tool-input')) continue
      const path = 'path' in event ? event.path : undefined
      seen.push(`${event.type} ${path?.length ?? 1}`)
    }
    expect(seen).toEqual([
      'tool-call 1',
      'tool-execution-start 1',
      'tool-progress 1',
      'tool-call 2',
      'tool-execution-start 2',
      'tool-result 2',
      'tool-result 1',
    ])
    const stored = await agent.conversations.get('talk')
    const results = stored?.messages.flatMap((message) =>
      message.role === 'tool' ? message.parts.map(({ toolName }) => toolName) : [],
    )
    expect(results).toEqual(['work'])
  })

  test('gets the error of a failed call, the same each time', async () => {
    const pages = new Pages('work')
    const found: unknown[] = []
    const caught = async (work: Promise<unknown>): Promise<void> => {
      try {
        found.push(await work)
      } catch (error) {
        found.push([OffstageError.is(error) && error.code, (error as Error).message])
      }
    }
    const work = composite(async (_input, { call, step }) => {
      found.length = 0
      await caught(call('fail'))
      await caught(call('nope'))
      await caught(call('strict', { n: 'x' }))
      await caught(step('throw', () => Promise.reject(new RangeError('Too far.'))))
      await caught(call('pay'))
      return [...found]
    })
    const agent = pages.open([
      pages.tool('fail', {
        execute: () => {
          pages.ran.push('fail')
          throw new Error('No luck.')
        },
      }),
      pages.tool('strict', {
        inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      }),
      pages.tool('pay', { needsApproval: true }),
      work,
    ])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    const before = structuredClone(found)
    expect(before).toEqual([
      ['call-failed', 'No luck.'],
      ['call-failed', expect.stringContaining("Unknown tool 'nope'")],
      ['call-failed', expect.stringContaining('n')],
      [false, 'Too far.'],
    ])
    await agent.deny({ ...AT, toolCallId: id! }, 'Too expensive')
    const [top] = (await run.result).toolCalls
    expect(found).toEqual([...before, ['call-failed', 'Too expensive']])
    expect(top?.output).toEqual({ type: 'json', value: found })
    expect(pages.ran).toEqual(['fail'])
  })

  test('can contain composite tools and questions to a person', async () => {
    const pages = new Pages('work', { controlTools: ['ask_user'] })
    const inner = composite(
      async (_input, { call, step }) => {
        const name = await call('ask_user', { question: 'Who?' })
        return step('greet', () => {
          pages.ran.push('greet')
          return `Hello ${String(name)}`
        })
      },
      { name: 'inner' },
    )
    const work = composite(async (_input, { call }) => [await call('find'), await call('inner')])
    const agent = pages.open([pages.tool('find'), inner, work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    expect(talk.getSnapshot().pending[0]).toMatchObject({ kind: 'answer', path: { length: 3 } })
    expect(callsOf(talk).map(({ status }) => status)).toEqual([
      'suspended',
      'succeeded',
      'suspended',
      'awaiting-answer',
    ])
    await agent.answer({ ...AT, toolCallId: id! }, 'Ada')
    const [top] = (await run.result).toolCalls
    expect(top?.output).toEqual({ type: 'json', value: [{ find: {} }, 'Hello Ada'] })
    expect(pages.ran).toEqual(['find', 'greet'])
  })

  test('cannot call itself for ever', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => call('work'))
    const agent = pages.open([work])
    const result = await agent.run('Work', AT).result
    expect(result.outcome).toBe('completed')
    expect(result.toolCalls).toHaveLength(5)
    expect(result.toolCalls.at(-1)).toMatchObject({ status: 'invalid' })
    expect(JSON.stringify(result.toolCalls[0]?.output)).toContain('too deeply')
  })

  test('ends with its run, together with everything nested in it', async () => {
    const pages = new Pages('work')
    let aborted = 0
    const work = composite(async (_input, { call, signal }) => {
      signal.addEventListener('abort', () => (aborted += 1))
      await Promise.all([call('slow'), call('pay')])
    })
    const slow = pages.tool('slow', {
      sequential: false,
      execute: (_input, { signal }) =>
        new Promise((_, reject) => {
          pages.ran.push('slow')
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    })
    const agent = pages.open([slow, pages.tool('pay', { needsApproval: true }), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    while (pages.ran.length === 0 || talk.getSnapshot().pending.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
    run.abort('enough')
    expect((await run.result).outcome).toBe('aborted')
    await ended(talk)
    expect(callsOf(talk).map(({ toolName, status }) => [toolName, status])).toEqual([
      ['work', 'interrupted'],
      ['slow', expect.stringMatching(/aborted|interrupted/)],
      ['pay', 'aborted'],
    ])
    expect(aborted).toBe(1)
  })

  test('ends as aborted when a message must not wait', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => call('pay'))
    const agent = pages.open([pages.tool('pay', { needsApproval: true }), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    await asked(talk)
    run.send('Never mind', { when: 'now' })
    expect((await run.result).outcome).toBe('completed')
    await ended(talk)
    expect(callsOf(talk).map(({ status }) => status)).toEqual(['aborted', 'aborted'])
    expect(pages.ran).toEqual([])
  })
})

test('ids from a model that look like nested calls match no other call', async () => {
  const ran: string[] = []
  const pay: Tool = {
    name: 'pay',
    description: 'Pays.',
    needsApproval: true,
    inputSchema: { type: 'object' },
    execute: (input) => {
      ran.push((input as { of: string }).of)
      return 'paid'
    },
  }
  const left: StreamPart[][] = [
    [
      { type: 'tool-call', toolCallId: 'x', toolName: 'work', input: {} },
      { type: 'tool-call', toolCallId: 'x/1', toolName: 'pay', input: { of: 'model' } },
      { type: 'finish', finishReason: 'tool-calls' },
    ],
  ]
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream() {
      yield left.shift() ?? [{ type: 'finish', finishReason: 'stop' }]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm' },
    providers: [provider],
    tools: [pay, composite(async (_input, { call }) => call('pay', { of: 'tool' }))],
  })
  onTestFinished(() => agent.dispose())
  const talk = shown(agent)
  const run = agent.run('Work', AT)
  await until(() => talk.getSnapshot().pending.length === 2)
  const nested = talk.getSnapshot().pending.find(({ path }) => path)
  expect(nested?.toolCallId).not.toBe('x/1')
  await agent.deny({ ...AT, toolCallId: 'x/1' }, 'No')
  expect(await agent.approve({ ...AT, toolCallId: nested?.toolCallId ?? '' })).toBe(true)
  await run.result
  expect(ran).toEqual(['tool'])
})

test.each(['is judged', 'waits for its turn'])(
  'a nested call that %s while its composite tool is removed ends with it',
  async (state) => {
    const [reached, left] = [gate(), gate()]
    const hold = async (): Promise<boolean> => {
      reached.open()
      await left.opened
      return true
    }
    const pages = new Pages('work')
    const isJudged = state === 'is judged'
    const pay = pages.tool('pay', isJudged ? { needsApproval: hold } : {})
    const agent = pages.open([pages.tool('hold', { execute: hold }), pay])
    const remove = agent.registerTool(
      composite((_input, { call }) => Promise.all([isJudged ? null : call('hold'), call('pay')]), {
        annotations: { idempotent: true },
      }),
    )
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    await until(() => callsOf(talk).some(({ toolName }) => toolName === 'pay'))
    await reached.opened
    remove()
    await until(() => callsOf(talk)[0]?.status === 'aborted')
    left.open()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(talk.getSnapshot().pending).toEqual([])
    expect(pages.ran).toEqual([])
  },
)

test.each(['quoted', 'rescued'] as const)(
  'calls nested in a %s call count as such, too',
  (mark) => {
    const at = { format: 2, conversationId: 'c', runId: 'r', at: 1, appendId: 'a' } as const
    const rows: Row[] = [
      {
        ...at,
        seq: 1,
        type: 'run-started',
        parentId: null,
        message: { id: 'u', parts: [] },
        limits: { maxSteps: 1, retries: 1 },
      },
      {
        ...at,
        seq: 2,
        type: 'model-output',
        step: 1,
        attempt: 1,
        usage: {},
        parentId: 'u',
        message: {
          role: 'assistant',
          id: 'm',
          parts: [{ type: 'tool-call', toolCallId: 'x', toolName: 'work', input: {} }],
        },
        toolsId: 't',
        calls: [{ toolCallId: 'x', known: true, parallel: false, [mark]: true }],
        finishReason: 'tool-calls',
        toolMode: 'native',
      },
      { ...at, seq: 3, type: 'call-proposed', path: ['x', 'x/1'], toolName: 'pay', input: {} },
    ]
    const { run } = fold(emptyState('c'), rows)
    expect(run?.calls.map((call) => call[mark])).toEqual([true, true])
  },
)
