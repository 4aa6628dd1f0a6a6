import { growth, leaks, tableOf } from '../soak/flat.ts'
import { soak } from '../soak/soak.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// One page through many runs of all kinds, good and bad. `npm run soak` makes 2000 of them.

const { SOAK_RUNS = '60', SOAK_SEED = '1', SOAK_EVERY = '20' } = process.env

test(`a page that has made ${SOAK_RUNS} runs is as it was`, MORE, async ({ browser }) => {
  test.setTimeout(0)
  const { samples, wrong, errors, played } = await soak(browser, {
    seed: Number(SOAK_SEED),
    runs: Number(SOAK_RUNS),
    every: Number(SOAK_EVERY),
    onSample: (sample) => console.log(JSON.stringify(sample)),
  })
  console.log(`\n${tableOf(samples)}\n\n${JSON.stringify(played)}`)
  for (const measure of [
    'pageHeap',
    'workerHeap',
    'pageListeners',
    'pageSignals',
    'workerSignals',
  ] as const)
    console.log(`${measure}: ${growth(samples, measure).toFixed(1)} in 1000 runs`)
  expect(wrong, 'runs that ended otherwise').toEqual([])
  expect(errors, 'errors that nobody caught').toEqual([])
  expect(leaks(samples), 'what is left behind').toEqual([])
})
