// Measures how much of the page's main thread the chat uses while an answer streams. The floor is the same answer, read
// by hand in the page and not shown. The processor is slowed down four times. Interleaved rounds, medians. `chat-long`
// measures long conversations.
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startChatServer } from './lib/chat-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const THROTTLE = Number(process.env.THROTTLE ?? 4)
/** The processor's time where nothing slows it down: a machine that others share adds to the clock's. */
const METRIC = THROTTLE === 1 ? 'ThreadTime' : 'TaskDuration'
const RATE = 1000
const SECONDS = 5
const CHARACTERS_OF_TOKEN = 4
const EARLY = 2000 / CHARACTERS_OF_TOKEN
const LATE = 200_000 / CHARACTERS_OF_TOKEN

const server = await startChatServer()
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS })
const cases = {
  idle: { begin: null, before: 0 },
  'by hand': { begin: 'beginByHand', before: EARLY },
  'chat at 2 kB': { begin: 'beginInChat', before: EARLY },
  'chat at 2 kB, followed': { begin: 'beginInChat', before: EARLY, isFollowed: true },
  'chat at 200 kB': { begin: 'beginInChat', before: LATE },
  'chat at 200 kB, followed': { begin: 'beginInChat', before: LATE, isFollowed: true },
}
const rows = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, benchCase] of Object.entries(cases)) rows[name].push(await measure(benchCase))

const busy = (name) => median(rows[name].map((row) => row.busy))
const idle = busy('idle')
const floor = busy('by hand') - idle
for (const name of Object.keys(cases)) {
  const task = Math.max(...rows[name].map((row) => row.task))
  const allBusy = rows[name].map((row) => row.busy.toFixed(0)).join(' ')
  console.log(
    `${name.padEnd(25)} ${(busy(name) - idle).toFixed(0).padStart(4)} ms of main thread a second (${((busy(name) - idle) / floor).toFixed(2)}× the floor), longest task ${task < 50 ? 'below 50' : task.toFixed(0)} ms   [${allBusy}]`,
  )
}
for (const suffix of ['', ', followed']) {
  const growth = (busy(`chat at 200 kB${suffix}`) - idle) / (busy(`chat at 2 kB${suffix}`) - idle)
  console.log(`a token at 200 kB costs ${growth.toFixed(2)} times one at 2 kB${suffix}`)
}
const drawings = []
for (let round = 0; round < ROUNDS; round += 1) drawings.push(await drawAtOnce())
const longest = Math.max(...drawings.map(({ task }) => task))
console.log(
  `200 kB at once are drawn in ${median(drawings.map(({ ms }) => ms)).toFixed(0)} ms, longest task ${longest < 50 ? 'below 50' : longest.toFixed(0)} ms`,
)
await browser.close()
server.close()

/** An answer that is there at once, as from a cache, on a page that is warm. */
async function drawAtOnce() {
  return inPage(async ({ page, cdp, call }) => {
    await call('beginInChat', `${EARLY} then 0 at ${RATE}`)
    await call('untilDrawn')
    for (let turn = 0; turn < 2; turn += 1) await fetch(`${server.url}/go`)
    await page.waitForTimeout(300)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE })
    await call('longestTask')
    await call('beginInChat', `${LATE} then 0 at ${RATE}`)
    await call('untilRead', LATE * CHARACTERS_OF_TOKEN)
    const ms = await call('untilDrawn')
    return { ms, task: await call('longestTask') }
  })
}

async function inPage(work) {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.on('pageerror', (error) => console.error(error))
  await page.goto(server.url)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  const call = (name, argument) =>
    page.evaluate(
      async ({ name, argument }) => (await import('/bench/lib/chat-page.js'))[name](argument),
      { name, argument },
    )
  try {
    return await work({ page, cdp, call })
  } finally {
    await context.close()
  }
}

/** Milliseconds of the page's main thread a second, and its longest task. */
async function measure(benchCase) {
  return inPage((session) => measureIn(session, benchCase))
}

async function measureIn({ page, cdp, call }, { begin, before, isFollowed = false }) {
  const continueAnswer = () => fetch(`${server.url}/go`)
  const startAnswer = async (tokens) => {
    await call(begin, `${before} then ${tokens} at ${RATE}`)
    await call('untilRead', before * CHARACTERS_OF_TOKEN)
    // The chat draws text that arrived all at once in slices.
    if (begin === 'beginInChat') await call('untilDrawn')
    await page.waitForTimeout(500)
    if (isFollowed) await call('follow')
    await page.waitForTimeout(100)
    return async () => {
      await continueAnswer()
      await call('untilRead', (before + tokens) * CHARACTERS_OF_TOKEN)
    }
  }
  const endAnswer = async () => {
    await continueAnswer()
    await page.waitForTimeout(300)
  }
  if (begin) {
    // Warms up.
    for (let turn = 0; turn < 2; turn += 1) {
      await (
        await startAnswer(RATE)
      )()
      await endAnswer()
    }
  }
  const tokens = RATE * SECONDS
  const stream = begin ? await startAnswer(tokens) : () => page.waitForTimeout(SECONDS * 1000)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE })
  await page.waitForTimeout(500)
  await call('longestTask')
  const first = await metrics(cdp)
  await stream()
  const last = await metrics(cdp)
  const task = await call('longestTask')
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  if (begin) await endAnswer()
  const seconds = last.Timestamp - first.Timestamp
  return { busy: ((last[METRIC] - first[METRIC]) * 1000) / seconds, task }
}

async function metrics(cdp) {
  const { metrics: entries } = await cdp.send('Performance.getMetrics')
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
