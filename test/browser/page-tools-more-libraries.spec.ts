import { Said } from './page-tasks/support/hands.ts'
import { expect, test, type App } from './support/page-apps.ts'
import { MORE } from './support/more.ts'

// The libraries that most pages are made of, beside those of page-tools-libraries.spec.ts: a form, a table
// whose rows have actions, and what opens over the page.

/** How these pages call their fruit. */
const FRUIT = { options: ['Banana'] }

/** The control of this role and name in the row that says these words. */
async function inRow(app: App, row: string, role: string, name?: string): Promise<string> {
  const page = new Said(await app.call('read_page'))
  const line = page.lines.find((one) => one.role === 'row' && one.text.includes(row))
  if (!line) throw new Error(`No row "${row}":\n${page.text}`)
  return page.inside(line).ref(role, name)
}

test('Chakra UI', MORE, async ({ app }) => {
  const opened = await app('chakra')
  const { call, step } = opened
  const outline = new Said(await call('read_page'))
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  await step('select_option', { ref: 'Fruit', ...FRUIT }, { fruit: ['banana'] })
  await step('select_option', { ref: 'City', options: ['Oslo'] }, { city: ['Oslo'] })
  await call('click', { ref: 'Open calendar' })
  const day = { day: [expect.objectContaining({ year: 2026, month: 3, day: 17 })] }
  await step('click', { ref: '17' }, day)
  await step('type_text', { ref: 'Guests', text: '7' }, { guests: '7' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'Large' })
  const slider = outline.ref('slider', 'Volume')
  await step('type_text', { ref: slider, text: '23' }, { volume: [23] })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('click', { ref: 'Shipping' })
  await step('click', { ref: 'Ship it' }, { picked: 'shipped' })
  await call('click', { ref: await inRow(opened, 'Grace', 'button', 'More') })
  await step('click', { ref: 'Edit' }, { picked: 'edit Grace' })
  await call('click', { ref: await inRow(opened, 'Grace', 'button', 'More') })
  const removed = await step('click', { ref: 'Remove' }, { people: ['Ada', 'Linus'] })
  expect(removed).toContain('Grace is removed')
  await step('click', { ref: 'Undo' }, { people: ['Ada', 'Linus', 'Grace'], undone: true })
  expect(await step('click', { ref: 'Open dialog' }, { open: true })).toContain(
    'New: dialog "Sure?"',
  )
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('Angular Material', MORE, async ({ app }) => {
  const opened = await app('angular-material')
  const { call, step } = opened
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  const outline = new Said(await call('read_page'))
  const ref = (name: string) => outline.ref('combobox', name)
  await step('select_option', { ref: ref('Fruit'), ...FRUIT }, { fruit: 'Banana' })
  const both = { ref: ref('Colours'), options: ['Red', 'Blue'] }
  await step('select_option', both, { many: ['Red', 'Blue'] })
  await step('select_option', { ref: ref('City'), options: ['Oslo'] }, { city: 'Oslo' })
  await call('click', { ref: 'Open calendar' })
  await step('click', { ref: 'March 17, 2026' }, { day: 'Tue Mar 17 2026' })
  await step('type_text', { ref: 'Day', text: '3/9/2026' }, { day: 'Mon Mar 09 2026' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('set_checked', { ref: 'Board', checked: true }, { view: 'board' })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('click', { ref: 'Two' }, { tab: 1 })
  await step('click', { ref: 'Remove News' }, { tags: ['Food'] })
  await call('click', { ref: 'Shipping' })
  await step('click', { ref: 'Ship it' }, { picked: 'shipped' })
  await step('click', { ref: 'Person' }, { sorted: 'name asc' })
  await step('click', { ref: 'Next page' }, { page: 1 })
  await call('click', { ref: await inRow(opened, 'Linus', 'button', 'More') })
  const removed = await step('click', { ref: 'Remove' }, { people: ['Ada', 'Alan', 'Grace'] })
  expect(removed).toContain('Linus is removed')
  await step('click', { ref: 'Undo' }, { undone: true })
  expect(await call('click', { ref: 'Open dialog' })).toContain('New: dialog "Sure?"')
  await step('click', { ref: 'Yes, do it' }, { confirmed: true })
})

test('PrimeVue', MORE, async ({ app }) => {
  const opened = await app('primevue')
  const { call, step } = opened
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  await step('select_option', { ref: 'Fruit', ...FRUIT }, { fruit: 'Banana' })
  const both = { ref: 'Colours', options: ['Red', 'Blue'] }
  await step('select_option', both, { many: ['Red', 'Blue'] })
  await step('select_option', { ref: 'City', options: ['Oslo'] }, { city: 'Oslo' })
  await call('click', { ref: 'Choose Date' })
  await step('click', { ref: '17' }, { day: 'Tue Mar 17 2026' })
  await step('type_text', { ref: 'Amount', text: '7', enter: true }, { amount: 7 })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('press_key', { ref: 'Documents', key: 'ArrowRight' })
  await step('click', { ref: 'Letters' }, { folder: { letters: true } })
  await step('click', { ref: 'Person' }, { sorted: 'name 1' })
  const box = await inRow(opened, 'Alan', 'checkbox')
  await step('set_checked', { ref: box, checked: true }, { chosen: ['Alan'] })
  await call('click', { ref: 'Page 2' })
  const asked = await call('click', { ref: await inRow(opened, 'Linus', 'button', 'Remove') })
  const question = new Said(asked)
  const removed = await step(
    'click',
    { ref: question.ref('button', 'Remove') },
    { people: ['Ada', 'Grace', 'Alan', 'Barbara'], toasts: 1 },
  )
  expect(removed).toContain('Linus is removed')
  await call('click', { ref: 'Menu' })
  await step('click', { ref: 'Copy' }, { picked: 'Copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('daisyUI: menu, collapse, drawer and dialog', MORE, async ({ app }) => {
  const { call, step } = await app('daisyui')
  await call('click', { ref: 'Account' })
  await step('click', { ref: 'Profile' }, { picked: 'profile' })
  // The checkbox lies over the title of what it opens, which a person sees alone.
  const page = new Said(await call('read_page'))
  const box = page.all('checkbox').find(({ marks }) => marks.includes('[hint="collapse"]'))?.ref
  const shipping = await call('set_checked', { ref: box, checked: true })
  expect(shipping).toContain('button "Ship it"')
  await step('click', { ref: 'Ship it' }, { picked: 'ship' })
  await step('click', { ref: 'Open drawer' }, { drawer: true })
  await step('click', { ref: 'Orders' }, { picked: 'orders' })
  await step('click', { ref: 'Close drawer' }, { drawer: false })
  expect(await step('click', { ref: 'Open dialog' }, { open: true })).toContain('New: dialog')
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('daisyUI: fields, tabs, a table', MORE, async ({ app }) => {
  const opened = await app('daisyui')
  const { call, step } = opened
  await call('click', { ref: 'More' })
  await step('click', { ref: 'Export' }, { picked: 'export' })
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  await step('type_text', { ref: 'Mail', text: 'ada@home.example' }, { mail: 'ada@home.example' })
  await step('select_option', { ref: 'Fruit', ...FRUIT }, { fruit: 'Banana' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { wifi: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agree: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: '23' })
  await step('set_checked', { ref: '4 stars', checked: true }, { stars: '4' })
  await call('click', { ref: 'Second' })
  await step('click', { ref: 'In the second' }, { picked: 'inside' })
  await step('set_checked', { ref: 'Closed', checked: true }, { kind: 'Closed' })
  await step('set_checked', { ref: 'Sound on Sound off', checked: true }, { sound: true })
  expect(await call('find', { name: 'Send it back' })).not.toContain('[ref=')
  await call('click', { ref: 'Returns' })
  await step('click', { ref: 'Send it back' }, { picked: 'return' })
  const remove = await inRow(opened, 'Grace', 'button', 'Remove')
  const removed = await step('click', { ref: remove }, { rows: ['Ada', 'Linus'] })
  expect(removed).toContain('Grace is removed')
  await step('set_checked', { ref: '2', checked: true }, { page: '2' })
})

test('Fomantic UI', MORE, async ({ app }) => {
  const opened = await app('fomantic')
  const { call, step } = opened
  const outline = new Said(await call('read_page'))
  /** The next line with a handle after a text: labels aren't bound to fields here. */
  const after = (text: string, role: string) => {
    const at = outline.lines.findIndex((line) => line.text === text)
    return outline.lines.slice(at).find((line) => line.role === role && line.ref)?.ref
  }
  await step('type_text', { ref: after('Name', 'textbox'), text: 'Ada' }, { name: 'Ada' })
  await call('click', { ref: after('Fruit', 'generic') })
  await step('click', { ref: 'Banana' }, { fruit: 'Banana' })
  await call('type_text', { ref: after('City', 'textbox'), text: 'Os' })
  await step('click', { ref: 'Oslo' }, { city: 'Oslo' })
  await call('click', { ref: after('Tags', 'generic') })
  await step('click', { ref: 'Red' }, { tags: ['Red'] })
  await step('click', { ref: 'Blue' }, { tags: ['Red', 'Blue'] })
  await call('press_key', { key: 'Escape' })
  await call('click', { ref: 'Day' })
  await step('click', { ref: '17' }, { day: 'Tue Mar 17 2026' })
  await step('click', { ref: 'Wifi' }, { wifi: true })
  await step('click', { ref: 'Agree' }, { agree: true })
  await step('click', { ref: 'Large' }, { size: 'l' })
  expect(outline.has('generic', 'Two'), outline.text).toBe(true)
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('click', { ref: 'Shipping' })
  await step('click', { ref: 'Ship it' }, { picked: 'ship' })
  await call('hover', { ref: 'File' })
  await call('hover', { ref: 'Share' })
  await step('click', { ref: 'By mail' }, { picked: 'mail' })
  const remove = await inRow(opened, 'Grace', 'button', 'Remove')
  const removed = await step('click', { ref: remove }, { rows: ['Ada', 'Linus'] })
  expect(removed).toContain('Grace is removed')
  await step('click', { ref: 'Open side' }, { side: true })
  await step('click', { ref: 'Orders' }, { picked: 'orders' })
  await step('click', { ref: 'Close side' }, { side: false })
  await call('click', { ref: 'Open dialog' })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true })
})

test('TanStack Table', MORE, async ({ app }) => {
  const opened = await app('tanstack-table')
  const { call, step } = opened
  const age = new Said(await call('read_page')).ref('columnheader', 'Age')
  expect(await step('click', { ref: age }, { sorted: ['age down'] })).toContain('Age ↓')
  await step('click', { ref: age }, { sorted: ['age up'], first: 'p0' })
  await step('select_option', { ref: 'Rows per page', options: ['20'] }, { size: 20 })
  await step('click', { ref: '>' }, { page: 1 })
  await step('click', { ref: '<' }, { page: 0 })
  const search = { ref: 'Search', text: 'Person 19' }
  const found = await step('type_text', search, { filter: 'Person 19' })
  expect(found).toContain('Person 199')
  const box = await inRow(opened, 'Person 197 |', 'checkbox')
  await step('set_checked', { ref: box, checked: true }, { chosen: ['p197'] })
  const edit = await inRow(opened, 'Person 193 |', 'button', 'Edit')
  await step('click', { ref: edit }, { edited: 'p193' })
  const remove = await inRow(opened, 'Person 193 |', 'button', 'Remove')
  await step('click', { ref: remove }, { people: 199 })
  const hidden = await step('set_checked', { ref: 'Show age', checked: false }, { hidden: ['age'] })
  expect(hidden).not.toContain('columnheader [clickable]: Age')
})
