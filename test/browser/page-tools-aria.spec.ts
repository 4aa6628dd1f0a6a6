import { expect, test } from './support/driven.ts'
import { openExample } from './support/example-page.ts'
import { MORE } from './support/more.ts'

// The patterns of the WAI-ARIA authoring practices, by mouse and by keyboard.

test('combobox, listbox, menu button', async ({ driven, site }) => {
  const { step } = await openExample(driven, site, { name: 'aria-patterns' })
  await step('select_option', { ref: 'State', options: ['Arizona'] }, { combo: 'Arizona' })
  const typed = await step('type_text', { ref: 'State', text: 'Al' }, {})
  expect(typed).toContain('option "Alaska"')
  await step('press_key', { key: 'ArrowDown', times: 2 }, {})
  await step('press_key', { key: 'Enter' }, { combo: 'Alaska' })
  await step('type_text', { ref: 'State', text: 'Col' }, {})
  await step('click', { ref: 'Colorado' }, { combo: 'Colorado' })
  await step(
    'select_option',
    { ref: 'Toppings', options: ['Cheese', 'Olives'] },
    { selected: ['Cheese', 'Olives'] },
  )
  await step('click', { ref: 'Cheese' }, { selected: ['Olives'] })
  expect(await step('click', { ref: 'Anchovies' }, { selected: ['Olives'] })).toMatch(/^disabled: /)
  expect(await step('click', { ref: 'Actions' }, { focus: 'Copy' })).toContain('New: menu')
  await step('press_key', { key: 'ArrowDown' }, { focus: 'Paste' })
  await step('press_key', { key: 'Enter' }, { menu: 'Paste', focus: 'Actions' })
  await step('click', { ref: 'Actions' }, { focus: 'Copy' })
  await step('press_key', { key: 'Escape' }, { focus: 'Actions' })
  await step('select_option', { ref: 'Actions', options: ['Copy'] }, { menu: 'Copy' })
  await step('click', { ref: 'Actions' }, { focus: 'Copy' })
  await step('set_checked', { ref: 'Wrap lines', checked: true }, { wrap: 'true' })
})

test('tabs, tree, slider, spin button, grid', MORE, async ({ driven, site }) => {
  const { call, step } = await openExample(driven, site, { name: 'aria-patterns' })
  expect(await step('click', { ref: 'Two' }, { tab: 't2' })).toContain('Panel two')
  await step('press_key', { key: 'ArrowLeft' }, { tab: 't1' })
  expect(await step('click', { ref: 'docs' }, {})).toContain('guide.md')
  await step('click', { ref: 'guide.md' }, { opened: ['guide.md'] })
  await step('press_key', { ref: 'docs', key: 'ArrowLeft' }, {})
  expect(await call('find', { name: 'guide.md' })).toContain('Nothing')
  await step('type_text', { ref: 'Brightness', text: '42' }, { brightness: 42 })
  await step('press_key', { ref: 'Brightness', key: 'End' }, { brightness: 100 })
  await step('press_key', { ref: 'Brightness', key: 'Home' }, { brightness: 0 })
  await step('drag', { ref: 'Brightness', x: 100, y: 0 }, { brightness: 54 })
  await step('type_text', { ref: 'Guests', text: '5' }, { guests: 5 })
  await step('press_key', { ref: 'Guests', key: 'ArrowDown', times: 2 }, { guests: 3 })
  expect(await call('type_text', { ref: 'Guests', text: '12' })).toMatch(/^refused-value: .*9/)
  await step(
    'fill_form',
    {
      fields: [
        { ref: 'Guests', value: 4 },
        { ref: 'Lights', value: true },
        { ref: 'Thick', value: true },
      ],
    },
    { guests: 4, lights: 'true', crust: 'Thick' },
  )
  await step('click', { ref: 'A1' }, { focus: 'A1' })
  await step('press_key', { key: 'ArrowRight' }, { focus: 'B1' })
  await step('press_key', { key: 'ArrowDown' }, { focus: 'B2' })
  await step('click', { ref: 'B2', kind: 'double' }, {})
  await step('type_text', { ref: 'B2', text: 'new', enter: true }, { edited: { 3: 'new' } })
})

test('disclosure, radio group, switch, checkbox, toggle button, modal dialog', async ({
  driven,
  site,
}) => {
  const { call, step } = await openExample(driven, site, { name: 'aria-patterns' })
  expect(await step('click', { ref: 'How?' }, { answer: true })).toContain('Like this.')
  await step('press_key', { ref: 'How?', key: 'Enter' }, { answer: false })
  await step('click', { ref: 'Thin' }, { crust: 'Thin' })
  await step('press_key', { key: 'ArrowDown' }, { crust: 'Thick' })
  await step('set_checked', { ref: 'Thin', checked: true }, { crust: 'Thin' })
  expect(await call('set_checked', { ref: 'Thin', checked: false })).toMatch(/^unsupported: /)
  await step('set_checked', { ref: 'Lights', checked: true }, { lights: 'true' })
  await step('press_key', { ref: 'Lights', key: 'Space' }, { lights: 'false' })
  await step('set_checked', { ref: 'All', checked: true }, { all: 'true' })
  await step('set_checked', { ref: 'Mute', checked: true }, { mute: 'true' })
  expect(await step('click', { ref: 'Remove account' }, { focus: 'Cancel' })).toContain(
    'dialog "Remove it?"',
  )
  expect(await call('click', { ref: 'Mute' })).toMatch(/^(Clicked|covered)/)
  await step(
    'press_key',
    { ref: 'Cancel', key: 'Escape' },
    { removed: false, focus: 'Remove account' },
  )
  await step('click', { ref: 'Remove account' }, {})
  await step('click', { ref: 'Remove' }, { removed: true })
})
