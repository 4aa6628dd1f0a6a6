import { expect, test } from './support/page-apps.ts'
import { refIn } from './support/ref-in.ts'
import { MORE } from './support/more.ts'

// More of React: what opens by the pointer, editors that keep a document of their own, drawn lists.

test('Radix: menu bar, navigation, context menu', MORE, async ({ app }) => {
  const { call, step } = await app('radix-more')
  await call('click', { ref: 'File' })
  await step('click', { ref: 'Close File' }, { picked: 'Close File' })
  await call('click', { ref: 'File' })
  expect(await call('hover', { ref: 'Edit' })).toContain('menuitem "New Edit"')
  await step('click', { ref: 'New Edit' }, { picked: 'New Edit' })
  expect(await call('hover', { ref: 'Products' })).toContain('link "Shoes"')
  await step('click', { ref: 'Shoes' }, { picked: 'shoes' })
  // The element has neither role nor name, so its text identifies it.
  const file = { ref: 'report.pdf', kind: 'right' }
  expect(await call('click', file)).toContain('New: menu')
  await step('click', { ref: 'Rename' }, { picked: 'rename' })
  await call('click', file)
  await call('hover', { ref: 'Move to' })
  await step('click', { ref: 'Archive' }, { picked: 'archive' })
  await call('click', file)
  await step('set_checked', { ref: 'Starred', checked: true }, { picked: 'starred' })
})

test('Radix: popovers, groups, a code field, a toast', MORE, async ({ app }) => {
  const { call, step } = await app('radix-more')
  expect(await call('click', { ref: 'Rename list' })).toContain('New: dialog')
  await step('type_text', { ref: 'New name', text: 'Groceries' }, { name: 'Groceries' })
  expect(await call('click', { ref: 'Done' })).toContain('<removed> dialog')
  expect(await call('hover', { ref: 'Save' })).toContain('New: tooltip "Saves the draft"')
  expect(await call('hover', { ref: '@ada' })).toContain('button "Follow"')
  await step('click', { ref: 'Follow' }, { followed: true })
  await step('click', { ref: 'Returns' }, { section: 'Returns' })
  await step('set_checked', { ref: 'Bold', checked: true }, { marks: ['bold'] })
  await step('set_checked', { ref: 'Italic', checked: true }, { marks: ['bold', 'italic'] })
  await step('set_checked', { ref: 'Right', checked: true }, { align: 'right' })
  await step('click', { ref: 'Tag 40' }, { tag: 40 })
  // Only one box of the code is labelled as a code. All four must be masked.
  const typed = await step('type_text', { ref: 'Character 1 of 4', text: '7319' }, { code: '7319' })
  expect(typed.match(/\[masked\]/g)).toHaveLength(4)
  expect(typed).not.toMatch(/: [7319]$/m)
  expect(await call('click', { ref: 'Archive mail' })).toContain('Mail archived')
  await step('click', { ref: 'Undo' }, { undone: true, toast: false })
})

test('Lexical', MORE, async ({ app }) => {
  const { call, step } = await app('lexical')
  const hello = { lines: ['paragraph: Hello world'] }
  await step('type_text', { ref: 'Notes', text: 'Hello world' }, hello)
  const two = { lines: ['paragraph: Hello world', 'paragraph: Bye'] }
  await step('type_text', { ref: 'Notes', text: '\nBye', mode: 'append' }, two)
  const selected = await call('press_key', { ref: 'Notes', key: 'Control+A' })
  expect(selected).toContain('Selected: "Hello world Bye"')
  await step('click', { ref: 'Bold' }, { bold: 'Hello world|Bye' })
  await step('click', { ref: 'Undo' }, { bold: '' })
  await step('press_key', { ref: 'Notes', key: 'Control+B' }, { bold: 'Hello world|Bye' })
  await step('type_text', { ref: 'Notes', text: 'New' }, { lines: ['paragraph: New'] })
  await step('press_key', { key: 'Backspace' }, { lines: ['paragraph: Ne'] })
  await step('press_key', { key: 'Enter' }, { lines: ['paragraph: Ne', 'paragraph: '] })
  await step('type_text', { ref: 'Notes', text: '' }, { lines: ['paragraph: '] })
})

test('Slate', MORE, async ({ app }) => {
  const { step } = await app('popular')
  const longer = { ref: 'Notes', text: ' and more', mode: 'append' }
  await step('type_text', longer, { notes: 'A first line and more' })
  await step('type_text', { ref: 'Notes', text: 'New text' }, { notes: 'New text' })
  // Slate takes the page's selection over a moment later.
  await step('press_key', { ref: 'Notes', key: 'Control+A' }, { selected: 'New text' })
  await step('click', { ref: 'Bold' }, { bold: ['New text'] })
})

test('react-select, a list sorted by dragging, a window on 5000 rows', MORE, async ({ app }) => {
  const { call, step } = await app('popular')
  await step('select_option', { ref: 'Fruit', options: ['Cherry'] }, { fruit: 'Cherry' })
  const two = { ref: 'Fruits', options: ['Apple', 'Date'] }
  await step('select_option', two, { fruits: ['Apple', 'Date'] })
  await step('click', { ref: 'Remove Apple' }, { fruits: ['Date'] })
  await step('type_text', { ref: 'Labels', text: 'Fresh', enter: true }, { labels: ['Fresh'] })
  await step('drag', { ref: 'Write', to: 'Ship' }, { tasks: ['Test', 'Ship', 'Write'] })
  await call('press_key', { ref: 'Test', key: 'Space' })
  await call('press_key', { key: 'ArrowDown' })
  await step('press_key', { key: 'Space' }, { tasks: ['Ship', 'Test', 'Write'] })
  const found = await call('scroll', { ref: 'Rows', until: 'Row 4321' })
  await step('click', { ref: refIn(found, /"Row 4321"/) }, { row: 4321 })
  expect(await call('scroll', { ref: 'Rows', until: 'Row 9999' })).toContain('That is the end')
})
