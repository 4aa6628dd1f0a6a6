// Long conversations and many of them in the chat: how soon the newest messages of one can be used, what scrolling through
// all of it costs, and what is left in memory of those that were looked at. The processor is slowed down four times.
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { startChatServer } from './lib/chat-server.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const THROTTLE = Number(process.env.THROTTLE ?? 4)
const MESSAGES = Number(process.env.MESSAGES ?? 2000)
const NEWEST = Math.min(50, MESSAGES)
const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 200)
const MESSAGES_OF_SHORT = 20
/** How long a conversation that was left is still followed. Milliseconds. */
const FOLLOWED_MS = 6000
const name = 'bench-chat'

const server = await startChatServer()
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS })
const context = await browser.newContext()
const shortIds = Array.from({ length: CONVERSATIONS }, (_, at) => `short${at}`)
await inPage(async ({ page, call }) => {
  await call('seed', name, {
    long: MESSAGES,
    ...Object.fromEntries(shortIds.map((id) => [id, MESSAGES_OF_SHORT])),
  })
  await page.waitForTimeout(500)
})

const opened = []
for (let round = 0; round < ROUNDS; round += 1)
  opened.push(
    await inPage(async ({ call, throttle, page }) => {
      // Another one first: a page's chat is warm when a person chooses a conversation.
      await call('openStored', { name, conversationId: 'short0', count: MESSAGES_OF_SHORT })
      await throttle()
      await call('longestTask')
      const { first, ms } = await call('openStored', {
        name,
        conversationId: 'long',
        count: NEWEST,
      })
      await page.waitForTimeout(3000)
      const opening = await call('longestTask')
      const scrolled = await call('scrollThrough')
      await page.waitForTimeout(500)
      return { first, ms, opening, scrolled, scrolling: await call('longestTask') }
    }),
  )
const medianText = (key) => median(opened.map((row) => row[key])).toFixed(0)
const describeTask = (key) => {
  const times = opened.map((row) => row[key])
  return `longest task ${median(times) < 50 ? 'below 50' : median(times).toFixed(0)} ms [${times.map((each) => each.toFixed(0)).join(' ')}]`
}
console.log(
  `${MESSAGES} messages: the newest after ${medianText('first')} ms, ${NEWEST} after ${medianText('ms')} ms, ${describeTask('opening')}`,
)
console.log(`scrolled through in ${medianText('scrolled')} ms, ${describeTask('scrolling')}`)

const memoryRows = await inPage(async ({ call, cdp, page }) => {
  const memory = async () => {
    await page.waitForTimeout(FOLLOWED_MS)
    await cdp.send('HeapProfiler.collectGarbage')
    const { metrics } = await cdp.send('Performance.getMetrics')
    const valueOf = (metricName) => metrics.find((metric) => metric.name === metricName).value
    return {
      heap: valueOf('JSHeapUsedSize') / 1e6,
      nodes: valueOf('Nodes'),
      listeners: valueOf('JSEventListeners'),
    }
  }
  const rows = {}
  for (const [at, conversationId] of shortIds.entries()) {
    await call('openStored', { name, conversationId, count: MESSAGES_OF_SHORT })
    if ([20, 100, CONVERSATIONS].includes(at + 1)) rows[at + 1] = await memory()
  }
  return rows
})
for (const [count, { heap, nodes, listeners }] of Object.entries(memoryRows))
  console.log(
    `after ${count} conversations: ${heap.toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`,
  )
await browser.close()
server.close()

async function inPage(work) {
  const page = await context.newPage()
  page.on('pageerror', (error) => console.error(error))
  await page.goto(server.url)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  const call = (method, ...args) =>
    page.evaluate(
      async ({ method, args }) => (await import('/bench/lib/chat-page.js'))[method](...args),
      { method, args },
    )
  const throttle = () => cdp.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE })
  try {
    return await work({ page, cdp, call, throttle })
  } finally {
    await page.close()
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
