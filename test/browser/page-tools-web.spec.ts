import { expect, test } from './support/page-apps.ts'
import { MORE } from './support/more.ts'

// Libraries without React: web components, Vue, jQuery's widgets, Bootstrap, editors.

test('Web Awesome', MORE, async ({ app }) => {
  const { call, step } = await app('webawesome')
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  await step('type_text', { ref: 'Notes', text: 'Hello\nworld' }, { notes: 'Hello\nworld' })
  await step('type_text', { ref: 'Guests', text: '5' }, { guests: 5 })
  await step('select_option', { ref: 'Fruit', options: ['Banana'] }, { fruit: 'banana' })
  const both = { ref: 'Toppings', options: ['Cheese', 'Ham'] }
  await step('select_option', both, { toppings: ['cheese', 'ham'] })
  // A list with several options stays open after a choice, and could cover the next controls.
  await step('set_checked', { ref: 'Agree', checked: true }, { agree: true })
  await step('set_checked', { ref: 'Wifi', checked: true }, { wifi: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('type_text', { ref: 'Volume', text: '7' }, { volume: 7 })
  await step('type_text', { ref: 'Rating', text: '4' }, { rating: 4 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await step('click', { ref: 'Read more' }, { details: true })
  await step('click', { ref: 'Fruits' }, { branch: 'Fruits' })
  expect(await call('press_key', { key: 'ArrowRight' })).toContain('treeitem "Plum"')
  await step('click', { ref: 'Plum' }, { branch: 'Plum' })
  await call('click', { ref: 'Menu' })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  expect(await step('click', { ref: 'Open dialog' }, { open: true })).toContain(
    'New: dialog "Sure?"',
  )
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
  expect(await call('click', { ref: 'Colour' })).toContain('textbox "Current value"')
  await step(
    'type_text',
    { ref: 'Current value', text: '#ff8800', enter: true },
    { colour: '#ff8800' },
  )
})

test('Element Plus', MORE, async ({ app }) => {
  const { call, step } = await app('element-plus')
  await step('type_text', { ref: 'Text', text: 'hello' }, { text: 'hello' })
  await step('select_option', { ref: 'City', options: ['City 42'] }, { city: 'City 42' })
  await step('select_option', { ref: 'Many', options: ['Red', 'Blue'] }, { many: ['red', 'blue'] })
  await step('type_text', { ref: 'Date', text: '2026-03-09', enter: true }, { date: '2026-03-09' })
  await call('click', { ref: 'Date' })
  await step('click', { ref: '17' }, { date: '2026-03-17' })
  await step('type_text', { ref: 'Amount', text: '5' }, { amount: 5 })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('click', { ref: 'Second' }, { tab: 'two' })
  expect(await call('click', { ref: 'Fruits' })).toContain('treeitem "Pear"')
  await step('set_checked', { ref: 'Pear', checked: true }, { keys: ['a1'] })
  await call('click', { ref: 'Delete Ada' })
  await step('click', { ref: 'Yes' }, { rows: [{ id: 2 }] })
  await call('click', { ref: 'More' })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('jQuery UI, Select2, flatpickr and SortableJS', async ({ app }) => {
  const { call, step } = await app('jquery-widgets')
  expect(await call('find', { role: 'combobox' })).toContain('combobox "Tags"')
  await step('select_option', { ref: 'Country', options: ['Spain'] }, { country: 'es' })
  await step('select_option', { ref: 'Tags', options: ['red', 'blue'] }, { tags: ['red', 'blue'] })
  expect(await call('type_text', { ref: 'Language', text: 'Ja' })).toContain('JavaScript')
  await step('click', { ref: 'Java' }, { picked: 'Java' })
  await call('click', { ref: 'Date' })
  await step('click', { ref: '17' }, { date: '03/17/2026' })
  await call('click', { ref: 'Day' })
  await step('click', { ref: 'March 17, 2026' }, { day: '2026-03-17' })
  const sorted = await step(
    'drag',
    { ref: 'One', to: 'Three' },
    { sorted: ['Two', 'Three', 'One'] },
  )
  expect(sorted).toContain('"Two", "Three", "One"')
  await step('drag', { ref: 'Alpha', to: 'Gamma' }, { moved: ['Beta', 'Gamma', 'Alpha'] })
  await step('click', { ref: 'Second' }, { tab: 1 })
  expect(await call('hover', { ref: 'More' })).toContain('menuitem "Paste special"')
  await step('click', { ref: 'Paste special' }, { picked: 'Paste special' })
  await call('click', { ref: 'Open dialog' })
  await step('click', { ref: 'Yes' }, { confirmed: true })
})

test('Choices.js', MORE, async ({ app }) => {
  const { call, step } = await app('choices-js')
  // The first option is highlighted as the list opens, and each that the pointer comes over.
  const [, tags = '', size = ''] =
    /- combobox.*\[ref=(e\d+)\][^]*\n- combobox.*\[ref=(e\d+)\]/.exec(await call('read_page')) ?? []
  await step('select_option', { ref: tags, options: ['red'] }, { tags: ['red'] })
  await step('select_option', { ref: tags, options: ['blue'] }, { tags: ['red', 'blue'] })
  expect(await call('select_option', { ref: tags, options: ['red'] })).toContain('already')
  await step('select_option', { ref: tags, options: ['green'] }, { tags: ['red', 'green', 'blue'] })
  await step('select_option', { ref: size, options: ['Large'] }, { size: 'l' })
  await step('select_option', { ref: size, options: ['Small'] }, { size: 's' })
})

test('Bootstrap: an element that fades in is awaited', MORE, async ({ app }) => {
  const { call, step } = await app('bootstrap')
  await call('click', { ref: 'Account' })
  await step('click', { ref: 'Settings' }, { settings: 1 })
  expect(await step('click', { ref: 'Open modal' }, { modal: true })).toContain(
    'New: dialog "Sure?"',
  )
  await call('type_text', { ref: 'Reason', text: 'why not' })
  await step('click', { ref: 'Yes' }, { confirmed: 'why not', modal: false })
  expect(await step('click', { ref: 'Open side' }, { side: true })).toContain('New: dialog "Side"')
  await step('click', { ref: 'In the side' }, { inSide: true })
  await step('press_key', { key: 'Escape' }, { side: false })
  await call('click', { ref: 'Shipping' })
  await step('click', { ref: 'Ship it' }, { shipped: true })
  expect(await call('hover', { ref: 'Hint' })).toContain('tooltip "A hint"')
  expect(await step('click', { ref: 'Save' }, { saved: 1 })).toContain('Saved well')
  await step('set_checked', { ref: 'Airplane', checked: true }, { airplane: true })
  await step('set_checked', { ref: 'Right', checked: true }, { right: true })
  await step('type_text', { ref: 'Email address', text: 'a@b.example' }, { mail: 'a@b.example' })
  await step('type_text', { ref: 'Range', text: '8' }, { range: '8' })
})

test('Quill and CodeMirror', MORE, async ({ app }) => {
  const { call, step } = await app('editors')
  await step('type_text', { ref: 'Letter', text: 'Dear Ada' }, { text: 'Dear Ada\n' })
  await step(
    'type_text',
    { ref: 'Letter', text: '\nBye', mode: 'append' },
    { text: 'Dear Ada\nBye\n' },
  )
  await call('press_key', { ref: 'Letter', key: 'Control+A' })
  await step(
    'click',
    { ref: 'bold' },
    { letter: '<p><strong>Dear Ada</strong></p><p><strong>Bye</strong></p>' },
  )
  await step('type_text', { ref: 'Letter', text: 'New' }, { text: 'New\n' })
  await step('type_text', { ref: 'Code', text: 'let b = [1]' }, { code: 'let b = [1]' })
  await step(
    'type_text',
    { ref: 'Code', text: '\nb.push(2)', mode: 'append' },
    { code: 'let b = [1]\nb.push(2)' },
  )
})
