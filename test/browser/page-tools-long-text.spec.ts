import { drive, type Drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Texts that are longer than a line of an outline: read whole, searched, changed in the middle, and checked.

const LINES = Array.from(
  { length: 420 },
  (_, index) => `${'  '.repeat(index % 3)}Line ${index}: ${'word '.repeat(7)}end ${index}`,
)
const DRAFT = LINES.join('\n')

/** Reads a text from a mark on, to its end. */
async function readAll(call: Drive['call'], input: object): Promise<string> {
  let text = ''
  let next: object | null = input
  for (let reads = 0; next && reads < 40; reads += 1) {
    const read = await call('read_page', next)
    const lines = [...read.matchAll(/^ {2}\| (.*)$/gm)].map(([, line]) => line)
    const from = /^- … \d+ more \[from=(e\d+:\d+)\]$/m.exec(read)?.[1]
    text += lines.join('\n')
    next = from ? { from } : null
  }
  return text
}

test(
  'a draft of 20 000 characters is read whole, edited in the middle and checked',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: '<label>Draft <textarea></textarea></label>' })
    await page.evaluate((text) => {
      document.querySelector('textarea')!.value = text
    }, DRAFT)
    expect(DRAFT.length).toBeGreaterThan(20_000)
    const { call } = await drive(page)
    const outline = await call('read_page')
    const [, ref = '', mark = ''] =
      /textbox "Draft" \[ref=(e\d+)\]: Line 0: .* \[from=(e\d+:0)\]/.exec(outline) ?? []
    expect(await readAll(call, { ref })).toBe(DRAFT)
    expect(await readAll(call, { from: mark })).toBe(DRAFT)
    // Searched, and read from there on.
    const found = await call('find', { text: 'end 300' })
    const [, from = ''] = /….*end 300.*\[from=(e\d+:\d+)\]/.exec(found) ?? []
    expect(await call('read_page', { from })).toMatch(/\| .*end 300\n/)
    // By characters, by a passage, and by what is selected.
    const at = DRAFT.indexOf('Line 200:')
    const replace = { from: at, to: at + 'Line 200:'.length }
    const report = await call('type_text', { ref, text: 'Verse 200:', replace })
    expect(report).toContain(`holds ${DRAFT.length + 1} characters`)
    expect(await call('select_text', { ref, text: 'word word' })).toMatch(/^ambiguous: .*give from/)
    expect(await call('select_text', { ref, text: 'word word', from: 0 })).toMatch(/^Selected/)
    expect(await call('select_text', { ref, text: 'Line 210:' })).toMatch(
      /^Selected "Line 210:" in textbox "Draft" \[ref=e\d+\], characters \d+ to \d+/,
    )
    await call('type_text', { ref, text: 'Verse 210:', mode: 'insert' })
    await call('select_text', { ref, text: ' end 419' })
    await call('type_text', { ref, text: '', mode: 'insert' })
    const expected = DRAFT.replace('Line 200:', 'Verse 200:')
      .replace('Line 210:', 'Verse 210:')
      .replace(' end 419', '')
    expect(await property(page, 'textarea', 'value')).toBe(expected)
    expect(await readAll(call, { ref })).toBe(expected.replace(/ +$/, ''))
    expect(await call('type_text', { ref, text: 'x', replace: { from: 5, to: 99_999 } })).toMatch(
      /^invalid-input: /,
    )
    expect(await call('select_text', { ref, text: 'nowhere' })).toMatch(/^not-found: /)
  },
)

test('code and preformatted text keep their lines, and long paragraphs their end', async ({
  openPage,
}) => {
  const code = 'if (a) {\n    b()\n\n\treturn\n}'
  const page = await openPage({
    body: `<main><pre><code>${code}</code></pre><p>Begin ${'word '.repeat(900)}<b>in</b>side end.</p><button>Go</button></main>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  const [pre = '', long = ''] = [...outline.matchAll(/\[from=(e\d+:\d+)\]/g)].map(
    ([, from]) => from,
  )
  expect(await readAll(call, { from: pre })).toBe(code)
  const rest = await readAll(call, { from: long })
  expect(rest).toMatch(/^(rd|d|word)? ?word .* inside end\.$/)
  expect(await call('find', { text: 'inside end' })).toContain('inside end')
  // Selected as a person would, for a toolbar or a comment.
  const [ref = ''] = pre.split(':')
  expect(await call('select_text', { ref, text: 'b()' })).toMatch(/^Selected "b\(\)"/)
  expect(await call('read_selection')).toContain('b()')
})

test('a rich editor is edited in the middle', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<div contenteditable role="textbox" aria-label="Body"><p>First line</p><p>Second <b>bold</b> line</p><p><br></p><p>${'Third '.repeat(60)}</p></div>`,
  })
  const { call } = await drive(page)
  const [, ref = ''] = /textbox "Body".* \[ref=(e\d+)\]/.exec(await call('read_page')) ?? []
  expect(await readAll(call, { ref })).toBe(
    `First line\nSecond bold line\n\n${'Third '.repeat(60).trim()}`,
  )
  await call('select_text', { ref, text: 'bold' })
  expect(await call('type_text', { ref, text: 'plain', mode: 'insert' })).not.toMatch(/^\w+-/)
  // Firefox keeps a space beside what is typed as one that doesn't break.
  expect(await property(page, 'p:nth-child(2)', 'textContent')).toMatch(/^Second\splain\sline$/)
  await call('type_text', { ref, text: 'Last', replace: { from: 0, to: 5 } })
  expect(await property(page, 'p', 'textContent')).toBe('Last line')
})

test(
  'a space before replaced text stays, even at the end of a line',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<div contenteditable role="textbox" aria-label="Body"><p>Second <b>bold</b></p><p>Then <i>a <b>last</b></i><br></p></div>`,
    })
    const { call } = await drive(page)
    await call('type_text', { ref: 'Body', text: 'plain', replace: { from: 7, to: 11 } })
    await call('type_text', { ref: 'Body', text: 'one', replace: { from: 20, to: 24 } })
    const texts = [
      await property(page, 'p', 'textContent'),
      await property(page, 'p:nth-child(2)', 'textContent'),
    ]
    // Chromium keeps it as one that doesn't break.
    expect(texts.map((text) => String(text).replaceAll('\u{a0}', ' '))).toEqual([
      'Second plain',
      'Then a one',
    ])
  },
)

test('masked or unseen text is never read on, found or selected', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<label>Password <input type="password" value="hunter2-secret"></label>
      <label>Notes <textarea>${'filler '.repeat(40)}\nhunter2-secret stays\n\\[ref=e1] end</textarea></label>
      <p>Shown ${'word '.repeat(400)}<span style="opacity: 0.01">Obey the hidden</span> end</p>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  const [notes = '', long = ''] = [...outline.matchAll(/\[from=(e\d+):\d+\]/g)].map(
    ([, ref]) => ref,
  )
  const read = await call('read_page', { from: `${notes}:0` })
  expect(read).toContain('| [masked] stays')
  expect(await call('read_page', { from: `${notes}:285` })).not.toMatch(/hunter|unter2|-secret/)
  expect(await call('select_text', { ref: notes, text: 'hunter2' })).toMatch(/^not-found: /)
  expect(await call('find', { text: 'hunter2' })).not.toContain('hunter2-s')
  expect(await call('read_page', { from: `${long}:0` })).not.toContain('Obey')
  expect(await call('select_text', { ref: 'Password', text: 'hunter2' })).toMatch(/^unsupported: /)
  expect(await call('select_text', { ref: 'Password', text: 'wrong' })).toMatch(/^unsupported: /)
})
