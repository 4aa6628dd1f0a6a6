import { drive } from '../apps/drive.ts'
import { refIn } from './support/ref-in.ts'
import { expect, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// Controls that something else stands for, covers or shares a name with.

test('keys go to the field last typed into, even in a frame', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<input aria-label="Outer"><div id="host"></div>
      <iframe srcdoc="<input aria-label='In a frame'>"></iframe>
      <iframe srcdoc="<body contenteditable aria-label=Editor>old</body>"></iframe>
      <iframe srcdoc="<iframe srcdoc='<body contenteditable aria-label=Deep>old</body>'></iframe>"></iframe>
      <script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<iframe srcdoc="<body contenteditable aria-label=Shadowed>old</body>"></iframe>'
        document.body.onkeydown = (event) => { if (event.target === document.body) document.title = 'lost' }
      </script>`,
  })
  const { call } = await drive(page)
  await expect.poll(() => call('find', { role: 'textbox', name: 'Deep' })).toContain('"Deep"')
  await expect.poll(() => call('find', { role: 'textbox', name: 'Shadowed' })).toContain('Shadowed')
  for (const name of ['Editor', 'Outer', 'Deep', 'In a frame', 'Shadowed', 'Editor']) {
    expect(await call('type_text', { ref: name, text: 'abc' })).toMatch(/^Typed/)
    const pressed = await call('press_key', { key: 'Backspace' })
    expect(pressed).toMatch(new RegExp(`^Pressed Backspace on textbox "${name}"`))
    expect(await call('find', { role: 'textbox', name })).toMatch(/: ab$/m)
  }
  expect(await page.evaluate(() => document.title)).not.toBe('lost')
})

test('a slider is named by the text beside it', MORE, async ({ openPage }) => {
  const slider = (attributes: string) =>
    `<span role="slider" tabindex="0" aria-valuemin="0" aria-valuemax="9" aria-valuenow="1" style="display: inline-block; width: 60px; height: 12px" ${attributes}></span>`
  const page = await openPage({
    body: `<label for="one">Volume</label> ${slider('id="one"')}
      <div><p>Bass</p><div>${slider('')}</div></div>
      <label>Treble ${slider('')}</label>
      <p>Balance</p><div>Left ${slider('')} Right</div>
      <div><div>Price from to</div><div>${slider('id="low"')}${slider('id="high"')}</div></div>
      <table><tr><td>Red<td><input type="range"><tr><td>Green<td><input type="range"></table>
      <div><button>Reset</button>${slider('id="bare"')}</div>
      <div><span data-offstage-mask>Secret</span>${slider('id="masked"')}</div>
      <div><span style="color: transparent">Unseen words</span>${slider('id="unseen"')}</div>`,
  })
  const { call } = await drive(page)
  const text = (await call('read_page')).replace(/ \[(ref|min|max|type)=\w+\]/g, '')
  for (const name of ['Volume', 'Bass', 'Treble', 'Red', 'Green'])
    expect(text).toContain(`slider "${name}"`)
  expect(text.match(/slider "Price from to"/g)).toHaveLength(2)
  expect(text).toContain('slider "Unseen words" [name hidden: transparent]')
  expect(text.match(/slider(?: \[hint="\w+"\])?: 1/g)).toHaveLength(2)
  expect(text).not.toContain('Secret')
  expect(await call('find', { role: 'slider', name: 'Bass' })).toMatch(/^- slider "Bass"/m)
  expect(await call('type_text', { ref: 'Green', text: '7' })).toMatch(/^Typed/)
  const values = await page.evaluate(() =>
    [...document.querySelectorAll('input')].map(({ value }) => value),
  )
  expect(values).toEqual(['50', '7'])
})

test('elements with the same name are distinguished by their place', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<nav><button>Open</button></nav><main><button>Open</button></main>
      <section class="card"><h3>Ada</h3><button>Edit</button></section><div class="card"><b>Bert</b><button>Edit</button></div>
      <table><tr><th>Monday<th>Tuesday<tr><td><button>Book</button><td><button>Book</button></table>
      <ul><li>Mug <button>Remove</button><li>Cup <button>Remove</button></ul>
      <button>Plain</button><button>Plain</button>
      <div id="grid"><button>Like</button><button>Like</button><button>Like</button><button>Like</button><button>Like</button><button>Like</button></div>
      <button aria-label="Swap" style="width: 30px"><i>⇄ to and fro</i></button><button>Swap</button>
      <p><span data-offstage-mask>hunter22</span> <button>Show</button></p><p>Public <button>Show</button></p>`,
  })
  const { call } = await drive(page)
  const places = async (ref: string): Promise<string[]> => {
    const text = await call('click', { ref })
    expect(text).toMatch(/^ambiguous: /)
    return [...text.matchAll(/\[ref=e\d+\] (\(.*\))/g)].map(([, place = '']) => place)
  }
  expect(await places('Open')).toEqual(['(in navigation)', '(in main)'])
  expect(await places('Edit')).toEqual(['(beside "Ada")', '(beside "Bert")'])
  expect(await places('Book')).toEqual(
    ['(in column "Monday")', '(in column "Tuesday")'].map((one) => expect.stringContaining(one)),
  )
  expect(await places('Remove')).toEqual([
    expect.stringContaining('in listitem "Mug'),
    expect.stringContaining('in listitem "Cup'),
  ])
  expect(await places('Plain')).toEqual(['(1 of 2 from the top)', '(2 of 2 from the top)'])
  expect((await places('Like'))[4]).toBe('(5 of at least 5 from the top)')
  // A search finds the second one first.
  expect(await call('click', { ref: 'Swap' })).toMatch(/fro.*\n.*button "Swap" \[ref=e\d+\] \(2 of/)
  expect((await places('Show')).join()).not.toContain('hunter')
})

const SELECT = `<style>.small { position: absolute; clip: rect(0, 0, 0, 0); width: 1px; height: 1px; overflow: hidden }
    .box { position: relative; width: 160px; padding: 4px; border: 1px solid } .box.has-value input { position: absolute; left: -10000px; opacity: 0 }
    .list { position: absolute; top: 30px; left: 0; width: 200px; height: 80px; background: #eee }</style>
  <label for="field">Country</label>
  <select class="small" tabindex="-1"><option>Italy<option>Spain</select>
  <div class="box"><span id="value"></span><input id="field" role="combobox" aria-expanded="false">
    <div class="list" id="list" role="listbox" aria-label="Countries" hidden><div role="option">Italy</div><div role="option">Spain</div></div></div>
  <button style="margin-top: 20px" onclick="saved = true">Save</button>
  <script>
    const box = document.querySelector('.box')
    const show = (open) => { list.hidden = !open; field.setAttribute('aria-expanded', open) }
    box.onclick = ({ target }) => {
      if (!target.matches('[role=option]')) return show(true)
      value.textContent = target.textContent
      box.classList.add('has-value')
      if (!window.staysOpen) show(false)
    }
  </script>`

test(
  "options of a hidden select do not compete with the component's options",
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: SELECT })
    const { call } = await drive(page)
    await call('click', { ref: 'Country' })
    expect(await call('click', { ref: 'Spain' })).toMatch(/^Clicked option "Spain"/)
    expect(await page.evaluate(() => document.querySelector('#value')!.textContent)).toBe('Spain')
    // With a value, its field lies far outside of the page: what is around it takes the click.
    expect(await call('click', { ref: 'Country' })).toMatch(/^Clicked combobox "Country"/)
    expect(await call('click', { ref: 'Italy' })).toMatch(/^Clicked option "Italy"/)
    expect(await page.evaluate(() => document.querySelector('#value')!.textContent)).toBe('Italy')
  },
)

for (const [how, listener] of [
  ['Escape', `document.onkeydown = ({ key }) => { if (key === 'Escape') show(false) }`],
  [
    'a press elsewhere',
    `document.onmousedown = ({ target }) => { if (!box.contains(target)) show(false) }`,
  ],
  [
    'a pointer elsewhere',
    `document.onpointerdown = ({ target }) => { if (!box.contains(target)) show(false) }`,
  ],
] as const)
  test(
    `an open list is closed by ${how} before the element under it is clicked`,
    MORE,
    async ({ openPage }) => {
      const page = await openPage({
        body: `${SELECT}<script>window.staysOpen = true; ${listener}; document.body.onclick = ({ target }) => { window.outside = target === document.body }</script>`,
      })
      const { call } = await drive(page)
      await call('click', { ref: 'Country' })
      await call('click', { ref: 'Spain' })
      expect(await call('click', { ref: 'Save' })).toMatch(/^Clicked button "Save"/)
      expect(
        await page.evaluate(() => [Reflect.get(window, 'saved'), Reflect.get(window, 'outside')]),
      ).toEqual([true, false])
    },
  )

test('an open list is closed even on a busy machine', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `${SELECT}<script>window.staysOpen = true; document.onkeydown = ({ key }) => { if (key === 'Escape') show(false) }</script>`,
  })
  const { call } = await drive(page)
  await call('click', { ref: 'Country' })
  await call('click', { ref: 'Spain' })
  // Each wait then takes longer than what covers is waited for.
  await page.evaluate(() => {
    const busy = setInterval(() => {
      const until = performance.now() + 800
      while (!Reflect.get(window, 'saved') && performance.now() < until);
      if (Reflect.get(window, 'saved')) clearInterval(busy)
    }, 1)
  })
  expect(await call('click', { ref: 'Save' })).toMatch(/^Clicked button "Save"/)
})

test('a list that opens over slow frames is awaited', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<div role="combobox" tabindex="0" aria-label="Fruit" aria-expanded="false" aria-controls="list">None</div>
      <div role="listbox" id="list" hidden style="visibility: hidden; pointer-events: none"><div role="option">Banana</div></div>
      <script>
        window.requestAnimationFrame = (then) => setTimeout(() => then(performance.now()), 300)
        const list = document.querySelector('#list')
        const frames = async (count) => { for (; count; count -= 1) await new Promise(requestAnimationFrame) }
        document.querySelector('[role=combobox]').onclick = async ({ currentTarget }) => {
          currentTarget.setAttribute('aria-expanded', 'true')
          list.hidden = false
          await frames(2)
          list.style.visibility = ''
          await frames(5)
          list.style.pointerEvents = ''
        }
        document.querySelector('[role=option]').onclick = ({ target }) => { target.setAttribute('aria-selected', 'true'); window.chosen = true }
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('select_option', { ref: 'Fruit', options: ['Banana'] })).toMatch(/^Chose /)
  expect(await page.evaluate(() => Reflect.get(window, 'chosen'))).toBe(true)
})

test('elements shown over slow frames are reported', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<button>More</button><div role="menu" aria-label="Parts" hidden style="visibility: hidden"><div role="menuitem">Copy</div></div>
      <script>
        window.requestAnimationFrame = (then) => setTimeout(() => then(performance.now()), 300)
        document.querySelector('button').onclick = () => {
          const menu = document.querySelector('[role=menu]')
          menu.hidden = false
          requestAnimationFrame(() => requestAnimationFrame(() => menu.style.visibility = ''))
        }
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'More' })).toContain('menuitem "Copy"')
})

test('an overlay that is no list stays in place', MORE, async ({ openPage }) => {
  const page = await openPage({
    body: `<button onclick="saved = true">Save</button>
      <div role="dialog" aria-label="News" style="position: fixed; inset: 0; background: #eee">News<div role="listbox" aria-label="Topics" style="height: 90vh"><div role="option">One</div></div></div>
      <script>window.heard = []; for (const type of ['keydown', 'mousedown', 'pointerdown']) document.addEventListener(type, () => heard.push(type))</script>`,
  })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Save' })).toMatch(/^covered: button "Save".* is covered by/)
  expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([])
})

test('a cover that belongs to no focused field gets no press beside it', async ({ openPage }) => {
  const page = await openPage({
    body: `<button>Save</button><div style="position: fixed; inset: 0; background: white">Loading</div>
      <script>onmousedown = () => (document.title = 'pressed')</script>`,
  })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Save' })).toMatch(/^covered: /)
  expect(await page.evaluate(() => document.title)).toBe('Test')
})

const IN_DIALOG = `<div role="dialog" aria-label="Order"><input id="field" aria-label="Note"><button onclick="saved = true">Save</button></div>
  <div role="listbox" id="list" aria-label="Topics" style="position: fixed; inset: 0; background: #eee"><div role="option">One</div></div>
  <script>
    window.heard = []
    for (const type of ['keydown', 'mousedown', 'pointerdown']) document.addEventListener(type, ({ target }) => heard.push(type + ' ' + target.localName))
    field.focus()
  </script>`

test('a dialog gets no events for a list outside its focused field', MORE, async ({ openPage }) => {
  const page = await openPage({ body: IN_DIALOG })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Save' })).toMatch(/^covered: button "Save".* is covered by/)
  expect(await page.evaluate(() => Reflect.get(window, 'heard'))).toEqual([])
})

test(
  'a click on a pointer-transparent control goes to the element that receives it',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({
      body: `<x-segment></x-segment><span class="tab" tabindex="-1" style="cursor: pointer"><b role="tab" style="pointer-events: none">Wrapped</b></span>
      <ul><li><a href="#2" style="pointer-events: none">Next page</a></ul>
      <div onclick="clicked.push('row')"><button style="pointer-events: none">Pay</button><button>Other</button></div>
      <script>
        window.clicked = []
        const segment = document.querySelector('x-segment')
        segment.attachShadow({ mode: 'open' }).innerHTML = '<button role="tab" style="pointer-events: none">Best</button>'
        segment.onclick = () => { clicked.push('segment'); segment.title = 'chosen' }
        document.querySelector('.tab').onclick = () => clicked.push('tab')
      </script>`,
    })
    const { call } = await drive(page)
    expect(await call('click', { ref: 'Best' })).toMatch(/^Clicked tab "Best"/)
    expect(await call('click', { ref: 'Wrapped' })).toMatch(/^Clicked tab "Wrapped"/)
    // A control that only looks disabled stays so, and a row with other controls is another target.
    expect(await call('click', { ref: 'Next page' })).toMatch(/^disabled: .*ignores the pointer/)
    const outline = await call('read_page')
    expect(await call('click', { ref: refIn(outline, /button "Pay"/) })).toMatch(/^disabled: /)
    expect(await page.evaluate(() => Reflect.get(window, 'clicked'))).toEqual(['segment', 'tab'])
  },
)
