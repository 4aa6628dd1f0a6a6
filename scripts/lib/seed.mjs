/**
 * Seed of a run's random tests, so that a failure can be repeated. `npm test` draws one and prints it; without it,
 * each property draws its own.
 */
export const SEED = process.env.OFFSTAGE_SEED ? Number(process.env.OFFSTAGE_SEED) : undefined

/** The given seed or a new one, which the test runners inherit through the environment. */
export function drawSeed() {
  process.env.OFFSTAGE_SEED ||= String(Math.floor(Math.random() * 2 ** 31))
  return Number(process.env.OFFSTAGE_SEED)
}
