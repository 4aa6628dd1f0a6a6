import { describe, expect, it } from 'vitest'
import { defineTool, type ChooseCompaction, type CompactionSituation } from '../../../src/index.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { countTokens } from '../../apps/count-tokens.ts'
import { fileOf } from '../worker/transfer-support.ts'
import {
  bodyOf,
  call,
  finish,
  orphans,
  outline,
  OVERFLOW,
  reads,
  refuse,
  say,
  talk,
  texts,
  words,
  type Turn,
} from './compaction-support.ts'

const WINDOW = 6_000

const breaksOf = (sent: readonly ModelRequest[]): number =>
  sent.filter((request, at) => {
    const before = sent[at - 1]?.messages ?? []
    return JSON.stringify(request.messages.slice(0, before.length)) !== JSON.stringify(before)
  }).length

const resultsOf = (request: ModelRequest | undefined, begins: string): unknown[] =>
  (request?.messages ?? []).flatMap(({ role, parts }) =>
    role === 'tool' && JSON.stringify(parts).includes(begins) ? parts : [],
  )

describe('compaction of superseded results', () => {
  const look = (options: { readonly supersedes: boolean }) =>
    defineTool({
      name: 'look',
      description: 'Shows the page, or a part of it.',
      inputSchema: {
        type: 'object',
        properties: { ref: { type: 'string' }, since: { type: 'number' } },
      },
      annotations: { readOnly: true, ...options },
      execute: ({ ref = 'all' }) => `${ref}:\n${outline(1)}`,
    })
  const tap = defineTool({
    name: 'tap',
    description: 'Taps.',
    inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
    execute: ({ at }) => `tapped ${at}`,
  })
  /** A model that looks once after each tap. */
  const looks =
    (inputs: readonly object[]): Turn =>
    (_, asked) => {
      const input = inputs[asked / 2 - 1]
      if (asked % 2 === 1 && asked < inputs.length * 2) return call('tap', asked)
      return input
        ? [
            {
              type: 'tool-call',
              toolCallId: `look_${asked}`,
              toolName: 'look',
              input: { ...input },
            },
            { type: 'finish', finishReason: 'tool-calls' },
          ]
        : say('Done.')
    }

  it('outdated results are cleared together once they fill a quarter of the budget', async () => {
    const inputs = Array.from({ length: 30 }, () => ({}))
    const { agent, sent } = talk(looks(inputs), {
      tools: [tap, look({ supersedes: true })],
      compaction: { contextWindow: 64_000, policy: 'drop-oldest' },
    })
    const { compactions } = await finish(agent.run('Look around.'))
    expect(compactions).toBe(breaksOf(sent))
    // Nowhere near the limit: it is what is out of date that goes.
    expect(compactions).toBeGreaterThan(1)
    expect(compactions).toBeLessThan(inputs.length / 3)
    for (const request of sent) {
      const whole = resultsOf(request, 'listitem')
      const share = (countTokens(JSON.stringify(whole.slice(0, -1))) + 2) / 64_000
      expect(share).toBeLessThan(0.25)
    }
    expect(sent.flatMap(orphans)).toEqual([])
    // The newest is always whole.
    for (const request of sent.slice(2))
      expect(JSON.stringify(request.messages.slice(-3))).toContain('listitem')
  })

  it('results about something else and of other tools stay', async () => {
    const { agent, sent } = talk(
      looks([{ ref: 'e1' }, { ref: 'e2' }, { ref: 'e1', since: 1 }, { ref: 'e1' }]),
      {
        tools: [tap, look({ supersedes: true })],
        compaction: { contextWindow: 20_000, policy: 'drop-oldest' },
      },
    )
    await agent.run('Look around.').result
    const looked = sent
      .at(-1)
      ?.messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === 'tool-result' && part.toolName === 'look'
            ? JSON.stringify(part).includes('listitem')
            : [],
        ),
      )
    expect(looked).toEqual([false, true, false, true])
  })

  it('results of tools without supersedes stay', async () => {
    const { agent, sent } = talk(looks([{}, {}, {}, {}, {}, {}]), {
      tools: [tap, look({ supersedes: false })],
      compaction: { contextWindow: 64_000 },
    })
    expect(await finish(agent.run('Look around.'))).toMatchObject({ compactions: 0 })
    expect(resultsOf(sent.at(-1), 'listitem')).toHaveLength(6)
  })

  it('results of parallel calls stay together', async () => {
    const both = ['a', 'b', 'c', 'd'].map((id) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: 'look',
      input: {},
    }))
    const { agent, sent } = talk(
      (_, asked) =>
        asked === 1 ? [...both, { type: 'finish', finishReason: 'tool-calls' }] : say('Done.'),
      { tools: [tap, look({ supersedes: true })], compaction: { contextWindow: 30_000 } },
    )
    await agent.run('Look around.').result
    expect(JSON.stringify(sent.at(-1)?.messages)).not.toContain('removed to save room')
  })

  it('outdated results are cleared even with an unknown window', async () => {
    const { agent } = talk(looks(Array.from({ length: 12 }, () => ({}))), {
      tools: [tap, look({ supersedes: true })],
    })
    const { compactions } = await finish(agent.run('Look around.'))
    expect(compactions).toBeGreaterThan(0)
  })
})

const newestStep = ({ messages }: CompactionSituation): string =>
  messages.findLast(({ message }) => message.role === 'assistant')?.id ?? ''

const withPolicy = (policy: ChooseCompaction, turn = reads(30)) =>
  talk(turn, { compaction: { contextWindow: WINDOW, policy } })

async function ended({ agent, sent }: ReturnType<typeof talk>) {
  const run = agent.run('Find the blue mug.')
  const warnings: string[] = []
  for await (const event of run) if (event.type === 'warning') warnings.push(event.code)
  const result = await run.result
  expect(sent.flatMap(orphans)).toEqual([])
  return { ...result, warnings }
}

describe('a compaction policy of the app', () => {
  it('receives the request, and its choice is applied', async () => {
    const told: CompactionSituation[] = []
    const parts = withPolicy((situation) => {
      told.push(situation)
      return { summary: `Part ${told.length} is done.`, firstKept: newestStep(situation) }
    })
    const { outcome, warnings } = await ended(parts)
    expect(outcome).toBe('completed')
    expect(new Set(warnings)).toEqual(new Set(['context-compacted']))
    expect(breaksOf(parts.sent)).toBe(told.length)
    expect(parts.summaries).toEqual([])
    expect(texts(parts.sent.at(-1))).toContain(`Part ${told.length} is done.`)
    expect(texts(parts.sent.at(-1))).toContain('Find the blue mug.')
    const [first, second] = told
    expect(first).toMatchObject({ occasion: 'near-limit', compactions: [] })
    expect(first?.messages[0]).toMatchObject({ message: { role: 'user' } })
    expect(first?.tokens).toBeGreaterThan(first?.budget ?? Infinity)
    expect(first?.budget).toBe(WINDOW * 0.8)
    const sizes = first?.messages.map(({ tokens }) => tokens) ?? []
    expect(sizes.reduce((sum, size) => sum + size, first?.fixedTokens ?? 0)).toBe(first?.tokens)
    // Messages that were left out before are still listed, and count no tokens.
    expect(second?.messages.length).toBeGreaterThan(first?.messages.length ?? 0)
    expect(second?.messages[1]?.tokens).toBe(0)
    expect(second?.compactions).toMatchObject([{ kind: 'summarized', summary: 'Part 1 is done.' }])
    for (const request of parts.sent) expect(countTokens(bodyOf(request))).toBeLessThan(WINDOW)
  })

  it('may clear results with exceptions', async () => {
    let kept = ''
    const parts = withPolicy(({ messages }) => {
      const tools = messages.filter(({ message }) => message.role === 'tool')
      const first = tools[0]?.message
      kept = (first?.role === 'tool' && first.parts[0]?.toolCallId) || ''
      return { clearUpTo: tools.at(-3)?.id ?? '', except: [kept] }
    })
    const { warnings } = await ended(parts)
    expect(new Set(warnings)).toEqual(new Set(['context-compacted']))
    const results = parts.sent.at(-1)?.messages.filter(({ role }) => role === 'tool')
    expect(JSON.stringify(results?.[0])).toContain('harbour')
    expect(JSON.stringify(results?.[1])).toContain('removed to save room')
  })

  it('may name a built-in policy, or leave the request as it is', async () => {
    const named = withPolicy(() => Promise.resolve('drop-oldest'))
    expect((await ended(named)).warnings).toContain('context-compacted')
    expect(named.summaries).toEqual([])
    const none = withPolicy(() => null, reads(14))
    expect((await ended(none)).warnings).toEqual([])
    expect(breaksOf(none.sent)).toBe(0)
  })

  it('may leave out messages before the newest request, and later steps', async () => {
    const policy: ChooseCompaction = (situation) => ({
      summary: 'All of it.',
      firstKept: newestStep(situation),
    })
    const parts = withPolicy(policy, (_, asked) =>
      asked === 2 ? say('Here.') : asked < 30 ? call('read', asked) : say('Done.'),
    )
    const { conversationId } = await parts.agent.run('What is there?').result
    await parts.agent.run('Find the blue mug.', { conversationId }).result
    const last = texts(parts.sent.at(-1))
    expect(last).toMatch(/All of it\.\nFind the blue mug\.\nEarlier messages were removed/)
    expect(last).not.toContain('What is there?')
    expect(parts.sent.flatMap(orphans)).toEqual([])
  })

  const bad: readonly [string, ChooseCompaction][] = [
    ['throws', () => Promise.reject(new Error('No idea.'))],
    ['returns something else', (() => ({ drop: 3 })) as unknown as ChooseCompaction],
    ['returns nothing', (() => undefined) as unknown as ChooseCompaction],
    ['names a message that is not there', () => ({ summary: 'x', firstKept: 'msg_none' })],
    [
      'would part a call from its result',
      ({ messages }) => ({
        summary: 'x',
        firstKept: messages.findLast(({ message }) => message.role === 'tool')?.id ?? '',
      }),
    ],
    [
      'would leave out the newest results',
      ({ messages }) => ({ clearUpTo: messages.at(-1)?.id ?? '' }),
    ],
    [
      'names a call that is not there',
      ({ messages }) => ({ clearUpTo: messages.at(-3)?.id ?? '', except: ['call_none'] }),
    ],
    ['makes too little room', ({ messages }) => ({ clearUpTo: messages[3]?.id ?? '' })],
    ['leaves out nothing', ({ messages }) => ({ summary: 'x', firstKept: messages[0]?.id ?? '' })],
    [
      'writes too much',
      (situation) => ({ summary: words(3_000, 1), firstKept: newestStep(situation) }),
    ],
  ]
  it.each(bad)('gives way to auto with a warning when it %s', async (_, policy) => {
    const parts = withPolicy(policy)
    const { outcome, warnings } = await ended(parts)
    expect(outcome).toBe('completed')
    expect(warnings).toContain('compaction-failed')
    expect(warnings).toContain('context-compacted')
    for (const request of parts.sent) expect(countTokens(bodyOf(request))).toBeLessThan(WINDOW)
  })

  it('is called when the server refuses a request as too long', async () => {
    const occasions: string[] = []
    const { agent } = talk(
      (request, asked) =>
        countTokens(bodyOf(request)) > 5_000 ? refuse(OVERFLOW) : reads(12)(request, asked),
      {
        compaction: {
          policy: (situation) => {
            occasions.push(situation.occasion)
            return { summary: 'Much.', firstKept: newestStep(situation) }
          },
        },
      },
    )
    expect(await finish(agent.run('Find the blue mug.'))).toMatchObject({ outcome: 'completed' })
    expect(new Set(occasions)).toEqual(new Set(['refused']))
  })

  it('is aborted with its run', async () => {
    let stopped: Promise<unknown> | undefined
    const parts = withPolicy(({ signal }) => {
      stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
      run.abort('enough')
      return new Promise<never>(() => undefined)
    })
    const run = parts.agent.run('Find the blue mug.')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(stopped).toBeDefined()
    await stopped
    const { compactions } = await shown(parts.agent, run.conversationId)
    expect(compactions).toBeUndefined()
  })

  it('is not called again for a choice already made', async () => {
    const testStorage = createTestStorage()
    let asked = 0
    const policy: ChooseCompaction = (situation) => {
      asked += 1
      return { summary: 'Much.', firstKept: newestStep(situation) }
    }
    const compaction = { contextWindow: WINDOW, policy }
    const first = talk(reads(30), { testStorage, compaction })
    const run = first.agent.run('Find the blue mug.', { maxSteps: 12 })
    await run.result
    await first.agent.dispose()
    simulateReload()
    const before = asked
    expect(before).toBeGreaterThan(0)
    const second = talk(() => say('Done.'), { testStorage, compaction })
    await (
      await second.agent.continue(run.conversationId)
    )?.result
    expect(asked).toBe(before)
    expect(texts(second.sent[0])).toContain('Much.')
  })
})

type Agent = ReturnType<typeof talk>['agent']

async function shown(agent: Agent, conversationId: string) {
  const view = agent.conversation(conversationId)
  const off = view.subscribe(() => undefined)
  await expect.poll(() => view.getSnapshot().status).toBe('idle')
  const snapshot = view.getSnapshot()
  off()
  return snapshot
}

describe('the snapshot of a compacted conversation', () => {
  it('shows where it was compacted: after a reload, in an import, on its branch only', async () => {
    const testStorage = createTestStorage()
    const compaction = { contextWindow: WINDOW, policy: 'summarize' } as const
    const { agent, sent } = talk(reads(12), { testStorage, compaction })
    const { conversationId } = await agent.run('Find the blue mug.').result
    const { compactions = [], messages } = await shown(agent, conversationId)
    expect(compactions.length).toBe(breaksOf(sent))
    for (const [at, each] of compactions.entries()) {
      expect(each).toMatchObject({
        kind: 'summarized',
        summary: `Summary ${at + 1}: a blue mug is wanted.`,
      })
      const place = messages.findIndex(({ id }) => id === each.after)
      expect(messages[place]?.role).toBe('tool')
      expect(each.tokensBefore).toBeGreaterThan(WINDOW * 0.8)
      expect(each.tokensAfter).toBeLessThan(WINDOW * 0.6)
    }
    const file = await fileOf(agent, conversationId)
    await agent.dispose()
    simulateReload()

    const again = talk(() => say('Done.'), { testStorage, compaction })
    const talked = again.agent.conversation(conversationId)
    const off = talked.subscribe(() => undefined)
    await expect.poll(() => talked.getSnapshot().compactions).toEqual(compactions)
    const first = messages[0]?.id ?? ''
    await talked.edit(first, 'Never mind.').result
    await expect.poll(() => talked.getSnapshot().compactions).toBeUndefined()
    await talked.switchBranch(first)
    await expect.poll(() => talked.getSnapshot().compactions).toEqual(compactions)
    off()

    const other = talk(() => say('Done.'), { compaction })
    await other.agent.conversations.import(file)
    expect((await shown(other.agent, conversationId)).compactions).toEqual(compactions)
  })

  it('names the kind of compaction', async () => {
    const kinds = async (policy: 'clear-results' | 'drop-oldest') => {
      const { agent } = talk(reads(12), { compaction: { contextWindow: WINDOW, policy } })
      const { conversationId } = await agent.run('Find the blue mug.').result
      const { compactions = [] } = await shown(agent, conversationId)
      return [...new Set(compactions.map(({ kind, summary }) => `${kind} ${summary}`))]
    }
    expect(await kinds('clear-results')).toEqual(['results-cleared undefined'])
    expect(await kinds('drop-oldest')).toEqual(['dropped undefined'])
  })
})

describe('a conversation that begins with a long history', () => {
  // Each text exceeds the window, so the estimate alone decides how much is kept.
  const sentence = {
    Chinese:
      '近日，研究人员发布了一份关于城市交通的报告。专家建议优化站点布局，并通过数据平台实时调度车辆。购物车里有三件商品，其中一件已经售罄，订单编号为A20391。',
    JSON: JSON.stringify({
      sku: 'MUG-7919',
      price: { amount: '12.50', currency: 'EUR' },
      tags: ['kitchen', null],
      at: '2026-01-31T09:15:00.000Z',
      id: '9f86d081-884c-4d63-a7c2-3f1b6c2a9e10',
    }),
    base64: Buffer.from(words(40, 3).split('').toReversed().join('')).toString('base64'),
    code: 'export const at = <T>(list: readonly T[], i: number): T | undefined => list[i < 0 ? list.length + i : i] // one\n',
  }
  it.each(Object.entries(sentence))('in %s is sent within the window', async (_, text) => {
    const history: Message[] = Array.from({ length: 60 }, (_each, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: `${at} ${text.repeat(Math.ceil(500 / text.length))}` }],
    }))
    const { agent, sent } = talk(() => say('Done.'), {
      compaction: { contextWindow: WINDOW, policy: 'drop-oldest', at: 1 },
    })
    const { outcome } = await agent.run('Find the blue mug.', { history }).result
    expect(outcome).toBe('completed')
    expect(sent).toHaveLength(1)
    expect(sent[0]?.messages.length).toBeLessThan(history.length)
    expect(countTokens(bodyOf(sent[0] as ModelRequest))).toBeLessThan(WINDOW)
  })
})

it("the server's token count still applies after a reload", async () => {
  // A token for each byte: far more than is estimated.
  const counted = (request: ModelRequest): number => Buffer.byteLength(bodyOf(request))
  const window = 20_000
  const turn: Turn = (request, asked) => [
    { type: 'usage', usage: { inputTokens: counted(request) } },
    ...reads(60)(request, asked),
  ]
  const compaction = { contextWindow: window, policy: 'drop-oldest' } as const
  // A reload behind each of these steps: where there was room just now, and where there was little.
  for (const maxSteps of [12, 14, 16, 18, 20]) {
    const testStorage = createTestStorage()
    const first = talk(turn, { testStorage, compaction })
    const { conversationId } = await first.agent.run('Find the blue mug.', { maxSteps }).result
    await first.agent.dispose()
    simulateReload()
    const second = talk(turn, { testStorage, compaction })
    // Before the first count there may be more to send than the window has left.
    await second.agent.run(words(450, 5), { conversationId, maxSteps: 1 }).result
    for (const request of [...first.sent, ...second.sent])
      expect(counted(request)).toBeLessThanOrEqual(window)
    await second.agent.dispose()
  }
})
