import { describe, expect, it } from 'vitest'
import type { ChooseCompaction, Run } from '../../../src/index.ts'
import { call, reads, say, talk, type Turn } from './compaction-support.ts'

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

describe('compactions that hardly make room', () => {
  it('for two steps, one after the other, end the run before a third', async () => {
    const { agent, sent } = talk(reads(40), {
      compaction: { contextWindow: WINDOW, policy: sparingly },
    })
    const result = await ended(agent.run('Find the blue mug.'))
    expect(result).toMatchObject(OVERFLOW)
    expect(result.warnings).toEqual(['context-compacted', 'context-compacted', 'compaction-spent'])
    expect(result.steps).toBe(sent.length)
    const talked = await agent.conversations.get(result.conversationId)
    expect(talked?.messages.filter(({ role }) => role === 'tool')).toHaveLength(result.steps)
  })

  it('end no later run, which makes room anew', async () => {
    const turn: Turn = (_, asked) => (asked < 40 ? call('read', asked) : say('Done.'))
    const { agent } = talk(turn, { compaction: { contextWindow: WINDOW, policy: sparingly } })
    const first = await ended(agent.run('Find the blue mug.'))
    expect(first).toMatchObject(OVERFLOW)
    const { conversationId } = first
    const second = await ended(agent.run('Go on.', { conversationId }))
    expect(second.warnings[0]).toBe('context-compacted')
    expect(second.steps).toBeGreaterThan(0)
  })

  it('end no run where steps come between them that need none', async () => {
    // What is cleared for one step is enough for several.
    const { agent } = talk(reads(40), {
      compaction: { contextWindow: WINDOW, policy: 'auto' },
    })
    expect(await ended(agent.run('Find the blue mug.'))).toMatchObject({ outcome: 'completed' })
  })

  it('end no run while one of two makes room', async () => {
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

  it('of calls that are never left out, at the end of a window', async () => {
    const { agent } = talk(reads(200), {
      compaction: { contextWindow: 4_000, policy: 'clear-results' },
    })
    const result = await ended(agent.run('Find the blue mug.'))
    expect(result).toMatchObject(OVERFLOW)
    expect(result.warnings.at(-1)).toBe('compaction-spent')
  })
})
