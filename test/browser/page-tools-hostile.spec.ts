import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'
import { openExample } from './support/example-page.ts'
import type { App } from './support/page-apps.ts'
import type { Site } from './support/site.ts'
import { MORE } from './support/more.ts'

// Opens a page full of difficulties, such as a ticker that never stops.

async function openHostile(driven: DrivenPage, site: Site, files?: string[]): Promise<App> {
  const app = await openExample(driven, site, { name: 'hostile', ...(files && { files }) })
  await app.call('read_page')
  // Time enough to notice what changes by itself.
  await driven.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)))
  return app
}

test('a page that redraws itself at each event can be used', MORE, async ({ driven, site }) => {
  const { step } = await openHostile(driven, site)
  const redrawn = (text: string, count: number, on: boolean) => ({
    rerendered: { text, count, on },
  })
  await step('type_text', { ref: 'Redrawn text', text: 'hello' }, redrawn('hello', 0, false))
  await step('click', { ref: 'Redrawn 0' }, redrawn('hello', 1, false))
  const fields = [
    { ref: 'Redrawn text', value: 'again' },
    { ref: 'Redrawn box', value: true },
  ]
  await step('fill_form', { fields }, redrawn('again', 1, true))
  await step(
    'type_text',
    { ref: 'Redrawn text', text: '!', mode: 'append' },
    redrawn('again!', 1, true),
  )
  await step('type_text', { ref: 'Redrawn text', text: '' }, redrawn('', 1, true))
  // The same, where nobody gives the focus back.
  await step('type_text', { ref: 'Forgetful', text: 'still here' }, { forgetful: 'still here' })
})

test('listeners that check their events closely accept ours', MORE, async ({ driven, site }) => {
  const { step } = await openHostile(driven, site)
  await step('click', { ref: 'Strict button' }, { strictClicks: 1, strict: [] })
  await step('type_text', { ref: 'Strict keys', text: 'aZ1 ,.-/;!"' }, { strict: [] })
  await step('press_key', { ref: 'Strict keys', key: '?' }, { strictKey: '? Slash 191 true' })
  await step('press_key', { key: 'A' }, { strictKey: 'A KeyA 65 true' })
  await step('press_key', { key: 'Control+a' }, { strictKey: 'a KeyA 65 false' })
  await step('click', { ref: 'Capture pad' }, { captured: true, padClicked: true, strict: [] })
})

test(
  'elements that move, disappear, respond late or are replaced',
  MORE,
  async ({ driven, site }) => {
    const { call, step } = await openHostile(driven, site)
    await step('click', { ref: 'Shy' }, { shy: true })
    await step('click', { ref: 'Vanishing' }, { vanished: true })
    const slow = await step('click', { ref: 'Slow' }, { slow: true })
    expect(slow).toContain('<changed> button "Done at last"')
    expect(slow).not.toContain('status')
    const swapped = await call('click', { ref: 'Swapped' })
    expect(swapped).toMatch(/^stale-ref: .*replaced by button "Other"/)
    expect(await call('click', { ref: 'Ghost' })).toMatch(/^disabled: .*pointer-events/)
    const nothing = await call('click', { ref: 'Does nothing' })
    expect(nothing).toContain('Nothing changed')
    // Parts that change all the time are still read on request.
    expect(await call('read_page', { since: 's1' })).toContain('<changed> status')
    expect(await call('wait_for')).toContain('still changes')
  },
)

test('details, popovers, invokers, dialogs and native lists', MORE, async ({ driven, site }) => {
  const { call, step } = await openHostile(driven, site)
  await call('click', { ref: 'More about it' })
  await step('click', { ref: 'Inside' }, { inside: true })
  await call('click', { ref: 'Show popover' })
  await step('click', { ref: 'In popover' }, { inPop: true })
  await call('press_key', { key: 'Escape' })
  expect(await call('find', { name: 'In popover' })).toContain('Nothing')
  expect(await call('click', { ref: 'Show native dialog' })).toContain('New: dialog')
  await step('type_text', { ref: 'Reason', text: 'because', enter: true }, { native: 'fine' })
  await step('select_option', { ref: 'Car', options: ['Saab'] }, { car: ['Saab'] })
  expect(await call('select_option', { ref: 'Car', options: ['Audi'] })).toMatch(/^disabled: /)
  await step('select_option', { ref: 'Sizes', options: ['S', 'L'] }, { sizes: ['S', 'L'] })
  await step('select_option', { ref: 'Tall list', options: ['Two'] }, { tall: ['Two'] })
  await step('press_key', { ref: 'Tall list', key: 'ArrowDown' }, { tall: ['Three'] })
  for (const ref of ['Locked button', 'Soft disabled'])
    expect(await call('click', { ref })).toMatch(/^disabled: /)
  expect(await call('click', { ref: 'Inert button' })).toMatch(/^not-found: /)
  expect(await call('type_text', { ref: 'Locked field', text: 'x' })).toMatch(/^disabled: /)
  expect(await call('type_text', { ref: 'Read-only field', text: 'x' })).toMatch(/^read-only: /)
})

test(
  'drawings, maps, other directions, scales and trees of components',
  MORE,
  async ({ driven, site }) => {
    const { call, step } = await openHostile(driven, site)
    await step('click', { ref: 'Left half' }, { hash: '#left' })
    await step('click', { ref: 'Right half' }, { hash: '#right' })
    await step('click', { ref: 'SVG link' }, { hash: '#svg' })
    await step('click', { ref: 'SVG button' }, { 'svg-button': true })
    await step('click', { ref: 'Sketch' }, { canvas: 50 })
    await step('click', { ref: 'كبير' }, { rtl: true })
    await step('click', { ref: 'Vertical' }, { vertical: true })
    await step('click', { ref: 'Turned' }, { turned: true })
    await step('click', { ref: 'Fixed in transform' }, { fixed: true })
    await step('click', { ref: 'Zoomed' }, { zoomed: true })
    await step('click', { ref: 'In contents' }, { contents: true })
    await step('click', { ref: 'Book 10' }, { table: 'Book 10' })
    await step('select_option', { ref: 'Owner', options: ['Owned two'] }, { table: 'Owned two' })
    await step('type_text', { ref: 'Colour', text: 'red' }, { colour: { colour: 'red' } })
    await step('click', { ref: 'Internal switch' }, { toggle: 'true' })
    await step('click', { ref: 'Deep button' }, { deep: true })
    await step('click', { ref: 'Lazy button' }, { lazy: true })
    await step('click', { ref: 'After the long text' }, { after: true })
    expect(await call('find', { text: 'lorem ipsum' })).toContain('more characters')
  },
)

test('fields that format, compose or refuse values', MORE, async ({ driven, site }) => {
  const { call, step } = await openHostile(driven, site)
  const phone = { phone: '(555) 123-4567' }
  expect(await step('type_text', { ref: 'Phone', text: '5551234567' }, phone)).toContain(
    'It now holds "(555) 123-4567"',
  )
  await step('type_text', { ref: 'Pasted only', text: 'abc' }, { pasted: 'abc' })
  expect(await call('type_text', { ref: 'Search', text: 'Ann' })).toContain('option "Annika"')
  await step('click', { ref: 'Annika' }, { search: 'Annika' })
  await step('select_option', { ref: 'Search', options: ['Bert'] }, { search: 'Bert' })
  await step('type_text', { ref: 'Composed', text: 'héllo' }, { composed: 'héllo' })
  expect(await call('type_text', { ref: 'Refusing', text: 'x' })).toMatch(/^refused-value: /)
  await call('type_text', { ref: 'Price', text: '1.234,5' })
  await step('press_key', { key: 'Tab' }, { price: 1234.5 })
  await step('type_text', { ref: 'Upper', text: 'shout' }, { upper: 'SHOUT' })
  const count = await step('type_text', { ref: 'Count', text: '4' }, { count: '4' })
  expect(count).toContain('The field says: ')
  await step('type_text', { ref: 'Digits only', text: 'a1b2' }, { digits: '12' })
})

test('forms that refuse, links that open tabs, and going back', MORE, async ({ driven, site }) => {
  const { call, step, state } = await openHostile(driven, site)
  expect(await call('click', { ref: 'Send it' })).toMatch(
    /The form was not sent\. textbox "Your name" .* says: \S/,
  )
  await call('type_text', { ref: 'Your name', text: 'Ada' })
  await step(
    'type_text',
    { ref: 'Mail', text: 'a@b.example', enter: true },
    { sent: { who: 'Ada', mail: 'a@b.example' } },
  )
  const code = await call('type_text', { ref: 'Code', text: 'abc', enter: true })
  expect(code).toMatch(/The form was not sent\. .*Three capitals/)
  expect(await state()).toMatchObject({ sent: { who: 'Ada' } })
  expect(await call('click', { ref: 'New tab link' })).toContain('another tab')
  await step('click', { ref: 'Route' }, { route: '/routed' })
  expect(await step('go_back', {}, { route: '/hostile.html' })).toContain('Went back.')
  await step('click', { ref: 'Chapter link' }, { hash: '#chapter' })
  await step('go_back', {}, { hash: '' })
})

test(
  'files: plain, behind a label, beside a zone, and dropped on it',
  MORE,
  async ({ driven, site }) => {
    const { call, step } = await openHostile(driven, site, ['cv.pdf', 'b.txt'])
    await step('set_checked', { ref: 'Fancy box', checked: true }, { fancy: true })
    await step('type_text', { ref: 'Plain file', text: 'cv.pdf' }, { plainFile: ['cv.pdf'] })
    await step('type_text', { ref: 'Drop your CV here', text: 'cv.pdf' }, { cv: ['cv.pdf'] })
    expect(await call('type_text', { ref: 'Drop your CV here', text: 'b.txt' })).toMatch(
      /^refused-value: .*\.pdf/,
    )
    expect(await call('type_text', { ref: 'Plain file', text: 'cv.pdf, b.txt' })).toMatch(
      /^refused-value: .*one file/,
    )
    expect(await call('type_text', { ref: 'Plain file', text: 'a.txt' })).toMatch(/^not-found: /)
    const clicked = await call('click', { ref: 'Drop pictures' })
    const hidden = /picker opens only for people: .*ref (e\d+)/.exec(clicked)?.[1]
    await step(
      'type_text',
      { ref: hidden, text: 'cv.pdf, b.txt' },
      { pictures: ['cv.pdf', 'b.txt'] },
    )
    await step('type_text', { ref: 'Drop pictures', text: 'b.txt' }, { dropped: ['b.txt'] })
    expect(await call('type_text', { ref: 'Does nothing', text: 'b.txt' })).toMatch(
      /^unsupported: /,
    )
  },
)

test('a page without lent files says so', MORE, async ({ driven, site }) => {
  const { call, state } = await openExample(driven, site, { name: 'hostile' })
  expect(await call('type_text', { ref: 'Plain file', text: 'cv.pdf' })).toMatch(
    /^unsupported: .*offers no files/,
  )
  expect(await state()).not.toHaveProperty('plainFile')
})

test('an element that covers another is named', MORE, async ({ driven, site }) => {
  const { call, step } = await openHostile(driven, site)
  await call('click', { ref: 'Show cookie banner' })
  expect(await call('click', { ref: 'Under the banner' })).toMatch(
    /^covered: .*by dialog "Cookies"/,
  )
  await call('click', { ref: 'Accept all' })
  await step('click', { ref: 'Under the banner' }, { covered: true })
})

test("go_back leaves the page like a person's Back button", async ({ driven, site }) => {
  await openExample(driven, site, { name: 'aria-patterns' })
  await openExample(driven, site, { name: 'patterns-values' })
  // The page that answers is gone before it can.
  await driven.evaluate(() => {
    const page = window as unknown as { callTool(name: string, input: object): Promise<string> }
    void page.callTool('go_back', {})
  })
  const path = () => driven.evaluate(() => location.pathname).catch(() => 'on the way')
  await expect.poll(path).toBe('/aria-patterns.html')
})

test('a form with fields named like DOM properties can be used', MORE, async ({ driven, site }) => {
  const { call, step } = await openExample(driven, site, { name: 'clobbered' })
  // Each of the names hides something: the form is its field, not a node of the page.
  const hidden = await driven.evaluate(() => {
    const form = document.forms.namedItem('booking') as HTMLFormElement
    const names = ['parentNode', 'getAttribute', 'localName', 'ownerDocument', 'tagName', 'valueOf']
    return names.every(
      (name) => (form[name as 'name'] as unknown) instanceof Element || name === 'getAttribute',
    )
  })
  expect(hidden).toBe(true)
  const page = await call('read_page')
  expect(page).toMatch(/- form "Booking"[\s\S]*- textbox "Name"[\s\S]*- button "Book now"/)
  expect(page).toMatch(/- search "Rooms"/)
  expect(page).toContain('Words of the form')
  const form = /form "Booking" \[[^\]]*\bref=(e\d+)/.exec(
    await call('find', { role: 'form', name: 'Booking' }),
  )?.[1]
  expect(await call('read_page', { ref: form })).toContain('button "Book now"')
  await step('click', { ref: 'More words' }, { pressed: 1 })
  expect(await call('read_page', { since: 's1' })).toContain('Words 1 were added')
  await step('type_text', { ref: 'Name', text: 'Ada' }, {})
  await step('type_text', { ref: 'Message', text: 'Late\narrival' }, {})
  await step('select_option', { ref: 'Meal', options: ['Soup'] }, {})
  await step('set_checked', { ref: 'Breakfast', checked: true }, {})
  await step('click', { ref: 'Two beds' }, {})
  await step('hover', { ref: 'Book now' }, {})
  expect(await call('scroll', { ref: form, direction: 'bottom' })).not.toContain('uncaught')
  await call('highlight', { ref: form })
  await call('press_key', { ref: 'Message', key: 'Tab' })
  await step('click', { ref: 'Book now' }, { sent: ['Ada|Late\narrival|Soup|yes|two'] })
  await step(
    'type_text',
    { ref: 'Words', text: 'sea', enter: true },
    { sent: [expect.any(String), 'sea'] },
  )
  const fields = [
    { ref: 'Name', value: 'Bo' },
    { ref: 'Breakfast', value: false },
  ]
  await step('fill_form', { fields }, {})
  await step(
    'press_key',
    { ref: 'Name', key: 'Enter' },
    {
      sent: [expect.any(String), 'sea', 'Bo|Late\narrival|Soup||two'],
    },
  )
})
