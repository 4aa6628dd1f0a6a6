import { drive } from '../apps/drive.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// A page that takes nothing: each effect is prevented, or set back once the action seems to be over. No report may
// say that there was one.

const BODY = `
  <style>ul[role=listbox] { margin: 0 } #tall { height: 3000px } .box { width: 80px; height: 30px; background: #ddd }</style>
  <label>Name <input id="name"></label><label>Notes <textarea>kept</textarea></label>
  <label>Day <input type="date"></label><label>Volume <input type="range" value="1" min="0" max="9"></label>
  <div role="slider" tabindex="0" aria-label="Zoom" aria-valuenow="1" aria-valuemin="0" aria-valuemax="9">1</div>
  <div contenteditable role="textbox" aria-label="Draft">draft</div>
  <label>Paper <input type="file"></label>
  <label>Plan <select><option>Free<option>Plus</select></label>
  <label>Tags <select multiple><option>a<option>b</select></label>
  <label><input type="checkbox"> Agree</label><div role="switch" tabindex="0" aria-checked="false">Wifi</div>
  <label><input type="radio" name="r"> Large</label>
  <div role="radiogroup" aria-label="Meal"><div role="radio" aria-checked="false" tabindex="0">Soup</div></div>
  <button role="combobox" aria-haspopup="listbox" aria-expanded="false" aria-controls="list" aria-label="Fruit">Pick</button>
  <ul id="list" role="listbox" hidden><li role="option" aria-selected="true">Apple<li role="option">Pear</ul>
  <ul role="listbox" aria-label="Pets" aria-multiselectable="true" tabindex="0"><li role="option">Cat<li role="option">Dog</ul>
  <button aria-haspopup="menu" aria-expanded="false" aria-controls="menu">Actions</button>
  <div id="menu" role="menu" hidden><div role="menuitem">Archive</div></div>
  <button>Save</button><a href="/elsewhere.html">Elsewhere</a>
  <div class="box" id="card" draggable="true">Card</div><div class="box" id="bin">Bin</div><div class="box" id="knob" tabindex="0">Knob</div>
  <div id="tall"></div><button>Bottom</button>
  <script>
    // The lists open, as on a page that forgets only what is chosen in them.
    for (const [opener, list] of [['Fruit', 'list'], ['Actions', 'menu']]) {
      const button = [...document.querySelectorAll('button')].find((one) => (one.ariaLabel ?? one.textContent) === opener)
      button.onclick = () => { document.getElementById(list).hidden = false; button.ariaExpanded = 'true' }
    }
    document.getElementById('list').onmouseover = ({ target }) => {
      for (const option of document.querySelectorAll('#list [role=option]')) option.ariaSelected = String(option === target)
    }
  </script>`

/** Sets all back that a call may have set, and takes away what the page doesn't know. */
const RESET = `
  const before = new Map()
  for (const field of document.querySelectorAll('input,textarea,select'))
    before.set(field, { value: field.type === 'file' ? '' : field.value, checked: field.checked, chosen: [...(field.options ?? [])].map((one) => one.selected) })
  const draft = document.querySelector('[contenteditable]')
  const reset = () => {
    for (const [field, { value, checked, chosen }] of before) {
      if (field.options) for (const [index, one] of [...field.options].entries()) one.selected = chosen[index]
      else if (field.value !== value) field.value = value
      if (field.checked !== undefined) field.checked = checked
    }
    if (draft.textContent !== 'draft') draft.textContent = 'draft'
    scrollTo(0, 0)
  }
  addEventListener('hashchange', () => history.replaceState(null, '', location.pathname))
  new MutationObserver(() => document.querySelector('offstage-hands')?.remove())
    .observe(document.documentElement, { childList: true })`

const PAGES = {
  'prevents it': `${RESET}
    for (const type of ['scroll', 'click', 'change']) addEventListener(type, reset, true)
    for (const type of 'beforeinput,input,change,click,dblclick,keydown,keypress,keyup,submit,paste,dragstart,dragover,drop'.split(','))
      addEventListener(type, (event) => {
        if (event.target.closest?.('[aria-haspopup]')) return
        event.preventDefault()
        event.stopImmediatePropagation()
      }, true)`,
  'sets it back': `${RESET}
    for (const type of 'input,change,click,keyup,scroll'.split(','))
      addEventListener(type, () => setTimeout(reset, 30), true)
    addEventListener('click', (event) => { if (event.target.closest('a')) event.preventDefault() }, true)`,
}

/** Replies expected on both pages: the value wasn't kept, or the value that the field holds now. */
const CALLS: readonly (readonly [tool: string, input: object, said: RegExp])[] = [
  ['click', { ref: 'Save' }, /Nothing changed/],
  ['click', { ref: 'Save', kind: 'double' }, /Nothing changed/],
  ['click', { ref: 'Save', kind: 'right' }, /Nothing changed/],
  ['click', { ref: 'Elsewhere' }, /Nothing changed/],
  ['hover', { ref: 'Save' }, /Nothing changed/],
  ['type_text', { ref: 'Name', text: 'Ada' }, /^refused-value: .*(did not keep|does not take)/],
  ['type_text', { ref: 'Notes', text: 'new' }, /^refused-value: |now holds "kept", as before/],
  [
    'type_text',
    { ref: 'Notes', text: 'new', mode: 'append' },
    /^refused-value: |now holds "kept", as before/,
  ],
  ['type_text', { ref: 'Day', text: '2026-03-09' }, /^refused-value: .*did not keep/],
  ['type_text', { ref: 'Volume', text: '7' }, /^refused-value: |now holds "1", as before/],
  ['type_text', { ref: 'Zoom', text: '7' }, /^refused-value: /],
  ['type_text', { ref: 'Draft', text: 'new' }, /^refused-value: |now holds "draft", as before/],
  ['type_text', { ref: 'Paper', text: 'a.txt' }, /^refused-value: .*did not keep/],
  [
    'select_option',
    { ref: 'Plan', options: ['Plus'] },
    /^refused-value: .*did not keep "Plus".*"Free"/,
  ],
  ['select_option', { ref: 'Tags', options: ['a', 'b'] }, /^refused-value: .*did not keep/],
  ['select_option', { ref: 'Fruit', options: ['Pear'] }, /nothing shows that it was taken/],
  ['select_option', { ref: 'Fruit', options: ['Apple'] }, /nothing shows that it was taken/],
  [
    'select_option',
    { ref: 'Pets', options: ['Dog'] },
    /^refused-value: .*nothing shows that it was taken/,
  ],
  [
    'select_option',
    { ref: 'Meal', options: ['Soup'] },
    /^refused-value: .*nothing shows that it was taken/,
  ],
  ['select_option', { ref: 'Actions', options: ['Archive'] }, /^Clicked "Archive"/],
  ['set_checked', { ref: 'Agree', checked: true }, /^refused-value: /],
  ['set_checked', { ref: 'Wifi', checked: true }, /^refused-value: /],
  ['set_checked', { ref: 'Large', checked: true }, /^refused-value: /],
  [
    'fill_form',
    {
      fields: [
        { ref: 'Name', value: 'Ada' },
        { ref: 'Agree', value: true },
      ],
    },
    /^refused-value: /,
  ],
  ['press_key', { key: 'Enter', ref: 'Save' }, /Nothing changed/],
  ['press_key', { key: 'x', ref: 'Name' }, /Nothing changed/],
  ['drag', { ref: 'Card', to: 'Bin' }, /not accepted there|Nothing changed/],
  ['drag', { ref: 'Knob', x: 40, y: 0 }, /Nothing changed/],
  ['scroll', { direction: 'down' }, /scrolled it back/],
  ['scroll', { ref: 'Bottom' }, /did not scroll to it/],
  ['highlight', { ref: 'Save' }, /^unsupported: .*took away/],
  ['navigate', { url: '#part' }, /did not go there|Nothing changed/],
  ['wait_for', { text: 'Saved', timeoutMs: 300 }, /^timeout: /],
]

for (const [kind, script] of Object.entries(PAGES))
  test(`no report claims success on a page that ${kind}`, MORE, async ({ openPage }) => {
    const page = await openPage({ body: `${BODY}<script>${script}</script>` })
    const { call } = await drive(page, { files: ['a.txt'] })
    for (const [tool, input, said] of CALLS) {
      expect.soft(await call(tool, input), `${tool} ${JSON.stringify(input)}`).toMatch(said)
    }
  })

test(
  'a highlighted option is not taken as selected, and selected options stay',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<ul role="listbox" aria-label="Pets" aria-multiselectable="true" tabindex="0"><li role="option">Cat<li role="option">Dog<li role="option">Fish</ul>
    <script>
      const [list] = document.querySelectorAll('ul'); const chosen = new Set(); window.chosen = chosen
      const mark = (over) => { for (const one of list.children) one.ariaSelected = String(one === over) }
      list.onmouseover = ({ target }) => mark(target)
      list.onclick = ({ target }) => { const name = target.textContent; chosen.has(name) ? chosen.delete(name) : chosen.add(name); document.querySelector('p').textContent = [...chosen].join(' + ') }
    </script><p></p>`,
    })
    const { call } = await drive(page)
    const chosen = () =>
      page.evaluate(() => [...(window as unknown as { chosen: Set<string> }).chosen])
    await call('select_option', { ref: 'Pets', options: ['Dog', 'Fish'] })
    expect(await chosen()).toEqual(['Dog', 'Fish'])
  },
)

const LATE = `<label><input type="checkbox"> News</label><label><input type="radio" name="r"> Large</label>
  <div role="switch" tabindex="0" aria-checked="false">Wifi</div><button aria-pressed="false">Bold</button>
  <script>
    window.clicks = 0
    for (const one of document.querySelectorAll('input, [role], button'))
      one.onclick = (event) => {
        event.preventDefault(); clicks += 1
        // A change of something else comes first.
        one.classList.toggle('pending')
        setTimeout(() => {
          if (one.matches('input')) one.checked = !one.checked
          for (const name of ['aria-checked', 'aria-pressed'])
            if (one.hasAttribute(name)) one.setAttribute(name, String(one.getAttribute(name) === 'false'))
        }, 400)
      }
  </script>`

test('a control that updates late is set by one click', MORE, async ({ openPage }) => {
  const page = await openPage({ body: LATE })
  const { call } = await drive(page)
  for (const ref of ['News', 'Large', 'Wifi', 'Bold'])
    expect(await call('set_checked', { ref, checked: true })).toMatch(/ is now checked\.$/m)
  expect(await page.evaluate(() => (window as unknown as { clicks: number }).clicks)).toBe(4)
})

for (const event of ['pointerdown', 'mousedown', 'focus', 'pointerup', 'mouseup'])
  test(
    `a button replaced at its ${event} is not reported as clicked`,
    MORE,
    async ({ openPage }) => {
      const page = await openPage({
        body: `<div></div><script>
        window.clicks = 0; let renders = 0; const [around] = document.querySelectorAll('div')
        function render() {
          renders += 1
          around.innerHTML = '<button>Subscribe</button><label><input type="checkbox"> News</label>'
          const [button, field] = around.querySelectorAll('button, input')
          for (const one of [button, field]) {
            one.onclick = () => { clicks += 1 }
            if (renders === 1) one.on${event} = render
          }
        }
        render()
      </script>`,
      })
      const { call } = await drive(page)
      const said = await call('click', { ref: 'Subscribe' })
      expect(said).toMatch(/^button "Subscribe".* was pressed, but .*nothing was clicked/)
      expect(await call('click', { ref: 'Subscribe' })).toMatch(/^Clicked/)
      expect(await page.evaluate(() => (window as unknown as { clicks: number }).clicks)).toBe(1)
    },
  )

test('a button with an icon replaced during the press is clicked', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<button aria-label="Star"><b style="display: block; width: 30px; height: 30px"></b></button><script>
      const [button] = document.querySelectorAll('button')
      button.onpointerdown = button.onpointerup = () => button.replaceChildren(button.firstChild.cloneNode())
      button.onclick = () => { window.clicks = (window.clicks ?? 0) + 1 }
    </script>`,
  })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Star' })).toMatch(/^Clicked/)
  expect(await call('click', { ref: 'Star', kind: 'double' })).toMatch(/^Double-clicked/)
  expect(await page.evaluate(() => (window as unknown as { clicks: number }).clicks)).toBe(3)
})

test('a slider is moved by the arrow keys that it supports', MORE, async ({ openPage }) => {
  const slider = (name: string, raises: string, lowers: string): string =>
    `<div role="slider" tabindex="0" aria-label="${name}" aria-valuemin="0" aria-valuemax="9" aria-valuenow="4" aria-valuetext="step 4" data-raises="${raises}" data-lowers="${lowers}">x</div>`
  const page = await openPage({
    body: `${slider('Upright', 'ArrowUp', 'ArrowDown')}${slider('Lying', 'ArrowRight', 'ArrowLeft')}${slider('Mirrored', 'ArrowLeft', 'ArrowRight')}<script>
      onkeydown = ({ key, target }) => {
        const { raises, lowers } = target.dataset
        const now = Math.min(9, Math.max(0, Number(target.ariaValueNow) + (key === raises) - (key === lowers)))
        target.ariaValueNow = String(now); target.ariaValueText = 'step ' + now
      }
    </script>`,
  })
  const { call } = await drive(page)
  for (const ref of ['Upright', 'Lying', 'Mirrored'])
    for (const text of ['6', '1', 'step 3', 'step 2']) {
      expect(await call('type_text', { ref, text }), `${ref} ${text}`).not.toMatch(/^refused/)
      expect(await call('read_page')).toMatch(new RegExp(`slider "${ref}".*: step ${text.at(-1)}`))
    }
})
