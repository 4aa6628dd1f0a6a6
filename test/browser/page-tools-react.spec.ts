import type { createPage, typeText } from '../../src/page-tools/index.ts'
import { expect, test } from './support/page-apps.ts'
import { refIn } from './support/ref-in.ts'
import { MORE } from './support/more.ts'

// Libraries of components in React, as their own pages show them: pickers, trees, tables, fields of parts.

interface Entry {
  readonly createPage: typeof createPage
  readonly typeText: typeof typeText
}

test('MUI X: dates typed and picked in the calendar, a time', MORE, async ({ app }) => {
  const { call, step } = await app('mui-x')
  const outline = await call('read_page')
  const due = refIn(outline, /group "Due"/)
  expect(
    await step('type_text', { ref: due, text: '2026-03-09' }, { due: '2026-03-09' }),
  ).toContain('It now holds "March 9 2026"')
  await step('type_text', { ref: due, text: '12/24/2025' }, { due: '2025-12-24' })
  const year = refIn(await call('read_page', { ref: 'Born' }), /"Year"/)
  await step('type_text', { ref: year, text: '2024' }, { born: '2024-03-09' })
  await step('press_key', { ref: year, key: 'ArrowUp' }, { born: '2025-03-09' })
  await step('type_text', { ref: 'Start', text: '14:30' }, { start: '14:30' })
  const picker = refIn(outline, /"Choose date, selected/)
  expect(await call('click', { ref: picker })).toContain('New: dialog "Born"')
  await call('click', { ref: 'Next month' })
  await step('click', { ref: '15' }, { born: '2025-04-15' })
  const clock = await call('click', { ref: refIn(outline, /"Choose time/) })
  await call('click', { ref: refIn(clock, /option "4 hours"/) })
  await call('click', { ref: '45 minutes' })
  await step('click', { ref: 'OK' }, { start: '16:45' })
})

test('MUI X: chips, several options, a tree, a drawer, a toast', MORE, async ({ app }) => {
  const { call, step } = await app('mui-x')
  await step('select_option', { ref: 'Tags', options: ['Bug', 'Docs'] }, { tags: ['Bug', 'Docs'] })
  // Options that are already selected stay selected.
  await step('select_option', { ref: 'Tags', options: ['Docs'] }, { tags: ['Bug', 'Docs'] })
  await step('press_key', { ref: 'Tags', key: 'Backspace' }, { tags: ['Bug'] })
  const both = { ref: 'Colours', options: ['Red', 'Blue'] }
  await step('select_option', both, { colours: ['Red', 'Blue'] })
  const more = { ref: 'Colours', options: ['Red', 'Green'] }
  await step('select_option', more, { colours: ['Red', 'Blue', 'Green'] })
  await step('type_text', { ref: 'Highest price', text: '80' }, { price: [20, 80] })
  await step('set_checked', { ref: '4 Stars', checked: true }, { stars: 4 })
  expect(await step('click', { ref: 'Italy' }, { place: 'italy' })).toContain('treeitem "Rome"')
  await step('click', { ref: 'Rome' }, { place: 'rome' })
  // The open branch is below its own words.
  expect(await step('click', { ref: 'Italy' }, { place: 'italy' })).toContain('[collapsed]')
  await call('press_key', { ref: 'Spain', key: 'ArrowRight' })
  await step('click', { ref: 'Madrid' }, { place: 'madrid' })
  expect(await step('click', { ref: 'Filters' }, { drawer: true })).toContain('New: dialog')
  expect(await call('click', { ref: 'More' })).toContain('is behind dialog')
  const closed = await step('click', { ref: 'All places' }, { drawer: false, place: 'all' })
  expect(closed).toContain('<removed> dialog')
  expect(closed).not.toContain('<new>')
  await call('click', { ref: 'More' })
  expect(await call('click', { ref: 'Save' })).toContain('New: alert')
  await step('click', { ref: 'Undo' }, { undone: true })
})

test('Ant Design: cascader, trees, tags', MORE, async ({ app }) => {
  const { call, step } = await app('antd-data')
  await call('click', { ref: 'Place' })
  await call('click', { ref: 'Italy' })
  await call('click', { ref: 'Lazio' })
  await step('click', { ref: 'Rome' }, { place: ['it', 'lazio', 'rome'] })
  const path = { ref: 'Place', options: ['Italy', 'Lombardy', 'Milan'] }
  await step('select_option', path, { place: ['it', 'lombardy', 'milan'] })
  await step('select_option', { ref: 'Folder', options: ['Music'] }, { folder: 'music' })
  await step('select_option', { ref: 'Tags', options: ['Bug', 'Docs'] }, { tags: ['Bug', 'Docs'] })
  const tags = { ref: 'Tags', options: ['Bug', 'Design'] }
  await step('select_option', tags, { tags: ['Bug', 'Docs', 'Design'] })
  await step(
    'type_text',
    { ref: 'Tags', text: 'Mine', enter: true },
    { tags: ['Bug', 'Docs', 'Design', 'Mine'] },
  )
  await call('press_key', { key: 'Escape' })

  const tree = await call('read_page', { ref: 'Files' })
  const arrow = refIn(tree.slice(tree.indexOf('Documents')), /generic .*\[clickable\]/)
  const open = await step('click', { ref: arrow }, { expanded: ['docs'] })
  const music = refIn(tree, /checkbox .*Music/)
  await step('set_checked', { ref: music, checked: true }, { checked: ['music', 'song'] })
  expect(open).toContain('Letter')
  // Ant Design draws the branch anew when it has slid open.
  const opened = await call('read_page', { ref: 'Files' })
  const letter = refIn(opened, /treeitem .*Letter/)
  const after = refIn(opened, /treeitem .*Invoice/)
  await step(
    'drag',
    { ref: letter, to: after },
    { files: { docs: ['invoice', 'letter'], music: ['song'] } },
  )
  const moved = await call('read_page', { ref: 'Files' })
  const places = { ref: refIn(moved, /treeitem .*Letter/), to: refIn(moved, /treeitem .*Music/) }
  await step('drag', places, { files: { docs: ['invoice'], music: ['song', 'letter'] } })
})

test(
  'Ant Design: dates, a time, a slider, a colour, a file, a notification',
  MORE,
  async ({ app }) => {
    const { call, step, evaluate } = await app('antd-data')
    await call('type_text', { ref: 'Start date', text: '2026-03-09', enter: true })
    const range = ['2026-03-09', '2026-03-12']
    await step('type_text', { ref: 'End date', text: '2026-03-12', enter: true }, { range })
    await step('type_text', { ref: 'Start', text: '14:30', enter: true }, { time: '14:30' })
    await step('type_text', { ref: 'Volume', text: '47' }, { volume: 47 })
    await step('type_text', { ref: 'Count', text: '7' }, { count: 7 })
    await step('press_key', { ref: 'Count', key: 'ArrowUp' }, { count: 8 })
    const outline = await call('read_page')
    const picker = await call('click', { ref: refIn(outline, /: #1677FF/) })
    const hex = refIn(picker, /: 1677ff/)
    await step('type_text', { ref: hex, text: 'ff8800', enter: true }, { colour: '#ff8800' })
    await call('press_key', { key: 'Escape' })
    await step('click', { ref: '2026-03-17' }, { day: '2026-03-17' })
    const report = await call('click', { ref: 'Attach a file' })
    const field = /The page asks for a file.*ref (e\d+)/.exec(report)?.[1]
    await evaluate(async (ref) => {
      const entry = (window as unknown as { pageToolsEntry: Entry }).pageToolsEntry
      await entry.typeText(ref ?? '', 'note.txt', {
        page: entry.createPage({ files: (name) => new File([], name) }),
      })
    }, field)
    await step('click', { ref: 'Send' }, { uploaded: ['note.txt'] })
    await step('click', { ref: 'Take back' }, { undone: true })
  },
)

test('Ant Design: a table is sorted, filtered and paged; a transfer', MORE, async ({ app }) => {
  const { call, step } = await app('antd-data')
  await step('click', { ref: 'Age' }, { sorted: 'ascend' })
  expect(await call('click', { ref: 'filter' })).toContain('New: menu')
  await call('set_checked', { ref: 'Blue', checked: true })
  await step('click', { ref: 'OK' }, { filtered: ['Blue'], page: 1 })
  const second = await step('click', { ref: '2' }, { page: 2 })
  expect(second).toContain('Person 18 | 59 | Blue')
  await step('set_checked', { ref: 'Select row 1', checked: true }, { chosen: [18] })
  const outline = await call('read_page')
  const write = outline.slice(outline.indexOf('listitem "Write"'))
  await call('set_checked', { ref: refIn(write, /checkbox/), checked: true })
  await step('click', { ref: refIn(outline, /button "right"/) }, { moved: ['Write'] })
})

test('React Aria: segmented fields, lists, sliders', MORE, async ({ app }) => {
  const { call, step } = await app('react-aria')
  await step('select_option', { ref: 'Fruit', options: ['Cherry'] }, { fruit: 'Cherry' })
  await step('select_option', { ref: 'Size', options: ['Medium'] }, { size: 'm' })
  await step('type_text', { ref: 'Born', text: '2025-12-24' }, { born: '2025-12-24' })
  await step('type_text', { ref: 'Day off', text: '03/09/2026' }, { day: '2026-03-09' })
  await step('type_text', { ref: 'Start', text: '14:30' }, { start: '14:30:00' })
  await step('type_text', { ref: 'Start', text: '8:05 AM' }, { start: '08:05:00' })
  const calendar = await call('click', { ref: 'Calendar Born' })
  await step('click', { ref: refIn(calendar, /December 12, 2025/) }, { born: '2025-12-12' })
  await step('type_text', { ref: 'Volume', text: '33' }, { volume: 33 })
  await call('type_text', { ref: 'Count', text: '7' })
  await step('press_key', { key: 'Tab' }, { count: 7 })
  await step('click', { ref: 'Increase Count' }, { count: 8 })
  const texts = { ref: 'Search', text: 'cats', enter: true }
  await step('type_text', texts, { search: 'cats' })
  expect(await call('click', { ref: 'Send' })).toContain('[invalid]')
  const email = { ref: 'Email', text: 'ada@example.org', enter: true }
  await step('type_text', email, { sent: 'ada@example.org' })
})

test('React Aria: menus, selections, switches', MORE, async ({ app }) => {
  const { call, step } = await app('react-aria')
  await call('click', { ref: 'Actions' })
  await call('click', { ref: 'Share' })
  await step('click', { ref: 'By link' }, { action: 'link' })
  await call('click', { ref: 'Actions' })
  expect(await call('hover', { ref: 'Share' })).toContain('menuitem "By mail"')
  await step('click', { ref: 'By mail' }, { action: 'mail' })
  const outline = await call('read_page')
  await step('click', { ref: refIn(outline, /row "Letter"/) }, { files: ['Letter'] })
  const invoice = { ref: 'Select Invoice', checked: true }
  await step('set_checked', invoice, { files: ['Letter', 'Invoice'] })
  await step('click', { ref: refIn(outline, /button "Info"/) }, { action: 'info Letter' })
  await step('click', { ref: 'Name' }, { sorted: 'name ascending' })
  await step('click', { ref: refIn(outline, /row "Grace"/) }, { rows: ['Grace'] })
  await step('click', { ref: 'Remove Travel' }, { tags: ['News', 'Food'] })
  await step('set_checked', { ref: 'Wifi', checked: true }, { on: true })
  await step('set_checked', { ref: 'Agree', checked: true }, { ok: true })
  await step('set_checked', { ref: 'Blue', checked: true }, { colour: 'blue' })
  await step('set_checked', { ref: 'Bold', checked: true }, { style: ['bold'] })
  await step('click', { ref: 'More' }, { more: true })
  await step('click', { ref: 'Two' }, { tab: 'two' })
  expect(await call('click', { ref: 'Delete all' })).toContain('alertdialog "Really?"')
  await step('click', { ref: 'Delete' }, { action: 'deleted' })
})
