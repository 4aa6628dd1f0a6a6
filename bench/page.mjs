// Compares page readers: the text that the model gets, and the time that reading takes in the page. Covers Offstage,
// page-agent and agentpage (`npm ci --ignore-scripts` in bench/peers), and Playwright's snapshot for agents. Each reads
// each page alone, as its agent would. ROUNDS=0 skips the times; the first argument after the name picks pages.
import { chromium } from '@playwright/test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { CHROMIUM_ARGS, findChromium } from '../scripts/lib/browser.mjs'
import { longestTask, mainThread } from './lib/page-cost.mjs'
import { pageReaders } from './lib/page-readers.mjs'
import { startPageSite } from './lib/page-site.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const LARGE = /-5000$/
const UNLIMITED = 10_000_000
const SLOW_MS = 5000
/** Lines of Playwright's snapshots. */
const INTERACTIVE =
  /^\s*- (?:button|link|checkbox|radio|switch|slider|spinbutton|combobox|listbox|option|menuitem\w*|tab|treeitem|textbox|searchbox)\b.*\[ref=|\[cursor=pointer\]/

const site = await startPageSite()
const pages = site.pages.filter(({ name }) => name.includes(process.argv[3] ?? ''))
const readers = await pageReaders()
const problems = []
const slow = new Set()
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS })

for (const { name, version = '', reason = '' } of readers)
  console.log(`${name} ${version}${reason}`.trim())

const columns = readers.flatMap((reader) =>
  reader.name === 'offstage'
    ? [
        reader,
        { ...reader, name: 'offstage, no limit', options: { maxTokens: UNLIMITED } },
        { ...reader, name: 'aria snapshot with refs', sizeOf: ariaSize },
      ]
    : [reader],
)
await table('Tokens (o200k) / characters of the text, interactive elements that it shows', {
  columns,
  pages,
  width: 30,
  cells: async ({ url, name }) => {
    const found = []
    for (const reader of columns)
      found.push(await attempt(reader, url, (page) => (reader.sizeOf ?? size)(page, reader, name)))
    return found
  },
})

if (ROUNDS > 0) {
  await table(`Main-thread ms of the first read, of one after a change; medians of ${ROUNDS}`, {
    columns: readers,
    pages,
    width: 34,
    cells: (page) => timed(page, mainThread, ROUNDS),
  })
  await table('Longest task (ms) on a processor slowed down 4×, likewise', {
    columns: readers,
    pages: pages.filter(({ name }) => LARGE.test(name)),
    width: 34,
    cells: (page) => timed(page, longestTask, Math.min(3, ROUNDS)),
  })
}

for (const problem of problems) console.log(problem)
await browser.close()
site.close()

async function table(title, { columns, pages, width, cells }) {
  if (pages.length === 0) return
  const print = (name, values) =>
    console.log(`${name.padEnd(16)}${values.map((value) => value.padStart(width)).join('')}`)
  console.log(`\n${title}`)
  print(
    '',
    columns.map(({ name }) => name),
  )
  for (const page of pages) print(page.name, await cells(page))
}

async function size(page, { options }) {
  const text = await page.evaluate(
    (readOptions) => globalThis.pageReader.read(readOptions),
    options,
  )
  const { shown, all } = await page.evaluate(
    (readText) => globalThis.pageReader.shown(readText),
    text,
  )
  return describeText(text, { shown, all })
}

function describeText(text, { shown, all }) {
  const tokens = countTokens(text, { disallowedSpecial: new Set() })
  return `${tokens} / ${text.length}, ${shown} of ${all}`
}

/**
 * Measures Playwright's snapshot for agents. Playwright can't run inside a page, so lines are counted by their roles.
 */
async function ariaSize(page, _, name) {
  // 5000 rows take it more than half a minute, in which the page can't be closed.
  if (LARGE.test(name)) return 'left out'
  const text = await page.ariaSnapshot({ mode: 'ai' })
  const { all } = await page.evaluate(() => globalThis.pageReader.shown(''))
  const lines = text.split('\n').filter((line) => INTERACTIVE.test(line))
  return describeText(text, { shown: Math.min(lines.length, all), all })
}

/**
 * Rounds are interleaved, so that what else the machine does falls on all readers. What takes many
 * seconds is measured once, and not at all with a slower processor.
 */
async function timed({ url }, measure, rounds) {
  const costs = readers.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, reader] of readers.entries()) {
      const key = `${reader.name} ${url}`
      if (slow.has(key)) continue
      const cost = await attempt(reader, url, measure)
      costs[at].push(cost)
      if (cost.first > SLOW_MS) slow.add(key)
    }
  }
  const [ours] = costs.map(medians)
  return costs.map((values) => {
    if (values.length === 0) return 'left out'
    const failure = values.find((value) => typeof value === 'string')
    if (failure) return failure
    const theirs = medians(values)
    return ['first', 'again'].map((key) => withRatio(theirs[key], ours[key])).join(', ')
  })
}

function medians(values) {
  return { first: median(values, 'first'), again: median(values, 'again') }
}

function median(values, key) {
  const sorted = values.map((value) => value[key] ?? 0).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** `12 (3.0×)`: beside Offstage's. Tasks under 50 ms are not reported by browsers. */
function withRatio(value, ours) {
  if (value === 0) return 'under 50'
  const ratio = ours > 0 && value !== ours ? ` (${(value / ours).toFixed(1)}×)` : ''
  return `${value.toFixed(value < 10 ? 1 : 0)}${ratio}`
}

/** Runs a reader in a fresh page. Returns its findings, or the reason why it can't run. */
async function attempt({ name, script, reason }, url, measure) {
  if (reason) return '–'
  const page = await browser.newPage()
  try {
    await page.addInitScript({ content: script })
    await page.goto(url)
    await page.waitForFunction(() => document.body?.querySelector('*') !== null)
    await page.waitForTimeout(200)
    return await measure(page)
  } catch (error) {
    problems.push(`${name} on ${url}: ${error.message.split('\n')[0]}`)
    return 'failed'
  } finally {
    await page.close()
  }
}
