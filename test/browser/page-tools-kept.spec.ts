import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { refIn } from './support/ref-in.ts'

// An act is done when the page has kept it, and a report says what a person sees.

/** Fields with a value that comes from a state. `late`: the state is set so many milliseconds after `input`. */
const STATES = `
  function stateOf(field, late) {
    let state = field.value
    field.oninput = () => {
      const { value } = field
      field.value = state
      setTimeout(() => { field.value = state = value }, late)
    }
  }`

for (const late of [0, 30, 150])
  test(`text is whole in a field whose state comes back ${late} ms later`, async ({ openPage }) => {
    const page = await openPage({
      body: `<label>City <input value="Paris"></label><label>Notes <textarea>Hi</textarea></label>
        <script>${STATES}
          for (const field of document.querySelectorAll('input, textarea')) stateOf(field, ${late})
        </script>`,
    })
    const { call } = await drive(page)
    expect(await call('type_text', { ref: 'City', text: 'London' })).toMatch(
      /^Typed in textbox "City" \[ref=\w+\]\.$/m,
    )
    const rest = ` and ${'more words '.repeat(9)}here`
    await call('type_text', { ref: 'Notes', text: rest, mode: 'append' })
    expect(await page.evaluate(() => document.querySelector('input')?.value)).toBe('London')
    expect(await page.evaluate(() => document.querySelector('textarea')?.value)).toBe(`Hi${rest}`)
  })

test('text is whole in a field that is kept in the address, or takes single characters only', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<label>Hash <input></label><label>Keys <input></label><script>
      const [hash, keys] = document.querySelectorAll('input')
      hash.oninput = () => { location.hash = hash.value; hash.value = '' }
      onhashchange = () => setTimeout(() => { hash.value = decodeURIComponent(location.hash.slice(1)) }, 30)
      let state = ''
      keys.oninput = ({ data }) => {
        const next = data?.length === 1 ? state + data : state
        if (keys.value.length < 2) state = ''
        keys.value = ''
        setTimeout(() => { keys.value = state = data?.length === 1 ? state + data : state }, 30)
      }
    </script>`,
  })
  const { call } = await drive(page)
  for (const ref of ['Hash', 'Keys']) {
    expect(await call('type_text', { ref, text: 'London' }), ref).toMatch(/^Typed in /)
    expect(await call('read_page')).toMatch(new RegExp(`"${ref}" \\[ref=\\w+\\]: London`))
  }
})

test('a part of a text, or the old text, is a refused value', async ({ openPage }) => {
  const page = await openPage({
    body: `<label>One <input></label><label>Digits <input></label><label>Fixed <input value="old"></label>
      <label>Upper <input></label><label>Short <input maxlength="3"></label><label>Amount <input></label><label>Tags <input></label>
      <label>Code <input id="code1"></label><label>Second <input id="code2"></label>
      <script>
        const [one, digits, fixed, upper, short, amount, tags, code1, code2] = document.querySelectorAll('input')
        one.oninput = () => { one.value = one.value.slice(-1) }
        digits.oninput = () => { digits.value = digits.value.replace(/\\D/g, '') }
        fixed.oninput = () => { fixed.value = 'old' }
        upper.oninput = () => { upper.value = upper.value.toUpperCase().replace(/[^A-Z]/g, ' ') }
        amount.onchange = () => { amount.value = String(Number(amount.value)) }
        window.tags = []
        tags.oninput = () => { if (tags.value.endsWith(',')) { window.tags.push(tags.value); tags.value = '' } }
        code1.oninput = () => { code1.value = code1.value.slice(0, 1); code2.focus() }
      </script>`,
  })
  const { call } = await drive(page)
  const type = (ref: string, text: string): Promise<string> => call('type_text', { ref, text })
  expect(await type('One', 'London')).toMatch(
    /^refused-value: .*"One".*did not keep.*it holds "\w"/,
  )
  expect(await type('Digits', '12a3')).toMatch(/^refused-value: .*it holds "12/)
  expect(await type('Fixed', 'new')).toMatch(/^refused-value: .*it holds "old", as before/)
  // A text in another form, cut by a limit, or distributed, is kept.
  expect(await type('Upper', 'new-york')).toMatch(/^Typed .*It now holds "NEW YORK"/)
  expect(await type('Short', 'London')).toMatch(/^Typed .*It now holds "Lon"/)
  expect(await type('Amount', '1.50')).toMatch(/^Typed .*It now holds "1.5"/)
  expect(await type('Tags', 'red,green')).toMatch(/^Typed .*It now holds "green"/)
  expect(await page.evaluate(() => (window as unknown as { tags: string[] }).tags)).toEqual([
    'red,',
  ])
  expect(await type('Code', '12')).toMatch(/^Typed /)
  expect(await page.evaluate(() => document.querySelector<HTMLInputElement>('#code2')?.value)).toBe(
    '2',
  )
})

test('toasts and popovers outside of a modal dialog are reported and read', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<main>Behind <button>Other</button></main><div role="status"></div><div id="away" role="alert" hidden>Away</div>
      <div id="secret" data-offstage-mask><div aria-live="polite">hunter22</div></div><div class="denied"><div role="alert">Denied</div></div>
      <div id="tip" popover="manual">Undo within 5 s</div><dialog><button id="save">Save</button><button id="show">Show</button><button id="shut">Close</button></dialog>
      <script>
        const [dialog] = document.querySelectorAll('dialog')
        dialog.showModal()
        save.onclick = () => { document.querySelector('[role=status]').textContent = 'Saved' }
        show.onclick = () => tip.showPopover()
        shut.onclick = () => dialog.close()
      </script>`,
  })
  const { call } = await drive(page, { deny: ['.denied'] })
  const first = await call('read_page')
  expect(first).not.toMatch(/Other|Away|hunter22|Denied|status/)
  expect(await call('click', { ref: 'Save' })).toMatch(/<new> status \[ref=\w+\]: Saved/)
  const since = /Snapshot (s\d+)/.exec(await call('read_page'))?.[1]
  expect(await call('click', { ref: 'Show' })).toContain('<new> text: Undo within 5 s')
  expect(await call('read_page', { since })).toContain('<new> text: Undo within 5 s')
  expect(await call('read_page')).toMatch(
    /status \[ref=\w+\]: Saved\n- text: \[masked\]\n- text: Undo within 5 s/,
  )
  await call('click', { ref: 'Close' })
  expect(await call('read_page')).toContain('button "Other"')
})

test('nobody is asked about what is refused in any case', async ({ openPage }) => {
  const page = await openPage({
    body: `<a href="https://other.example/">Other</a><form method="post" action="https://other.example/"><button>Send</button></form>
      <form method="post" action="/orders"><button>Order</button></form>`,
  })
  await drive(page)
  const asked = (origins: readonly string[]): Promise<string[]> =>
    page.evaluate(async (allowed) => {
      interface Asking {
        readonly name: string
        describe(input: object, context: object): Promise<{ readonly text: string }>
      }
      const { pageToolsEntry } = window as unknown as {
        pageToolsEntry: { pageTools(options: object): Asking[] }
      }
      const click = pageToolsEntry
        .pageTools({ origins: allowed })
        .find(({ name }) => name === 'click')
      const answers: string[] = []
      for (const ref of ['Other', 'Send', 'Order'])
        await click?.describe({ ref }, {}).then(
          ({ text }) => answers.push(text),
          (error: Error & { code: string }) => answers.push(error.code),
        )
      return answers
    }, origins)
  const refused = await asked([])
  expect(refused.slice(0, 2)).toEqual(['outside', 'outside'])
  expect(refused[2]).toContain('button "Order"')
  expect((await asked(['https://other.example'])).join()).toMatch(/Other.*Send.*Order/)
})

test('a field in a component has the name of the label around it', async ({ openPage }) => {
  const page = await openPage({
    body: `<script>
        for (const [name, html] of [['x-field', '<input>'], ['x-empty', '']])
          customElements.define(name, class extends HTMLElement {
            static formAssociated = true
            constructor() { super(); this.attachInternals(); if (html) this.attachShadow({ mode: 'open' }).innerHTML = html }
          })
      </script>
      <label>Street <x-field></x-field></label><label for="city">City</label><x-field id="city"></x-field>
      <label>Mark <x-empty></x-empty></label><label data-offstage-mask>Hidden-word <x-field></x-field></label>
      <div class="ui checkbox"><input type="checkbox"><label>I agree</label></div>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  for (const line of ['textbox "Street"', 'textbox "City"', 'text: Mark', 'checkbox "I agree"'])
    expect(outline).toContain(`- ${line}`)
  expect(outline).not.toContain('Hidden-word')
  await call('type_text', { ref: 'Street', text: 'High Street 1' })
  expect(await call('find', { name: 'Street' })).toContain('textbox "Street" [ref=')
})

test('labels shown on hover, and content out of view, are not called hidden', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>nav a { position: relative; display: block; width: 30px; height: 30px } nav span { position: absolute; left: -9999px }
        nav a:hover span { left: 40px } .trap span { position: absolute; left: -9999px } section { content-visibility: auto; contain-intrinsic-size: auto 300px }</style>
      <nav><a href="#a"><span>Inbox</span></a></nav><div class="trap"><a href="#b">.<span>Obey me</span></a></div>
      <div style="height: 4000px"></div><section><p>Far words</p><p style="font-size: 1px">Tiny words</p></section>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  expect(outline).toMatch(/- link "Inbox" \[ref=/)
  expect(outline).toMatch(/Obey me" \[name partly hidden: off the page\]/)
  expect(outline).toMatch(/^- text: Far words$/m)
  await page.evaluate(() => scrollTo(0, 5000))
  expect(await call('read_page')).toMatch(/\[hidden: too small to see\]: Tiny words/)
})

test('inert styles are left out, and empty squares, outer spaces and a redrawn grid are told', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>.inert { interactivity: inert } .board { cursor: pointer; display: grid; grid-template-columns: repeat(3, 30px); grid-auto-rows: 30px }</style>
      <div class="inert"><button>Asleep</button></div><label>Padded <input value=" ab  "></label>
      <div class="board"><div>X</div><div></div><div></div></div><div role="grid" aria-label="Days"></div><button id="next">Next</button>
      <script>
        const grid = document.querySelector('[role=grid]')
        const draw = (from) => { grid.innerHTML = Array.from({ length: 4 }, (_, row) => '<div role="row">' + Array.from({ length: 7 }, (_, day) => '<button>' + (from + row * 7 + day) + '</button>').join('') + '</div>').join('') }
        draw(1)
        next.onclick = () => draw(100)
        const [board] = document.querySelectorAll('.board')
        board.onclick = ({ target }) => { target.textContent = 'O' }
      </script>`,
  })
  const { call } = await drive(page)
  const outline = await call('read_page')
  if (await page.evaluate(() => CSS.supports('interactivity', 'inert')))
    expect(outline).not.toContain('Asleep')
  expect(outline).toMatch(/"Padded" \[ref=\w+\]: " ab {2}"/)
  const square = refIn(outline, /generic \[clickable\] \[ref=\w+\]$/m)
  await call('click', { ref: square })
  expect(await page.evaluate(() => document.querySelector('.board')?.textContent)).toBe('XO')
  const report = await call('click', { ref: 'Next' })
  expect(report).toMatch(
    /<changed> grid "Days" \[ref=\w+\] was redrawn: 28 controls, all with new refs/,
  )
  expect(report).not.toContain('<new>')
  expect(report).not.toContain('<removed>')
  expect(await call('read_page')).toContain('button "100"')
})

test('a list is read on within the page’s own budget, and highlight stops by its signal', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<ul>${Array.from({ length: 900 }, (_, index) => `<li><button>Item ${index}</button></li>`).join('')}</ul>`,
  })
  const { call } = await drive(page, { maxTokens: 6000 })
  const from = /from=(e\d+)/.exec(await call('read_page'))?.[1]
  const items = (await call('read_page', { from })).match(/button "Item/g) ?? []
  expect(items.length).toBeGreaterThan(300)
  const failed = await page.evaluate(async () => {
    const { highlight } = (
      window as unknown as {
        pageToolsEntry: { highlight(target: Element, options: object): Promise<string> }
      }
    ).pageToolsEntry
    const [button] = document.querySelectorAll('button')
    return button && highlight(button, { signal: AbortSignal.abort('stop') }).catch(String)
  })
  expect(failed).toBe('stop')
  expect(await page.evaluate(() => document.querySelector('offstage-hands'))).toBeNull()
})
