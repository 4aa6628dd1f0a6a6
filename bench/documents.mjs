// Times of a document memory with 5 MB of text: indexing, indexing again without a change, the first search of a page and
// later ones, and the longest time that the main thread is blocked meanwhile. One Chromium, medians.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startLoopServer } from './lib/loop-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const MEGABYTES = Number(process.env.MEGABYTES ?? 5)
const server = await startLoopServer()
const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
const rounds = []
for (let round = 0; round < ROUNDS; round++) {
  const first = await inPage('index', { megabytes: MEGABYTES, round })
  const again = await inPage('index', { megabytes: MEGABYTES, round })
  const found = await inPage('find', { megabytes: MEGABYTES, round })
  rounds.push({ first, again, found })
}
const { documents, parts } = rounds[0].first
console.log(
  `first index of ${MEGABYTES} MB in ${documents} documents, ${parts} parts: ${medianText(({ first }) => first.time)} ms; longest time that a frame waits for it ${medianText(({ first }) => first.frame)} ms`,
)
console.log(`second index, nothing changed: ${medianText(({ again }) => again.time)} ms`)
console.log(
  `first query of a page ${medianText(({ found }) => found.cold)} ms; longest time that a frame waits for it ${medianText(({ found }) => found.frame)} ms`,
)
for (const language of Object.keys(rounds[0].found.warm))
  console.log(
    `${language.padEnd(10)} a query ${medianText(({ found }) => found.warm[language])} ms`,
  )
await context.close()
await rm(profile, { recursive: true, force: true })
server.close()

async function inPage(name, options) {
  const page = await context.newPage()
  await page.goto(server.url)
  try {
    return await page.evaluate(
      async ({ name, url, options }) =>
        (await import(`${url}/bench/lib/documents-page.js`))[name](options),
      { name, url: server.url, options },
    )
  } finally {
    await page.close()
  }
}

function medianText(pick) {
  const numbers = rounds.map(pick).toSorted((a, b) => a - b)
  return numbers[Math.floor(numbers.length / 2)].toFixed(1)
}
