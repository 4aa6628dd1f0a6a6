import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'
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

/** A card, the page's button, can be dropped on any of its groups, which the title then names. */
const BOARD = `<script>
  document.querySelector('button').ondragstart = ({ dataTransfer }) => dataTransfer.setData('text/plain', 'card')
  for (const column of document.querySelectorAll('[role=group]')) {
    column.ondragover = (event) => event.preventDefault()
    column.ondrop = () => { document.title = 'in ' + column.ariaLabel }
  }
</script>`

test('a card is not dropped on another column because the goal is out of view', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>body { margin: 0; height: 400px } [role=group] { position: absolute; top: 0; height: 300px }</style>
      <div role="group" aria-label="To do" style="left: 0; width: 200px"><button draggable="true">Card</button></div>
      <div role="group" aria-label="Review" style="left: 220px; width: calc(100vw - 220px)"></div>
      <div role="group" aria-label="Done" style="left: 150vw; width: 200px"></div>
      ${BOARD}`,
  })
  const { call } = await drive(page)
  const said = await call('drag', { ref: 'Card', to: 'Done' })
  const title = await page.evaluate(() => document.title)
  expect(title).not.toBe('in Review')
  if (title !== 'in Done') expect(said).not.toMatch(/^Dragged/)
})

test('a card is not dropped beside a board because the board shows no part of the goal', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>body { margin: 0; height: 400px } [role=group] { position: absolute; top: 0; width: 200px; height: 300px }
        #board { position: absolute; left: 0; top: 0; width: 500px; height: 320px; overflow: auto }</style>
      <div id="board"><div role="group" aria-label="To do" style="left: 0"><button draggable="true" style="margin-left: 160px">Card</button></div>
        <div role="group" aria-label="Done" style="left: 510px"></div></div>
      <div role="group" aria-label="Archive" style="left: 520px; width: 400px"></div>
      ${BOARD}`,
  })
  const { call } = await drive(page)
  expect(await call('drag', { ref: 'Card', to: 'Done' })).toMatch(/^hidden: group "Done"/)
  expect(await page.evaluate(() => document.title)).toBe('Test')
  await page.evaluate(() => document.querySelector('#board')!.scrollTo({ left: 150 }))
  expect(await call('drag', { ref: 'Card', to: 'Done' })).toMatch(/^Dragged .* to group "Done"/)
  expect(await page.evaluate(() => document.title)).toBe('in Done')
})

for (const [goal, height, content] of [
  [
    'takes no pointer itself',
    300,
    '<p role="img" aria-label="Goal" style="pointer-events: none; height: 90%"></p>',
  ],
  [
    'is larger than the part that scrolls',
    1500,
    '<p role="img" aria-label="Goal" style="margin: 0; height: 1500px"></p>',
  ],
] as const)
  test(`a card is dropped on a goal that ${goal}`, async ({ openPage }) => {
    const page = await openPage({
      body: `<style>body { margin: 0; height: 400px } [role=group] { position: absolute; top: 0; width: 200px; height: ${height}px }
          #board { position: absolute; left: 0; top: 0; width: 500px; height: 320px; overflow: auto }</style>
        <div id="board"><div role="group" aria-label="To do" style="left: 0"><button draggable="true">Card</button></div>
          <div role="group" aria-label="Done" style="left: 210px">${content}</div></div>
        ${BOARD}`,
    })
    const { call } = await drive(page)
    expect(await call('drag', { ref: 'Card', to: 'Goal' })).toMatch(/^Dragged .* to img "Goal"/)
    expect(await page.evaluate(() => document.title)).toBe('in Done')
  })

test('a card is not dropped on what covers a goal that is hidden by now', async ({ openPage }) => {
  const page = await openPage({
    body: `<style>[role=group] { position: absolute; top: 0; width: 200px; height: 300px }</style>
      <div role="group" aria-label="To do" style="left: 0"><button draggable="true">Card</button></div>
      <div role="group" aria-label="Later" style="left: 210px"></div>
      <div role="group" aria-label="Done" style="left: 210px"></div>
      ${BOARD}`,
  })
  const { call } = await drive(page)
  const ref = /group "Done" \[ref=(e\d+)\]/.exec(await call('read_page'))?.[1] ?? ''
  expect(ref).not.toBe('')
  await page.evaluate(() => {
    const done = document.querySelector<HTMLElement>('[aria-label=Done]')
    if (done) done.style.visibility = 'hidden'
  })
  expect(await call('drag', { ref: 'Card', to: ref })).toMatch(/^hidden: /)
  expect(await page.evaluate(() => document.title)).toBe('Test')
})

for (const [place, start, end] of [
  ['in the body', '', ''],
  ['around which the app draws both', '<div id="app"><section>', '</section></div>'],
] as const)
  test(`an option is not chosen in another list ${place} while the own list loads`, async ({
    openPage,
  }) => {
    const page = await openPage({
      body: `${start}<ul role="tree" aria-label="Pages"><li role="treeitem" tabindex="0" aria-selected="false">Reports</li></ul>
        <label for="field">Section</label> <input id="field" role="combobox" aria-expanded="false"><div id="place" style="position: relative"></div>${end}
        <script>
          document.querySelector('[role=treeitem]').onclick = ({ target }) => { target.ariaSelected = 'true'; document.title = 'left' }
          field.onclick = () => {
            if (field.ariaExpanded === 'true') return
            field.ariaExpanded = 'true'
            // Shows "Loading" first, as MUI's Autocomplete does: no listbox yet.
            place.innerHTML = '<div style="position: absolute">Loading</div>'
            setTimeout(() => {
              place.innerHTML = '<div role="listbox" id="list" style="position: absolute"><div role="option">Reports</div></div>'
              field.setAttribute('aria-controls', 'list')
              place.querySelector('[role=option]').onclick = () => { field.value = 'Reports'; place.innerHTML = ''; field.ariaExpanded = 'false' }
            }, 900)
          }
        </script>`,
    })
    const { call } = await drive(page)
    const said = await call('select_option', { ref: 'Section', options: ['Reports'] })
    expect(await page.evaluate(() => document.title)).toBe('Test')
    expect(await page.evaluate(() => document.querySelector('input')!.value)).toBe('Reports')
    expect(said).toMatch(/^Chose "Reports" in combobox "Section"/)
  })

test('an option is chosen in a list that is always shown below its field', async ({ openPage }) => {
  const page = await openPage({
    body: `<div><label for="city">City</label> <input id="city" role="combobox">
        <ul role="listbox" aria-label="Cities"><li role="option">Rome</li><li role="option">Oslo</li></ul></div>
      <script>
        for (const option of document.querySelectorAll('[role=option]'))
          option.onclick = () => { option.ariaSelected = 'true'; city.value = option.textContent; document.title = 'chosen' }
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('select_option', { ref: 'City', options: ['Oslo'] })).toMatch(/^Chose "Oslo"/)
  expect(await page.evaluate(() => document.title)).toBe('chosen')
})

test('a text field that was hidden meanwhile takes no text, although its label is shown', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<p><label for="other">Other</label> <input id="other" value="kept"></p>
      <div id="app"><section id="step"><input aria-label="Note"></section><button style="width: 300px; height: 100px" onclick="document.title = 'pressed'">Next</button></div>`,
  })
  const { call } = await drive(page)
  const refs: string[] = []
  for (const name of ['Other', 'Note'])
    refs.push(/ref=(e\d+)/.exec(await call('find', { role: 'textbox', name }))?.[1] ?? '')
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('#other')!.style.display = 'none'
    document.querySelector<HTMLElement>('#step')!.hidden = true
  })
  expect(await call('type_text', { ref: refs[0], text: 'new' })).toMatch(/^hidden: /)
  expect(await property(page, '#other', 'value')).toBe('kept')
  expect(await call('click', { ref: refs[0] })).toMatch(/^hidden: /)
  // Nor is a button pressed in the middle of the part around it.
  expect(await call('type_text', { ref: refs[1], text: 'new' })).toMatch(/^hidden: /)
  expect(await page.evaluate(() => document.title)).toBe('Test')
})

test('a search goes back to the top of a list that scrolls smoothly', async ({ openPage }) => {
  const page = await openPage({
    body: `<div id="list" role="region" aria-label="List" tabindex="0" style="height: 200px; overflow: auto; scroll-behavior: smooth">
        <div style="height: 3000px"><div id="shown" style="position: sticky; top: 0"></div></div></div>
      <script>
        const show = () => { shown.textContent = list.scrollTop < 50 ? 'First one' : 'Others' }
        list.onscroll = show
        list.scrollTo({ top: 1500, behavior: 'instant' })
        show()
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('scroll', { ref: 'List', until: 'First one' })).toMatch(/^Found/)
})

test('a search goes up in a chat that grows from its end', async ({ openPage }) => {
  const page = await openPage({
    body: `<div id="chat" role="region" aria-label="Chat" tabindex="0" style="height: 200px; overflow: auto; display: flex; flex-direction: column-reverse">
        <div style="height: 3000px; flex: none"><div id="shown" style="position: sticky; top: 0"></div></div></div>
      <script>
        const show = () => { shown.textContent = chat.scrollTop < -2700 ? 'Oldest one' : 'Others' }
        chat.onscroll = show
        show()
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('scroll', { ref: 'Chat', until: 'Oldest one' })).toMatch(/^Found/)
})

test('Escape closes an open popover wherever the focus is, but no manual one', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<button popovertarget="auto">More</button><div id="auto" popover>Details</div>
      <button popovertarget="manual">Hold</button><div id="manual" popover="manual"><button>In it</button></div>
      <dialog id="fixed" closedby="none"><button>Stay</button></dialog>`,
  })
  const { call } = await drive(page)
  const isOpen = (id: string) =>
    page.evaluate((one) => document.getElementById(one)?.matches(':popover-open,:modal'), id)
  await call('click', { ref: 'More' })
  expect(await isOpen('auto')).toBe(true)
  await call('press_key', { key: 'Escape' })
  expect(await isOpen('auto')).toBe(false)
  await call('click', { ref: 'Hold' })
  await call('press_key', { ref: 'In it', key: 'Escape' })
  expect(await isOpen('manual')).toBe(true)
  await page.evaluate(() => {
    document.getElementById('manual')?.hidePopover()
    document.querySelector('dialog')?.showModal()
  })
  await call('press_key', { ref: 'Stay', key: 'Escape' })
  expect(await isOpen('fixed')).toBe(true)
})

for (const [where, options] of [
  ['outside of root', { root: 'main' }],
  ['in deny', { deny: ['.panel'] }],
] as const)
  test(`Escape closes no popover and no dialog ${where}`, async ({ openPage }) => {
    const page = await openPage({
      body: `<main><input aria-label="Name"><div id="own" popover="auto">Details</div></main>
        <div class="panel" id="menu" popover="auto">Menu</div>
        <dialog class="panel"><p>Chat</p></dialog>`,
    })
    const { call } = await drive(page, options)
    const isOpen = (id: string) =>
      page.evaluate((one) => document.getElementById(one)?.matches(':popover-open'), id)
    await page.evaluate(() => document.getElementById('menu')?.showPopover())
    await call('press_key', { ref: 'Name', key: 'Escape' })
    expect(await isOpen('menu')).toBe(true)
    await page.evaluate(() => document.getElementById('own')?.showPopover())
    await call('press_key', { ref: 'Name', key: 'Escape' })
    expect(await isOpen('own')).toBe(false)
    await page.evaluate(() => {
      document.querySelector('dialog')?.showModal()
      ;(document.activeElement as HTMLElement).blur()
    })
    await call('press_key', { key: 'Escape' })
    expect(await property(page, 'dialog', 'open')).toBe(true)
  })

test('Space in a text field of a form that leaves the site is no Enter', async ({ openPage }) => {
  const page = await openPage({
    body: `<form action="https://other.example/list"><input aria-label="Name" value="a"><button>Join</button></form>`,
  })
  const { call } = await drive(page)
  expect(await call('press_key', { ref: 'Name', key: 'Space' })).toMatch(/^Pressed/)
  expect(await property(page, 'input', 'value')).toMatch(/ /)
})

for (const [what, form] of [
  ['is sent by POST', 'method="post" action="/join"'],
  ['leaves the site', 'action="https://other.example/list"'],
] as const)
  test(`Space in a text field of a form that ${what} is judged like a letter`, async ({
    openPage,
  }) => {
    const page = await openPage({
      body: `<form ${form}><input aria-label="Name" value="a"><button data-offstage-confirm>Join</button></form>`,
    })
    await drive(page)
    const judged = await page.evaluate(async () => {
      const { pageTools } = Reflect.get(window, 'pageToolsEntry')
      const tool = pageTools().find(({ name }: { name: string }) => name === 'press_key')
      const judge = async (key: string, ref: string) => [
        await tool.needsApproval({ key, ref }, {}),
        await tool.commits({ key, ref }, { tainted: true }),
        await tool.describe({ key, ref }, {}).then(
          () => 'described',
          ({ code }: { code: string }) => code,
        ),
      ]
      return {
        letter: await judge('b', 'Name'),
        space: await judge('Space', 'Name'),
        enter: await judge('Enter', 'Name'),
        onButton: await judge('Space', 'Join'),
      }
    })
    expect(judged.space).toEqual(judged.letter)
    expect(judged.space).toEqual(['default', false, 'described'])
    expect(judged.enter.slice(0, 2)).toEqual([true, true])
    expect(judged.onButton).toEqual(judged.enter)
  })

test('a field that is replaced while typing never sends the rest to another field of its name', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<div><input aria-label="Quantity" value="1"></div><div id="row"><input aria-label="Quantity"></div>
      <script>
        row.oninput = ({ target }) => {
          const fresh = target.cloneNode()
          fresh.value = target.value
          row.replaceChildren(fresh)
        }
      </script>`,
  })
  await drive(page)
  const text = await page.evaluate(async () => {
    const { typeText } = Reflect.get(window, 'pageToolsEntry')
    const field = document.querySelector('#row input')
    return typeText(field, '25').then(
      () => 'typed',
      ({ code }: { code: string }) => code,
    )
  })
  expect(text).toBe('stale-ref')
  expect(await property(page, 'input', 'value')).toBe('1')
})

test('fill_form goes on when the page keeps its fields in its address', async ({ openPage }) => {
  const page = await openPage({
    body: `<input id="from" aria-label="From"><input id="to" aria-label="To"><input id="by" aria-label="By">
      <script>
        oninput = () => history.replaceState(null, '', '?' + new URLSearchParams([['from', from.value], ['to', to.value]]))
      </script>`,
  })
  const { call } = await drive(page)
  const fields = [
    ['From', 'Ulm'],
    ['To', 'Rom'],
    ['By', 'rail'],
  ].map(([ref, value]) => ({ ref, value }))
  const said = await call('fill_form', { fields })
  expect(said).not.toContain('navigated away')
  expect(await property(page, '#to', 'value')).toBe('Rom')
  expect(await property(page, '#by', 'value')).toBe('rail')
})

for (const [router, go, event] of [
  ['hash', `location.hash = '#/pay'`, 'hashchange'],
  [
    'query',
    `history.pushState(null, '', '?page=pay'); dispatchEvent(new Event('popstate'))`,
    'popstate',
  ],
] as const)
  test(`fill_form stops when a choice leads to another page of a ${router} router`, async ({
    openPage,
  }) => {
    const page = await openPage({
      body: `<div id="app"><label>Country <select><option>Italy<option>Spain</select></label><input aria-label="Name"></div>
        <script>
          document.querySelector('select').onchange = () => { ${go} }
          window.addEventListener('${event}', () => { app.innerHTML = '<h1>Payment</h1><input id="card" aria-label="Name">' })
        </script>`,
    })
    const { call } = await drive(page)
    const fields = [
      { ref: 'Country', value: 'Spain' },
      { ref: 'Name', value: 'Ada' },
    ]
    const said = await call('fill_form', { fields })
    expect(said).toContain('The page navigated away.\n1 more fields were not filled.')
    expect(await property(page, '#card', 'value')).toBe('')
  })

test('fill_form stops when a choice replaces the frame of its field by another page', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<div id="app"><iframe srcdoc='<label>Country <select><option>Italy<option>Spain</select></label><input aria-label="Name">'></iframe></div>
      <script>
        document.querySelector('iframe').onload = ({ target }) => {
          target.contentDocument.querySelector('select').onchange = () => { location.hash = '#/pay' }
        }
        window.addEventListener('hashchange', () => { app.innerHTML = '<h1>Payment</h1><input id="card" aria-label="Name">' })
      </script>`,
  })
  const { call } = await drive(page)
  const fields = [
    { ref: 'Country', value: 'Spain' },
    { ref: 'Name', value: 'Ada' },
  ]
  const said = await call('fill_form', { fields })
  expect(said).toContain('The page navigated away.\n1 more fields were not filled.')
  expect(await property(page, '#card', 'value')).toBe('')
})

test('arrow keys and Tab work in radio buttons that name their form', async ({ openPage }) => {
  const page = await openPage({
    body: `<form id="f"></form><button>Before</button>
      <label><input type="radio" form="f" name="size" value="s"> Small</label>
      <label><input type="radio" form="f" name="size" value="l"> Large</label>`,
  })
  const { call } = await drive(page)
  await call('press_key', { ref: 'Before', key: 'Tab' })
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('s')
  await call('press_key', { ref: 'Small', key: 'ArrowDown' })
  expect(await property(page, '[value=l]', 'checked')).toBe(true)
})

test('Enter submits by the rules of implicit submission', async ({ openPage }) => {
  const form = (fields: string) =>
    `<form onsubmit="event.preventDefault(); document.title += ' ' + this.id" ${fields}</form>`
  const page = await openPage({
    body:
      form('id="area"><input aria-label="To"><textarea aria-label="Text"></textarea>') +
      form('id="dated"><input aria-label="Place"><input type="date" aria-label="Day">'),
  })
  const { call } = await drive(page)
  // A text area doesn't block implicit submission; a date does.
  await call('press_key', { ref: 'To', key: 'Enter' })
  await call('press_key', { ref: 'Place', key: 'Enter' })
  expect(await page.evaluate(() => document.title)).toBe('Test area')
})

test('a control in a scaled frame can be clicked', async ({ openPage }) => {
  const page = await openPage({
    body: `<iframe style="transform: scale(0.5); transform-origin: 0 0; width: 600px; height: 400px"
      srcdoc="<button style='position: absolute; left: 400px; top: 300px' onclick='parent.document.title = 1'>Deep</button>"></iframe>`,
  })
  const { call } = await drive(page)
  await expect.poll(() => call('find', { name: 'Deep' })).toContain('"Deep"')
  expect(await call('click', { ref: 'Deep' })).toMatch(/^Clicked/)
  expect(await page.evaluate(() => document.title)).toBe('1')
})

test('highlight frames a control in a scaled frame where a person sees it', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<style>body { margin: 0 }</style>
      <script>
        const { attachShadow } = Element.prototype
        Element.prototype.attachShadow = function () { return (window.layer = attachShadow.call(this, { mode: 'open' })) }
      </script>
      <iframe style="transform: scale(0.5); transform-origin: 0 0; width: 600px; height: 400px; border: 10px solid"
        srcdoc="<button style='position: absolute; left: 400px; top: 300px; width: 100px; height: 40px'>Deep</button>"></iframe>`,
  })
  const { call } = await drive(page)
  await expect.poll(() => call('find', { name: 'Deep' })).toContain('"Deep"')
  expect(await call('highlight', { ref: 'Deep' })).toContain('now sees a frame')
  const place = await page.evaluate(() => {
    const { left, top, width, height } = Reflect.get(window, 'layer').querySelector('.box').style
    return { left, top, width, height }
  })
  expect(place).toEqual({ left: '202px', top: '152px', width: '56px', height: '26px' })
})

test('of two open modal dialogs, the one opened last is read', async ({ openPage }) => {
  const page = await openPage({
    body: `<dialog id="sure"><p>Really remove it?</p><button onclick="document.title = 'removed'">Yes</button></dialog>
      <button onclick="edit.showModal()">Edit</button>
      <dialog id="edit"><button onclick="sure.showModal()">Discard</button></dialog>`,
  })
  const { call } = await drive(page)
  await call('click', { ref: 'Edit' })
  expect(await call('click', { ref: 'Discard' })).toContain('Really remove it?')
  const outline = await call('read_page')
  expect(outline).toContain('button "Yes"')
  expect(outline).not.toContain('button "Discard"')
})

test('of two open modal dialogs, Tab stays in the one on top, and Escape closes it', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<dialog id="edit"><button>Discard</button></dialog>
      <dialog id="sure"><button>No</button><button>Yes</button></dialog>
      <script>edit.showModal(); sure.showModal()</script>`,
  })
  const { call } = await drive(page)
  await call('press_key', { ref: 'No', key: 'Tab' })
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Yes')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await call('press_key', { key: 'Escape' })
  expect(await property(page, '#sure', 'open')).toBe(false)
  expect(await property(page, '#edit', 'open')).toBe(true)
})
