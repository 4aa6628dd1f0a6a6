// Measures how long finding entries in a large memory takes, with an index and before there is one. Also measures the
// share of the page's main thread. Runs in one Chromium; medians.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startLoopServer } from './lib/loop-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const ENTRIES = Number(process.env.ENTRIES ?? 10_000)
const server = await startLoopServer()
const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
await inPage('seed', { entries: ENTRIES })

const rounds = []
for (let round = 0; round <= ROUNDS; round++) {
  const measured = await inPage('find')
  // The first round warms the machine up, not the page.
  if (round > 0) rounds.push(measured)
}
for (const language of Object.keys(rounds[0].warm))
  console.log(
    `${language.padEnd(10)} a query ${median(rounds.map(({ warm }) => warm[language])).toFixed(1)} ms of ${ENTRIES} entries`,
  )
const medianText = (key) => median(rounds.map((round) => round[key])).toFixed(1)
console.log(
  `first use  ${medianText('cold')} ms until the first query is answered; longest time that a frame waits for it ${medianText('frame')} ms`,
)
await context.close()
await rm(profile, { recursive: true, force: true })
server.close()

async function inPage(name, options = {}) {
  const page = await context.newPage()
  await page.goto(server.url)
  try {
    return await page.evaluate(
      async ({ name, url, options }) =>
        (await import(`${url}/bench/lib/memory-page.js`))[name](options),
      { name, url: server.url, options },
    )
  } finally {
    await page.close()
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
