import { MORE } from './support/more.ts'
import { drive } from '../apps/drive.ts'
import { expect, property, test } from './support/driven.ts'

// The agent's own elements, such as a chat, are no part of the page: not read, not pressed, not in the way.

const CHAT = `
<offstage-chat style="position: fixed; inset: 0; z-index: 9; background: #fffd; display: block">
  <button id=approve onclick="document.documentElement.dataset.approved = ''">Approve</button>
  <a href="/from-chat">Chat link</a>
  <label for=field>Chat label</label>
</offstage-chat>
<script>
  const chat = document.querySelector('offstage-chat')
  const inner = document.createElement('div')
  inner.innerHTML = '<slot></slot><input aria-label="Say something"><div role=listbox><div role=option>Blue</div></div>'
  chat.attachShadow({ mode: 'open' }).append(inner)
</script>`

test('offstage- elements are not read, found or awaited', async ({ openPage }) => {
  const page = await openPage({ body: `${CHAT}<main><button>Save</button></main>` })
  const { call } = await drive(page)
  const read = await call('read_page')
  expect(read).toContain('Save')
  for (const words of ['Approve', 'Say something', 'Chat link', 'Blue'])
    expect(read).not.toContain(words)
  expect(await call('find', { text: 'Approve' })).toContain('Nothing on the page matches')
  expect(await call('click', { ref: 'Approve' })).toContain('No element is named')
  expect(await property(page, 'html[data-approved]', 'tagName')).toBeUndefined()
})

test('a click reaches the element under an offstage- element', MORE, async ({ openPage }) => {
  const body = `${CHAT}<main><button onclick="document.documentElement.dataset.saved = ''">Save</button></main>`
  const page = await openPage({ body })
  const { call } = await drive(page)
  expect(await call('click', { ref: 'Save' })).toContain('Clicked button "Save"')
  expect(await property(page, 'html[data-saved]', 'tagName')).toBe('HTML')
  expect(await property(page, 'html[data-approved]', 'tagName')).toBeUndefined()
})

test(
  'keys do not go into an offstage- element while a person types there',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ body: `${CHAT}<main><button>Save</button></main>` })
    const { call } = await drive(page)
    await page.evaluate(() => {
      const chat = document.querySelector('offstage-chat')
      chat?.shadowRoot?.querySelector('input')?.focus()
    })
    expect(await call('press_key', { key: 'a' })).toContain('outside the part of the page')
    const typed = await page.evaluate(
      () => document.querySelector('offstage-chat')?.shadowRoot?.querySelector('input')?.value,
    )
    expect(typed).toBe('')
  },
)

test("options of an offstage- element don't count as the page's", MORE, async ({ openPage }) => {
  const list = '<main><div role=combobox tabindex=0 aria-label="Colour">Red</div></main>'
  const page = await openPage({ body: `${CHAT}${list}` })
  const { call } = await drive(page)
  expect(await call('select_option', { ref: 'Colour', options: ['Blue'] })).toContain(
    'no single option',
  )
})

test('page tools neither read nor press the inspector', MORE, async ({ openPage }) => {
  const body = '<offstage-inspector></offstage-inspector><main><button>Save</button></main>'
  const page = await openPage({ body })
  const shown = await page.evaluate(async () => {
    await import('/dist/inspector.js' as string)
    const inspector = document.querySelector('offstage-inspector')!
    const lines = [
      { offstage: 'offstage-conversations', version: 1, format: 1 },
      { conversation: { conversationId: 'talk' } },
      { row: { format: 1, seq: 1, runId: null, at: 0, type: 'renamed', title: 'Secret talk' } },
    ]
    await inspector.open(new File([lines.map((line) => JSON.stringify(line)).join('\n')], 'talk'))
    const root = inspector.shadowRoot!
    root.addEventListener('click', () => (document.documentElement.dataset['pressed'] = ''))
    while (!root.textContent.includes('Replay')) await new Promise((done) => setTimeout(done, 10))
    return root.textContent
  })
  for (const words of ['Secret talk', 'Close file', 'Replay', 'Newest'])
    expect(shown).toContain(words)
  const { call } = await drive(page)
  const read = await call('read_page')
  expect(read).toContain('Save')
  for (const words of ['Secret talk', 'Close file', 'Replay', 'Newest', 'Inspector']) {
    expect(read).not.toContain(words)
    expect(await call('find', { text: words })).toContain('Nothing on the page matches')
    expect(await call('click', { ref: words })).toContain('No element is named')
  }
  expect(await property(page, 'html[data-pressed]', 'tagName')).toBeUndefined()
})
