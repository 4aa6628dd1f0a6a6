import { countTokens } from '../apps/count-tokens.ts'
import { drive } from '../apps/drive.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/page-apps.ts'
import { MORE, eachNth } from './support/more.ts'

// Checks the priorities of read_page when a page exceeds its budget. Texts are shortened first; controls are left out
// last, and counted in their place. Pages are generated, with a number on each control.

const BUDGETS = [500, 1000, 2000, 8000]
const MOST_IN_VIEW = 100
const PAGES = 24

const WORDS =
  'account address archive balance billing calendar city comment contract country currency customer delivery department discount document invoice language message month number office order owner payment person phone product profile project quantity region report room schedule search section service setting status street summary team title total user version week'.split(
    ' ',
  )

/** Numbers that look random and are the same each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 7919 + 17
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** A page of some controls between prose, tables, lists and a dialog. */
function pageOf(seed: number): { readonly body: string; readonly controls: number } {
  const random = randomFrom(seed)
  const controls = 20 + random(281)
  let made = 0
  const words = (count: number): string =>
    Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(' ')
  const control = (): string => {
    made += 1
    const name = `k${made} ${words(1 + random(6))}`
    const kinds = [
      `<button data-k="${made}">${name}</button>`,
      `<a data-k="${made}" href="#${made}">${name}</a>`,
      `<input data-k="${made}" aria-label="${name}" value="${words(random(12))}">`,
      `<label><input data-k="${made}" type="checkbox" ${random(2) ? 'checked' : ''}> ${name}</label>`,
      `<select data-k="${made}" aria-label="${name}">${Array.from({ length: 2 + random(12) }, () => `<option>${words(2)}</option>`).join('')}</select>`,
      `<span data-k="${made}" tabindex="0">${name}</span>`,
      `<button data-k="${made}" aria-pressed="true" disabled>${name}</button>`,
    ]
    return kinds[random(kinds.length)] ?? ''
  }
  const some = (count: number): string =>
    Array.from({ length: Math.min(count, controls - made) }, control).join(' ')
  const prose = (): string => `<p>${words(20 + random(80))}.</p>`
  const blocks: readonly (() => string)[] = [
    () => prose(),
    () => `<h2>${words(3)}</h2>${prose()}<p>${some(1 + random(8))}</p>`,
    () => `<div>${some(4 + random(20))}</div>`,
    () =>
      `<table>${Array.from({ length: 2 + random(10) }, () => `<tr><td>${words(3)}</td><td>${words(2 + random(12))}</td><td>${some(1)}</td></tr>`).join('')}</table>`,
    () =>
      `<ul>${Array.from({ length: 2 + random(12) }, () => `<li>${words(2 + random(9))} ${some(1)}</li>`).join('')}</ul>`,
    () =>
      `<table>${Array.from({ length: 3 + random(9) }, () => `<tr><td>${words(5)}</td><td>${words(16)}</td></tr>`).join('')}</table>`,
    () =>
      `<section aria-label="${words(2)}"><h3>${words(2)}</h3><div><div>${some(3)}</div>${prose()}</div></section>`,
    () =>
      `<fieldset><legend>${words(2)}</legend>${some(3 + random(5))}<small>${words(9)}</small></fieldset>`,
  ]
  let body =
    random(3) === 0
      ? `<div role="dialog" aria-label="${words(2)}" style="position:fixed;right:9px;bottom:9px;width:400px;background:#fff"><p>${words(60)}</p>${some(3)}</div>`
      : ''
  while (made < controls) body += blocks[random(blocks.length)]?.() ?? ''
  const size = [9, 12, 14, 16][random(4)]
  return { body: `<main style="font-size:${size}px">${body}</main>`, controls }
}

/** The numbers of the controls of which a person sees something. */
function inView(page: Pick<DrivenPage, 'evaluate'>): Promise<readonly number[]> {
  return page.evaluate(() => {
    const seen: number[] = []
    const collect = (document: Document, height: number): void => {
      for (const control of document.querySelectorAll<HTMLElement>('[data-k]')) {
        const { top, bottom } = control.getBoundingClientRect()
        if (bottom > 1 && top < height - 1) seen.push(Number(control.dataset['k']))
      }
    }
    collect(document, innerHeight)
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentDocument)
        collect(frame.contentDocument, Math.min(innerHeight, frame.getBoundingClientRect().height))
    return seen
  })
}

/** The numbers of the controls that have a line with a ref. */
function shownIn(text: string): Set<number> {
  const lines = text.split('\n').filter((line) => line.includes('[ref='))
  return new Set(lines.flatMap((line) => Number(/\bk(\d+)\b/.exec(line)?.[1] ?? 0) || []))
}

/** How many are left out, as the marks say. */
function leftOutIn(text: string): number {
  return [...text.matchAll(/(\d+) interactive/g)].reduce((sum, [, count]) => sum + Number(count), 0)
}

async function expectControlsFirst(
  page: Pick<DrivenPage, 'evaluate'>,
  { controls }: { readonly controls: number },
): Promise<void> {
  const visible = await inView(page)
  for (const maxTokens of BUDGETS) {
    const { call } = await drive(page, { maxTokens })
    const text = await call('read_page', {})
    const about = `${visible.length} of ${controls} in view, ${maxTokens} tokens\n${text}`
    expect(countTokens(text), about).toBeLessThanOrEqual(maxTokens)
    const shown = shownIn(text)
    if (maxTokens >= 2000 && visible.length <= MOST_IN_VIEW)
      expect(
        visible.filter((one) => !shown.has(one)),
        about,
      ).toEqual([])
    expect(shown.size + leftOutIn(text), about).toBe(controls)
    // Nothing that is read is more important than a control in view without a ref.
    if (visible.some((one) => !shown.has(one))) expect(text, about).not.toMatch(/^\s*- text: /m)
    else if (shown.size < controls)
      expect(countTokens(text), about).toBeGreaterThan(maxTokens * 0.75)
  }
}

for (let seed = 1; seed <= PAGES; seed += 1) {
  test(`controls come before texts: page ${seed}`, eachNth(8, seed - 1), async ({ openPage }) => {
    const { body, controls } = pageOf(seed)
    await expectControlsFirst(await openPage({ body }), { controls })
  })
}

test('controls come before texts in a frame', MORE, async ({ openPage }) => {
  const { body, controls } = pageOf(3)
  const page = await openPage({ body: '<p>Around it</p><iframe title="Inside"></iframe>' })
  await page.evaluate((html) => {
    const frame = document.querySelector('iframe')
    if (!frame) return
    frame.style.cssText = 'width:900px;height:500px'
    if (frame.contentDocument) frame.contentDocument.body.innerHTML = html
  }, body)
  await expectControlsFirst(page, { controls })
})

test('a long help table does not push out controls', MORE, async ({ openPage }) => {
  const help = Array.from(
    { length: 14 },
    (_, at) =>
      `<tr><td>Key ${at}</td><td>${WORDS.slice(at, at + 30).join(' ')} ${WORDS.slice(at).join(' ')}</td></tr>`,
  ).join('')
  const buttons = Array.from({ length: 5 }, (_, at) => `<button>Apply ${at}</button>`).join('')
  const page = await openPage({
    body: `<main style="font-size:9px;line-height:1"><h1>Keys</h1><table>${help}</table><div>${buttons}</div></main>`,
  })
  const { call } = await drive(page, { maxTokens: 600 })
  const text = await call('read_page', {})
  for (let at = 0; at < 5; at += 1)
    expect(text).toMatch(new RegExp(`"Apply ${at}" \\[ref=e\\d+\\]`))
  // The help follows as far as there is room, with a mark to read on.
  expect(text).toMatch(/- row: Key 0 \| .*\[from=e\d+:\d+\]/)
  expect(countTokens(text)).toBeGreaterThan(450)
})

test(
  'omitted controls are counted in place, and can be read from there',
  MORE,
  async ({ openPage }) => {
    const section = (part: number): string =>
      `<h2>Part ${part}</h2><div>${Array.from({ length: 50 }, (_, at) => `<button data-k="${part * 50 + at + 1}">k${part * 50 + at + 1}</button>`).join(' ')}</div>`
    const body = `<main>${[0, 1, 2, 3, 4, 5].map(section).join('')}</main>`
    const page = await openPage({ body })
    const { call } = await drive(page, { maxTokens: 1000 })
    const seen = new Set<number>()
    let text = await call('read_page', {})
    expect(text).toMatch(/heading "Part 1"/)
    for (let reads = 0; reads < 12; reads += 1) {
      for (const one of shownIn(text)) seen.add(one)
      const from = /interactive \[from=(e\d+)\]/.exec(text)?.[1]
      if (!from) break
      text = await call('read_page', { from })
    }
    expect(seen.size).toBe(300)
  },
)
