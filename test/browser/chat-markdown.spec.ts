import type * as parts from '../../src/ui/chat/chat-parts.ts'
import * as fc from 'fast-check'
import { MORE as ALL } from '../../scripts/lib/more.mjs'
import { SEED } from '../../scripts/lib/seed.mjs'
import { hostileMarkdown } from './support/hostile-markdown.ts'
import { holds, PIECES, textOfMarkdown } from './support/markdown-text.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

// How the chat shows a model's Markdown: the built entry `offstage/chat/parts`, in a page.

/** Elements that Markdown may produce. */
const TAGS =
  'A BLOCKQUOTE BR BUTTON CODE DIV EM H3 H4 H5 H6 HR INPUT LI OL P PRE S SPAN STRONG TABLE TD TH TR UL'.split(
    ' ',
  )
const ATTRIBUTES =
  'checked class data-language disabled href rel start tabindex target title type'.split(' ')

test.beforeEach(({ page }) => {
  page.setDefaultTimeout(120_000)
})

test('more than 300 hostile texts stay text, in every chunking', async ({ openPage, site }) => {
  expect(hostileMarkdown.length).toBeGreaterThanOrEqual(300)
  // Lists have the same padding as in the chat's own styles.
  const page = await openPage({ body: '<style>ul, ol { padding-inline-start: 1.5em }</style>' })
  const asked: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) asked.push(request.url())
  })
  const problems = await page.evaluate(
    async ({ texts, tags, attributes, cutsEach }) => {
      const address = '/dist/chat-parts.js'
      const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
      const words = wordsFor('en')
      const hits: string[] = []
      Object.assign(window, { hit: () => hits.push('a script ran') })
      const draw = (text: string, size: number): HTMLElement => {
        const box = document.createElement('div')
        box.style.cssText =
          'contain: layout style; overflow: clip; overflow-wrap: anywhere; width: 300px'
        document.body.append(box)
        const shown = new ShownMarkdown(box)
        for (let end = size; end < text.length; end += size)
          shown.update({ text: text.slice(0, end), isWhole: false, options: {}, words })
        shown.update({ text, isWhole: true, options: {}, words })
        return box
      }
      const problems: string[] = []
      for (const [at, text] of texts.entries()) {
        const about = JSON.stringify(text.slice(0, 60))
        const whole = draw(text, text.length)
        // Every cut of a short text; of a long one, pieces of a few sizes. `npm test` cuts each fourth text.
        const sizes = text.length < 200 ? [1, 2, 3, 7] : [7, 997]
        for (const size of at % cutsEach === 0 ? sizes : []) {
          const cut = draw(text, size)
          if (cut.innerHTML !== whole.innerHTML)
            problems.push(`${about} differs in pieces of ${size}`)
          cut.remove()
        }
        for (const element of whole.querySelectorAll('*')) {
          if (!tags.includes(element.tagName)) problems.push(`${about} made a ${element.tagName}`)
          for (const { name, value } of element.attributes) {
            if (!attributes.includes(name)) problems.push(`${about} made the attribute ${name}`)
            if (name === 'href' && !/^(https?|mailto):/.test(value))
              problems.push(`${about} links ${value}`)
          }
        }
        if (whole.scrollWidth > 300 && !whole.querySelector('.table, pre'))
          problems.push(`${about} is wider than its box`)
        let depth = 0
        for (let at: Element | null = deepest(whole); at !== whole && at; at = at.parentElement)
          depth++
        if (depth > 40) problems.push(`${about} is ${depth} deep`)
        whole.remove()
      }
      return [...problems, ...hits]

      function deepest(root: Element): Element {
        let [found, most] = [root, 0]
        const walk = (element: Element, level: number): void => {
          if (level > most) [found, most] = [element, level]
          for (const child of element.children) walk(child, level + 1)
        }
        walk(root, 0)
        return found
      }
    },
    { texts: hostileMarkdown, tags: TAGS, attributes: ATTRIBUTES, cutsEach: ALL ? 1 : 4 },
  )
  expect(problems).toEqual([])
  expect(asked).toEqual([])
})

const SHOWN: readonly (readonly [what: string, text: string, html: string])[] = [
  ['emphasis', '**a** *b* ~~c~~', '<p><strong>a</strong> <em>b</em> <s>c</s></p>'],
  ['names with underscores', 'a_b_c and __init__', '<p>a_b_c and <strong>init</strong></p>'],
  [
    'underscores within and around words',
    'a__b __c d__ _e_f_',
    '<p>a__b <strong>c d</strong> <em>e_f</em></p>',
  ],
  ['headings below those of a page', '# a\n## b', '<h3>a</h3><h4>b</h4>'],
  ['HTML as text', 'a <b>c</b>', '<p>a &lt;b&gt;c&lt;/b&gt;</p>'],
  ['a list in a list', '- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
  ['a numbered list from 3', '3. a', '<ol start="3"><li>a</li></ol>'],
  ['a quotation', '> a', '<blockquote><p>a</p></blockquote>'],
  [
    'mathematics as its source',
    'a \\(x_1\\), $a^2$',
    '<p>a <span class="math">\\(x_1\\)</span>, <span class="math">$a^2$</span></p>',
  ],
  ['prices as text', '19 $ a month, **39 $ a month**', '<p>19 $ a month, <strong>39 $ a month</strong></p>'], // prettier-ignore
  ['a link that leads nowhere safe as its source', '[a](javascript:x)', '<p>[a](javascript:x)</p>'],
  ['indices', 'a[0] and [1], [2][3]', '<p>a[0] and [1], [2][3]</p>'],
  ['labels in brackets', '[WARNING] Low', '<p>[WARNING] Low</p>'],
  ['JSON', '{"plan":["a","b"]}', '<p>{"plan":["a","b"]}</p>'],
  ['a bracket that stays open', 'an [x', '<p>an [x</p>'],
  ['emphasis that stays open', '*args and **kwargs', '<p>*args and **kwargs</p>'],
  ['a rule', 'a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
  ['emphasis that ends at tildes', '*****1# 2*~~~ | ', '<p>****<em>1# 2</em>~~~ | </p>'],
]

for (const [what, text, html] of SHOWN)
  test(`shows ${what}`, MORE, async ({ openPage }) => {
    const page = await openPage()
    const shown = await page.evaluate(async (text) => {
      const address = '/dist/chat-parts.js'
      const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
      const box = document.createElement('div')
      new ShownMarkdown(box).update({ text, isWhole: true, options: {}, words: wordsFor('en') })
      return box.innerHTML
    }, text)
    expect(shown).toBe(html)
  })

test('every non-markup character is shown, and chunking does not change the result', async ({
  openPage,
}) => {
  const seed = SEED ?? Math.floor(Math.random() * 2 ** 31)
  const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 })
  const texts = fc
    .sample(pieces, { seed, numRuns: ALL ? 5000 : 300 })
    .map((each) => each.join(''))
    // Indented code, whose indentation is counted in columns, is tried by an example of its own.
    .filter((text) => !/^[ >*+\-\d.)]*(?: {4}|\t)/m.test(text))
    // The reference lets any run beside a tilde open and close; GFM looks at what follows the tildes.
    .filter((text) => !/[*_]~|~[*_]/.test(text))
  const page = await openPage()
  const drawn = await page.evaluate(async (all) => {
    const address = '/dist/chat-parts.js'
    const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
    const words = wordsFor('en')
    const draw = (text: string, size: number): HTMLElement => {
      const box = document.createElement('div')
      const shown = new ShownMarkdown(box)
      for (let end = size; end < text.length; end += size)
        shown.update({ text: text.slice(0, end), isWhole: false, options: {}, words })
      shown.update({ text, isWhole: true, options: {}, words })
      return box
    }
    return all.map((text) => {
      const whole = draw(text, text.length)
      const isSame = [1, 2, 3, 7].every((size) => draw(text, size).innerHTML === whole.innerHTML)
      for (const head of whole.querySelectorAll('.code-head')) head.remove()
      return { isSame, shown: whole.textContent ?? '' }
    })
  }, texts)
  const wrong = texts.filter((text, index) => {
    const { isSame = false, shown = '' } = drawn[index] ?? {}
    return !isSame || !holds(shown.replaceAll(/\s/g, ''), textOfMarkdown(text))
  })
  expect(wrong, `seed ${seed}`).toEqual([])
})

test('drawn content stays, and longer texts cost no more per character', async ({ openPage }) => {
  const page = await openPage()
  const found = await page.evaluate(async () => {
    const address = '/dist/chat-parts.js'
    const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
    const words = wordsFor('en')
    const box = document.createElement('div')
    document.body.append(box)
    const shown = new ShownMarkdown(box)
    const part =
      'A paragraph with **words** in it.\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| c | d |\n\n'
    let text = part
    shown.update({ text, isWhole: false, options: {}, words })
    const first = box.firstElementChild
    let changed = 0
    new MutationObserver((records) => {
      for (const { target } of records) if (first?.contains(target)) changed++
    }).observe(box, { subtree: true, childList: true, characterData: true })
    for (let turn = 0; turn < 200; turn++) {
      text += part
      shown.update({ text, isWhole: false, options: {}, words })
    }
    await new Promise((resolve) => setTimeout(resolve))
    return {
      isSame: first === box.firstElementChild,
      changed,
      tables: box.querySelectorAll('table').length,
      // Counts the siblings of the growing element. The browser lays them out again with each line.
      side: Math.max(
        ...[box, ...box.querySelectorAll('.part')].map((each) => each.childElementCount),
      ),
    }
  })
  expect(found).toMatchObject({ isSame: true, changed: 0 })
  expect(found.tables).toBeGreaterThanOrEqual(200)
  expect(found.side).toBeLessThan(60)
})

test('a picture loads after a press, or when the page allows its origin', async ({
  openPage,
  site,
}) => {
  const asked: string[] = []
  site.add('/x.png', { body: '', type: 'image/png' })
  const page = await openPage({ body: '<div id=one></div><div id=two></div>' })
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.evaluate(async (origin) => {
    const address = '/dist/chat-parts.js'
    const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
    const draw = (id: string, imageOrigins: readonly string[]): void => {
      const box = document.getElementById(id)
      if (!box) return
      const text = `![A cup](${origin}/x.png?${id})`
      new ShownMarkdown(box).update({
        text,
        isWhole: true,
        options: { imageOrigins },
        words: wordsFor('en'),
      })
    }
    draw('one', [])
    draw('two', [origin])
  }, site.url)
  await expect(page.locator('#two img')).toHaveAttribute('alt', 'A cup')
  await expect(page.locator('#one img')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'A cup' })).toContainText('/x.png')
  await page.getByRole('button', { name: 'A cup' }).click()
  await expect(page.locator('#one img')).toHaveAttribute('referrerpolicy', 'no-referrer')
})

test('a line of very many tabs is shown', async ({ openPage }) => {
  const page = await openPage()
  const shown = await page.evaluate(async () => {
    const address = '/dist/chat-parts.js'
    const { ShownMarkdown, wordsFor } = (await import(address)) as typeof parts
    const box = document.createElement('div')
    const text = `${'\t'.repeat(30_000)}x`
    new ShownMarkdown(box).update({ text, isWhole: true, options: {}, words: wordsFor('en') })
    return box.textContent?.includes('x')
  })
  expect(shown).toBe(true)
})
