import type { Conversation } from '../../src/index.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, test } from './support/driven.ts'

// A call's changes of fields can be undone, as long as the fields still hold them.

interface Lent {
  readonly call: (id: string, name: string, input: object) => Promise<string>
  /** Resolves to `undone`, or to `code: message`. */
  readonly undo: (id: string, name: string, input: object) => Promise<string>
}

const HOST = `<script type="module">
  const { pageTools } = await import('/dist/page-tools.js')
  const tools = new Map(pageTools().map((tool) => [tool.name, tool]))
  const info = (toolCallId) => ({ runId: 'run', conversationId: 'talk', toolCallId, idempotencyKey: toolCallId, fence: 1, signal: new AbortController().signal, progress() {} })
  const said = ({ code, message }) => code + ': ' + message
  window.lent = {
    call: (id, name, input) => tools.get(name).execute(input, info(id)).catch(said),
    undo: (id, name, input) => Promise.resolve(tools.get(name).undo(input, null, info(id))).then(() => 'undone', said),
  }
  document.documentElement.dataset.ready = ''
</script>`

type Open = (options: { body: string }) => Promise<DrivenPage>

async function openHost(openPage: Open, body: string) {
  const page = await openPage({ body: body + HOST })
  const isReady = () => page.evaluate(() => 'ready' in document.documentElement.dataset)
  await expect.poll(isReady).toBe(true)
  const use = (verb: keyof Lent) => (id: string, name: string, input: object) =>
    page.evaluate(
      ([method, ...args]) => (window as unknown as { lent: Lent }).lent[method](...args),
      [verb, id, name, input] as const,
    )
  const held = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('input,textarea,select')].map((field) =>
        /checkbox|radio/.test(field.type) ? field.checked : field.value,
      ),
    )
  return { page, call: use('call'), undo: use('undo'), held }
}

test('typed text, choices and checks are undone, with the events of a person', async ({
  openPage,
}) => {
  const { page, call, undo, held } = await openHost(
    openPage,
    `<input aria-label="City" value="Oslo"><textarea aria-label="Note"></textarea>
      <select aria-label="Size"><option>S<option selected>M<option>L</select>
      <select aria-label="Tags" multiple><option selected>a<option>b<option selected>c</select>
      <label><input type="checkbox">News</label>
      <label><input type="radio" name="pay" checked>Card</label><label><input type="radio" name="pay">Cash</label>
      <input type="date" aria-label="Day"><input type="range" aria-label="Volume" value="30">
      <button aria-pressed="false" onclick="this.ariaPressed = this.ariaPressed !== 'true'">Bold</button>
      <div contenteditable aria-label="Page">old words</div>
      <script>
        window.events = []
        for (const type of ['input', 'change']) document.addEventListener(type, ({ target }) => events.push(target.ariaLabel ?? target.type))
      </script>`,
  )
  const before = await held()
  const calls = [
    ['type_text', { ref: 'City', text: 'Bergen' }],
    ['type_text', { ref: 'Note', text: 'two\nlines' }],
    ['select_option', { ref: 'Size', options: ['L'] }],
    ['select_option', { ref: 'Tags', options: ['b'] }],
    ['set_checked', { ref: 'News', checked: true }],
    ['set_checked', { ref: 'Cash', checked: true }],
    ['type_text', { ref: 'Day', text: '2026-03-09' }],
    ['type_text', { ref: 'Volume', text: '80' }],
    ['set_checked', { ref: 'Bold', checked: true }],
    ['type_text', { ref: 'Page', text: 'new words' }],
  ] as const
  for (const [index, [name, input]] of calls.entries())
    expect(await call(`c${index}`, name, input)).toMatch(/^(Typed|Chose|checkbox|radio|button)/)
  expect(await held()).not.toEqual(before)
  await page.evaluate(() => {
    ;(window as unknown as { events: string[] }).events = []
  })
  for (const [index, [name, input]] of calls.entries())
    expect(await undo(`c${index}`, name, input), JSON.stringify(input)).toBe('undone')
  expect(await held()).toEqual(before)
  const {
    events,
    pressed,
    page: text,
  } = await page.evaluate(() => ({
    events: (window as unknown as { events: string[] }).events,
    pressed: document.querySelector('[aria-pressed]')?.getAttribute('aria-pressed'),
    page: document.querySelector<HTMLElement>('[contenteditable]')?.innerText,
  }))
  expect(pressed).toBe('false')
  expect(text).toBe('old words')
  for (const name of ['City', 'Note', 'Size', 'Tags', 'Day', 'Volume'])
    expect(events).toContain(name)
})

test('a form is undone whole, and not at all if one field was changed since', async ({
  openPage,
}) => {
  const { page, call, undo, held } = await openHost(
    openPage,
    '<input aria-label="First" value="A"><input aria-label="Last" value="B"><label><input type="checkbox">Agree</label>',
  )
  const input = {
    fields: [
      { ref: 'First', value: 'Ada' },
      { ref: 'Last', value: 'Lovelace' },
      { ref: 'Agree', value: true },
    ],
  }
  await call('c1', 'fill_form', input)
  const setFirst = (value: string) =>
    page.evaluate((text) => {
      document.querySelector('input')!.value = text
    }, value)
  await setFirst('a person’s')
  expect(await undo('c1', 'fill_form', input)).toMatch(
    /^refused-value: textbox "First" .*was changed since, so it keeps what it holds/,
  )
  expect(await held()).toEqual(['a person’s', 'Lovelace', true])
  await setFirst('Ada')
  expect(await undo('c1', 'fill_form', input)).toBe('undone')
  expect(await held()).toEqual(['A', 'B', false])
})

test('an undo says why it is refused: element gone or reused, Enter pressed, page left', async ({
  openPage,
}) => {
  const { page, call, undo, held } = await openHost(
    openPage,
    `<input aria-label="Gone"><input aria-label="Mug"><input aria-label="Search">
      <label><input type="radio" name="r">Only</label><input type="password" aria-label="Password" value="hunter22">`,
  )
  const type = (ref: string, enter = false) => ['type_text', { ref, text: 'x', enter }] as const
  await call('c1', ...type('Gone'))
  await call('c2', ...type('Mug'))
  await call('c3', ...type('Search', true))
  await call('c4', 'set_checked', { ref: 'Only', checked: true })
  await call('c5', ...type('Password'))
  await page.evaluate(() => {
    document.querySelector('[aria-label=Gone]')?.remove()
    document.querySelector('[aria-label=Mug]')?.setAttribute('aria-label', 'Cup')
  })
  expect(await undo('c1', ...type('Gone'))).toBe(
    'stale-ref: The field "Gone" is no longer on the page.',
  )
  expect(await undo('c2', ...type('Mug'))).toMatch(/textbox "Cup".* is for something else now/)
  expect(await undo('c3', ...type('Search', true))).toMatch(/^unsupported: Enter was pressed/)
  expect(await undo('c4', 'set_checked', { ref: 'Only', checked: true })).toMatch(
    /radio "Only".* can't be unchecked/,
  )
  expect(await undo('c9', ...type('Mug'))).toMatch(/^stale-ref: .* until the page is left/)
  // A secret is put back, and said to nobody.
  expect(await undo('c5', ...type('Password'))).toBe('undone')
  expect((await held()).at(-1)).toBe('hunter22')
})

test('an undo presses no Enter, and undoes none', async ({ openPage }) => {
  const { page, call, undo, held } = await openHost(
    openPage,
    `<form onsubmit="event.preventDefault(); sent.push(this.t.value); log.append(this.t.value); this.reset()"><input name="t" aria-label="Chat"></form><p id="log">Sent: </p>
      <div contenteditable aria-label="Draft">one<br>two</div><div contenteditable aria-label="Empty"><br></div>
      <script>
        window.sent = []
        for (const editor of document.querySelectorAll('[contenteditable]'))
          editor.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            sent.push(editor.innerText)
            editor.textContent = ''
          })
      </script>`,
  )
  const sent = () => page.evaluate(() => (window as unknown as { sent: string[] }).sent)
  const chat = { ref: 'Chat', text: 'Hello\n' }
  expect(await call('c1', 'type_text', chat)).toMatch(/^Typed/)
  expect(await undo('c1', 'type_text', chat)).toMatch(/^unsupported: Enter was pressed/)
  const form = { fields: [{ ref: 'Chat', value: 'Again\n' }] }
  expect(await call('c2', 'fill_form', form)).toMatch(/^Filled|Typed/)
  expect(await undo('c2', 'fill_form', form)).toMatch(/^unsupported: Enter was pressed/)
  expect(await sent()).toEqual(['Hello', 'Again'])
  for (const [id, ref, said] of [
    ['c3', 'Draft', /^refused-value: .*can't be set as it was/],
    ['c4', 'Empty', /^undone/],
  ] as const) {
    expect(await call(id, 'type_text', { ref, text: 'new' })).toMatch(/^Typed/)
    expect(await undo(id, 'type_text', { ref, text: 'new' })).toMatch(said)
  }
  expect(await sent()).toHaveLength(2)
  expect(await held()).toEqual([''])
})

test('a person undoes in a conversation what an agent typed, once', async ({ openPage }) => {
  const page = await openPage({ body: '<input aria-label="City" value="Oslo">', hasPackage: true })
  await page.evaluate(async () => {
    const { createAgent } = await import('/dist/index.js' as string)
    const { pageTools } = await import('/dist/page-tools.js' as string)
    const call = { toolName: 'type_text', input: { ref: 'City', text: 'Bergen' } }
    const script = { steps: [{ toolCalls: [call] }, { text: 'Done.' }] }
    const agent = createAgent({
      model: { provider: 'scripted', model: 'test', script },
      tools: pageTools(),
    })
    const chat = agent.conversation('talk')
    chat.subscribe(() => undefined)
    await chat.send('Bergen, please').result
    Object.assign(window, { chat })
  })
  const undo = () =>
    page.evaluate(async () => {
      const { chat } = window as unknown as { chat: Conversation }
      const calls = chat.getSnapshot().messages.flatMap((message) => message.calls ?? [])
      return chat
        .undo(calls.find(({ undoable }) => undoable)?.toolCallId ?? '')
        .catch(({ code }: { code: string }) => code)
    })
  const isIdle = () =>
    page.evaluate(
      () => (window as unknown as { chat: Conversation }).chat.getSnapshot().status === 'idle',
    )
  await expect.poll(isIdle).toBe(true)
  const city = () => page.evaluate(() => document.querySelector('input')?.value)
  expect(await city()).toBe('Bergen')
  expect(await undo()).toBe('consent-refused')
  await page.person.click(300, 300)
  expect(await undo()).toBe(true)
  expect(await city()).toBe('Oslo')
})
