import { readFileSync } from 'node:fs'
import path from 'node:path'
import { countTokens } from '../apps/count-tokens.ts'
import { drive } from '../apps/drive.ts'
import { samplePages } from '../apps/sample-pages.mjs'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/page-apps.ts'
import { MORE, inSlice } from './support/more.ts'

// Checks that read_page stays within its token budget, counted by real tokenizers. On a long English page it must also
// use most of that budget.

const BUDGETS = [200, 500, 2000, 8000]
const APPS =
  'antd editor headless lit-todo mui radix react-todo shoelace svelte-todo vue-todo'.split(' ')

const patterns = readFileSync(
  path.resolve(import.meta.dirname, '../apps/pages/aria-patterns.html'),
  'utf8',
)

/** Reads a page in every way within each budget; resolves to the counts of the first way. */
async function expectWithinBudgets(
  page: Pick<DrivenPage, 'evaluate'>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const maxTokens of BUDGETS) {
    const { call } = await drive(page, { maxTokens })
    const read = async (input: object): Promise<string> => {
      const text = await call('read_page', input)
      const tokens = countTokens(text)
      expect(tokens, `of ${maxTokens}: ${JSON.stringify(input)}\n${text}`).toBeLessThanOrEqual(
        maxTokens,
      )
      return text
    }
    const text = await read({})
    counts.set(maxTokens, countTokens(text))
    const from = /\[from=(e\d+)\]/.exec(text)?.[1]
    if (from) await read({ from })
    const ref = /\[ref=(e\d+)\]/.exec(text)?.[1]
    if (ref) await read({ ref })
    await page.evaluate(() => {
      const copies = [...document.body.children].map((child) => child.cloneNode(true))
      document.body.append(...copies.slice(0, 20))
    })
    await read({ since: /Snapshot (s\d+)/.exec(text)?.[1] })
  }
  return counts
}

test('real apps stay within the budget', MORE, async ({ app }) => {
  for (const name of APPS) {
    await expectWithinBudgets(await app(name))
  }
})

for (const [name, body] of Object.entries({ ...samplePages, patterns })) {
  test(
    `a page stays within the budget: ${name}`,
    inSlice(name === 'article'),
    async ({ openPage }) => {
      const counts = await expectWithinBudgets(await openPage({ body }))
      if (name !== 'article' && name !== 'nested-5000') return
      for (const maxTokens of [500, 2000])
        expect(counts.get(maxTokens), `used of ${maxTokens}`).toBeGreaterThan(maxTokens * 0.8)
    },
  )
}

let seed = 1
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((seed / 2 ** 31) * below)
}

const among = (characters: string) => () => characters[random(characters.length)] ?? ''
const between = (first: number, last: number) => () =>
  String.fromCodePoint(first + random(last - first))
const SMALL = 'abcdefghijklmnopqrstuvwxyz'

const alphabets: Readonly<Record<string, () => string>> = {
  'small letters': among(`${SMALL}   `),
  capitals: among(`${SMALL.toUpperCase()}   `),
  base64: among(`${SMALL}${SMALL.toUpperCase()}0123456789+/`),
  numbers: among('0123456789 0123456789 .,'),
  'single digits': () => `${random(10)} `,
  'single letters': () => `${among(SMALL)()} `,
  signs: among('!#$%*+,-./:;=?@[]^_{|}~ '),
  addresses: () => `https://${random(1e9)}.example/${among(SMALL)()}?id=${random(1e6)}%2F&x `,
  'Chinese characters': between(0x4e00, 0x9fff),
  Hangul: between(0xac00, 0xd7a3),
  kana: between(0x3041, 0x30ff),
  Arabic: between(0x627, 0x64a),
  Devanagari: between(0x905, 0x939),
  emoji: between(0x1f300, 0x1f6ff),
}

for (const [name, character] of Object.entries(alphabets)) {
  test(`a page of ${name} stays within the budget`, MORE, async ({ openPage }) => {
    const text = (length: number): string =>
      Array.from({ length }, () => character().replace(/[<&]/g, '')).join('')
    const block = (): string =>
      `<h2>${text(20)}</h2><p>${text(300)}</p><button>${text(12)}</button><a href="#x">${text(40)}</a>
      <ul><li>${text(30)}</li><li>${text(30)}</li></ul><label>${text(8)}<input></label>`
    const page = await openPage({ body: Array.from({ length: 40 }, block).join('') })
    const title = text(200)
    await page.evaluate((long) => {
      document.title = long
      history.replaceState(null, '', `?q=${encodeURIComponent(long)}`)
    }, title)
    await expectWithinBudgets(page)
  })
}
