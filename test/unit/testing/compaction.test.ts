import { describe, expect, it } from 'vitest'
import { defineTool, type CompactionPolicy } from '../../../src/index.ts'
import type { Usage } from '../../../src/protocol/message.ts'
import {
  createTestAgent,
  createTestStorage,
  simulateReload,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'
import { countTokens } from '../../apps/count-tokens.ts'
import {
  bodyOf,
  call,
  finish,
  orphans,
  OVERFLOW,
  reads,
  refuse,
  results,
  say,
  talk,
  textOf,
  texts,
  words,
} from './compaction-support.ts'
import { until } from '../client/fake-worker.ts'
import { eachNth, someOf } from '../more.ts'
import { gate, statusOf } from './talk.ts'

describe('a run of 200 steps', () => {
  const windows = [4_000, 8_000, 32_000]
  const policies: CompactionPolicy[] = ['auto', 'clear-results', 'summarize', 'drop-oldest']
  // Without leaving out messages, a window of 4000 tokens is soon full of calls: see the breaker.
  const pairs = windows
    .flatMap((window) => policies.map((policy) => [window, policy] as const))
    .filter(([window, policy]) => window > 4_000 || policy !== 'clear-results')
  it.each(eachNth(6, pairs))(
    'stays within %i tokens by %s',
    { timeout: 120_000 },
    async (contextWindow, policy) => {
      const steps = 200
      // Two pages don't fit into a window of 4000 tokens, so no pages are read there.
      const tool = (at: number): string => (contextWindow > 4_000 && at % 5 === 0 ? 'page' : 'read')
      const { agent, sent } = talk(
        (_, asked) => (asked < steps ? call(tool(asked), asked) : say('Done.')),
        { compaction: { contextWindow, policy } },
      )
      const result = await finish(agent.run('Find the blue mug.'))
      expect(result).toMatchObject({ outcome: 'completed', steps })
      const bodies = sent.map(bodyOf)
      const isLimited = policy !== 'clear-results'
      // No body has more tokens than characters, and the longest are the likeliest to have too many.
      const longest = bodies.toSorted((one, other) => other.length - one.length)
      const large = longest
        .slice(0, someOf(steps))
        .filter((body) => countTokens(body) > contextWindow)
      if (isLimited) expect(large.length).toBe(0)
      expect(sent.flatMap(orphans)).toEqual([])
      expect(sent.every(({ instructions }) => instructions?.includes('last mug'))).toBe(true)
      const asks = sent.map(({ messages }) =>
        messages.some((each) => textOf(each) === 'Find the blue mug.'),
      )
      expect(asks.every(Boolean)).toBe(true)
      // The start of the request stays the same for the server's cache, except after each compaction.
      const breaks = sent.filter((request, at) => {
        const before = sent[at - 1]?.messages ?? []
        const same = JSON.stringify(request.messages.slice(0, before.length))
        return same !== JSON.stringify(before)
      })
      expect(breaks.length).toBe(result.compactions)
      expect(breaks.length).toBeGreaterThan(0)
      if (isLimited && contextWindow > 4_000) expect(breaks.length).toBeLessThan(steps / 3)
      // All messages are still stored.
      const stored = await agent.conversations.get(result.conversationId)
      expect(stored?.messages.filter(({ role }) => role === 'tool')).toHaveLength(steps - 1)
    },
  )
})

describe('a summary', () => {
  it('replaces the oldest messages, and its cost is counted', async () => {
    const { agent, sent, summaries } = talk(reads(12), {
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    const result = await finish(agent.run('Find the blue mug.'))
    expect(result.outcome).toBe('completed')
    expect(summaries.length).toBe(result.compactions)
    expect(summaries[0]?.tools.map(({ name }) => name)).toEqual(['read', 'page'])
    expect(texts(sent.at(-1))).toContain(`Summary ${summaries.length}: a blue mug is wanted.`)
    // The request for the newest summary contained the earlier ones, so they aren't repeated.
    expect(texts(sent.at(-1))).not.toContain('Summary 1:')
    expect(result.usage).toMatchObject({
      modelCalls: 12 + summaries.length,
      inputTokens: 100 * summaries.length,
    })
    expect(result.steps).toBe(12)
  })

  it('is requested on top of the prompt that the server has cached', async () => {
    const { agent, sent, summaries } = talk(reads(12), {
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    await agent.run('Find the blue mug.').result
    const before = sent[(summaries[0]?.after ?? 0) - 1]
    const same = summaries[0]?.messages.slice(0, before?.messages.length)
    expect(JSON.stringify(same)).toBe(JSON.stringify(before?.messages))
    expect(summaries[0]?.instructions).toBe(before?.instructions)
  })

  it.each([
    ['fails', () => refuse({ code: 'bad-request', message: 'No.', retryable: false })],
    ['is empty', () => say(' ')],
    ['calls a tool', () => call('read', 1)],
    ['is refused', () => say('I can’t help with that.', 'content-filter')],
  ])('is skipped when it %s', async (_, sumUp) => {
    const { agent, sent } = talk(reads(12), {
      sumUp,
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    expect(await finish(agent.run('Find the blue mug.'))).toMatchObject({ outcome: 'completed' })
    expect(texts(sent.at(-1))).toContain('Earlier messages were removed to save room.')
    expect(texts(sent.at(-1))).not.toContain('Summary of them')
  })

  it('is cut when too long', async () => {
    const { agent, sent } = talk(reads(12), {
      sumUp: () => say(words(2_000, 1)),
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    expect(await finish(agent.run('Find the blue mug.'))).toMatchObject({ outcome: 'completed' })
    expect(sent.filter((request) => countTokens(bodyOf(request)) > 6_000)).toEqual([])
  })

  it('changes nothing when the run is aborted while it is written', async () => {
    const { agent, sent, summaries } = talk(reads(12), {
      sumUp: async (count, signal) => {
        if (count > 1) return say('A mug.')
        const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve))
        run.abort('enough')
        await aborted
        return say('Never.')
      },
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    const run = agent.run('Find the blue mug.')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(summaries).toHaveLength(1)
    await agent.run('Go on.', { conversationId: run.conversationId, maxSteps: 1 }).result
    expect(texts(sent.at(-1))).not.toContain('Never.')
  })
})

describe('the usage of an unused summary counts', () => {
  const used = { inputTokens: 100, outputTokens: 10 }

  async function* stoppedBy(stop: () => void, signal?: AbortSignal) {
    yield [{ type: 'usage', usage: used } as const]
    const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve))
    stop()
    await stopped
  }

  it('when the run was aborted', async () => {
    const { agent, summaries } = talk(reads(12), {
      sumUp: (_, signal) => stoppedBy(() => run.abort('enough'), signal),
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    const run = agent.run('Find the blue mug.')
    const { outcome, usage } = await run.result
    expect(outcome).toBe('aborted')
    expect(summaries).toHaveLength(1)
    expect(usage).toMatchObject(used)
  })

  it('when the person sent a message meanwhile', async () => {
    const { agent, summaries } = talk(reads(12), {
      sumUp: (count, signal) =>
        count === 1
          ? stoppedBy(() => void run.send('The red one, too.', { when: 'now' }), signal)
          : [{ type: 'usage', usage: used }, ...say('A mug.')],
      compaction: { contextWindow: 6_000, policy: 'summarize' },
    })
    const run = agent.run('Find the blue mug.')
    const { outcome, usage } = await run.result
    expect(outcome).toBe('completed')
    expect(usage).toMatchObject({ inputTokens: 100 * summaries.length })
  })
})

describe('F11 a request that a server refuses as too long', () => {
  it('is shortened and sent once more, even with an unknown window', async () => {
    const { agent, sent } = talk((request, asked) =>
      countTokens(bodyOf(request)) > 5_000 ? refuse(OVERFLOW) : reads(12)(request, asked),
    )
    const result = await finish(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.compactions).toBeGreaterThan(0)
    expect(sent.flatMap(orphans)).toEqual([])
  })

  it('ends the run when refused a second time', async () => {
    const { agent, sent } = talk((request, asked) =>
      asked < 8 ? reads(12)(request, asked) : refuse(OVERFLOW),
    )
    const result = await finish(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'context-overflow' } })
    expect(result.compactions).toBe(1)
    expect(sent).toHaveLength(9)
  })

  it('ends the run when nothing can be left out', async () => {
    const { agent, sent } = talk(() => refuse(OVERFLOW))
    const result = await finish(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'context-overflow' } })
    expect(sent).toHaveLength(1)
  })

  it('ends the run when compaction is off', async () => {
    const { agent, sent } = talk(
      (request, asked) => (asked < 8 ? reads(12)(request, asked) : refuse(OVERFLOW)),
      { compaction: false },
    )
    const result = await finish(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'context-overflow' } })
    expect(sent).toHaveLength(8)
  })
})

describe('compaction', () => {
  it('gives the same request after a reload', async () => {
    const testStorage = createTestStorage()
    const compaction = { contextWindow: 6_000, policy: 'drop-oldest' } as const
    const first = talk(reads(12), { testStorage, compaction })
    const run = first.agent.run('Find the blue mug.', { maxSteps: 11 })
    expect(await run.result).toMatchObject({ outcome: 'max-steps' })
    await first.agent.dispose()
    simulateReload()
    const second = talk(() => say('Done.'), { testStorage, compaction })
    const went = await second.agent.continue(run.conversationId)
    expect(await went?.result).toMatchObject({ outcome: 'completed' })
    const before = first.sent.at(-1)?.messages ?? []
    const same = second.sent[0]?.messages.slice(0, before.length)
    expect(JSON.stringify(same)).toBe(JSON.stringify(before))
  })

  it('takes older messages before the newest request', async () => {
    const { agent, sent } = talk(
      (_, asked) => (asked % 2 === 0 ? say('Done.') : call('read', asked)),
      {
        compaction: { contextWindow: 4_000, policy: 'drop-oldest' },
      },
    )
    const { conversationId } = await agent.run('Request 0').result
    for (let at = 1; at < 8; at++) await agent.run(`Request ${at}`, { conversationId }).result
    expect(texts(sent.at(-1))).toContain('Request 7')
    expect(texts(sent.at(-1))).not.toContain('Request 0')
    expect(results(sent.at(-1))).toContain('harbour')
  })

  it.each<[string, string, (count: number) => Usage]>([
    ['counts more tokens', 'listed', (inputTokens) => ({ inputTokens })],
    // Anthropic's `input_tokens` exclude both.
    [
      'reads from its cache',
      'anthropic',
      (cached) => ({ inputTokens: 9, cachedInputTokens: cached }),
    ],
    ['writes to its cache', 'anthropic', (count) => ({ inputTokens: 9, cacheWriteTokens: count })],
  ])('starts earlier for a server that %s', async (_what, providerId, usageOf) => {
    const counting = (factor: number) =>
      talk(
        (request, asked) => [
          { type: 'usage', usage: usageOf(Math.round(countTokens(bodyOf(request)) * factor)) },
          ...reads(30)(request, asked),
        ],
        { providerId, compaction: { contextWindow: 8_000, policy: 'drop-oldest' } },
      )
    for (const factor of [1, 2, 3]) {
      const { agent, sent } = counting(factor)
      await agent.run('Find the blue mug.').result
      expect(sent.filter((each) => countTokens(bodyOf(each)) * factor > 8_000)).toEqual([])
    }
  })

  it('fails when instructions and tools alone exceed the window', async () => {
    const { agent, sent } = talk(reads(3), {
      instructions: words(1_000, 1),
      compaction: { contextWindow: 2_000 },
    })
    expect(await agent.run('Find the blue mug.').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'context-too-small', details: { contextWindow: 2_000 } },
    })
    expect(sent).toEqual([])
  })

  it('keeps the plan in the request', async () => {
    const items = [{ content: 'Look at every shelf', status: 'pending' }]
    const { agent, sent } = talk(
      (request, asked) =>
        asked === 1
          ? [
              { type: 'tool-call', toolCallId: 'p', toolName: 'plan', input: { items } },
              { type: 'finish', finishReason: 'tool-calls' },
            ]
          : reads(12)(request, asked),
      {
        controlTools: ['plan'],
        compaction: { contextWindow: 6_000, policy: 'drop-oldest' },
      },
    )
    await agent.run('Find the blue mug.').result
    // After the last step it is reminded of what is open.
    const last = sent[11]
    expect(texts(last)).not.toContain('Look at every shelf')
    expect(last?.trailer).toContain('- Look at every shelf (pending)')
    expect(sent[1]?.trailer ?? '').not.toContain('Look at every shelf')
  })
})

describe('the compaction option', () => {
  it.each([
    [{ at: 0 }, /compaction\.at/],
    [{ at: 1.1 }, /compaction\.at/],
    [{ policy: 'summarise' }, /policy of/],
    [{ window: 4_000 }, /Did you mean contextWindow/],
    [true, /must be/],
  ])('rejects %j', (compaction, words) => {
    expect(() =>
      createTestAgent({ script: {}, compaction } as unknown as TestAgentOptions),
    ).toThrow(words)
  })
})

describe('a message sent during a step', () => {
  it.each<CompactionPolicy>(['drop-oldest', 'auto'])(
    'keeps the results that the step has found, with %s',
    async (policy) => {
      const found = gate()
      const { agent, sent } = talk((_, asked) => (asked === 1 ? call('find', 1) : say('Well.')), {
        model: { provider: 'listed', model: 'm', contextWindow: 4_000 },
        compaction: { policy },
        tools: [
          defineTool({
            name: 'find',
            description: 'Finds.',
            inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
            execute: () => found.opened.then(() => `NEEDLE ${words(1_000, 1)}`),
          }),
        ],
      })
      const chat = agent.conversation('talk')
      chat.subscribe(() => undefined)
      const run = chat.send('What does it say?')
      await until(() => statusOf(chat, 'find') === 'executing')
      run.send('And be brief')
      await until(() => chat.getSnapshot().queued.length === 1)
      found.open()
      expect((await run.result).outcome).toBe('completed')
      expect(texts(sent.at(-1))).toContain('And be brief')
      expect(results(sent.at(-1))).toContain('NEEDLE')
    },
  )
})
