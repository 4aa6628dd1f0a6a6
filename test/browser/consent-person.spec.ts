import type { Page } from '@playwright/test'
import { attacked, begin, callHost, HOST_FILE, openHost, use } from './support/consent-host.ts'
import { expect, test } from './support/test.ts'
import { eachNth, MORE } from './support/more.ts'

// With `consent: 'person'` an answer takes a press of a person's own: what a model's page tools press is none, and a
// person's is one, however they press.

test.beforeEach(({ site }) => site.add(...HOST_FILE))

const press = use('click', { ref: 'Approve' })
const destroys = [{ toolCalls: [use('destroy')] }, { text: 'Done.' }]

const whenAsked = (page: Page, calls = 1) =>
  page.locator(`html[data-asked="${calls}"]`).waitFor({ state: 'attached' })
const answersOf = async (page: Page) => (await attacked(page)).answers
const expectAnswers = (page: Page, ...answers: string[]) =>
  expect.poll(() => answersOf(page)).toEqual(answers)

/** What a model's click on "Approve" leads to in the host. */
const attacks: readonly (readonly [string, string])[] = [
  ['at once', '<button onclick="approve()">Approve</button>'],
  [
    'after an await',
    '<button onclick="fetch(location.href).then((page) => page.text()).then(() => approve())">Approve</button>',
  ],
  ['after a timer', '<button onclick="setTimeout(approve, 2500)">Approve</button>'],
  ['on pointerdown', '<button onpointerdown="approve()">Approve</button>'],
  ['on mouseup', '<button onmouseup="approve()">Approve</button>'],
  [
    'through a label',
    '<label for="yes">Approve</label><input type="checkbox" id="yes" onclick="approve()">',
  ],
  [
    'through a label that a script clicks later: its click comes out trusted',
    `<button onclick="setTimeout(() => document.querySelector('label').click(), 2500)">Approve</button>
    <label for="yes">Fine</label><input type="checkbox" id="yes" onclick="approve()">`,
  ],
  [
    'through a form that a script submits later: the submit comes out trusted',
    `<form onsubmit="event.preventDefault(); approve()"><input></form>
    <button onclick="setTimeout(() => document.forms[0].requestSubmit(), 2500)">Approve</button>`,
  ],
  [
    "through a dialog's form",
    '<dialog open onclose="approve()"><form method="dialog"><button>Approve</button></form></dialog>',
  ],
  [
    "through a menu's own event",
    `<div id="menu"><button role="menuitem" onclick="this.dispatchEvent(new CustomEvent('pick', { bubbles: true }))">Approve</button></div>
    <script>document.querySelector('#menu').addEventListener('pick', () => setTimeout(approve, 10))</script>`,
  ],
  [
    'in a frame',
    `<iframe title="Inside" srcdoc="<button onclick='parent.approve()'>Approve</button>"></iframe>`,
  ],
  [
    'in a shadow root',
    `<div><template shadowrootmode="open"><button onclick="approve()">Approve</button></template></div>`,
  ],
]

for (const [at, [name, body]] of attacks.entries())
  test(
    `a model's click is no consent ${name}; a person's is`,
    eachNth(6, at),
    async ({ openPage }) => {
      const page = await openHost(
        openPage,
        `${body}<hr><button onclick="approve()">By hand</button>`,
        'person',
      )
      await begin(page, [
        { toolCalls: [use('read_page'), press, use('destroy')] },
        { text: 'Done.' },
      ])
      await expect.poll(async () => (await answersOf(page)).length).toBeGreaterThan(0)
      expect(new Set(await answersOf(page))).toEqual(new Set(['consent-refused']))
      expect((await attacked(page)).effects).toBe(0)
      await expect(async () => {
        await page.getByRole('button', { name: 'By hand' }).click()
        expect(await answersOf(page)).toContain('true')
      }).toPass()
      await expect.poll(async () => (await attacked(page)).effects).toBe(1)
    },
  )

test("what isn't a press of a person after the question is no consent", async ({ openPage }) => {
  const page = await openHost(
    openPage,
    '<button id="yes" onclick="approve()">Yes</button>',
    'person',
  )
  await page.locator('#elsewhere').click()
  await begin(page, destroys)
  await whenAsked(page)
  // The press from before is younger than five seconds, perhaps, and the page is active.
  await callHost(page, 'approve')
  await expectAnswers(page, 'consent-refused')
  await page.locator('#yes').dispatchEvent('click')
  await page.locator('#yes').evaluate((yes: HTMLElement) => yes.click())
  await expectAnswers(page, ...Array<string>(3).fill('consent-refused'))
  await page.locator('#yes').click()
  await expect.poll(async () => (await attacked(page)).effects).toBe(1)
})

test('a key that was held when the question came is no consent, and the next press is', async ({
  openPage,
}) => {
  const page = await openHost(
    openPage,
    '<button id="yes" onclick="approve()">Yes</button>',
    'person',
  )
  await page.locator('#elsewhere').focus()
  await page.keyboard.down('Enter')
  await begin(page, destroys)
  await whenAsked(page)
  await page.locator('#yes').focus()
  await page.keyboard.down('Enter')
  await page.keyboard.down('Enter')
  await expectAnswers(page, 'consent-refused', 'consent-refused')
  await page.keyboard.up('Enter')
  await page.keyboard.press('Enter')
  await expectAnswers(page, 'consent-refused', 'consent-refused', 'true')
})

test('one press is good for one approval, of whatever agent', async ({ openPage }) => {
  const page = await openHost(openPage, '<button onclick="approveAll()">All</button>', 'person')
  await begin(page, [{ toolCalls: [use('destroy'), use('destroy')] }, { text: 'Done.' }])
  await whenAsked(page, 2)
  await begin(page, destroys)
  await whenAsked(page, 3)
  await page.getByRole('button', { name: 'All' }).click()
  await expect
    .poll(async () => (await answersOf(page)).toSorted())
    .toEqual(['consent-refused', 'consent-refused', 'true'])
})

test('a press is void once page tools act', async ({ openPage }) => {
  const page = await openHost(
    openPage,
    `<button onclick="document.documentElement.dataset.pressed = ''; approveLater(event, 100)">With</button>
    <button onclick="window.go = approve">Without</button>`,
    'person',
  )
  await begin(page, destroys)
  await whenAsked(page)
  await page.getByRole('button', { name: 'Without' }).click()
  await begin(page, [{ toolCalls: [use('hover', { ref: 'Elsewhere' })] }, { text: 'Hovered.' }])
  await expect.poll(async () => (await attacked(page)).results.length).toBe(1)
  await page.evaluate(() => (window as unknown as { go: () => void }).go())
  await expectAnswers(page, 'consent-refused')
})

const yes = '<button id="yes" onclick="approve()">Yes</button>'

/** Name, the host's way to ask, and how a person answers. */
const presses: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ['a mouse', yes, (page) => page.locator('#yes').click()],
  [
    'a finger, while the keyboard on the screen closes',
    `<input aria-label="Note" onblur="document.querySelector('#gap').style.height = '12px'"><div id="gap" style="height: 20px"></div>
    <button id="yes" style="height: 60px" onclick="approve()">Yes</button>`,
    async (page) => {
      await page.getByLabel('Note').focus()
      const { x, y, width, height } = (await page.locator('#yes').boundingBox())!
      const cdp = await page.context().newCDPSession(page)
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true })
      const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    },
  ],
  [
    'Enter, on a button that the focus scrolls to',
    `<div style="height: 300vh"></div>${yes}`,
    async (page) => {
      await page.locator('#yes').focus()
      await page.keyboard.press('Enter')
    },
  ],
  [
    'the space bar',
    yes,
    async (page) => {
      await page.locator('#yes').focus()
      await page.keyboard.press('Space')
    },
  ],
  [
    'a key that presses without a pointer, as a screen reader does',
    '<button accesskey="k" onclick="approve()">Yes</button>',
    async (page) => {
      const cdp = await page.context().newCDPSession(page)
      const key = { modifiers: 1, key: 'k', code: 'KeyK', windowsVirtualKeyCode: 75 }
      const text = { text: 'k', unmodifiedText: 'k' }
      await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, ...text })
      await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    },
  ],
  [
    'a label',
    '<label for="yes">Fine</label><input type="checkbox" id="yes" onclick="approve()">',
    (page) => page.getByText('Fine').click(),
  ],
  [
    "React's event, with a dialog of six seconds",
    '<button onclick="approveLater({ nativeEvent: event }, 6000)">Yes</button>',
    (page) => page.getByRole('button', { name: 'Yes' }).click(),
  ],
  [
    "a confirmation's own press",
    `<button onclick="document.querySelector('dialog').showModal()">Ask</button>
    <dialog onclose="approve()"><form method="dialog"><button>Really</button></form></dialog>`,
    async (page) => {
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByRole('button', { name: 'Really' }).click()
    },
  ],
  [
    'a handler that awaits first',
    '<button onclick="setTimeout(approve, 1000)">Yes</button>',
    (page) => page.getByRole('button', { name: 'Yes' }).click(),
  ],
  [
    'a frame that came later',
    '<div id="late"></div>',
    async (page) => {
      await page.evaluate(() => {
        const frame = document.createElement('iframe')
        frame.srcdoc = '<button onclick="parent.approve()">Inside</button>'
        document.querySelector('#late')?.attachShadow({ mode: 'open' }).append(frame)
      })
      await page.frameLocator('iframe').getByRole('button').click()
    },
  ],
  [
    'a closed shadow root',
    '<div><template shadowrootmode="closed"><button style="width: 200px" onclick="approve()">Yes</button></template></div>',
    (page) => page.locator('#ask > div').click({ position: { x: 10, y: 5 } }),
  ],
]

for (const [at, [name, body, answer]] of presses.entries())
  test(`a person consents with one press of ${name}`, eachNth(6, at), async ({ openPage }) => {
    const page = await openHost(openPage, body, 'person')
    await begin(page, destroys)
    await whenAsked(page)
    await answer(page)
    await expectAnswers(page, 'true')
    await expect.poll(async () => (await attacked(page)).effects).toBe(1)
  })

test('Enter in the form of an answer is a consent', async ({ openPage }) => {
  const form =
    '<form onsubmit="event.preventDefault(); reply(note.value)"><input name="note" aria-label="Note"></form>'
  const page = await openHost(openPage, form.replace('reply(note', 'reply(this.note'), 'person')
  await begin(page, [{ toolCalls: [use('ask_user', { question: 'Which?' })] }, { text: 'Done.' }])
  await page.getByLabel('Note').fill('This one')
  await page.getByLabel('Note').press('Enter')
  await expectAnswers(page, 'true')
})

test(
  'a press that is older than five seconds is none, but by its consent',
  MORE,
  async ({ openPage }) => {
    const late = '<button onclick="setTimeout(approve, 5500)">Yes</button>'
    const page = await openHost(openPage, late, 'person')
    await begin(page, destroys)
    await whenAsked(page)
    await page.getByRole('button', { name: 'Yes' }).click()
    await expectAnswers(page, 'consent-refused')
  },
)
