// Runs the same conversations in one Chromium with a handwritten loop (the floor), with Offstage and with other SDKs that
// run in a page, and reads the same page with Offstage, page-agent and agentpage. Interleaved rounds, medians. A whole
// run writes the tables and charts of docs/performance.md. ROUNDS sets the rounds (default 3).
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { mainThread } from './lib/page-cost.mjs'
import { pageReaders } from './lib/page-readers.mjs'
import { startPageSite } from './lib/page-site.mjs'
import { bundleLibraries, LIBRARIES, libraryVersions } from './lib/peer-libraries.mjs'
import { printReport, writeReport } from './lib/peer-report.mjs'
import { startPeerServer } from './lib/peer-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
/** A scenario that takes longer is measured once, and stopped at the limit. Milliseconds. */
const SLOW_MS = 15_000
const LIMIT_MS = 60_000
const SCENARIOS = ['deltas-20000', 'deltas-80000', 'input-200', 'turns-50']
const PAGES = ['table-5000', 'nested-5000']

const versions = libraryVersions(['@page-agent/page-controller', 'agentpage'])
const folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-bench-'))
await bundleLibraries(folder)
const server = await startPeerServer({ bundles: folder })
// On disk: a default context keeps IndexedDB in memory.
const context = await chromium.launchPersistentContext(path.join(folder, 'profile'), {
  executablePath: await findChromium(),
  args: CHROMIUM_ARGS,
})
const browser = await context.browser().newBrowserCDPSession()

/** Per library and scenario, a measurement a round. */
const measured = LIBRARIES.map(() => new Map(SCENARIOS.map((scenario) => [scenario, []])))
const scriptBytes = []
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, library] of LIBRARIES.entries()) {
    for (const scenario of SCENARIOS) {
      const rows = measured[at].get(scenario)
      if (rows[0]?.ms > SLOW_MS) continue
      const page = await openPage(library)
      scriptBytes[at] = server.takeScriptBytes()
      const row = await measure(page, library, scenario)
      rows.push(row)
      await page.close()
      const mainThread = `${row.isStopped ? 'more than ' : ''}${row.mainThread.toFixed(0)}`
      console.log(
        `${round + 1}/${ROUNDS} ${library.name} ${scenario}: ${mainThread} ms of main thread`,
      )
    }
  }
}
const reading = await readPages()
await context.close()
await rm(folder, { recursive: true, force: true })
server.close()

const report = {
  libraries: LIBRARIES.map(({ name }, at) => ({
    name,
    scriptBytes: scriptBytes[at],
    scenarios: Object.fromEntries(
      [...measured[at]].map(([scenario, rows]) => [
        scenario,
        {
          mainThread: median(rows, 'mainThread'),
          cpu: median(rows, 'cpu'),
          turn: median(rows, 'turn'),
          isStopped: rows.some(({ isStopped }) => isStopped),
        },
      ]),
    ),
  })),
  reading,
  versions,
  rounds: ROUNDS,
}
printReport(report)
if (process.env.ROUNDS === undefined) writeReport(report)

/** A page in which the library is loaded and warm. */
async function openPage(library) {
  const page = await context.newPage()
  server.takeScriptBytes()
  await page.goto(server.url)
  for (const scenario of ['deltas-20000', 'input-10', 'turns-10'])
    await play(page, library, scenario)
  return page
}

function play(page, { script, options }, scenario) {
  return page.evaluate(
    async ({ url, ...given }) => (await import(`${url}/peer-runner.js`)).measure(given),
    {
      url: server.url,
      script: `/${script}`,
      baseURL: `${server.url}/v1/${scenario}`,
      ...options,
    },
  )
}

async function measure(page, library, scenario) {
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await clocks(cdp)
  const counts = await Promise.race([
    play(page, library, scenario),
    sleep(LIMIT_MS, undefined, { ref: false }),
  ])
  if (!counts)
    return { isStopped: true, ms: LIMIT_MS, mainThread: LIMIT_MS, cpu: LIMIT_MS, turn: 0 }
  const after = await clocks(cdp)
  requireWhole(counts, library, scenario)
  const times = counts.callTimes
  return {
    isStopped: false,
    ms: after.ms - before.ms,
    mainThread: after.mainThread - before.mainThread,
    cpu: after.cpu - before.cpu,
    turn: (times.at(-1) - times[0]) / (times.length - 1) || 0,
  }
}

/** Milliseconds: of the wall, of the page's main thread, and of all threads of all renderers. */
async function clocks(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo')
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  return {
    ms: performance.now(),
    mainThread: metrics.find(({ name }) => name === 'TaskDuration').value * 1000,
    cpu: renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0) * 1000,
  }
}

/** A library that loses something is not fast. */
function requireWhole({ characters, inputLength, callTimes }, { name }, scenario) {
  const [kind, count] = scenario.split('-')
  const expected = {
    deltas: { characters: count * 4, inputLength: 0, calls: 0 },
    input: { characters: 4, inputLength: count * 1024, calls: 1 },
    turns: { characters: 4, inputLength: `Turn ${count - 1}`.length, calls: Number(count) },
  }[kind]
  const found = { characters, inputLength, calls: callTimes.length }
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(
      `${name} did not play ${scenario}: ${JSON.stringify(found)} in place of ${JSON.stringify(expected)}.`,
    )
}

/** Main-thread milliseconds of the first read of a page. */
async function readPages() {
  const site = await startPageSite()
  const pages = site.pages.filter(({ name }) => PAGES.includes(name))
  const readers = await pageReaders()
  const rows = []
  for (const { name, url } of pages) {
    const costs = readers.map(() => [])
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, { script }] of readers.entries()) {
        if (costs[at][0]?.first > SLOW_MS) continue
        const page = await context.newPage()
        await page.addInitScript({ content: script })
        await page.goto(url)
        const cost = await Promise.race([
          mainThread(page),
          sleep(LIMIT_MS, undefined, { ref: false }),
        ])
        costs[at].push(cost ?? { first: LIMIT_MS, isStopped: true })
        await page.close()
      }
    }
    rows.push({
      page: name,
      readers: readers.map((reader, at) => ({
        name: reader.name,
        first: median(costs[at], 'first'),
        isStopped: costs[at].some(({ isStopped }) => isStopped),
      })),
    })
  }
  site.close()
  return rows
}

function median(rows, key) {
  const sorted = rows.map((row) => row[key]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
