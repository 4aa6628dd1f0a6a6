// npm run screenshots: pictures of the chat to look at, in .cache/screenshots: light, dark, on a phone, from right to left,
// in forced colours and at 200 %, beside a plain page of forms and cards.
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from './lib/browser.mjs'
import { inProject } from './lib/project.mjs'
import { run } from './lib/run.mjs'

const OUT = inProject('.cache/screenshots')
/** `context` is what Playwright makes the page with; `html` the attributes of its root. */
const VIEWS = {
  light: {},
  dark: { context: { colorScheme: 'dark' } },
  phone: { context: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } },
  'right-to-left': { html: 'dir=rtl' },
  'forced-colours': { context: { forcedColors: 'active' } },
  'zoom-200': { context: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
}
const ANSWER =
  'Here is **what we have**, as [the catalogue](https://example.org/all) says:\n\n| name | price |\n| --- | --- |\n| mug | 12.50 |\n| bowl | 18.00 |\n\n- a mug in `blue`\n- a bowl\n\n```js\nconst order = { sku: "mug-blue", count: 2, note: "a line that is wider than a panel" }\n```\n'
const PLACEMENTS = ['panel', 'bubble', 'inline']

const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
await mkdir(OUT, { recursive: true })
const server = createServer((request, response) => void answer(request, response))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS })
for (const [name, view] of Object.entries(VIEWS))
  for (const placement of PLACEMENTS) await picture(name, view, placement)
await browser.close()
server.close()
console.log(`${Object.keys(VIEWS).length * PLACEMENTS.length} pictures in ${OUT}`)

async function picture(name, { context = {}, html = '' }, placement) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context })
  const address = new URL(`http://127.0.0.1:${server.address().port}/`)
  address.search = String(new URLSearchParams({ html, placement }))
  await page.goto(address.href)
  if (placement === 'bubble') await page.locator('button.bubble').click()
  await page.locator('textarea').fill('Show me what you have, and order a mug')
  await page.locator('button.send').click()
  await page.locator('.approval .buttons').waitFor()
  // The card rests for a moment.
  await page.waitForTimeout(800)
  await page.screenshot({ path: path.join(OUT, `${name}-${placement}.png`) })
  await page.close()
}

async function answer({ url = '/' }, response) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  if (pathname === '/') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(searchParams))
    return
  }
  try {
    const body = await readFile(inProject(pathname.slice(1)))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}

function pageOf(search) {
  return `<!doctype html><html lang="en" ${search.get('html')}><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Shop</title>
<style>
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
  nav { padding: 0.5rem 1rem; background: #0d6efd; color: white; }
  main { display: flex; flex-wrap: wrap; gap: 1rem; padding: 1rem; }
  .card { inline-size: 14rem; padding: 1rem; border: 1px solid #8888; border-radius: 0.375rem; }
  .card button { padding: 0.375rem 0.75rem; border: 0; border-radius: 0.375rem; background: #0d6efd; color: white; }
  offstage-chat[placement=inline] { block-size: 36rem; inline-size: min(40rem, 100%); }
</style>
<nav>Shop</nav>
<main>${['Mug', 'Bowl', 'Plate'].map((each) => `<div class="card"><h5>${each}</h5><p>Made by hand.</p><button>Buy</button></div>`).join('')}
<offstage-chat heading="Shop helper" placement="${search.get('placement')}"></offstage-chat></main>
<script type="module">
  import { createAgent, defineTool } from '/dist/index.js'
  import '/dist/chat.js'
  const text = ${JSON.stringify(ANSWER)}
  document.querySelector('offstage-chat').agent = createAgent({
    model: { provider: 'scripted', model: 'x', script: { steps: [
      { text, toolCalls: [{ toolName: 'order', input: { sku: 'mug-blue', count: 2 } }] },
    ] } },
    storage: 'memory',
    tools: [defineTool({
      name: 'order', title: 'Place the order', description: 'Orders.', needsApproval: true,
      inputSchema: { type: 'object', properties: { sku: { type: 'string' }, count: { type: 'integer' } } },
      execute: () => 'Ordered.',
    })],
  })
</script></html>`
}
