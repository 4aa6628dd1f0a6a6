import { describe, expect, test } from 'vitest'
import { chatFixtures } from '../../fixtures/providers/openai.ts'
import { chatProvider } from '../../../src/providers/openai/define-chat.ts'
import { eventsOf, expectCutsHarmless, expectTurn, readTurn, styles } from './support/streams.ts'
import { eachNth } from '../more.ts'

const encoder = new TextEncoder()
const compatible = chatProvider('openai-compatible')
if (!compatible) throw new Error('missing preset')

describe.each(chatFixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const))(
  '%s',
  (_, fixture) => {
    test.each(styles)('is read in pieces of any size, %j', async (style) => {
      const bytes = encoder.encode(eventsOf(fixture, style).join(''))
      for (const size of [0, 1, 7, 64]) expectTurn(await readTurn(compatible, bytes, size), fixture)
    })

    test.each(eachNth(4, styles))(
      'when cut at any byte, no call runs before the end is proven, %j',
      async (style) => {
        await expectCutsHarmless(compatible, fixture, style)
      },
    )
  },
)

test('every documented stream quirk has a fixture', () => {
  const rows = new Set(chatFixtures.map(({ row }) => row))
  const wanted = Array.from({ length: 26 }, (_, index) => `O${index + 1}`)
  wanted.push('O32', 'O33', 'O34', 'O35', 'O36', 'O37', 'O38')
  expect(wanted.filter((row) => !rows.has(row))).toEqual(['O22'])
})
