import { expect, test } from './support/page-apps.ts'
import { MORE } from './support/more.ts'

// Angular writes a field's value to its model at `input`, and says it was touched only at `blur`.

test('Angular: a todo list of template-driven fields', MORE, async ({ app }) => {
  const { call, step } = await app('angular-todo')
  const [milk, tea] = [
    { text: 'Buy milk', done: false },
    { text: 'tea', done: true },
  ]
  expect(await call('click', { ref: 'Add' })).toMatch(/^disabled: /)
  await step('type_text', { ref: 'New', text: 'tea' }, { draft: 'tea' })
  await step('select_option', { ref: 'Priority', options: ['High'] }, { priority: 'high' })
  await step('click', { ref: 'Add' }, { draft: '', items: [milk, { text: 'tea', done: false }] })
  await step('set_checked', { ref: 'tea', checked: true }, { items: [milk, tea] })
  await step(
    'type_text',
    { ref: 'New', text: 'jam', enter: true },
    { draft: '', items: [milk, tea, { text: 'jam' }] },
  )
  await step('click', { ref: 'Delete Buy milk' }, { items: [tea, { text: 'jam' }] })
  await step('click', { ref: 'Delete tea' }, { items: [{ text: 'jam' }] })
  const last = await step('click', { ref: 'Delete jam' }, { items: [] })
  expect(last).toContain('Nothing to do')
})

test('Angular: a reactive form is filled in one call', MORE, async ({ app }) => {
  const { call, step } = await app('angular-todo')
  const filled = {
    name: 'Ada',
    email: 'ada@host.example',
    guests: 4,
    room: { id: 2, name: 'Large room' },
    day: '2026-12-24',
    meal: 'salad',
    agreed: true,
  }
  expect(await call('click', { ref: 'Book' })).toMatch(/^disabled: /)
  const fields = [
    { ref: 'Name', value: filled.name },
    { ref: 'Email', value: filled.email },
    { ref: 'Guests', value: '4' },
    { ref: 'Room', value: 'Large room' },
    { ref: 'Day', value: filled.day },
    { ref: 'Salad', value: true },
    { ref: 'Agree', value: true },
  ]
  await step('fill_form', { fields }, { form: filled, valid: true })
  await step('click', { ref: 'Book' }, { sent: filled })
})

test('Angular: a form reports errors when a field is left', MORE, async ({ app }) => {
  const { call, step } = await app('angular-todo')
  await step('type_text', { ref: 'Guests', text: '12' }, { form: { guests: 12 }, valid: false })
  const left = await step('type_text', { ref: 'Name', text: '' }, { touched: ['guests'] })
  expect(left).toContain('From one to nine')
  expect(await step('press_key', { key: 'Tab' }, { touched: ['name', 'guests'] })).toContain(
    'A name is needed',
  )
  const named = await step('type_text', { ref: 'Name', text: 'Ada' }, { form: { name: 'Ada' } })
  expect(named).toContain('<removed> alert "A name is needed"')
  expect(named).toContain('<new> alert')
  // This one tells its model only when it is left.
  await step('type_text', { ref: 'Email', text: 'ada' }, { form: { email: '' } })
  await step('press_key', { key: 'Tab' }, { form: { email: 'ada' } })
  expect(await call('read_page')).toContain('That is no address')
  const email = 'ada@host.example'
  await step('type_text', { ref: 'Email', text: email }, { form: { email: 'ada' } })
  const right = await step(
    'type_text',
    { ref: 'Guests', text: '3' },
    { form: { email, guests: 3 } },
  )
  expect(right).toContain('<removed> alert "That is no address"')
  await step(
    'select_option',
    { ref: 'Room', options: ['Small room'] },
    { form: { room: { id: 1 } } },
  )
  await step('type_text', { ref: 'Day', text: '2026-03-09' }, { form: { day: '2026-03-09' } })
  await step('click', { ref: 'Fish' }, { form: { meal: 'fish' } })
  await step('set_checked', { ref: 'Salad', checked: true }, { form: { meal: 'salad' } })
  await step('set_checked', { ref: 'Agree', checked: true }, { valid: true })
  await step('set_checked', { ref: 'Agree', checked: false }, { valid: false })
  expect(await call('click', { ref: 'Book' })).toMatch(/^disabled: /)
  await step('set_checked', { ref: 'Agree', checked: true }, { valid: true })
  await step('click', { ref: 'Book' }, { sent: { name: 'Ada', guests: 3, meal: 'salad' } })
})

test('Angular: two steps that replace each other', MORE, async ({ app }) => {
  const { call, step } = await app('angular-todo')
  await step('type_text', { ref: 'City', text: 'Oslo' }, { wizard: { city: 'Oslo' } })
  expect(await step('click', { ref: 'Next' }, { wizard: { step: 2 } })).toContain('Travel to Oslo?')
  await step('click', { ref: 'Back' }, { wizard: { step: 1 } })
  await step('type_text', { ref: 'City', text: 'Bergen' }, { wizard: { city: 'Bergen' } })
  await call('click', { ref: 'Next' })
  expect(await step('click', { ref: 'Finish' }, { wizard: { finished: true } })).toContain(
    'Off to Bergen',
  )
})
