// Measures the time that Offstage adds to a turn, compared with a handwritten loop in the page: in memory and
// journaled. Also measures how this grows over a long run, and how soon an aborted run ends (promised: 100 ms).
// Interleaved rounds in one Chromium, medians.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startLoopServer } from './lib/loop-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const server = await startLoopServer()
const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(profile, {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
const page = await context.newPage()
await page.goto(server.url)

const ways = ['by hand', 'memory', 'journaled']
const rows = new Map(ways.map((way) => [way, []]))
for (let round = 0; round <= ROUNDS; round++) {
  for (const way of ways) {
    const short = await measure(way, '50 turns of 20')
    const long = await measure(way, '200 turns of 2000')
    // The first round warms up.
    if (round > 0) rows.get(way).push({ turn: meanTurn(short), growth: growth(long) })
  }
}
const floor = median(rows.get('by hand').map((row) => row.turn))
for (const [way, measured] of rows) {
  const turn = median(measured.map((row) => row.turn))
  const grown = median(measured.map((row) => row.growth))
  console.log(
    `${way.padEnd(10)} ${turn.toFixed(2)} ms a turn (+${(turn - floor).toFixed(2)})   turn 200 − turn 10: ${grown.toFixed(2)} ms`,
  )
}
const aborts = []
for (let round = 0; round < ROUNDS; round++)
  aborts.push(
    await page.evaluate(async (url) => (await import(`${url}/bench.js`)).abortMs(), server.url),
  )
const [hanging, writing] = [0, 1].map((at) => Math.max(...aborts.map((row) => row[at])).toFixed(0))
console.log(`an abort   at most ${writing} ms while text comes, ${hanging} ms while a tool hangs`)
await context.close()
await rm(profile, { recursive: true, force: true })
server.close()

function measure(way, prompt) {
  return page.evaluate(
    async ({ way, url, prompt }) => {
      const bench = await import(`${url}/bench.js`)
      if (way === 'by hand') return bench.byHand(`${url}/v1`, prompt)
      return bench.byOffstage(`${url}/v1`, prompt, way === 'memory' ? 'memory' : { name: 'bench' })
    },
    { way, url: server.url, prompt },
  )
}

function meanTurn(stamps) {
  return (stamps.at(-1) - stamps[0]) / (stamps.length - 1)
}

/** The mean of the last ten turns less that of turns 5 to 15. */
function growth(stamps) {
  const at = (from, to) => (stamps[to] - stamps[from]) / (to - from)
  return at(stamps.length - 11, stamps.length - 1) - at(5, 15)
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
