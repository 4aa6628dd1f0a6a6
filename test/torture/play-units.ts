import { buildOfTorture, Results, type Conclusion, type KeptOutcome } from './results.ts'

interface PlayOptions<Unit> {
  /** Part and seed, by which outcomes are kept. */
  readonly name: string
  readonly units: readonly Unit[]
  /** Numbers of the only units to play. */
  readonly only?: readonly number[] | undefined
  readonly atOnce?: number
  play(unit: Unit): Promise<readonly KeptOutcome[]>
  titleOf(unit: Unit): string
  readonly build?: string
  readonly folder?: string
}

/** Plays the units that an interrupted run of the same build has not played, and counts those of both. */
export async function playUnits<Unit extends { readonly number: number }>(
  options: PlayOptions<Unit>,
): Promise<Conclusion> {
  const { only, atOnce = 1, build = buildOfTorture(), folder } = options
  const units = options.units.filter(({ number }) => !only || only.includes(number))
  const results = new Results({
    name: only ? `${options.name}-only-${only.join('-')}` : options.name,
    build,
    units: units.map(({ number }) => number),
    ...(folder && { folder }),
  })
  const left = units.filter(({ number }) => !results.has(number))
  const lane = async (): Promise<void> => {
    for (let unit = left.shift(); unit; unit = left.shift()) {
      const outcomes = await options.play(unit)
      const bad = outcomes.filter(({ violations }) => violations.length > 0)
      console.log(`${options.titleOf(unit)}: ${outcomes.length} trials, ${bad.length} bad`)
      for (const one of bad) console.log(`  ${JSON.stringify(one)}`)
      results.add(unit.number, outcomes)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return results.conclude()
}
