import type { DrivenPage } from './support/driven-page.ts'
import { expect, property, test } from './support/driven.ts'
import { MORE } from './support/more.ts'

// The whole way: a scripted model, the worker, the page's tools, the page.

const EXPOSE = `import { createAgent } from '/dist/index.js'
import { pageTools } from '/dist/page-tools.js'
window.asked = []
const agentOf = (script) => createAgent({ model: { provider: 'scripted', model: 'x', script }, tools: pageTools(), maxSteps: 20 })
// A person who approves whatever is asked.
async function approveAll(agent, run) {
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    window.asked.push(event.about.text)
    await agent.approve(event)
  }
  return run.result
}
window.runScript = (script, text) => {
  const agent = agentOf(script)
  return approveAll(agent, agent.run(text))
}
window.resumeScript = async (script) => {
  const agent = agentOf(script)
  const run = await agent.resume()
  return run && approveAll(agent, run)
}
window.names = pageTools().map(({ name, description, annotations, inputSchema }) => ({ name, description, annotations, inputSchema }))
document.documentElement.dataset.lent = ''`

interface Lent {
  readonly asked: readonly string[]
  readonly runScript: (script: object, text: string) => Promise<Result>
  readonly names: { readonly name: string; readonly description: string; annotations?: object }[]
}
interface Result {
  readonly outcome: string
  readonly text: string
  readonly toolCalls: readonly {
    readonly toolName: string
    readonly status: string
    readonly output?: { readonly value?: unknown }
  }[]
}

interface Cut {
  begin(input: object): void
  reconcile(): Promise<string | undefined>
}

const use = (toolName: string, input: object) => ({ toolCalls: [{ toolName, input }] })

test.beforeEach(({ site }) => site.add('/lend.js', { body: EXPOSE }))

/** A script that begins a call, and asks its tool afterwards whether it happened. */
const cuttable = (tool: string): string => `<script type="module">
  const { pageTools } = await import('/dist/page-tools.js')
  const tool = pageTools().find(({ name }) => name === '${tool}')
  const { signal } = new AbortController()
  window.begin = (input) => void tool.execute(input, { signal, idempotencyKey: 'key' }).catch(() => undefined)
  window.reconcile = async () => JSON.stringify(await tool.reconcile({}, { idempotencyKey: 'key' }))
  document.documentElement.dataset.lent = performance.timeOrigin</script>`

/** Returns a function that tells whether another page has loaded since. */
async function nextPage(page: DrivenPage): Promise<() => Promise<boolean>> {
  const loaded = () =>
    page.evaluate(() => document.documentElement.dataset['lent']).catch(() => undefined)
  await expect.poll(loaded).toBeDefined()
  const before = await loaded()
  return async () => ![undefined, before].includes(await loaded())
}

for (const [what, leave] of [
  ['reloads the page', 'reload()'],
  ['leaves the page', 'assign("?other")'],
] as const)
  test(`a call that a person cuts off is not taken for done: the person ${what}`, async ({
    openPage,
  }) => {
    const page = await openPage({
      body: `<input aria-label="Note">${cuttable('type_text')}`,
    })
    const isNext = await nextPage(page)
    const input = { ref: 'Note', text: 'x'.repeat(79) }
    await page.evaluate((given) => (window as unknown as Cut).begin(given), input)
    await expect.poll(() => property(page, 'input', 'value')).not.toBe('')
    await page.evaluate((code) => {
      document.body.append(document.createElement('script'))
      document.body.lastElementChild!.textContent = `setTimeout(() => location.${code})`
    }, leave)
    await expect.poll(isNext).toBe(true)
    expect(await page.evaluate(() => (window as unknown as Cut).reconcile())).toBeUndefined()
  })

const TYPED = { ref: 'Name', value: 'Ada' }
const SENT = 'onchange="location.assign(\'?sent\')"'
for (const [what, field, toolName, input] of [
  [
    'a list of a form',
    `<select aria-label="Sort" ${SENT}><option>Old<option>New</select>`,
    'fill_form',
    { fields: [TYPED, { ref: 'Sort', value: 'New' }] },
  ],
  [
    'a box of a form',
    `<label><input type="checkbox" ${SENT}>In stock</label>`,
    'fill_form',
    { fields: [TYPED, { ref: 'In stock', value: true }] },
  ],
  [
    'a date',
    `<input type="date" aria-label="Day" ${SENT}>`,
    'type_text',
    { ref: 'Day', text: '2026-03-09' },
  ],
] as const)
  test(`a call that leaves the page by ${what} is known to be done`, async ({ openPage }) => {
    const page = await openPage({
      body: `<input aria-label="Name">${field}${cuttable(toolName)}`,
    })
    const isNext = await nextPage(page)
    await page.evaluate((given) => (window as unknown as Cut).begin(given), input)
    await expect.poll(isNext).toBe(true)
    expect(await page.evaluate(() => (window as unknown as Cut).reconcile())).toContain(
      '"happened":true',
    )
  })

test('a model fills and submits a form, uses a menu, picks a date, deletes behind a confirmation', async ({
  openPage,
}) => {
  const page = await openPage({
    body: `<script type="module" src="/lend.js"></script>
    <form onsubmit="event.preventDefault(); window.sent = Object.fromEntries(new FormData(this)); done.textContent = 'Booked.'">
      <label>Name <input name="name" required></label><label>Day <input name="day" type="date"></label>
      <label>Room <select name="room"><option>Small<option>Large</select></label><label><input type="checkbox" name="quiet"> Quiet</label>
      <button>Book</button></form><p role="status" id="done"></p>
    <button onclick="menu.hidden = false">More</button><ul id="menu" role="menu" hidden><li role="menuitem" tabindex="-1" onclick="window.exported = true; menu.hidden = true">Export</li></ul>
    <table><tr><td>Ada</td><td><button onclick="sure.showModal()">Delete Ada</button></td></tr></table>
    <dialog id="sure" aria-label="Delete it?"><button onclick="document.querySelector('tr').remove(); sure.close()">Yes, delete</button></dialog>`,
  })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  const result = await page.evaluate(
    (steps) => (window as unknown as Lent).runScript({ steps }, 'Book it'),
    [
      use('read_page', {}),
      use('fill_form', {
        fields: [
          { ref: 'Name', value: 'Grace' },
          { ref: 'Day', value: '2026-12-24' },
          { ref: 'Room', value: 'Large' },
          { ref: 'Quiet', value: true },
        ],
      }),
      use('click', { ref: 'Book' }),
      use('click', { ref: 'More' }),
      use('click', { ref: 'Export' }),
      use('click', { ref: 'Delete Ada' }),
      use('click', { ref: 'Yes, delete' }),
      { text: 'All done.' },
    ],
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'All done.' })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(Array(7).fill('succeeded'))
  expect(JSON.stringify(result.toolCalls[2])).toContain('Booked.')
  expect(
    await page.evaluate(() => {
      const { sent, exported } = window as unknown as Record<string, unknown>
      return { sent, exported, rows: document.querySelectorAll('tr').length }
    }),
  ).toEqual({
    sent: { name: 'Grace', day: '2026-12-24', room: 'Large', quiet: 'on' },
    exported: true,
    rows: 0,
  })
})

test('F20 a run continues on the page that a click or navigate leads to', async ({
  openPage,
  site,
}) => {
  const script = {
    steps: [
      use('click', { ref: 'Next page' }),
      use('navigate', { url: '/third.html' }),
      use('read_page', {}),
      { text: 'Arrived.' },
    ],
  }
  const resuming = `<!doctype html><script type="module">import '/lend.js'; const result = await window.resumeScript(${JSON.stringify(script)}); if (result) window.result = result</script>`
  site.add('/second.html', { body: `${resuming}<title>Second</title><h1>Second page</h1>` })
  site.add('/third.html', { body: `${resuming}<title>Third</title><h1>Third page</h1>` })
  const page = await openPage({
    body: '<script type="module" src="/lend.js"></script><a href="/second.html">Next page</a>',
  })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  await page.evaluate((steps) => void (window as unknown as Lent).runScript(steps, 'Go'), script)
  // Asked between two pages, there is no answer.
  await expect(async () => {
    const arrived = await page.evaluate(() => [location.pathname, 'result' in window])
    expect(arrived).toEqual(['/third.html', true])
  }).toPass()
  const result = await page.evaluate(() => (window as unknown as { result: Result }).result)
  expect(result).toMatchObject({ outcome: 'completed', text: 'Arrived.' })
  expect(result.toolCalls.map(({ toolName, status }) => `${toolName} ${status}`)).toEqual([
    'click succeeded',
    'navigate succeeded',
    'read_page succeeded',
  ])
  expect(JSON.stringify(result.toolCalls)).toContain('Third page')
})

test('a form answered slowly with another page is sent once', MORE, async ({ openPage, site }) => {
  const steps = [
    use('type_text', { ref: 'Name', text: 'Ada' }),
    use('click', { ref: 'Book' }),
    use('read_page', {}),
    use('type_text', { ref: 'Look for', text: 'rooms', enter: true }),
    use('read_page', {}),
    { text: 'Booked.' },
  ]
  const resuming = `<!doctype html><script type="module">import '/lend.js'; const result = await window.resumeScript(${JSON.stringify({ steps })}); if (result) window.result = result</script>`
  const booked =
    '<h1>Thank you</h1><form action="/found.html"><input aria-label="Look for" name="q"></form>'
  site.add('/booked.html', { body: resuming + booked, afterMs: 1500 })
  site.add('/found.html', { body: `${resuming}<h1>Found it</h1>`, afterMs: 1500 })
  const page = await openPage({
    body: `<script type="module" src="/lend.js"></script>
      <form action="/booked.html" onsubmit="sessionStorage.sent = Number(sessionStorage.sent ?? 0) + 1"><label>Name <input name="name" required></label><button>Book</button></form>`,
  })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  await page.evaluate((script) => void (window as unknown as Lent).runScript(script, 'Go'), {
    steps,
  })
  await expect(async () => {
    const arrived = await page.evaluate(() => [
      location.pathname + location.search,
      'result' in window,
    ])
    expect(arrived).toEqual(['/found.html?q=rooms', true])
  }).toPass()
  const [result, sent] = await page.evaluate(
    () =>
      [(window as unknown as { result: Result }).result, sessionStorage.sent as string] as const,
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'Booked.' })
  expect(sent).toBe('1')
  const outputs = result.toolCalls.map(({ output }) => String(output?.value))
  expect(outputs[1]).toMatch(/^Done; it led from .* to .*\/booked\.html\?name=Ada\./)
  expect(outputs[2]).toContain('Thank you')
  expect(outputs[3]).toMatch(/^Done; it led from .* to .*\/found\.html\?q=rooms\./)
  expect(outputs[4]).toContain('Found it')
})

test('a download link is reported, and the page stays', MORE, async ({ openPage, site }) => {
  const headers = { 'content-disposition': 'attachment; filename="report.txt"' }
  site.add('/report.txt', { body: 'Sums', type: 'text/plain', headers })
  const page = await openPage({
    body: '<script type="module" src="/lend.js"></script><a href="/report.txt">Report</a>',
  })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  const result = await page.evaluate(
    (steps) => (window as unknown as Lent).runScript({ steps }, 'Get it'),
    [use('click', { ref: 'Report' }), { text: 'Got it.' }],
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'Got it.' })
  expect(String(result.toolCalls[0]?.output?.value)).toContain('or a download')
})

test('every tool has a short description', async ({ openPage }) => {
  const page = await openPage({ body: '<script type="module" src="/lend.js"></script>' })
  await expect.poll(() => property(page, 'html[data-lent]', 'tagName')).toBe('HTML')
  const tools = await page.evaluate(() => (window as unknown as Lent).names)
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    'click drag fill_form find go_back highlight hover look navigate press_key read_page read_selection scroll select_option select_text set_checked type_text wait_for'.split(
      ' ',
    ),
  )
  for (const { description } of tools) expect(description.length).toBeLessThanOrEqual(500)
  const reading = tools.filter(({ annotations }) => annotations && 'readOnly' in annotations)
  expect(reading.map(({ name }) => name).toSorted()).toEqual([
    'find',
    'highlight',
    'look',
    'read_page',
    'read_selection',
    'wait_for',
  ])
})
