import {
  answersOf,
  attacked,
  begin,
  callHost,
  expectAnswers,
  HOST_FILE,
  openHost,
  use,
  whenAsked,
} from './support/consent-host.ts'
import { expect, test } from './support/driven.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { MORE, inSlice } from './support/more.ts'
import { focusOn, pressKeys, pressOn } from './support/person.ts'

// With `consent: 'person'` an answer takes a press of a person's own: what a model's page tools press is none, and a
// person's is one, however they press. A finger's are in consent-touch.spec.ts.

test.beforeEach(({ site }) => site.add(...HOST_FILE))

const press = use('click', { ref: 'Approve' })
const destroys = [{ toolCalls: [use('destroy')] }, { text: 'Done.' }]

/** Pages that could turn a model's click on "Approve" into an approval. */
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
    `a model's click does not approve ${name}; a person's does`,
    inSlice(at === 0),
    async ({ openPage }) => {
      const page = await openHost(
        openPage,
        `${body}<hr><button id="by-hand" onclick="approve()">By hand</button>`,
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
        await pressOn(page, '#by-hand')
        expect(await answersOf(page)).toContain('true')
      }).toPass()
      await expect.poll(async () => (await attacked(page)).effects).toBe(1)
    },
  )

test("only a person's press after the request counts as approval", async ({ openPage }) => {
  const page = await openHost(
    openPage,
    '<button id="yes" onclick="approve()">Yes</button>',
    'person',
  )
  await pressOn(page, '#elsewhere')
  await begin(page, destroys)
  await whenAsked(page)
  // The press from before is younger than five seconds, perhaps, and the page is active.
  await callHost(page, 'approve')
  await expectAnswers(page, 'consent-refused')
  await page.evaluate(() => {
    const yes = document.querySelector<HTMLElement>('#yes')
    yes?.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, detail: 1 }))
    yes?.click()
  })
  await expectAnswers(page, ...Array<string>(3).fill('consent-refused'))
  await pressOn(page, '#yes')
  await expect.poll(async () => (await attacked(page)).effects).toBe(1)
})

test("simulated events do not count as a person's press", async ({ openPage }) => {
  const page = await openHost(openPage, '<button>Nothing</button>', 'person')
  await begin(page, destroys)
  await whenAsked(page)
  await page.evaluate(async () => {
    const { approveLater } = window as unknown as {
      approveLater: (press: unknown, ms: number) => Promise<void>
    }
    class Own extends MouseEvent {
      override get isTrusted() {
        return true
      }
    }
    const looks = { isTrusted: true, type: 'click', detail: 1, timeStamp: performance.now() }
    const proxy = new Proxy(new MouseEvent('click', { detail: 1 }), {
      get: (event, name): unknown => (name === 'isTrusted' ? true : Reflect.get(event, name)),
    })
    for (const press of [looks, { nativeEvent: looks }, proxy, new Own('click', { detail: 1 })])
      await approveLater(press, 0)
  })
  await expectAnswers(page, ...Array<string>(4).fill('consent-refused'))
})

test(
  'a key held when the request appeared does not approve; the next press does',
  MORE,
  async ({ driver, openPage }) => {
    test.skip(driver === 'webkit', "WebKit's driver doesn't repeat a key that is held.")
    const page = await openHost(
      openPage,
      '<button id="yes" onclick="approve()">Yes</button>',
      'person',
    )
    await focusOn(page, '#elsewhere')
    await page.person.keyDown('Enter')
    await begin(page, destroys)
    await whenAsked(page)
    await focusOn(page, '#yes')
    await page.person.keyDown('Enter')
    await page.person.keyDown('Enter')
    await expectAnswers(page, 'consent-refused', 'consent-refused')
    await page.person.keyUp('Enter')
    await pressKeys(page, 'Enter')
    await expectAnswers(page, 'consent-refused', 'consent-refused', 'true')
  },
)

test('a press approves only one request, whichever agent made it', async ({ openPage }) => {
  const page = await openHost(openPage, '<button onclick="approveAll()">All</button>', 'person')
  await begin(page, [{ toolCalls: [use('destroy'), use('destroy')] }, { text: 'Done.' }])
  await whenAsked(page, 2)
  await begin(page, destroys)
  await whenAsked(page, 3)
  await pressOn(page, '#ask button')
  await expect
    .poll(async () => (await answersOf(page)).toSorted())
    .toEqual(['consent-refused', 'consent-refused', 'true'])
})

test('a press is void once page tools act', MORE, async ({ openPage }) => {
  const page = await openHost(
    openPage,
    '<button onclick="window.go = approve">Answer later</button>',
    'person',
  )
  await begin(page, destroys)
  await whenAsked(page)
  await pressOn(page, '#ask button')
  await begin(page, [{ toolCalls: [use('hover', { ref: 'Elsewhere' })] }, { text: 'Hovered.' }])
  await expect.poll(async () => (await attacked(page)).results.length).toBe(1)
  await page.evaluate(() => (window as unknown as { go: () => void }).go())
  await expectAnswers(page, 'consent-refused')
})

const yes = '<button id="yes" onclick="approve()">Yes</button>'

/** Name, the host's way to ask, and how a person answers. */
const presses: readonly (readonly [string, string, (page: DrivenPage) => Promise<unknown>])[] = [
  ['a mouse', yes, (page) => pressOn(page, '#yes')],
  [
    'Enter, on a button that the focus scrolls to',
    `<div style="height: 300vh"></div>${yes}`,
    async (page) => {
      await focusOn(page, '#yes')
      await pressKeys(page, 'Enter')
    },
  ],
  [
    'the space bar',
    yes,
    async (page) => {
      await focusOn(page, '#yes')
      await pressKeys(page, ' ')
    },
  ],
  [
    'a key that presses without a pointer, as a screen reader does',
    '<button accesskey="k" onclick="approve()">Yes</button>',
    (page) => page.person.accessKey('k'),
  ],
  [
    'a label',
    '<label for="yes">Fine</label><input type="checkbox" id="yes" onclick="approve()">',
    (page) => pressOn(page, 'label'),
  ],
  [
    "React's event, with a dialog of six seconds",
    '<button onclick="approveLater({ nativeEvent: event }, 6000)">Yes</button>',
    (page) => pressOn(page, '#ask button'),
  ],
  [
    "a confirmation's own press",
    `<button onclick="document.querySelector('dialog').showModal()">Ask</button>
    <dialog onclose="approve()"><form method="dialog"><button>Really</button></form></dialog>`,
    async (page) => {
      await pressOn(page, '#ask button')
      await pressOn(page, 'dialog button')
    },
  ],
  [
    'a handler that awaits first',
    '<button onclick="setTimeout(approve, 1000)">Yes</button>',
    (page) => pressOn(page, '#ask button'),
  ],
  [
    'a frame that came later',
    '<div id="late"></div>',
    async (page) => {
      await page.evaluate(() => {
        const frame = document.createElement('iframe')
        frame.srcdoc = '<button onclick="parent.approve()">Inside</button>'
        document.querySelector('#late')?.append(frame)
      })
      await pressOn(page, 'iframe', 'button')
    },
  ],
  [
    'a frame in a shadow root that came later',
    '<div id="late"></div>',
    async (page) => {
      await page.evaluate(() => {
        const frame = document.createElement('iframe')
        frame.srcdoc = '<button onclick="parent.approve()">Inside</button>'
        document.querySelector('#late')?.attachShadow({ mode: 'open' }).append(frame)
      })
      await pressOn(page, '#late', 'iframe', 'button')
    },
  ],
  [
    'a closed shadow root',
    '<div style="width: 200px"><template shadowrootmode="closed"><button style="width: 200px" onclick="approve()">Yes</button></template></div>',
    (page) => pressOn(page, '#ask > div'),
  ],
]

for (const [at, [name, body, answer]] of presses.entries())
  test(`a person approves with one press of ${name}`, inSlice(at === 0), async ({ openPage }) => {
    const page = await openHost(openPage, body, 'person')
    await begin(page, destroys)
    await whenAsked(page)
    await answer(page)
    await expectAnswers(page, 'true')
    await expect.poll(async () => (await attacked(page)).effects).toBe(1)
  })

test('Enter in an answer form counts as a press', MORE, async ({ openPage }) => {
  const form =
    '<form onsubmit="event.preventDefault(); reply(note.value)"><input name="note" aria-label="Note"></form>'
  const page = await openHost(openPage, form.replace('reply(note', 'reply(this.note'), 'person')
  await begin(page, [{ toolCalls: [use('ask_user', { question: 'Which?' })] }, { text: 'Done.' }])
  await expect.poll(() => page.evaluate(() => 'reply' in window)).toBe(true)
  await focusOn(page, '[name=note]')
  await pressKeys(page, 'k')
  await pressKeys(page, 'Enter')
  await expectAnswers(page, 'true')
})

test('a press older than five seconds does not approve', MORE, async ({ openPage }) => {
  const late = '<button onclick="setTimeout(approve, 5500)">Yes</button>'
  const page = await openHost(openPage, late, 'person')
  await begin(page, destroys)
  await whenAsked(page)
  await pressOn(page, '#ask button')
  await expectAnswers(page, 'consent-refused')
})
