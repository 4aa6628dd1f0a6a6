import { describe, expect, test } from 'vitest'
import { geminiFixtures } from '../../fixtures/providers/gemini.ts'
import { chatProvider } from '../../../src/providers/openai/define-chat.ts'
import { eventsOf, expectCutsHarmless, expectTurn, readTurn, styles } from './support/streams.ts'
import { eachNth } from '../more.ts'

const encoder = new TextEncoder()
const gemini = chatProvider('gemini')
if (!gemini) throw new Error('missing preset')

describe.each(
  geminiFixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const),
)('%s', (_, fixture) => {
  test.each(styles)('is read in pieces of any size, %j', async (style) => {
    const bytes = encoder.encode(eventsOf(fixture, style).join(''))
    for (const size of [0, 1, 7, 64]) expectTurn(await readTurn(gemini, bytes, size), fixture)
  })

  test.each(eachNth(4, styles))(
    'when cut at any byte, no call runs before the end is proven, %j',
    async (style) => {
      await expectCutsHarmless(gemini, fixture, style)
    },
  )
})

test('every documented stream quirk has a fixture', () => {
  const rows = new Set(geminiFixtures.map(({ row }) => row))
  expect([...rows]).toEqual(['G1', 'G2', 'G3', 'G4', 'G6', 'G8', 'G9', 'G10'])
})
