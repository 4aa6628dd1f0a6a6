import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'

// Lists that libraries draw in place of a native select, and pickers that float over the page.

const OPTIONS = '<option value="">Any</option><option>Italy</option><option>Spain</option>'
const ITEMS = '<ul><li data-at="0">Any<li data-at="1">Italy<li data-at="2">Spain</ul>'

/** The list as a person sees it, and the value that its form sends. */
const shown = () => ({
  label: document.querySelector<HTMLElement>('.shown')?.innerText,
  isOpen: document.querySelector<HTMLElement>('.items')?.checkVisibility(),
  value: document.querySelector('select')?.value,
})

/** A list in the manner of Selectric: the select is in a box without a size, and nobody listens to it. */
const boxed = (script = '') => `<style>
    .wrap { position: relative; width: 200px } .box { height: 0; width: 0; overflow: hidden; position: relative } .box select { position: absolute; left: -100% }
    .items { display: none; position: absolute; top: 32px; background: white } .open .items { display: block } .field { height: 30px }
  </style>
  <label for="s">Country</label><div class="wrap"><div class="box"><select id="s" tabindex="-1">${OPTIONS}</select></div>
  <div class="field"><span class="shown"></span> ▾</div><div class="items">${ITEMS}</div></div>
  <script>
    const wrap = document.querySelector('.wrap'), select = document.querySelector('select'), shown = document.querySelector('.shown')
    document.querySelector('.field').onclick = () => wrap.classList.toggle('open')
    for (const item of document.querySelectorAll('li')) item.onclick = () => {
      select.selectedIndex = item.dataset.at
      shown.textContent = item.textContent
      wrap.classList.remove('open')
      select.dispatchEvent(new Event('change', { bubbles: true }))
    }
    ${script}
  </script>`

test('a select behind a list that does not follow it is chosen in that list', async ({
  openPage,
}) => {
  const page = await openPage({ body: boxed() })
  const { call } = await drive(page)
  const chosen = { ref: 'Country', options: ['Spain'] }
  expect(await call('select_option', chosen)).toMatch(
    /^Chose "Spain" in combobox "Country" \[ref=\w+\]\.$/m,
  )
  expect(await page.evaluate(shown)).toEqual({ label: 'Spain', isOpen: false, value: 'Spain' })
})

test('a list that the focus of its select opens is closed by the choice', async ({ openPage }) => {
  const page = await openPage({
    body: boxed("select.onfocus = () => wrap.classList.add('open')"),
  })
  const { call } = await drive(page)
  await call('select_option', { ref: 'Country', options: ['Italy'] })
  expect(await page.evaluate(shown)).toEqual({ label: 'Italy', isOpen: false, value: 'Italy' })
})

test('a select that is not displayed is chosen by its visible list', async ({ openPage }) => {
  const page = await openPage({
    body: `<label for="s">Country</label><select id="s" style="display: none">${OPTIONS}</select>
      <div style="position: relative; width: 200px"><a class="shown" style="display: block; cursor: pointer">Select an option</a>
        <div class="items" style="display: none; position: absolute; background: white">${ITEMS}</div></div>
      <script>
        const items = document.querySelector('.items')
        document.querySelector('.shown').onmousedown = () => (items.style.display = items.style.display === 'none' ? 'block' : 'none')
        for (const item of document.querySelectorAll('li')) item.onmouseup = () => {
          document.querySelector('select').selectedIndex = item.dataset.at
          document.querySelector('.shown').textContent = item.textContent
          items.style.display = 'none'
        }
      </script>`,
  })
  const { call } = await drive(page)
  const text = await call('select_option', { ref: 'Country', options: ['Spain'] })
  expect(text).toMatch(/^Chose "Spain" in combobox "Country"/)
  expect(text).not.toContain('A person still sees')
  expect(await page.evaluate(shown)).toEqual({ label: 'Spain', isOpen: false, value: 'Spain' })
})

test('a visible label that follows neither the select nor its list is reported', async ({
  openPage,
}) => {
  const page = await openPage({
    body: boxed(
      "for (const item of document.querySelectorAll('li')) item.onclick = null; shown.textContent = 'Any'",
    ),
  })
  const { call } = await drive(page)
  const text = await call('select_option', { ref: 'Country', options: ['Spain'] })
  expect(text).toMatch(/Chose "Spain" in combobox "Country".* A person still sees .*Any/)
})

test('a button beside a hidden select is never pressed for it', async ({ openPage }) => {
  const page = await openPage({
    body: `<label for="s">Country</label><select id="s" style="display: none">${OPTIONS}</select>
      <button onclick="document.title = 'pressed'">Delete</button><p>Italy</p><p>Spain</p>`,
  })
  const { call } = await drive(page)
  expect(await call('select_option', { ref: 'Country', options: ['Spain'] })).toMatch(
    /^hidden: combobox "Country"/,
  )
  expect(await page.evaluate(() => document.title)).toBe('Test')
})

const CITIES = '<option>Oslo</option><option>Bergen</option>'

for (const [what, next] of [
  ['a button beside it', '<button aria-haspopup="menu">More</button>'],
  ['a combobox beside it', '<div role="combobox" tabindex="0" aria-label="To">Oslo</div>'],
  [
    'another select with its options',
    `</div><div><label for="to">To</label><select id="to">${CITIES}</select>`,
  ],
])
  test(`a choice in a select that is only out of view leaves ${what} alone`, async ({
    openPage,
  }) => {
    const page = await openPage({
      body: `<div style="height: 4000px">Top</div><div><label for="from">From</label><select id="from">${CITIES}</select>${next}</div>
        <script>onmousedown = ({ target }) => (document.title = 'pressed ' + target.tagName)</script>`,
    })
    const { call } = await drive(page)
    const text = await call('select_option', { ref: 'From', options: ['Bergen'] })
    expect(text).toMatch(/^Chose "Bergen" in combobox "From"/)
    expect(text).not.toContain('A person still sees')
    expect(await property(page, '#from', 'value')).toBe('Bergen')
    expect(await page.evaluate(() => document.title)).toBe('Test')
  })

test('an open colour picker that covers a button is left, as by a press beside it', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<input aria-label="Accent" value="#000000"><div id="picker" style="display: none; position: absolute; top: 0; left: 0; width: 700px; height: 500px; background: white"><div style="height: 400px">Hue</div></div>
      <p style="padding-top: 60px"><button onclick="document.title = 'sent'">Submit</button></p>
      <script>
        const field = document.querySelector('input'), picker = document.getElementById('picker')
        field.style = 'position: relative; z-index: 2'
        field.onfocus = () => (picker.style.display = 'block')
        document.onmousedown = ({ target }) => { if (target !== field && !picker.contains(target)) picker.style.display = 'none' }
      </script>`,
  })
  const { call } = await drive(page)
  expect(await call('type_text', { ref: 'Accent', text: '#ff0000' })).toMatch(/^Typed/)
  expect(await page.evaluate(() => document.getElementById('picker')?.style.display)).toBe('block')
  expect(await call('click', { ref: 'Submit' })).toMatch(/^Clicked button "Submit"/)
  expect(await page.evaluate(() => document.title)).toBe('sent')
})
