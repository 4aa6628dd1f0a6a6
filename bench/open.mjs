// How long it takes to open a long conversation, to its first view and until all of it is there, and what
// a step costs in it beside one in a short conversation. One Chromium, medians.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startLoopServer } from './lib/loop-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const LONG = Number(process.env.MESSAGES ?? 5000)
const SHORT = 10
const server = await startLoopServer()
const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
await inPage('seed', { long: LONG, short: SHORT })

const opened = []
for (let round = 0; round <= ROUNDS; round++) {
  const cold = await inPage('open', {})
  // The first round warms the machine up, not the page: each has a worker of its own.
  if (round > 0) opened.push(cold)
}
for (const [name, pick] of [
  ['first open in a worker', (row) => row.cold],
  ['opened again', (row) => row.warm],
]) {
  const medianOf = (key) => median(opened.map((row) => pick(row)[key]))
  console.log(
    `${name.padEnd(24)} ${medianOf('first').toFixed(1)} ms to the first view (${medianOf('count')} messages), ${medianOf('all').toFixed(1)} ms to all ${LONG}; longest task of the page ${medianOf('task').toFixed(1)} ms`,
  )
}

const steps = { long: [], short: [] }
for (let round = 0; round <= ROUNDS; round++)
  for (const which of ['short', 'long']) {
    const ms = await inPage('stepMs', { which })
    if (round > 0) steps[which].push(ms)
  }
const [short, long] = [median(steps.short), median(steps.long)]
console.log(
  `a step                   ${short.toFixed(2)} ms with ${SHORT} messages, ${long.toFixed(2)} ms with ${LONG}: ${(long / short).toFixed(2)} times`,
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
        (await import(`${url}/bench/lib/open-page.js`))[name](options),
      { name, url: server.url, options },
    )
  } finally {
    await page.close()
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
