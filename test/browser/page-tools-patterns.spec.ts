import { expect, test } from './support/driven.ts'
import { openExample } from './support/example-page.ts'
import { MORE } from './support/more.ts'

// More patterns of the WAI-ARIA authoring practices: those where the focus stays on one element, where
// one control lies inside another, and where a number stands behind a word.

test(
  'comboboxes: select-only, with completion while typing, with a grid',
  MORE,
  async ({ driven, site }) => {
    const { call, step } = await openExample(driven, site, { name: 'patterns-choices' })
    await step(
      'select_option',
      { ref: 'Favourite fruit', options: ['Cherry'] },
      { fruit: 'Cherry' },
    )
    await call('click', { ref: 'Favourite fruit' })
    const down = await step('press_key', { key: 'ArrowDown' }, { fruit: 'Cherry' })
    expect(down).toContain('The focus is on option "Cranberry"')
    await step('press_key', { key: 'Enter' }, { fruit: 'Cranberry', focus: 'fruit' })
    await call('click', { ref: 'Favourite fruit' })
    await step('click', { ref: 'Mango' }, { fruit: 'Mango' })
    await call('press_key', { ref: 'Favourite fruit', key: 'k' })
    await step('press_key', { key: 'Enter' }, { fruit: 'Kiwi' })
    expect(await call('type_text', { ref: 'Favourite fruit', text: 'Lime' })).toMatch(
      /^unsupported: .*select_option/,
    )
    await step('select_option', { ref: 'State', options: ['Arkansas'] }, { state: 'Arkansas' })
    expect(await call('type_text', { ref: 'State', text: 'Al' })).toContain('option "Alaska"')
    await call('press_key', { key: 'ArrowDown' })
    await step('press_key', { key: 'Enter' }, { state: 'Alaska' })
    await step('type_text', { ref: 'State', text: 'Colo', enter: true }, { state: 'Colorado' })
    await call('click', { ref: 'States' })
    await step('click', { ref: 'Connecticut' }, { state: 'Connecticut', focus: 'state' })
    expect(await call('type_text', { ref: 'Food', text: 'ap' })).toContain('row: Apricot | Fruit')
    expect(await step('click', { ref: 'Apricot' }, { food: 'Apricot' })).toContain('"Apricot"')
    await step('select_option', { ref: 'Food', options: ['Beet'] }, { food: 'Beet' })
    await call('type_text', { ref: 'Food', text: 'as' })
    await call('press_key', { key: 'ArrowDown' })
    await step('press_key', { key: 'Enter' }, { food: 'Asparagus' })
  },
)

test('a date picker dialog, by pointer, by keys and as text', MORE, async ({ driven, site }) => {
  const { call, step } = await openExample(driven, site, { name: 'patterns-choices' })
  const opened = await call('click', { ref: 'Choose date' })
  expect(opened).toContain('New: dialog "Choose date"')
  expect(opened).toContain('The focus is on gridcell [selected]')
  await call('click', { ref: 'next month' })
  await step('click', { ref: '17' }, { focus: '17' })
  expect(await step('click', { ref: 'OK' }, { day: '17/4/2026' })).toContain(
    '<removed> dialog "Choose date"',
  )
  await call('click', { ref: 'Choose date' })
  await step('press_key', { key: 'ArrowRight' }, { focus: '18' })
  await step('press_key', { key: 'Enter' }, { day: '18/4/2026', focus: 'day-button' })
  await step('type_text', { ref: 'Date', text: '1/2/2027' }, { day: '1/2/2027' })
})

test(
  'listboxes, menus and radio buttons that do not move the focus',
  MORE,
  async ({ driven, site }) => {
    const { call, step } = await openExample(driven, site, { name: 'patterns-choices' })
    await step(
      'select_option',
      { ref: 'Transuranium elements', options: ['Fermium'] },
      { element: 'Fermium' },
    )
    await step('click', { ref: 'Curium' }, { element: 'Curium', focus: 'elements' })
    await step('press_key', { key: 'ArrowDown' }, { element: 'Berkelium' })
    await step('select_option', { ref: 'Pets', options: ['Fish'] }, { pet: 'Fish' })
    await step('press_key', { ref: 'Pets', key: 'Home' }, { pet: 'Cat' })
    await call('click', { ref: 'Radio' })
    await step('click', { ref: 'Up' }, { wishes: ['Radio', 'Heated seats', 'Roof rack'] })
    expect(await call('click', { ref: 'Up' })).toMatch(/^disabled: /)
    await step(
      'press_key',
      { ref: 'Wishes', key: 'Alt+ArrowDown' },
      { wishes: ['Heated seats', 'Radio', 'Roof rack'] },
    )
    await step('click', { ref: 'Actions' }, { focus: 'actions-menu' })
    await call('press_key', { key: 'ArrowDown' })
    await step('press_key', { key: 'Enter' }, { action: 'Forward', focus: 'actions' })
    await step('select_option', { ref: 'Actions', options: ['Archive'] }, { action: 'Archive' })
    await call('click', { ref: 'Font' })
    await step('click', { ref: 'Serif' }, { font: 'Serif' })
    await call('click', { ref: 'Font' })
    await step('set_checked', { ref: 'Small caps', checked: true }, { caps: true })
    await step('press_key', { key: 'Escape' }, { focus: 'Font' })
    await step('select_option', { ref: 'Size', options: ['Larger'] }, { size: 14 })
    await step('set_checked', { ref: 'Tea', checked: true }, { drink: 'Tea', focus: 'drinks' })
    await step('press_key', { key: 'ArrowDown' }, { drink: 'Coffee' })
    await step('select_option', { ref: 'Drink', options: ['Water'] }, { drink: 'Water' })
    const fields = [
      { ref: 'Drink', value: 'Tea' },
      { ref: 'Favourite fruit', value: 'Fig' },
      { ref: 'Pets', value: 'Dog' },
    ]
    await step('fill_form', { fields }, { drink: 'Tea', fruit: 'Fig', pet: 'Dog' })
  },
)

test(
  'sliders: in a drawing, vertical, with two thumbs; spin buttons; a splitter',
  MORE,
  async ({ driven, site }) => {
    const { step } = await openExample(driven, site, { name: 'patterns-values' })
    await step('type_text', { ref: 'Red', text: '130' }, { red: 130 })
    await step('press_key', { ref: 'Red', key: 'Home' }, { red: 0 })
    await step('click', { ref: 'Red' }, { red: expect.closeTo(123, -1) })
    await step('drag', { ref: 'Red', x: 50, y: 0 }, { red: expect.closeTo(177, -1) })
    await step('type_text', { ref: 'Rating', text: '3.5' }, { stars: 3.5 })
    await step('type_text', { ref: 'Rating', text: 'two and a half of five stars' }, { stars: 2.5 })
    await step('type_text', { ref: 'Heat', text: '30' }, { heat: 30 })
    await step('drag', { ref: 'Heat', x: 0, y: 20 }, { heat: 24 })
    await step('type_text', { ref: 'Lowest price', text: '120' }, { low: 120 })
    expect(await step('type_text', { ref: 'Highest price', text: '90' }, { high: 250 })).toMatch(
      /^refused-value: .*from 120 to 400/,
    )
    await step('drag', { ref: 'Highest price', x: 50, y: 0 }, { high: expect.closeTo(315, -1) })
    await step('type_text', { ref: 'Adults', text: '3' }, { adults: 3 })
    await step('click', { ref: 'Add adult' }, { adults: 4 })
    await step('type_text', { ref: 'Month', text: 'May' }, { month: 4 })
    await step('press_key', { ref: 'Month', key: 'ArrowUp' }, { month: 5 })
    expect(await step('type_text', { ref: 'Month', text: 'Mai' }, { month: 5 })).toMatch(
      /^refused-value: /,
    )
    await step('type_text', { ref: 'Contents width', text: '120' }, { divider: 120 })
    await step('drag', { ref: 'Contents width', x: 30, y: 0 }, { divider: expect.closeTo(154, -1) })
    await step('press_key', { ref: 'Contents width', key: 'Home' }, { divider: 0 })
    await step('press_key', { ref: 'Contents width', key: 'ArrowRight', times: 5 }, { divider: 5 })
  },
)

test('a tree, a treegrid, a sorted table and a feed', MORE, async ({ driven, site }) => {
  const { call, step } = await openExample(driven, site, { name: 'patterns-values' })
  expect(await call('click', { ref: 'Projects' })).toContain('treeitem "plan.txt"')
  await call('click', { ref: 'Archive' })
  await step('click', { ref: 'old.txt' }, { opened: ['old.txt'] })
  // The item's centre now lies on one of its children.
  expect(await step('click', { ref: 'Projects' }, { opened: ['old.txt'] })).toContain(
    'treeitem "Projects" [collapsed]',
  )
  await call('press_key', { ref: 'Letters', key: 'Enter' })
  await step(
    'select_option',
    { ref: 'Files', options: ['letter.txt'] },
    { opened: ['old.txt', 'letter.txt'] },
  )
  await step('click', { ref: 'Treegrids are great' }, { mail: 'm1' })
  expect(await call('press_key', { key: 'ArrowRight' })).toContain('re: Treegrids are great')
  await step('press_key', { key: 'ArrowDown' }, { mail: 'm2' })
  const sorted = await step('click', { ref: 'Age' }, { sorted: 'Age ascending' })
  expect(sorted).toContain('columnheader [sort=ascending]: Age')
  await step('click', { ref: 'Age' }, { people: ['Grace', 'Ada', 'Linus'] })
  await step('scroll', { ref: 'Places', until: 'Place 22' }, {})
  await step('click', { ref: 'Bookmark 22' }, { mail: 'Bookmark 22' })
  const next = await call('press_key', { ref: 'Place 3', key: 'PageDown' })
  expect(next).toContain('The focus is on article "Place 4"')
})

test(
  'toolbar, tooltip, tabs, carousel, disclosures, alerts, switch, mixed box',
  MORE,
  async ({ driven, site }) => {
    const { call, step, state } = await openExample(driven, site, { name: 'patterns-values' })
    await step('click', { ref: 'Stop slide rotation' }, { rotating: false })
    // Until then the slides change by the clock.
    const { slide } = await state()
    await step('click', { ref: 'Previous slide' }, { slide: slide === 1 ? 3 : Number(slide) - 1 })
    await step('click', { ref: 'Bold' }, { format: ['bold'] })
    await step('press_key', { key: 'ArrowRight' }, { focus: 'Italic' })
    await step('press_key', { key: 'Space' }, { format: ['bold', 'italic'] })
    expect(await step('hover', { ref: 'Notifications' }, { tip: true })).toContain(
      'New: tooltip "Three unread"',
    )
    await step('hover', { ref: 'Bold' }, { tip: false })
    await step('click', { ref: 'Holst' }, { tab: 'holst' })
    expect(await step('press_key', { key: 'ArrowLeft' }, { tab: 'holst' })).toContain('tab "Bach"')
    await step('press_key', { key: 'Enter' }, { tab: 'bach' })
    await step('click', { ref: 'About' }, { about: true })
    expect(await call('click', { ref: 'Personal data' })).toMatch(/^disabled: /)
    await step('click', { ref: 'Billing address' }, { billing: true })
    await step('type_text', { ref: 'Street', text: 'Main 1' }, { street: 'Main 1' })
    await step('click', { ref: 'Practices home' }, { link: 1 })
    await step('press_key', { ref: 'Practices home', key: 'Enter' }, { link: 2 })
    expect(await step('click', { ref: 'Trigger alert' }, { warned: 1 })).toContain('Hello')
    expect(await step('click', { ref: 'Discard' }, { focus: 'no' })).toContain(
      'New: alertdialog "Confirmation"',
    )
    await step('press_key', { key: 'Tab' }, { focus: 'yes' })
    await step('press_key', { key: 'Enter' }, { discarded: true, focus: 'discard' })
    await step('set_checked', { ref: 'Lights', checked: true }, { lights: 'true' })
    await step(
      'set_checked',
      { ref: 'All condiments', checked: true },
      { all: 'true', toppings: [true, true] },
    )
    await step('set_checked', { ref: 'Lettuce', checked: false }, { all: 'mixed' })
  },
)
