import { describe, expect, test } from 'vitest'
import { comparable } from './compared/comparable.ts'
import { expectStoredIsShown } from './compared/expect-shown.ts'
import { readFamily, writeFamily, type Fixture } from './fixture.ts'
import { record } from './record.ts'
import { families } from './scenarios/index.ts'

/** `RECORD=1 npx vitest run test/recorded` adds the scenarios that were never recorded to the fixtures. */
const isRecording = process.env['RECORD'] !== undefined

describe.each(families)('recorded runs: $family', ({ family, scenarios }) => {
  if (isRecording) {
    test('are written', async () => {
      const known = readFamily(family)
      if (known.size === scenarios.length) return
      const fixtures = new Map<string, Fixture>()
      for (const scenario of scenarios) {
        const { name } = scenario
        if (fixtures.has(name)) throw new Error(`Two are named ${name}.`)
        fixtures.set(name, known.get(name) ?? { format: 2, ...(await record(scenario)) })
      }
      writeFamily(family, fixtures)
    })
  }
  test('are all there, and no others', () => {
    expect([...readFamily(family).keys()]).toEqual(scenarios.map(({ name }) => name))
  })
  test.each(scenarios)('$name', async (scenario) => {
    const fixture = readFamily(family).get(scenario.name)
    if (!fixture) throw new Error('It was never recorded.')
    const now = await record(scenario)
    if ('format' in fixture) return expect(settled({ format: 2, ...now })).toEqual(settled(fixture))
    const compared = comparable({ scenario: scenario.name, old: fixture, now })
    expect(compared.now).toEqual(compared.old)
    expectStoredIsShown(scenario.name, now)
  })
})

/** How many snapshots come before the last one depends on who is notified when. */
function settled({ snapshots, ...rest }: Extract<Fixture, { readonly format: 2 }>): object {
  const last = Object.entries(snapshots).map(([view, states]) => [view, states.at(-1)])
  return { ...rest, snapshots: Object.fromEntries(last) }
}
