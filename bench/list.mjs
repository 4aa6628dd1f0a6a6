// How long the first list of many conversations takes in a new worker, beside a bare read of 50 records from the same
// database. One Chromium, medians.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startLoopServer } from './lib/loop-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 5000)
const server = await startLoopServer()
const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
await inPage('seed', { conversations: CONVERSATIONS })
const rounds = []
for (let round = 0; round <= ROUNDS; round++) {
  const measured = await inPage('list')
  // The first round warms the machine up, not the page: each has a worker of its own.
  if (round > 0) rounds.push(measured)
}
const medianText = (key) => median(rounds.map((round) => round[key])).toFixed(1)
console.log(
  `first list of ${rounds[0].count} conversations ${medianText('first')} ms, the next one ${medianText('next')} ms; bare getAll of 50 records ${medianText('bare')} ms`,
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
        (await import(`${url}/bench/lib/list-page.js`))[name](options),
      { name, url: server.url, options },
    )
  } finally {
    await page.close()
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
