import { expect, test } from './support/page-apps.ts'
import { MORE } from './support/more.ts'

// Apps as people build them. Each step is judged by the app's own state, never by the tool's report.

const done = (text: string, isDone = false) => expect.objectContaining({ text, done: isDone })

test(
  'React 19: a todo list with controlled fields, editing in place and a confirmation',
  MORE,
  async ({ app }) => {
    const { call, step } = await app('react-todo')
    await step('type_text', { ref: 'What needs to be done?', text: 'tea' }, { draft: 'TEA' })
    await step('press_key', { key: 'Enter' }, { items: [done('Buy milk'), done('TEA')], draft: '' })
    await step(
      'type_text',
      { ref: 'What needs to be done?', text: 'jam', enter: true },
      { items: [done('Buy milk'), done('TEA'), done('JAM')] },
    )
    await step(
      'set_checked',
      { ref: 'Done: TEA', checked: true },
      { items: [done('Buy milk'), done('TEA', true), done('JAM')] },
    )
    await step('select_option', { ref: 'Show', options: ['Open'] }, { filter: 'open' })
    expect(await call('read_page')).not.toContain('Delete TEA')
    await step('select_option', { ref: 'Show', options: ['All'] }, { filter: 'all' })
    const found = await call('find', { text: 'Buy milk' })
    const text = /generic.*?\[ref=(e\d+)\]: Buy milk/.exec(found)?.[1]
    await call('click', { ref: text, kind: 'double' })
    await step(
      'type_text',
      { ref: 'Edit', text: 'Buy oat milk', enter: true },
      { items: [done('Buy oat milk'), done('TEA', true), done('JAM')] },
    )
    expect(await call('click', { ref: 'Delete JAM' })).toContain('alertdialog "Delete it?"')
    await step('click', { ref: 'Keep' }, { items: [{}, {}, done('JAM')] })
    await call('click', { ref: 'Delete JAM' })
    await step(
      'click',
      { ref: 'Yes, delete' },
      { items: [done('Buy oat milk'), done('TEA', true)] },
    )
  },
)

test('Vue 3: v-model on every kind of field, and a transition', MORE, async ({ app }) => {
  const { step } = await app('vue-todo')
  await step('type_text', { ref: 'New', text: 'tea' }, { draft: 'tea' })
  await step('press_key', { key: 'Enter' }, { items: [done('Buy milk'), done('tea')], draft: '' })
  await step('set_checked', { ref: 'tea', checked: true }, { items: [{}, done('tea', true)] })
  await step('set_checked', { ref: 'Small', checked: true }, { size: 's' })
  await step('click', { ref: 'Large' }, { size: 'l' })
  await step('select_option', { ref: 'Size', options: ['M'] }, { size: 'm' })
  await step('click', { ref: 'Toggle' }, { big: true })
  await step('click', { ref: 'Toggle' }, { big: false })
  await step('click', { ref: 'Delete Buy milk' }, { items: [done('tea', true)] })
})

test('Svelte 5: bound fields, a range and a keyed list', MORE, async ({ app }) => {
  const { step } = await app('svelte-todo')
  await step('type_text', { ref: 'New', text: 'tea' }, { draft: 'tea' })
  await step('click', { ref: 'Add' }, { items: [done('Buy milk'), done('tea')], draft: '' })
  await step(
    'type_text',
    { ref: 'New', text: 'jam', enter: true },
    { items: [{}, {}, done('jam')] },
  )
  await step('set_checked', { ref: 'jam', checked: true }, { items: [{}, {}, done('jam', true)] })
  await step('type_text', { ref: 'Volume', text: '8' }, { volume: 8 })
  await step('press_key', { ref: 'Volume', key: 'ArrowLeft' }, { volume: 7 })
  await step('click', { ref: 'Delete tea' }, { items: [done('Buy milk'), done('jam', true)] })
})

test('Lit: fields and lists in a shadow root', MORE, async ({ app }) => {
  const { call, step } = await app('lit-todo')
  expect(await call('click', { ref: 'Add' })).toMatch(/^disabled: /)
  await step('type_text', { ref: 'New', text: 'tea' }, { draft: 'tea' })
  await step('click', { ref: 'Add' }, { items: [done('Buy milk'), done('tea')], draft: '' })
  await step('set_checked', { ref: 'tea', checked: true }, { items: [{}, done('tea', true)] })
  await step('set_checked', { ref: 'tea', checked: false }, { items: [{}, done('tea')] })
  await step('click', { ref: 'Delete Buy milk' }, { items: [done('tea')] })
})

test('MUI', MORE, async ({ app }) => {
  const { call, step } = await app('mui')
  await step('select_option', { ref: 'Fruit', options: ['Cherry'] }, { fruit: 'Cherry' })
  await call('type_text', { ref: 'Fruit', text: 'Ban' })
  await call('press_key', { key: 'ArrowDown' })
  await step('press_key', { key: 'Enter' }, { fruit: 'Banana' })
  await step('select_option', { ref: 'Age', options: ['Twenty'] }, { age: 20 })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agreed: true })
  await step('type_text', { ref: 'Volume', text: '23' }, { volume: 23 })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('click', { ref: 'Two' }, { tab: 1 })
  expect(await call('click', { ref: 'Menu' })).toContain('menuitem "Copy"')
  await step('click', { ref: 'Copy' }, { chosen: 'copy' })
  expect(await call('click', { ref: 'Open dialog' })).toMatch(/New: dialog "Sure\?"/)
  await step('click', { ref: 'Confirm' }, { chosen: 'confirmed', open: false })
  await call('click', { ref: 'Open dialog' })
  await step('press_key', { key: 'Escape' }, { open: false })
})

test('Radix', MORE, async ({ app }) => {
  const { call, step } = await app('radix')
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { ok: true })
  await step('set_checked', { ref: 'Large', checked: true }, { size: 'l' })
  await step('type_text', { ref: 'Volume', text: '8' }, { volume: [8] })
  await step('press_key', { ref: 'Volume', key: 'Home' }, { volume: [0] })
  await step('select_option', { ref: 'Fruit', options: ['Banana'] }, { fruit: 'Banana' })
  expect(await call('click', { ref: 'Actions' })).toContain('menuitem "Edit"')
  await step('click', { ref: 'Edit' }, { picked: 'edit' })
  await call('click', { ref: 'Actions' })
  await call('hover', { ref: 'Share' })
  await call('wait_for', { role: 'menuitem', name: 'By mail' })
  await step('click', { ref: 'By mail' }, { picked: 'mail' })
  await step('click', { ref: 'Second' }, { tab: 'b' })
  await step('click', { ref: 'Delete' }, { open: true })
  await step('click', { ref: 'Yes' }, { open: false, picked: 'deleted' })
})

test('Headless UI', MORE, async ({ app }) => {
  const { call, step } = await app('headless')
  await step('select_option', { ref: 'Person', options: ['Grace'] }, { person: 'Grace' })
  await step('select_option', { ref: 'Letter', options: ['Letter c'] }, { letter: 'c' })
  expect(await call('click', { ref: 'Options' })).toContain('menuitem "Archive"')
  await step('click', { ref: 'Archive' }, { picked: 'archive' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  expect(await call('click', { ref: 'Details' })).toContain('Here they are')
})

test('Shoelace', MORE, async ({ app }) => {
  const { call, step } = await app('shoelace')
  await step('type_text', { ref: 'Name', text: 'Ada' }, { name: 'Ada' })
  await step('select_option', { ref: 'Fruit', options: ['Banana'] }, { fruit: 'banana' })
  await step('set_checked', { ref: 'Wifi', checked: true }, { wifi: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { agree: true })
  await step('type_text', { ref: 'Volume', text: '7' }, { volume: 7 })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  await call('click', { ref: 'Menu' })
  await step('click', { ref: 'Copy' }, { picked: 'copy' })
  await step('click', { ref: 'Open dialog' }, { open: true })
  await call('wait_for', {})
  await step('click', { ref: 'Yes, do it' }, { confirmed: true, open: false })
})

test('Ant Design', MORE, async ({ app }) => {
  const { call, step } = await app('antd')
  await step('type_text', { ref: 'Text', text: 'hello' }, { text: 'hello' })
  await step('select_option', { ref: 'City', options: ['City 3'] }, { city: 'c3' })
  await step('select_option', { ref: 'City', options: ['City 250'] }, { city: 'c250' })
  await step('type_text', { ref: 'Date', text: '2026-03-09', enter: true }, { date: '2026-03-09' })
  await step('type_text', { ref: 'Amount', text: '42' }, { amount: 42 })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { ok: true })
  await step('click', { ref: 'Second' }, { tab: '2' })
  expect(await call('click', { ref: 'Delete 2' })).toContain('Yes')
  await step('click', { ref: 'Yes' }, { rows: [1, 3] })
  await call('click', { ref: 'Open modal' })
  await step('click', { ref: 'OK' }, { open: false, text: 'confirmed' })
})

test('TipTap, dnd-kit and a virtual list', async ({ app }) => {
  const { call, step } = await app('editor')
  const outline = await call('read_page')
  const editor = /textbox.*?\[ref=(e\d+)\]: Hello/.exec(outline)?.[1]
  await step(
    'type_text',
    { ref: editor, text: ' world', mode: 'append' },
    { html: '<p>Hello world</p>' },
  )
  await step('type_text', { ref: editor, text: 'New text' }, { html: '<p>New text</p>' })
  await call('press_key', { key: 'Control+A' })
  await step('click', { ref: 'Bold' }, { html: '<p><strong>New text</strong></p>' })
  const list = /list "Rows".*?\[ref=(e\d+)\]/.exec(outline)?.[1]
  await call('scroll', { ref: list, until: 'Row 300' })
  await step('click', { ref: 'Row 300' }, { row: 300 })
  const slot = /group "Slot".*?\[ref=(e\d+)\]/.exec(await call('read_page'))?.[1]
  await step('drag', { ref: 'Card', to: slot }, { dropped: 'slot' })
})
