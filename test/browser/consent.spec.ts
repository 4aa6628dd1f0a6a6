import {
  answersOf,
  type Attacked,
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
import { MORE, inSlice } from './support/more.ts'
import { pressOn } from './support/person.ts'

// A model must not answer for the person: the scripted one presses what the page offers.

test.beforeEach(({ site }) => site.add(...HOST_FILE))

const press = use('click', { ref: 'Approve' })
const button = '<button id="yes" onclick="approve()">Approve</button>'

/** Name, the page's ways to approve, and what the model does to them. */
const attacks: readonly (readonly [string, string, ReturnType<typeof use>])[] = [
  ['a button', button, press],
  [
    'a label, whose click comes out trusted',
    '<label for="yes">Fine</label><input type="checkbox" id="yes" onclick="approve()">',
    use('click', { ref: 'Fine' }),
  ],
  [
    'a form',
    '<form onsubmit="event.preventDefault(); approve()"><button>Approve</button></form>',
    press,
  ],
  [
    'Enter in a form',
    '<form onsubmit="event.preventDefault(); approve()"><input aria-label="Note"></form>',
    use('press_key', { ref: 'Note', key: 'Enter' }),
  ],
  ['Enter on a button', button, use('press_key', { ref: 'Approve', key: 'Enter' })],
  ['the space bar', button, use('press_key', { ref: 'Approve', key: ' ' })],
  ['focus', '<button onfocus="approve()">Approve</button>', press],
  [
    'the pointer',
    '<button onpointerover="approve()">Approve</button>',
    use('hover', { ref: 'Approve' }),
  ],
  [
    'a microtask',
    '<button onclick="Promise.resolve().then(() => approve())">Approve</button>',
    press,
  ],
  ['a timer', '<button onclick="setTimeout(approve, 0)">Approve</button>', press],
  ['a late timer', '<button onclick="setTimeout(approve, 2500)">Approve</button>', press],
  ['a frame', '<button onclick="requestAnimationFrame(() => approve())">Approve</button>', press],
  ['a message', '<button onclick="onmessage = approve; postMessage(1)">Approve</button>', press],
  [
    'a handler that awaits',
    '<button onclick="fetch(location.href).then((page) => page.text()).then(() => approve())">Approve</button>',
    press,
  ],
  [
    'an observer of mutations',
    '<button onclick="new MutationObserver(() => approve()).observe(this, { attributes: true }); this.title = 1">Approve</button>',
    press,
  ],
  [
    'a frame of the same origin',
    `<iframe title="Inside" srcdoc="<button onclick='parent.approve()'>Approve</button>"></iframe>`,
    press,
  ],
  [
    'a native dialog that the tools answer',
    '<button onclick="confirm() && approve()">Approve</button>',
    press,
  ],
]

for (const [at, [name, body, attack]] of attacks.entries())
  test(
    `a model can't approve its own call through ${name}; a person still can`,
    inSlice(at === 0),
    async ({ openPage }) => {
      const page = await openHost(
        openPage,
        `${body}<hr><button id="by-hand" onclick="approve()">By hand</button>`,
      )
      page.acceptDialogs()
      await begin(page, [
        { toolCalls: [use('read_page'), attack, use('destroy')] },
        { text: 'Done.' },
      ])
      await expect.poll(async () => (await answersOf(page)).length).toBeGreaterThan(0)
      const { answers, effects } = await attacked(page)
      expect(new Set(answers)).toEqual(new Set(['consent-refused']))
      expect(effects).toBe(0)
      await expect(async () => {
        await pressOn(page, '#by-hand')
        expect(await answersOf(page)).toContain('true')
      }).toPass()
      await expect
        .poll(async () => (await attacked(page)).results)
        .toMatchObject([{ outcome: 'completed' }])
      expect((await attacked(page)).effects).toBe(1)
    },
  )

test(
  "a user activation from before the model's press does not count as approval",
  MORE,
  async ({ openPage }) => {
    const late = '<button onclick="setTimeout(approve, 2500)">Approve</button>'
    const page = await openHost(openPage, late)
    // A person who has just sent the message is still "active" when the handler's timer fires.
    await page.person.click(5, 5)
    await begin(page, [{ toolCalls: [press, use('destroy')] }, { text: 'Done.' }])
    await expectAnswers(page, 'consent-refused')
    expect((await attacked(page)).effects).toBe(0)
  },
)

test("a model can't approve another agent's call", MORE, async ({ openPage }) => {
  const page = await openHost(openPage, button)
  await begin(page, [{ toolCalls: [use('destroy')] }, { text: 'Done.' }])
  await whenAsked(page)
  await begin(page, [{ toolCalls: [press] }, { text: 'Pressed.' }])
  await expect.poll(async () => (await attacked(page)).results.length).toBe(1)
  expect(await attacked(page)).toMatchObject({ answers: ['consent-refused'], effects: 0 })
  await pressOn(page, '#ask button')
  await expect.poll(async () => (await attacked(page)).effects).toBe(1)
})

test(
  "a model's page tools can't answer the model's question to the person",
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage, '<button onclick="reply(\'yes\')">Approve</button>')
    await begin(page, [
      { toolCalls: [press, use('ask_user', { question: 'Really?' })] },
      { text: 'Done.' },
    ])
    await expectAnswers(page, 'consent-refused')
    // Refused as long as the page hasn't come to rest after the model's click.
    await expect(async () => {
      await pressOn(page, '#ask button')
      expect(await answersOf(page)).toContain('true')
    }).toPass()
  },
)

test(
  "a host's own code can answer requests after the page tools acted",
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage, '<button id="yes">Nothing</button>')
    await begin(page, [
      { toolCalls: [use('hover', { ref: 'Nothing' })] },
      { toolCalls: [use('destroy')] },
      { text: 'Done.' },
    ])
    await whenAsked(page)
    await callHost(page, 'approve')
    await expectAnswers(page, 'true')
  },
)

test(
  'actions of another copy of the package count, and denying is always possible',
  MORE,
  async ({ openPage, site }) => {
    // Two modules with one text: what each keeps for itself, the other doesn't see.
    site.add('/copy.html', {
      body: `<!doctype html><script type="module">import { click } from '/dist/page-tools.js'; parent.pressFrom = () => click('Go')</script><button>Go</button>`,
    })
    const page = await openHost(
      openPage,
      `${button}<iframe title="Copy" src="/copy.html"></iframe>`,
    )
    await begin(page, [{ toolCalls: [use('destroy')] }, { text: 'Done.' }])
    await whenAsked(page)
    const [approved, denied] = await page.evaluate(async () => {
      const host = window as unknown as Attacked & {
        approve: () => Promise<void>
        pressFrom: () => Promise<unknown>
        deny: () => Promise<string>
      }
      await host.pressFrom()
      await host.approve()
      return [host.answers.at(-1), await host.deny()]
    })
    expect([approved, denied]).toEqual(['consent-refused', 'true'])
  },
)
