import { Said } from './page-tasks/support/hands.ts'
import { expect, test } from './support/page-apps.ts'
import { MORE } from './support/more.ts'

// More libraries of components, grids, calendars and maps, by what the tools say of them.

/** How most libraries call what a page of this test shows. */
const FRUIT = { options: ['Banana'] }

test('Mantine', async ({ app }) => {
  const { call, step } = await app('mantine')
  await step('type_text', { ref: 'Name', text: 'Ada' }, { text: 'Ada' })
  await step('select_option', { ref: 'Fruit', ...FRUIT }, { fruit: 'Banana' })
  const both = { ref: 'Colours', options: ['Red', 'Blue'] }
  await step('select_option', both, { many: ['Red', 'Blue'] })
  await step('type_text', { ref: 'Amount', text: '7' }, { amount: 7 })
  await call('click', { ref: 'Day' })
  await step('click', { ref: '17 March 2026' }, { day: '2026-03-17' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'board', checked: true }, { view: 'board' })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('click', { ref: 'Menu' })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('Vuetify', MORE, async ({ app }) => {
  const { call, step } = await app('vuetify')
  const outline = new Said(await call('read_page'))
  await step('type_text', { ref: 'Name', text: 'Ada' }, { text: 'Ada' })
  const ref = (name: string) => outline.ref('combobox', name)
  await step('select_option', { ref: ref('Fruit'), ...FRUIT }, { fruit: 'Banana' })
  await step('select_option', { ref: ref('City'), options: ['City 42'] }, { city: 'City 42' })
  const both = { ref: ref('Colours'), options: ['Red', 'Blue'] }
  await step('select_option', both, { many: ['Red', 'Blue'] })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  const slider = outline.lines.find(({ role }) => role === 'slider')?.ref
  await step('type_text', { ref: slider, text: '23' }, { volume: 23 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  expect(await call('click', { ref: 'Menu' })).not.toMatch(/^[a-z-]+: /)
  await call('wait_for', { name: 'Copy' })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await call('wait_for', { name: 'Yes, do it' })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('Quasar', MORE, async ({ app }) => {
  const { call, step } = await app('quasar')
  await step('type_text', { ref: 'Name', text: 'Ada' }, { text: 'Ada' })
  await step('select_option', { ref: 'Fruit', ...FRUIT }, { fruit: 'Banana' })
  const both = { ref: 'Colours', options: ['Red', 'Blue'] }
  await step('select_option', both, { many: ['Red', 'Blue'] })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('press_key', { ref: 'Documents', key: 'ArrowRight' })
  await step('click', { ref: 'Letters' }, { folder: 'Letters' })
  const menu = new Said(await call('find', { role: 'button', name: 'Menu' }))
  await call('click', { ref: menu.all('button')[0]?.ref })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('Ionic', MORE, async ({ app }) => {
  const { call, step } = await app('ionic')
  const outline = new Said(await call('read_page'))
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  // Ionic shows the list as a dialog of radio buttons, with a button to confirm.
  await call('click', { ref: 'Fruit' })
  await call('click', { ref: 'Banana' })
  await step('click', { ref: 'OK' }, { fruit: 'banana' })
  await call('click', { ref: 'Colour' })
  await step('click', { ref: 'Blue' }, { colour: 'blue' })
  const [wifi] = outline.all('switch', 'Wifi')
  await step('set_checked', { ref: wifi?.ref, checked: true }, { wifi: true })
  const [agree] = outline.all('checkbox', 'Agree')
  await step('set_checked', { ref: agree?.ref, checked: true }, { agree: true })
  await step('click', { ref: 'Board' }, { view: 'board' })
  await call('click', { ref: 'Open dialog' })
  await call('wait_for', { text: 'Yes, do it' })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true })
})

test('Material Web', MORE, async ({ app }) => {
  const { call, step } = await app('material-web')
  const outline = new Said(await call('read_page'))
  const ref = (role: string, name: string) => outline.ref(role, name)
  await step('type_text', { ref: ref('textbox', 'Name'), text: 'Ada' }, { name: 'Ada' })
  await step('select_option', { ref: ref('combobox', 'Fruit'), ...FRUIT }, { fruit: 'banana' })
  await step('set_checked', { ref: ref('switch', 'Wifi'), checked: true }, { wifi: true })
  await step('set_checked', { ref: ref('checkbox', 'Agree'), checked: true }, { agree: true })
  await step('type_text', { ref: ref('slider', 'Volume'), text: '23' }, { volume: 23 })
  await step('click', { ref: ref('button', 'Cheap') }, { cheap: true })
  // Radio buttons and tabs keep their roles in `ElementInternals`: they are clickable, and have no more.
  const [, large] = outline.lines.filter(({ marks }) => marks.includes('[hint="size"]'))
  await step('click', { ref: large?.ref }, { large: true })
  await step('click', { ref: 'Two' }, { tab: 1 })
  await call('click', { ref: ref('button', 'Menu') })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: ref('button', 'Open dialog') }, { open: true })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true })
})

test('Tom Select', MORE, async ({ app }) => {
  const { call, step } = await app('tom-select')
  const outline = new Said(await call('read_page'))
  await step(
    'select_option',
    { ref: outline.ref('combobox', 'Fruit'), ...FRUIT },
    { fruit: 'banana' },
  )
  const tags = { ref: outline.ref('combobox', 'Tags'), options: ['red', 'blue'] }
  await step('select_option', tags, { tags: ['red', 'blue'] })
})

test('AG Grid', MORE, async ({ app }) => {
  const { call, step } = await app('grids')
  const find = async (text: string, role: string) =>
    new Said(await call('find', { text })).all(role, text)[0]?.ref
  const outline = new Said(await call('read_page'))
  await step(
    'click',
    { ref: outline.all('columnheader', 'Age')[0]?.ref || 'Age' },
    { sorted: 'age' },
  )
  const filter = outline.ref('textbox', 'Name Filter Input')
  await step('type_text', { ref: filter, text: 'Person 49' }, { shown: 11 })
  const cell = await find('Person 499', 'gridcell')
  await call('click', { ref: cell })
  await step('press_key', { key: ' ' }, { chosen: ['Person 499'] })
  const age = new Said(await call('read_page'))
  const at = age.lines.findIndex(({ text }) => text === 'Person 499')
  const editing = new Said(await call('click', { ref: age.lines[at + 1]?.ref, kind: 'double' }))
  const input = editing.lines.find(({ role }) => /^(textbox|spinbutton)$/.test(role))?.ref
  expect(input, editing.text).toBeDefined()
  await step('type_text', { ref: input, text: '33', enter: true }, { edited: 'Person 499: 33' })
})

test('Tabulator', MORE, async ({ app }) => {
  const { call, step } = await app('grids')
  await step('click', { ref: 'Years' }, { sorters: ['age asc'] })
  const [search] = new Said(await call('find', { role: 'searchbox' })).all('searchbox')
  await step('type_text', { ref: search?.ref, text: 'Guest 49' }, { found: 11 })
  const [guest] = new Said(await call('find', { text: 'Guest 499' })).lines.filter(({ ref }) => ref)
  await step('click', { ref: guest?.ref }, { marked: ['Guest 499'] })
})

test('FullCalendar and Leaflet', MORE, async ({ app }) => {
  const { call, step } = await app('calendar-map')
  await step('click', { ref: 'March 18, 2026' }, { clicked: '2026-03-18' })
  await step('click', { ref: 'Review' }, { opened: 'Review' })
  await step('drag', { ref: 'Review', to: 'March 12, 2026' }, { moved: '2026-03-12' })
  await step('click', { ref: 'Next month' }, { month: 'April 2026' })
  await step('click', { ref: 'Zoom in' }, { zoom: 4 })
  const [marker] = new Said(await call('find', { name: 'Harbour' })).all('button')
  const opened = await call('click', { ref: marker?.ref })
  expect(opened).toContain('button "Like"')
  await step('click', { ref: 'Like' }, { liked: true })
  const page = new Said(await call('read_page'))
  const zoom = page.lines.findIndex(({ name }) => name === 'Zoom in')
  const map = page.lines
    .slice(0, zoom)
    .findLast(({ role, depth }) => role === 'generic' && depth === 0)
  await call('drag', { ref: map?.ref, x: -120, y: 0 })
  await step('read_page', {}, { east: 11 })
})
