import { expect, test } from 'vitest'
import type { Row } from '../../../src/protocol/fact.ts'
import { createWorld, liveThrough, SCOPE, type Turn } from './simulation.ts'

const turns: readonly Turn[] = [{ text: 'First.' }, { text: 'Better.' }]
const reflect = { mode: 'replace', instructions: 'Do better.', timeoutMs: 60_000 } as const

/** More boundaries than the run crosses. */
const CROSSINGS = 60

test.each(['worker', 'page'] as const)(
  'wherever the %s dies, the answer is replaced once, without repeating stored requests',
  async (who) => {
    const asked = new Set<number>()
    for (let after = 1; after <= CROSSINGS; after++) {
      const world = createWorld(turns, {}, { reflect })
      const result = await liveThrough(world, [{ after, who }])
      expect(result, `${after}`).toMatchObject({ outcome: 'completed', text: 'Better.', steps: 1 })
      const rows = (await world.store.read(SCOPE.conversationId)).rows as readonly Row[]
      const made = rows.filter(({ type }) => type === 'answer-reflected')
      expect(made, `${after}`).toMatchObject([{ step: 1, text: 'Better.' }])
      const times = world.requests.filter((request) =>
        JSON.stringify(request.messages.at(-1)).includes(reflect.instructions),
      ).length
      // Once more where it died before that was stored, and no step of the run is repeated for it.
      expect(world.requests.length, `${after}`).toBeLessThanOrEqual(3)
      asked.add(times)
    }
    expect([...asked].sort()).toEqual([1, 2])
  },
)
