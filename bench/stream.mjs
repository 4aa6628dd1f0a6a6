// Measures how much main-thread time a long answer costs: read by hand in the page, and through Offstage's worker. The
// browser itself counts that time (TaskDuration). Interleaved rounds, medians.
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const scenarios = {
  '20 000 deltas at once': { deltas: 20_000, perSecond: Infinity },
  '1 000 deltas a second, 3 s': { deltas: 3000, perSecond: 1000 },
}
const root = path.resolve(import.meta.dirname, '..')
let scenario = scenarios['20 000 deltas at once']

const server = createServer((request, response) => {
  if (request.method === 'OPTIONS') response.writeHead(204).end()
  else if (request.method === 'POST') void stream(request, response)
  else void sendFile(request.url, response)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS })
const page = await browser.newPage()
await page.goto(url)
const cdp = await page.context().newCDPSession(page)
await cdp.send('Performance.enable')

for (const [name, chosen] of Object.entries(scenarios)) {
  scenario = chosen
  const rows = { hand: [], offstage: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of ['hand', 'offstage']) {
      const busy = await mainThread(way)
      // The first round warms up.
      if (round > 0) rows[way].push(busy)
    }
  }
  const hand = median(rows.hand)
  const ours = median(rows.offstage)
  console.log(
    `${name.padEnd(28)} by hand ${hand.toFixed(0)} ms, Offstage ${ours.toFixed(0)} ms of main thread: ${(ours / hand).toFixed(2)}×`,
  )
}
await browser.close()
server.close()

async function mainThread(way) {
  const before = await taskDuration()
  await page.evaluate(
    async ({ way, url }) => {
      const bench = await import(`${url}/bench.js`)
      await (way === 'hand'
        ? bench.byHand(`${url}/v1/chat/completions`)
        : bench.byOffstage(`${url}/v1`))
    },
    { way, url },
  )
  return (await taskDuration()) - before
}

async function taskDuration() {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
}

async function stream(request, response) {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const { deltas, perSecond } = scenario
  const perTick = perSecond === Infinity ? 200 : Math.max(1, Math.round(perSecond / 100))
  for (let sent = 0; sent < deltas; sent += perTick) {
    for (let n = sent; n < Math.min(sent + perTick, deltas); n++) response.write(delta(`tok${n} `))
    await new Promise((resolve) =>
      perSecond === Infinity ? setImmediate(resolve) : setTimeout(resolve, 10),
    )
  }
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`)
}

function delta(content) {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

async function sendFile(address, response) {
  if (address === '/') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Bench</title>')
    return
  }
  const file = address === '/bench.js' ? 'bench/lib/stream-page.js' : address.slice(1)
  try {
    const body = await readFile(path.join(root, file))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
