import { describe, expect, it } from 'vitest'
import type { ChooseCompaction, Run } from '../../../src/index.ts'
import { call, reads, say, talk, type Turn, words } from './compaction-support.ts'

const WINDOW = 6_000

/** Clears as few of the oldest results as will do. */
const sparingly: ChooseCompaction = ({ messages, tokens, budget }) => {
  let left = tokens
  for (const { id, message, tokens: size } of messages) {
    if (message.role !== 'tool' || size < 100) continue
    left -= size - 60
    if (left <= budget) return { clearUpTo: id }
  }
  return 'auto'
}

async function ended(run: Run) {
  const warnings: string[] = []
  for await (const event of run) if (event.type === 'warning') warnings.push(event.code)
  return { ...(await run.result), warnings }
}

const OVERFLOW = { outcome: 'failed', error: { code: 'context-overflow', retryable: false } }

/** A summary as long as the one result that it replaces. */
const longSummary = (count: number) => say(words(165, count))
/** A request that is never left out and fills more than half of the window. */
const LONG = `Find the blue mug in: ${words(1_000, 1)}`

describe('compactions that free hardly any room', () => {
  it('with a cost, in two successive steps, end the run before a third', async () => {
    const { agent, sent, summaries } = talk(reads(40), {
      compaction: { contextWindow: WINDOW, policy: 'summarize' },
      sumUp: longSummary,
    })
    const result = await ended(agent.run(LONG))
    expect(result).toMatchObject(OVERFLOW)
    expect(result.warnings.slice(-3)).toEqual([
      'context-compacted',
      'context-compacted',
      'compaction-spent',
    ])
    expect(summaries.length).toBeLessThan(sent.length)
    expect(result.steps).toBe(sent.length)
  })

  it('without a cost do not end a run that fits', async () => {
    const { agent, sent } = talk(reads(40), {
      compaction: { contextWindow: WINDOW, policy: sparingly },
    })
    const result = await ended(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'completed', steps: sent.length })
    expect(result.warnings).not.toContain('compaction-spent')
    expect(result.warnings.length).toBeGreaterThan(10)
  })

  it('do not end a later run, which compacts anew', async () => {
    const turn: Turn = (_, asked) => (asked < 40 ? call('read', asked) : say('Done.'))
    const { agent } = talk(turn, {
      compaction: { contextWindow: WINDOW, policy: 'summarize' },
      sumUp: longSummary,
    })
    const first = await ended(agent.run(LONG))
    expect(first).toMatchObject(OVERFLOW)
    const { conversationId } = first
    const second = await ended(agent.run('Go on.', { conversationId }))
    expect(second.warnings[0]).toBe('context-compacted')
    expect(second.steps).toBeGreaterThan(0)
  })

  it('do not end a run if steps between them need no compaction', async () => {
    // Clearing results for one step makes room for several.
    const { agent } = talk(reads(40), {
      compaction: { contextWindow: WINDOW, policy: 'auto' },
    })
    const { outcome, warnings } = await ended(agent.run('Find the blue mug.'))
    expect(outcome).toBe('completed')
    expect(warnings.filter((code) => code === 'context-compacted').length).toBeGreaterThan(1)
    expect(warnings).not.toContain('compaction-spent')
  })

  it('do not end a run while every second one frees room', async () => {
    let asked = 0
    const { agent } = talk(reads(40), {
      compaction: {
        contextWindow: WINDOW,
        policy: (situation) => (++asked % 2 === 0 ? 'drop-oldest' : sparingly(situation)),
      },
    })
    const result = await ended(agent.run('Find the blue mug.'))
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(result.warnings).not.toContain('compaction-spent')
    expect(asked).toBeGreaterThan(3)
  })

  it("end the run near the window's end when calls can't be left out", async () => {
    const { agent } = talk(reads(200), {
      compaction: { contextWindow: 4_000, policy: 'clear-results' },
    })
    const result = await ended(agent.run('Find the blue mug.'))
    expect(result).toMatchObject(OVERFLOW)
    expect(result.warnings.at(-1)).toBe('compaction-spent')
  })
})
