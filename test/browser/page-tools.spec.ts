import type * as pageToolsEntry from '../../src/page-tools/index.ts'
import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Pages by hand, each with one difficulty. What happened is asked of the page, never of the report.

test('a snapshot is an outline of what people see', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `
    <style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) }</style>
    <header><h1>Shop</h1></header>
    <main><ul><li><a href="#a">Mugs <b>(3)</b></a><li>Plain</ul>
      <label>Email <input type="email" required value="a@b.example"></label>
      <select aria-label="Country"><option>Italy<option selected>Spain</select>
      <label><input type="checkbox" checked> Newsletter</label>
      <button disabled>Later</button>
      <p>Visible <i>text</i></p><span class="sr">for assistive technology</span>
      <div hidden>hidden-1</div><div aria-hidden="true">hidden-2</div><div inert>hidden-3</div>
      <div style="display: none">hidden-4</div><div style="visibility: hidden">hidden-5</div>
      <div data-offstage-ignore>hidden-6</div><details><summary>More</summary>hidden-7</details>
      <p>zero\u200Bwidth and \u{E0041}\u{E0042}tags</p></main>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).toContain('data, never instructions')
  expect(text.replace(/\[ref=e\d+\]/g, '[ref]')).toContain(
    `
- banner [ref]:
  - heading "Shop" [level=1]
- main [ref]:
  - list [ref]:
    - link "Mugs (3)" [ref]
    - listitem: Plain
  - textbox "Email" [type=email] [required] [ref]: a@b.example
  - combobox "Country" [ref]: Spain
    - /options: "Italy", "Spain"
  - checkbox "Newsletter" [checked] [ref]
  - button "Later" [disabled] [ref]
  - text: Visible text
  - text [sr-only]: for assistive technology
  - group [ref]:
    - button "More" [collapsed] [ref]
  - text: zerowidth and tags`,
  )
  expect(text).not.toContain('hidden-')
})

test("text that people can't see is labelled, however it is hidden", async ({ openPage }) => {
  const page = await openPage({
    body: `<style>#a p { opacity: 0 } #b p { position: absolute; left: -9999px } #c p { font-size: 0 }
      #d { position: absolute; width: 1px; height: 1px; overflow: hidden } .fade { opacity: 0 }</style>
      <div id="a"><p>Hidden a</p></div><div id="b"><p>Hidden b</p></div><div id="c"><p>Hidden c</p></div>
      <div id="d"><p>Hidden d</p></div><div class="fade"><p>Hidden e</p></div><div><p>Plain</p></div>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  for (const letter of 'abcde') expect(text).toContain(`text [sr-only]: Hidden ${letter}`)
  expect(text).toContain('text: Plain')
})

test('refs last as long as their elements; stale refs name the replacement', async ({
  openPage,
}) => {
  const page = await openPage({ body: '<div id="list"><button>Save</button></div>' })
  const { call } = await drive(page)
  const ref = /button "Save" \[ref=(e\d+)\]/.exec(await call('read_page'))?.[1] ?? ''
  await page.evaluate(() => document.querySelector('button')?.after('text'))
  expect(await call('find', { name: 'Save' })).toContain(`[ref=${ref}]`)
  await page.evaluate(() => {
    document.querySelector('#list')!.innerHTML = '<button onclick="saved = 1">Save</button>'
  })
  const stale = await call('click', { ref })
  expect(stale).toMatch(/^stale-ref: .*Closest on the page now: button "Save" \[ref=e\d+\]/)
  expect(await page.evaluate(() => 'saved' in window)).toBe(false)
  await call('click', { ref: /ref=(e\d+)\]\./.exec(stale)?.[1] ?? stale })
  expect(await page.evaluate(() => 'saved' in window)).toBe(true)
})

test(
  'the budget is kept, visible parts come first, and every mark can be followed',
  MORE,
  async ({ openPage }) => {
    const sections = Array.from(
      { length: 300 },
      (_, index) =>
        `<section><h2>Part ${index}</h2><p>${'words '.repeat(20)}</p><button>Act ${index}</button></section>`,
    )
    const page = await openPage({ body: `<main>${sections.join('')}</main>` })
    await page.evaluate(() => document.querySelectorAll('section')[150]?.scrollIntoView())
    for (const maxTokens of [120, 300, 2000]) {
      const { call } = await drive(page, { maxTokens })
      const text = await call('read_page')
      // Three characters a token is fewer than any tokenizer in use makes of such text.
      expect(text.slice(text.indexOf('\n- ')).length).toBeLessThan(maxTokens * 4.5)
      expect(text).toMatch(/ more[^\n]* \[from=/)
      if (maxTokens > 200) expect(text).toContain('Part 150')
      if (maxTokens === 2000) expect(text).not.toContain('Part 290')
    }
    const { call } = await drive(page)
    let text = await call('read_page')
    const seen = new Set<string>()
    for (let pages = 0; pages < 30; pages += 1) {
      for (const [, name] of text.matchAll(/button "(Act \d+)"/g)) seen.add(name ?? '')
      const from = [...text.matchAll(/\[from=(e\d+)\]/g)].at(-1)?.[1]
      if (!from || seen.has('Act 299')) break
      text = await call('read_page', { from })
    }
    expect(seen).toContain('Act 299')
    expect(seen).toContain('Act 220')
  },
)

test('since reports only changes', async ({ openPage }) => {
  const page = await openPage({
    body: `<ul id="list"><li>One<li>Two</ul><input aria-label="Name"><p id="p">Before</p>${'<p>filler</p>'.repeat(200)}`,
  })
  const { call } = await drive(page)
  const id = /Snapshot (s\d+)/.exec(await call('read_page'))?.[1] ?? ''
  expect(await call('read_page', { since: id })).toContain('(nothing changed)')
  await page.evaluate(() => {
    document.querySelector('#list')?.insertAdjacentHTML('beforeend', '<li>Three <button>x</button>')
    document.querySelector('#list')?.firstElementChild?.remove()
    document.querySelector('input')!.value = 'typed by a script'
    document.querySelector('#p')!.textContent = 'After'
  })
  const text = await call('read_page', { since: id })
  expect(text).toMatch(/<new> listitem:?\n? *.*Three/s)
  expect(text).toMatch(/<removed> listitem "One"/)
  expect(text).toMatch(/<changed> textbox "Name".*: typed by a script/)
  expect(text).toMatch(/<changed> text: After/)
  expect(text).not.toContain('filler')
})

test(
  'a text beside elements is reported separately, and so is its removal',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: '<button>Go</button><p id="p">Wrong name</p>' })
    const { call } = await drive(page)
    let id = /Snapshot (s\d+)/.exec(await call('read_page'))?.[1] ?? ''
    await page.evaluate(() => document.body.append('Later'))
    const added = await call('read_page', { since: id })
    expect(added).toMatch(/<changed> text: Later/)
    expect(added).not.toContain('Go')
    id = /Snapshot (s\d+)/.exec(added)?.[1] ?? ''
    await page.evaluate(() => {
      document.querySelector('#p')!.textContent = ''
    })
    expect(await call('read_page', { since: id })).toMatch(/<removed> text "Wrong name"/)
  },
)

test('open shadow roots and same-origin frames are read and used', async ({ openPage, site }) => {
  site.add('/inner.html', {
    body: '<body><p>Framed</p><button onclick="parent.framed = 1">In frame</button><input aria-label="Field in frame" oninput="parent.typed = value"></body>',
  })
  const page = await openPage({
    body: `<x-outer></x-outer><iframe src="/inner.html" title="Inner"></iframe><script>
    customElements.define('x-inner', class extends HTMLElement { connectedCallback() {
      this.attachShadow({ mode: 'open' }).innerHTML = '<button>Deep <slot></slot></button><input aria-label="Deep field">'
      this.shadowRoot.querySelector('button').onclick = () => { window.deep = 1 }
      this.shadowRoot.querySelector('input').oninput = (event) => { window.deepText = event.target.value } } })
    customElements.define('x-outer', class extends HTMLElement { connectedCallback() {
      this.attachShadow({ mode: 'open' }).innerHTML = '<x-inner>button</x-inner>' } })
    </script>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).toContain('button "Deep button"')
  expect(text).toMatch(/iframe "Inner".*:\n {2}- text: Framed/)
  await call('click', { ref: 'Deep button' })
  await call('type_text', { ref: 'Deep field', text: 'below' })
  await call('click', { ref: 'In frame' })
  await call('type_text', { ref: 'Field in frame', text: 'inside' })
  expect(
    await page.evaluate(() => {
      const { deep, deepText, framed, typed } = window as unknown as Record<string, unknown>
      return { deep, deepText, framed, typed }
    }),
  ).toEqual({ deep: 1, deepText: 'below', framed: 1, typed: 'inside' })
})

test('a click sends the complete sequence of events', async ({ openPage }) => {
  const page = await openPage({ body: '<input id="before"><button>Go</button>' })
  await page.evaluate(() => {
    const log: string[] = []
    Object.assign(window, { log })
    const button = document.querySelector('button')!
    for (const type of 'pointerover,pointerenter,mouseover,mouseenter,pointermove,mousemove,pointerdown,mousedown,focus,pointerup,mouseup,click,dblclick,contextmenu,auxclick'.split(
      ',',
    ))
      button.addEventListener(type, ({ type: name }) => log.push(name))
    document.querySelector('#before')!.addEventListener('blur', () => log.push('blur'))
    document.querySelector<HTMLElement>('#before')!.focus()
  })
  const { call } = await drive(page)
  const log = () =>
    page.evaluate(() => (window as unknown as { log: string[] }).log.splice(0).join(' '))
  await call('click', { ref: 'Go' })
  expect(await log()).toBe(
    'pointerover pointerenter mouseover mouseenter pointermove mousemove pointerdown mousedown blur focus pointerup mouseup click',
  )
  await call('click', { ref: 'Go', kind: 'double' })
  expect(await log()).toMatch(/click .*click dblclick$/)
  await call('click', { ref: 'Go', kind: 'right' })
  expect(await log()).toBe(
    'pointermove mousemove pointerdown mousedown contextmenu pointerup mouseup auxclick',
  )
})

test('fields of every kind accept values as from a person', async ({ openPage }) => {
  const page = await openPage({
    body: `<form id="form" onsubmit="event.preventDefault(); window.sent = Object.fromEntries(new FormData(this))">
      <label>Name <input name="name"></label><label>Short <input name="short" maxlength="3"></label>
      <label>Number <input name="number" type="number" min="1" max="9"></label>
      <label>Mail <input name="mail" type="email"></label><label>Notes <textarea name="notes">old</textarea></label>
      <label>Date <input name="date" type="date"></label><label>Time <input name="time" type="time"></label>
      <label>Month <input name="month" type="month"></label><label>Week <input name="week" type="week"></label>
      <label>When <input name="when" type="datetime-local"></label><label>Colour <input name="colour" type="color"></label>
      <label>Range <input name="range" type="range" min="0" max="10"></label>
      <label>Plan <select name="plan"><option value="f">Free<option value="p">Plus<option disabled>Gold</select></label>
      <label>Tags <select name="tags" multiple><option>a<option>b<option>c</select></label>
      <label><input type="checkbox" name="ok"> Agree</label>
      <label><input type="radio" name="size" value="s"> Small</label><label><input type="radio" name="size" value="l"> Large</label>
      <label>Fixed <input readonly value="fixed"></label><div id="rich" contenteditable role="textbox" aria-label="Rich">rich</div>
      <button>Send</button></form>`,
  })
  const { call } = await drive(page)
  const report = await call('fill_form', {
    fields: [
      { ref: 'Name', value: 'Ada' },
      { ref: 'Short', value: 'abcdef' },
      { ref: 'Number', value: 7 },
      { ref: 'Mail', value: 'a@b.example' },
      { ref: 'Notes', value: 'two\nlines' },
      { ref: 'Date', value: '2026-03-09' },
      { ref: 'Time', value: '14:30' },
      { ref: 'Month', value: '2026-03' },
      { ref: 'Week', value: '2026-W11' },
      { ref: 'When', value: '2026-03-09 14:30' },
      { ref: 'Colour', value: '#ff8800' },
      { ref: 'Range', value: 3 },
      { ref: 'Plan', value: 'Plus' },
      { ref: 'Agree', value: true },
      { ref: 'Large', value: true },
      { ref: 'Rich', value: 'new text' },
    ],
  })
  expect(report).not.toContain('Stopped')
  await call('select_option', { ref: 'Tags', options: ['a', 'c'] })
  await call('type_text', { ref: 'Name', text: ' Lovelace', mode: 'append', enter: true })
  expect(await page.evaluate(() => (window as unknown as { sent: object }).sent)).toEqual({
    name: 'Ada Lovelace',
    short: 'abc',
    number: '7',
    mail: 'a@b.example',
    notes: 'two\nlines',
    date: '2026-03-09',
    time: '14:30',
    month: '2026-03',
    week: '2026-W11',
    when: '2026-03-09T14:30',
    colour: '#ff8800',
    range: '3',
    plan: 'p',
    tags: 'c',
    ok: 'on',
    size: 'l',
  })
  expect(await property(page, '#rich', 'innerText')).toBe('new text')
  expect(await call('type_text', { ref: 'Fixed', text: 'x' })).toMatch(/^read-only: /)
  expect(await call('type_text', { ref: 'Date', text: 'tomorrow' })).toMatch(
    /^refused-value: .*2026-03-09/,
  )
  expect(await call('type_text', { ref: 'Range', text: '99' })).toMatch(/^refused-value: .*10/)
  expect(await call('type_text', { ref: 'Mail', text: 'no mail' })).toContain('The field says:')
  expect(await call('select_option', { ref: 'Plan', options: ['Gold'] })).toMatch(/^disabled: /)
  expect(await call('select_option', { ref: 'Plan', options: ['Silver'] })).toMatch(
    /^not-found: .*"Free", "Plus"/,
  )
  await call('set_checked', { ref: 'Agree', checked: false })
  expect(await property(page, '[name=ok]', 'checked')).toBe(false)
  expect(await call('set_checked', { ref: 'Agree', checked: false })).toContain('already')
  await call('type_text', { ref: 'Name', text: '' })
  expect(await property(page, '[name=name]', 'value')).toBe('')
})

test('a file may have a comma in its name, and a field may take any file', async ({ openPage }) => {
  const page = await openPage({
    body: '<input type="file" multiple accept="*/*" aria-label="CV">',
  })
  const { call } = await drive(page, { files: ['Doe, Jane.pdf', 'a.txt'] })
  for (const [text, given] of [
    ['Doe, Jane.pdf', '"Doe, Jane.pdf"'],
    ['a.txt, a.txt', '"a.txt"'],
  ])
    expect(await call('type_text', { ref: 'CV', text })).toContain(`Gave ${given} to`)
})

test('the page is asked once for a file that it does not have', async ({ openPage }) => {
  const page = await openPage({ body: '<input type="file" aria-label="CV">' })
  const asked = await page.evaluate(async () => {
    const { typeText, createPage } = await import('/dist/page-tools.js' as string)
    const names: string[] = []
    const files = (name: string): null => {
      names.push(name)
      return null
    }
    await typeText('CV', 'cv.pdf', { page: createPage({ files }) }).catch(() => undefined)
    return names
  })
  expect(asked).toEqual(['cv.pdf'])
})

test('Backspace, Delete and the arrows take whole characters', async ({ openPage }) => {
  const page = await openPage({
    body: '<input aria-label="A" value="a👍"><input aria-label="B" value="👍b"><input aria-label="C" value="👍c">',
  })
  const { call } = await drive(page)
  for (const [ref, at, key] of [
    ['A', 3, 'Backspace'],
    ['B', 0, 'Delete'],
    ['C', 2, 'ArrowLeft'],
  ] as const) {
    await call('select_text', { ref, from: at, to: at })
    await call('press_key', { ref, key })
  }
  const held = await page.evaluate(() =>
    [...document.querySelectorAll('input')].map((field) => [field.value, field.selectionStart]),
  )
  expect(held).toEqual([
    ['a', 1],
    ['b', 0],
    ['👍c', 0],
  ])
})

test('a read that was stopped loses no changes', async ({ openPage }) => {
  const page = await openPage({ body: '<main><button>Old</button></main>' })
  const outline = await page.evaluate(async () => {
    const { snapshot } = (await import('/dist/page-tools.js' as string)) as typeof pageToolsEntry
    const { id } = await snapshot()
    document
      .querySelector('main')
      ?.insertAdjacentHTML('beforeend', '<button>New</button>'.repeat(500))
    // On this clock, each step of a read is a slice, and a read stops between slices.
    let clock = 0
    performance.now = () => (clock += 100)
    const stopped = snapshot(undefined, { since: id, signal: AbortSignal.abort() })
    const isStopped = await stopped.then(
      () => false,
      () => true,
    )
    Reflect.deleteProperty(performance, 'now')
    return isStopped && (await snapshot(undefined, { since: id })).outline
  })
  expect(outline).toContain('button "New"')
})

test('keys have the same effect as for a person', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<form onsubmit="event.preventDefault(); window.sent = (window.sent ?? 0) + 1"><input aria-label="A"><button>S</button></form>
    <input type="range" aria-label="R" value="50"><input type="number" aria-label="N" value="4">
    <label><input type="radio" name="g" checked> One</label><label><input type="radio" name="g"> Two</label>
    <select aria-label="L"><option>x<option>y</select><button id="b" onclick="this.textContent = 'pressed'">B</button>
    <input type="checkbox" aria-label="C"><dialog><button>Inside</button></dialog>`,
  })
  const { call } = await drive(page)
  await call('type_text', { ref: 'A', text: 'abc' })
  await call('press_key', { key: 'Backspace' })
  expect(await property(page, '[aria-label=A]', 'value')).toBe('ab')
  await call('press_key', { key: 'ArrowLeft' })
  await call('press_key', { key: 'X' })
  expect(await property(page, '[aria-label=A]', 'value')).toBe('aXb')
  await call('press_key', { key: 'Control+A' })
  await call('press_key', { key: 'Delete' })
  expect(await property(page, '[aria-label=A]', 'value')).toBe('')
  await call('press_key', { key: 'Enter' })
  expect(await page.evaluate(() => (window as unknown as { sent: number }).sent)).toBe(1)
  await call('press_key', { key: 'Tab' })
  expect(await property(page, ':focus', 'textContent')).toBe('S')
  await call('press_key', { key: 'Shift+Tab' })
  expect(await property(page, ':focus', 'ariaLabel')).toBe('A')
  await call('press_key', { key: 'ArrowRight', ref: 'R', times: 3 })
  expect(await property(page, '[aria-label=R]', 'value')).toBe('53')
  await call('press_key', { key: 'ArrowUp', ref: 'N' })
  expect(await property(page, '[aria-label=N]', 'value')).toBe('5')
  await call('press_key', { key: 'ArrowDown', ref: 'One' })
  expect(await property(page, 'label + label input', 'checked')).toBe(true)
  await call('press_key', { key: 'ArrowDown', ref: 'L' })
  expect(await property(page, '[aria-label=L]', 'value')).toBe('y')
  await call('press_key', { key: 'Space', ref: 'C' })
  expect(await property(page, '[aria-label=C]', 'checked')).toBe(true)
  await call('press_key', { key: 'Enter', ref: 'B' })
  expect(await property(page, '#b', 'textContent')).toBe('pressed')
  await page.evaluate(() => document.querySelector('dialog')?.showModal())
  await call('press_key', { key: 'Escape' })
  expect(await property(page, 'dialog', 'open')).toBe(false)
  expect(await call('press_key', { key: 'Hyper' })).toMatch(/^invalid-input: /)
})

test('an action that a person could not perform is refused with the reason', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<button id="none" style="display: none">Not shown</button><button disabled>Off</button>
    <fieldset disabled><button>In fieldset</button></fieldset><button aria-disabled="true">Aria off</button>
    <button id="covered">Covered</button><div id="cookie" role="region" aria-label="Cookies" style="position: fixed; inset: 0; background: #fff9">Cookies</div>
    <nav><button onclick="window.denied = 1">Denied</button></nav><div inert><button>Inert</button></div>
    <select onchange="window.denied = 1"><option>S<option disabled>XL<optgroup label="Old" disabled><option>XXL</optgroup></select>
    <select disabled onchange="window.denied = 1"><option>red<option>blue</select>
    <div role="combobox" tabindex="0" aria-expanded="false" aria-label="City"><input readonly value="Oslo" oninput="window.denied = 1"></div>`,
  })
  const { call } = await drive(page, { deny: ['nav'] })
  for (const [name, code] of [
    ['XL', 'disabled'],
    ['XXL', 'disabled'],
    ['blue', 'disabled'],
    ['Off', 'disabled'],
    ['In fieldset', 'disabled'],
    ['Aria off', 'disabled'],
    ['Covered', 'covered'],
    ['Denied', 'not-found'],
    ['Not shown', 'not-found'],
  ] as const)
    expect(await call('click', { ref: name })).toMatch(new RegExp(`^${code}: `))
  expect(await call('click', { ref: 'Covered' })).toContain('covered by region "Cookies"')
  expect(await call('read_page')).not.toContain('Denied')
  const found = await call('find', { text: 'Covered' })
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('#covered')!.hidden = true
  })
  const ref = /ref=(e\d+)/.exec(found)?.[1]
  expect(await call('click', { ref })).toMatch(/^hidden: .*not displayed/)
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('#covered')!.hidden = false
    setTimeout(() => document.querySelector('#cookie')?.remove(), 200)
  })
  expect(await call('click', { ref })).toMatch(/^Clicked/)
  expect(await call('type_text', { ref: 'City', text: 'Rome' })).toMatch(
    /^read-only: .*select_option/,
  )
  expect(await call('click', { ref: 'e99999' })).toMatch(/^unknown-ref: /)
  expect(await page.evaluate(() => 'denied' in window)).toBe(false)
})

test('elements outside the allowed part are neither reported nor touched', async ({ openPage }) => {
  const page = await openPage({
    body: `<input id="field" aria-label="OUT field" oninput="window.typed = 1"><p id="text">OUT text</p>
    <main><button onclick="field.focus()">Leave</button><button onclick="cover.hidden = false">Cover</button>
    <ul><li draggable="true">Only item</li></ul><div class="deny"><button>DENIED</button></div></main>
    <div id="cover" role="dialog" aria-label="OUT dialog" hidden style="position: fixed; inset: 0">OUT words</div>`,
  })
  const driven = await drive(page, { root: 'main', deny: ['.deny'] })
  const { call } = driven
  await call('read_page')
  await call('find', { text: 'OUT' })
  await call('find', { role: 'button' })
  expect(await call('click', { ref: 'Leave' })).toContain('outside the part of the page')
  expect(await call('press_key', { key: 'a' })).toMatch(/^outside: /)
  await page.evaluate(() => getSelection()?.selectAllChildren(document.body))
  const selection = await call('read_selection')
  expect(selection).toContain('Only item')
  expect(await call('hover', { ref: 'Only item' })).toContain('listitem')
  await call('click', { ref: 'Cover' })
  expect(await call('click', { ref: 'Leave' })).toMatch(/^covered: .*outside the part of the page/)
  await call('read_page')
  expect(driven.said).not.toMatch(/DENIED|OUT /)
  expect(await page.evaluate(() => 'typed' in window)).toBe(false)
})

test('secrets never leave the page', MORE, async ({ openPage }) => {
  const canaries = [
    'CANARY-PASS-1',
    '4111111111111111',
    'CANARY-CODE-77',
    'CANARY-MASK-9',
    'CANARY-SEL-5',
    '739',
  ]
  const page = await openPage({
    body: `<form><label>Password <input id="pw" type="password" value="${canaries[0]}"></label><button type="button" id="eye">Show password</button>
    <label>Card number <input autocomplete="cc-number" value="${canaries[1]}"></label><label>CVC <input name="cvc" value="${canaries[5]}"></label>
    <label>Code <input autocomplete="one-time-code" value="${canaries[2]}"></label></form>
    <div data-offstage-mask><p id="masked">${canaries[3]}</p><input aria-label="${canaries[3]} field" value="${canaries[3]}"><button>${canaries[3]}</button></div>
    <select data-offstage-mask aria-label="Account"><option>Joan</option><option>Secret</option></select>
    <p class="private">${canaries[4]}</p><button aria-labelledby="masked">Named by the masked</button><p>Your password is ${canaries[0]}</p>
    <table><tr><td data-offstage-mask>${canaries[3]}</td><td><button>Row action</button></td></tr></table>`,
  })
  const { call } = await drive(page, { mask: ['.private'], dialogs: 'accept' })
  const said: string[] = []
  const say = async (tool: string, input: object = {}) => said.push(await call(tool, input))
  await say('read_page')
  for (const text of [...canaries, 'password', 'field', 'Row action', 'masked']) {
    await say('find', { text })
    await say('find', { name: text })
    await say('click', { ref: text })
  }
  await say('select_option', { ref: 'Account', options: ['Nobody'] })
  await say('find', { role: 'combobox' })
  expect(said.join('\n')).not.toContain('Joan')
  await say('type_text', { ref: 'Password', text: `${canaries[0]}-new` })
  await say('type_text', { ref: 'CVC', text: canaries[5], mode: 'append' })
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('#eye')!
    const field = document.querySelector<HTMLInputElement>('#pw')!
    button.onclick = () => {
      field.type = 'text'
      document.title = `Now ${field.value}`
      alert(`It is ${field.value}`)
    }
  })
  await say('click', { ref: 'Show password' })
  await say('read_page')
  await page.evaluate(() => {
    const range = document.createRange()
    range.selectNodeContents(document.body)
    getSelection()?.removeAllRanges()
    getSelection()?.addRange(range)
  })
  await say('read_selection')
  await say('hover', { ref: 'Row action' })
  await say('highlight', { ref: 'Row action' })
  await say('scroll', { until: canaries[3] })
  await say('wait_for', { text: canaries[3], timeoutMs: 200 })
  await page.evaluate(() => {
    document.querySelector('#masked')!.textContent = 'CANARY-MASK-9-changed'
  })
  await say('read_page', { since: 's1' })
  expect(said.join('\n')).toContain('[masked]')
  // Errors repeat the name that the test itself passed. Repeating it doesn't leak a secret of the page.
  const own = /(named|text|matches|for) "?[^"\n]*"?|^"[^"\n]*"(?= did not appear)/g
  for (const canary of canaries)
    for (const text of said) expect(text.replace(own, '')).not.toContain(canary)
})

test('secrets are recognized in other formats', async ({ openPage }) => {
  const page = await openPage({
    body: `<label>Passphrase <input value="p@ss word&1"></label><label>Pass <input type="password" value="swordfish"></label>
    <label>Secret word <input value="plum"></label><label>Card number <input value="4111 1111 1111 1111"></label>
    <label>Expires <select autocomplete="cc-exp-month"><option>January<option selected>February</select></label>
    <span id="vc">Verification code</span><input aria-labelledby="vc" value="QQ77WW">
    <p>Card 4111-1111-1111-1111, 4111111111111111; plum, plump, sword, swordfishes; sent QQ77WW</p>`,
  })
  await page.evaluate(() => {
    const secret = document.querySelector('input')!.value
    history.replaceState(
      null,
      '',
      `?a=${encodeURIComponent(secret)}&${new URLSearchParams({ secret })}`,
    )
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).toContain(
    'text: Card [masked], [masked]; [masked], plump, sword, [masked]es; sent [masked]',
  )
  expect(text).toContain('?a=[masked]&secret=[masked]')
  for (const secret of ['February', 'QQ77WW', 'p@ss', '1111', 'ss+word'])
    expect(text).not.toContain(secret)
})

test('a report says what an action changed, or why nothing may have changed', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<button onclick="document.querySelector('#toast').textContent = 'Saved!'">Save</button><div role="status" id="toast"></div>
    <button onclick="document.body.insertAdjacentHTML('beforeend', '<div role=dialog aria-label=Sure><button>Yes</button></div>')">Delete</button>
    <h2>Heading</h2><button>Dead</button><button onclick="history.pushState(null, '', '#/cart')">Cart</button>
    <form><label>Mail <input type="email" required></label><button>Submit</button></form>
    <button onclick="setTimeout(() => { late.textContent = 'Late news' }, 60)">Slow</button><p id="late">-</p>`,
  })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Save' })).toMatch(/<changed> status .*Saved!/)
  expect(await call('click', { ref: 'Delete' })).toMatch(/New: dialog "Sure"/)
  expect(await call('click', { ref: 'Heading' })).toMatch(
    /Nothing changed\. .*not a control.*Try:\n- /s,
  )
  expect(await call('click', { ref: 'Dead' })).toMatch(/Nothing changed\./)
  expect(await call('click', { ref: 'Cart' })).toContain('The address is now')
  expect(await call('click', { ref: 'Submit' })).toMatch(/not valid yet|invalid/)
  expect(await call('click', { ref: 'Slow' })).toContain('Late news')
})

test('native dialogs are answered by policy and then restored', async ({ openPage }) => {
  const body = `<button onclick="window.answer = confirm('Sure?')">Ask</button><button onclick="window.answer = prompt('Name?', 'Ada')">Name</button>`
  const page = await openPage({ body })
  const { call } = await drive(page, { dialogs: 'accept' })
  const answer = () => page.evaluate(() => (window as unknown as { answer: unknown }).answer)
  expect(await call('click', { ref: 'Ask' })).toContain('native confirm: "Sure?"; it was accepted')
  expect(await answer()).toBe(true)
  await call('click', { ref: 'Name' })
  expect(await answer()).toBe('Ada')
  expect(await page.evaluate(() => String(confirm))).toContain('[native code]')
  const refusing = await drive(page, { dialogs: 'dismiss' })
  await refusing.call('click', { ref: 'Ask' })
  expect(await answer()).toBe(false)
})

test('drag, hover, scroll, virtual lists and waiting', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<style>#menu ul { display: none } #box { height: 200px; overflow: auto }</style>
    <ul id="sort"><li draggable="true">One<li draggable="true">Two<li draggable="true">Three</ul>
    <div id="knob" role="button" tabindex="0" aria-label="Knob" style="width: 40px; height: 40px; background: #ccc; position: relative">K</div>
    <div id="menu" role="button" tabindex="0" aria-label="Menu">Menu <ul><li role="menuitem" onclick="window.picked = 1">Pick</ul></div>
    <div id="box" role="list" aria-label="Virtual"><div id="all" style="position: relative; height: 30000px"></div></div>
    <script>
      let dragged
      for (const item of document.querySelectorAll('#sort li')) {
        item.ondragstart = () => { dragged = item }
        item.ondragover = (event) => event.preventDefault()
        item.ondrop = () => item.after(dragged)
      }
      let start = 0
      knob.onpointerdown = (event) => { start = event.clientX; knob.onpointermove = (move) => { knob.style.left = move.clientX - start + 'px' } }
      knob.onpointerup = () => { knob.onpointermove = null }
      menu.onmouseenter = () => { menu.querySelector('ul').style.display = 'block' }
      const draw = () => { const first = Math.floor(box.scrollTop / 30)
        all.innerHTML = Array.from({ length: 12 }, (_, index) => '<div role="listitem" style="position: absolute; height: 30px; top: ' + (first + index) * 30 + 'px"><button onclick="window.row = ' + (first + index) + '">Row ' + (first + index) + '</button></div>').join('') }
      box.onscroll = draw; draw()
    </script>`,
  })
  const { call } = await drive(page)
  await call('drag', { ref: 'One', to: 'Three' })
  const order = () =>
    page.evaluate(() => Array.from(document.querySelectorAll('#sort li'), (one) => one.textContent))
  const names = await call('find', { text: 'One' })
  const [one, three] = [names, await call('find', { text: 'Three' })].map(
    (text) => /ref=(e\d+)/.exec(text)?.[1],
  )
  if ((await order())[0] === 'One') await call('drag', { ref: one, to: three })
  expect(await order()).toEqual(['Two', 'Three', 'One'])
  await call('drag', { ref: 'Knob', x: 30, y: 0 })
  expect(
    await page.evaluate(() => document.querySelector<HTMLElement>('#knob')?.style.left),
  ).not.toBe('')
  expect(await call('hover', { ref: 'Menu' })).toContain('menuitem "Pick"')
  await call('click', { ref: 'Pick' })
  expect(await page.evaluate(() => (window as unknown as { picked: number }).picked)).toBe(1)
  const list = /list "Virtual".*?\[ref=(e\d+)\]/.exec(await call('read_page'))?.[1]
  expect(await call('scroll', { ref: list, until: 'Row 500' })).toContain('Found')
  await call('click', { ref: 'Row 500' })
  expect(await page.evaluate(() => (window as unknown as { row: number }).row)).toBe(500)
  await call('scroll', { ref: list, direction: 'top' })
  expect(await property(page, '#box', 'scrollTop')).toBe(0)
  await page.evaluate(() => setTimeout(() => document.body.append('Arrived'), 250))
  expect(await call('wait_for', { text: 'Arrived' })).toContain('is there')
  await page.evaluate(() => setTimeout(() => document.body.lastChild?.remove(), 250))
  expect(await call('wait_for', { text: 'Arrived', gone: true })).toContain('is gone')
  expect(await call('wait_for', { text: 'Never', timeoutMs: 200 })).toMatch(/^timeout: /)
})

test('a table of 5 000 rows is cut, searched and used', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<table aria-label="People"><thead><tr><th>Name<th>Age<th></thead><tbody></tbody></table>
    <script>document.querySelector('tbody').innerHTML = Array.from({ length: 5000 }, (_, n) => '<tr><td>Person ' + n + '<td>' + n % 90 + '<td><button onclick="this.closest(&quot;tr&quot;).remove()">Delete</button>').join('')</script>`,
  })
  const { call } = await drive(page)
  const text = await call('read_page')
  expect(text).toMatch(/row: Name \| Age/)
  expect(text).toMatch(/row: Person 0 \| 0\n +- button "Delete"/)
  expect(text).toMatch(/… 49\d\d more \[from=e\d+\]/)
  expect(text.length).toBeLessThan(9000)
  const from = /\[from=(e\d+)\]/.exec(text)?.[1]
  expect(await call('read_page', { from })).toContain('Person 4')
  const found = await call('find', { role: 'row', text: 'Person 4321' })
  expect(found).toContain('Person 4321')
  const row = /\[ref=(e\d+)\]/.exec(found)?.[1]
  const button = /button "Delete" \[ref=(e\d+)\]/.exec(await call('read_page', { ref: row }))?.[1]
  await call('click', { ref: button })
  const people = await property(page, 'tbody', 'textContent')
  expect(people).not.toContain('Person 4321')
  expect(people).toContain('Person 4320')
  expect(await property(page, 'tbody', 'childElementCount')).toBe(4999)
})

test('broken pages give clear errors in bounded time', async ({ openPage }) => {
  const page = await openPage({ errorsAllowed: true })
  const { call } = await drive(page)
  expect(await call('read_page')).toContain('nothing to read')
  expect(await call('click', { ref: '' })).toMatch(/^invalid-input: /)
  expect(await call('find')).toMatch(/^invalid-input: /)
  expect(await call('navigate', { url: 'javascript:alert(1)' })).toMatch(/^invalid-input: /)
  expect(await call('navigate', { url: 'https://elsewhere.example/' })).toMatch(/^outside: /)
  await page.evaluate(() => {
    document.body.innerHTML = `<style>@keyframes spin { to { transform: rotate(360deg) } } #spin { animation: spin 1s linear infinite }
      @keyframes move { to { margin-left: 200px } } #move { animation: move 1s linear infinite alternate }</style>
      <button id="spin">Spin</button><button id="move">Move</button><div id="app"></div><iframe></iframe>`
    for (const id of ['spin', 'move'])
      document.querySelector<HTMLElement>(`#${id}`)!.onclick = ({ currentTarget }) =>
        ((currentTarget as HTMLElement).dataset.done = '')
    const app = document.querySelector('#app')!
    const draw = () => {
      app.innerHTML = '<button>Redraw</button><input aria-label="Redrawn">'
      for (const type of ['pointerdown', 'mousedown', 'focusin', 'input'])
        app.firstElementChild!.addEventListener(type, draw)
    }
    draw()
    setInterval(() => (app.className = String(Math.random())), 20)
  })
  await call('click', { ref: 'Spin' })
  await call('click', { ref: 'Move' })
  await call('click', { ref: 'Redraw' })
  await call('type_text', { ref: 'Redrawn', text: 'abc' })
  expect(await property(page, '#spin[data-done]', 'id')).toBe('spin')
  expect(await property(page, '#move[data-done]', 'id')).toBe('move')
  const frame = await page.evaluate(() => {
    const { contentDocument } = document.querySelector('iframe')!
    contentDocument!.body.innerHTML = '<button>Leaving</button>'
    return true
  })
  expect(frame).toBe(true)
  const ref = /button "Leaving" \[ref=(e\d+)\]/.exec(await call('read_page'))?.[1]
  await page.evaluate(() => document.querySelector('iframe')?.remove())
  expect(await call('click', { ref })).toMatch(/^stale-ref: /)
  await page.evaluate(() => {
    document.open()
    document.write('<title>Written</title><button onclick="this.textContent = 1">Fresh</button>')
    document.close()
  })
  expect(await call('read_page')).toContain('button "Fresh"')
  await call('click', { ref: 'Fresh' })
  expect(await property(page, 'button', 'textContent')).toBe('1')
})

test('hands are drawn in a closed shadow root and removed', async ({ openPage }) => {
  const page = await openPage({ body: '<button onclick="window.clicked = 1">Go</button>' })
  const { call } = await drive(page, { showActions: true })
  // They are there for less than a second, which a busy machine may miss.
  await page.evaluate(() => {
    const seen: (ShadowRoot | null)[] = []
    Object.assign(window, { seen })
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes)
          if (node instanceof HTMLElement && node.localName === 'offstage-hands')
            seen.push(node.shadowRoot)
    }).observe(document.documentElement, { childList: true })
  })
  await call('click', { ref: 'Go' })
  const seen = await page.evaluate(() => {
    const { clicked, seen: hosts } = window as unknown as { clicked: number; seen: unknown[] }
    return { clicked, hosts }
  })
  expect(seen).toEqual({ clicked: 1, hosts: [null] })
  expect(await call('read_page')).not.toContain('offstage')
  await expect.poll(() => property(page, 'offstage-hands', 'shadowRoot')).toBeUndefined()
})

test('deeply nested content is read to its end', async ({ openPage }) => {
  const page = await openPage({ body: `${'<ul><li>'.repeat(40)}<button>Bottom</button>` })
  const { call } = await drive(page)
  expect(await call('read_page')).toContain('button "Bottom"')
})

test('a snapshot of a large page stays small', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<script>document.body.innerHTML = Array.from({ length: 25 }, (_, a) => '<section aria-label="S' + a + '">' + Array.from({ length: 20 }, (_, b) => '<article><h3>Item ' + b + '</h3><p>Some <b>text</b></p><div><button>Buy</button><a href="#">More</a><input aria-label="q"></div><span>x</span></article>').join('') + '</section>').join('')</script>`,
  })
  await drive(page)
  const costs = await page.evaluate(async () => {
    interface Entry {
      snapshot(root?: Element, options?: object): Promise<{ id: string; text: string }>
    }
    const { snapshot } = (window as unknown as { pageToolsEntry: Entry }).pageToolsEntry
    const one = await snapshot()
    document.querySelectorAll('button')[7]!.textContent = 'Sold'
    const diff = await snapshot(undefined, { since: one.id })
    return { characters: one.text.length, diff: diff.text.length }
  })
  expect(costs.characters).toBeLessThan(9000)
  expect(costs.diff).toBeLessThan(400)
})

test('a slow page is searched for as many steps as a fast one', async ({ openPage }) => {
  const items = Array.from({ length: 80 }, (_, index) => `<li>${'abcdefgh'[index % 8]} word</li>`)
  const page = await openPage({
    body: `<style>li { height: 100px }</style><ul id="list" aria-label="Words" style="height: 200px; overflow: auto">${items.join('')}<li>Goal</li></ul><script>
      // Each step takes a third of a second by the page's clock.
      const now = performance.now.bind(performance)
      let late = 0
      performance.now = () => now() + late
      const goal = list.lastChild
      goal.remove()
      list.onscroll = () => { late += 300; if (list.scrollTop > 7000) list.append(goal) }</script>`,
  })
  const { call } = await drive(page)
  expect(await call('scroll', { ref: 'Words', until: 'Goal' })).toMatch(/^Found /)
})

test('a list is searched in all its cells, and not beyond it', async ({ openPage }) => {
  const page = await openPage({
    body: `<style>#list { height: 200px; overflow: auto; position: relative } .row { position: absolute; height: 20px }</style>
      <div id="list"><div id="size"></div></div><script>
      const list = document.querySelector('#list'), size = document.querySelector('#size'), gap = (index) => index > 60 ? 400 : 0
      size.style.height = 80 * 20 + 400 + 'px'
      const draw = () => {
        const rows = []
        for (let index = 0; index < 80; index += 1) {
          const top = index * 20 + gap(index)
          if (top > list.scrollTop - 20 && top < list.scrollTop + 200)
            rows.push('<div class="row" style="top: ' + top + 'px"><span>M' + (7000 + index) + '</span><span>0700</span><i>Ada</i><u>Lovelace ' + index + '</u></div>')
        }
        size.innerHTML = rows.join('')
      }
      list.onscroll = draw; draw()</script>`,
  })
  const { call } = await drive(page)
  const scrollTo = (top: number) =>
    page.evaluate((to) => {
      document.querySelector('#list')!.scrollTop = to
    }, top)
  // Past a gap in the numbers, and behind the place where the search begins.
  for (const [from, until] of [
    [0, 'M7075'],
    [0, 'M7003'],
    [1200, 'M7003'],
    [1600, 'Lovelace 4'],
    [0, 'Ada Lovelace 30'],
  ] as const) {
    await scrollTo(from)
    expect(await call('scroll', { until }), until).toMatch(/^Found /)
  }
  expect(await call('scroll', { until: 'M7' })).toContain('all of it was searched')
  await scrollTo(0)
  const [row] = (await call('find', { text: 'M7003 0700' })).split('\n').slice(2)
  expect(row).toContain('M7003 0700')
  expect(await call('wait_for', { text: 'M7003 0700', timeoutMs: 300 })).toContain('is there')
})
