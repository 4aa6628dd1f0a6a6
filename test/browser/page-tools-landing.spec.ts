import { MORE } from './support/more.ts'
import type { DrivenPage } from './support/driven-page.ts'
import { expect, property, test } from './support/driven.ts'
import { serveSite } from './support/site.ts'

// Elements that a key or a drag finally reaches pass the same checks as the element that the call names.

const HOST = `
import { pageTools } from '/dist/page-tools.js'
window.put = (html) => {
  const range = document.createRange()
  range.selectNodeContents(part)
  part.replaceChildren(range.createContextualFragment(html))
  window.reached = []
}
window.reach = (what) => window.reached.push(what)
window.use = async (name, input, { tainted, confirmed, ...options }) => {
  const classify = confirmed && ((element) => element.matches(confirmed) ? 'commit' : undefined)
  const tool = pageTools({ ...options, ...(classify && { classify }) }).find((one) => one.name === name)
  const info = { runId: 'run', conversationId: 'talk', toolCallId: 'call' }
  const call = { ...info, idempotencyKey: 'key', fence: 1, signal: new AbortController().signal, progress() {} }
  const asks = (await tool.commits?.(input, { ...info, tainted: tainted === true })) && tainted === true
  if (asks || (await tool.needsApproval?.(input, info)) === true) {
    const about = await (async () => tool.describe(input, info))().catch((error) => ({ text: error.code }))
    return { asked: about.text, reached: window.reached }
  }
  const said = await (async () => tool.execute(input, call))().catch((error) => error.code + ': ' + error.message)
  return { said, reached: window.reached }
}
document.documentElement.dataset.host = ''
`

interface Outcome {
  readonly asked?: string
  readonly said?: string
  readonly reached: readonly unknown[]
}
interface Hosted {
  readonly put: (html: string) => void
  readonly use: (tool: string, input: object, options: object) => Promise<Outcome>
}

test.beforeEach(({ site }) => site.add('/landing-host.js', { body: HOST }))

type Open = (options: { body: string }) => Promise<DrivenPage>

async function openHost(openPage: Open): Promise<DrivenPage> {
  const page = await openPage({
    body: '<div id=part></div><script type=module src="/landing-host.js"></script>',
  })
  await expect(async () =>
    expect(await property(page, 'html[data-host]', 'tagName')).toBe('HTML'),
  ).toPass()
  return page
}

type Call = readonly [html: string, tool: string, input: object, options?: object]

const use = (page: DrivenPage, [html, tool, input, options = {}]: Call): Promise<Outcome> =>
  page.evaluate(
    ([body, name, given, how]) => {
      const host = window as unknown as Hosted
      host.put(body)
      return host.use(name, given, how)
    },
    [html, tool, input, options] as const,
  )

const MARK = 'data-offstage-confirm'
const enterForm = (button: string): string =>
  `<form onsubmit="reach('sent'); return false"><span><input aria-label=Words onkeydown="reach('key')"></span>${button}</form>`
const LINES: readonly [string, object][] = [
  ['type_text', { ref: 'Words', text: 'x\n' }],
  ['type_text', { ref: 'Words', text: '\r\n', mode: 'append' }],
  ['type_text', { ref: 'Words', text: 'x', enter: true }],
  ['fill_form', { fields: [{ ref: 'Words', value: 'x\ny' }] }],
  ['press_key', { ref: 'Words', key: 'Enter' }],
]

test('Enter requests approval for the button that it presses, even as a line break', async ({
  openPage,
}) => {
  const page = await openHost(openPage)
  for (const [tool, input] of LINES)
    for (const [button, options] of [
      [`<button ${MARK}>Go</button>`, {}],
      ['<button class=go>Go</button>', { confirmed: '.go' }],
      ['<button>Pay</button>', { tainted: true }],
    ] as const) {
      const outcome = await use(page, [enterForm(button), tool, input, options])
      expect(outcome, `${JSON.stringify([tool, input])} ${button}`).toEqual({
        asked: expect.stringContaining('textbox "Words"'),
        reached: [],
      })
    }
})

test('Enter goes to the field inside the named element', MORE, async ({ openPage }) => {
  const page = await openHost(openPage)
  const group = enterForm('<button>Pay</button>').replace(
    '<span',
    '<span role=group aria-label=Box',
  )
  for (const more of [{ text: 'x\n' }, { text: 'x', enter: true }]) {
    const call = ['type_text', { ref: 'Box', ...more }, { tainted: true }] as const
    expect(await use(page, [group.replace('aria-label=Words', ''), ...call])).toEqual({
      asked: expect.stringMatching(/^group "Box".*pays/),
      reached: [],
    })
  }
})

test(
  'Enter presses no forbidden button, and nothing is typed before',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    const far = '<button onclick="reach(1)">Go</button>'
    for (const [tool, input] of LINES)
      for (const [button, options] of [
        [`<div id=no>${far}</div>`, { deny: ['#no'] }],
        [far, { allow: ['span'] }],
        [`<offstage-chat>${far}</offstage-chat>`, {}],
      ] as const) {
        const { said, reached } = await use(page, [enterForm(button), tool, input, options])
        expect(said, `${tool} ${button}`).toContain('outside')
        expect(reached, `${tool} ${button}`).toEqual([])
      }
  },
)

test(
  'no approval is requested for an Enter with a forbidden button',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    const button = `<div id=no ${MARK}><button>Go</button></div>`
    const outcome = await use(page, [
      enterForm(button),
      'type_text',
      { ref: 'Words', text: 'x\n' },
      { deny: ['#no'] },
    ])
    expect(outcome).toEqual({ asked: 'outside', reached: [] })
  },
)

test('a line break is inserted into a multi-line field as before', MORE, async ({ openPage }) => {
  const page = await openHost(openPage)
  const text = `<form onsubmit="reach('sent'); return false"><textarea aria-label=Words oninput="reach(this.value)"></textarea><button ${MARK}>Pay</button></form>`
  const typed = { ref: 'Words', text: 'a\r\nb' }
  const { reached } = await use(page, [text, 'type_text', typed, { tainted: true }])
  expect(reached).toEqual(['a', 'a\n', 'a\nb'])
})

test("a line break in an option's label does not press Enter", MORE, async ({ openPage }) => {
  const page = await openHost(openPage)
  const list = enterForm(`<button ${MARK}>Go</button>`).replace('<input', '<input role=combobox')
  const choice = { ref: 'Words', options: ['x\ny'] }
  const { said, reached } = await use(page, [list, 'select_option', choice])
  expect(said).toContain('no single option')
  expect(reached).not.toContain('sent')
})

const boxes = (drop: string): string =>
  `<div role=button aria-label=Card style="height: 40px">Card</div><div style="height: 40px" onpointerup="reach('up')" ${drop}</div>`
const DRAG = ['drag', { ref: 'Card', x: 0, y: 40 }] as const

test(
  'a drag by a distance is checked like a drag onto the element there',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    for (const [drop, options] of [
      [`${MARK}>Bin`, {}],
      ['class=bin>Bin', { confirmed: '.bin' }],
      ['role=button>Delete', { tainted: true }],
    ] as const)
      expect(await use(page, [boxes(drop), ...DRAG, options]), drop).toEqual({
        asked: expect.stringMatching(/^button "Card"; .*(Bin|Delete)/),
        reached: [],
      })
    for (const [drop, options] of [
      ['id=no>Bin', { deny: ['#no'] }],
      ['>Bin', { allow: ['[aria-label=Card]'] }],
      ['data-offstage-ignore>Bin', {}],
    ] as const) {
      const { said, reached } = await use(page, [boxes(drop), ...DRAG, options])
      expect(said, drop).toMatch(/^outside/)
      expect(reached, drop).toEqual([])
    }
    expect(await use(page, [boxes('>Bin'), ...DRAG])).toEqual({
      said: expect.stringContaining('Dragged button "Card"'),
      reached: ['up'],
    })
  },
)

test(
  'a drag does not drop on an element that appears just before the drop',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    const late = `document.getElementById('bin').setAttribute('${MARK}', '')`
    for (const card of [`onpointerdown="${late}"`, `draggable=true ondragstart="${late}"`]) {
      const body = boxes(`id=bin ondragover="event.preventDefault()" ondrop="reach('drop')">Bin`)
      for (const input of [
        { ref: 'Card', y: 40 },
        { ref: 'Card', to: 'Bin' },
      ]) {
        const { said, reached } = await use(page, [
          body.replace('role=button', `role=button ${card}`),
          'drag',
          input,
        ])
        expect(said, card).toMatch(/^unconfirmed/)
        expect(reached, card).toEqual([])
      }
    }
  },
)

const radios = (second: string): string =>
  `<input type=radio name=r checked aria-label=One>${second}`

test('an arrow key selects no forbidden radio button or option', MORE, async ({ openPage }) => {
  const page = await openHost(openPage)
  const two = '<p><input type=radio name=r onchange="reach(2)" aria-label=Two></p>'
  const arrow = ['press_key', { ref: 'One', key: 'ArrowDown' }] as const
  for (const [second, options, code] of [
    [two.replace('<p', `<p ${MARK}`), {}, 'unconfirmed'],
    [`<div id=no>${two}</div>`, { deny: ['#no'] }, 'outside'],
    [`<offstage-x>${two}</offstage-x>`, {}, 'outside'],
  ] as const) {
    const { said, reached } = await use(page, [radios(second), ...arrow, options])
    expect(said, second).toMatch(new RegExp(`^${code}`))
    expect(reached, second).toEqual([])
  }
  expect((await use(page, [radios(two), ...arrow])).reached).toEqual([2])
  const list = `<select aria-label=One onchange="reach(2)"><option>a<option ${MARK}>b</select>`
  const { said, reached } = await use(page, [list, ...arrow])
  expect(said).toMatch(/^unconfirmed/)
  expect(reached).toEqual([])
})

const CODE = `<input aria-label=A maxlength=1 oninput="document.querySelector('#b').focus()">`
const second = (mark: string): string =>
  `<div ${mark}><input id=b aria-label=B oninput="reach(this.value)"></div>`

test('typing stops if the page moves the focus to a forbidden field', async ({ openPage }) => {
  const page = await openHost(openPage)
  const typed = ['type_text', { ref: 'A', text: '123' }] as const
  for (const [mark, options, code] of [
    [MARK, {}, 'unconfirmed'],
    ['id=no', { deny: ['#no'] }, 'outside'],
    ['data-offstage-ignore', {}, 'outside'],
  ] as const) {
    const { said, reached } = await use(page, [`${CODE}${second(mark)}`, ...typed, options])
    expect(said, mark).toMatch(new RegExp(`^${code}: Only the first 1 characters were typed`))
    expect(reached, mark).toEqual([])
  }
  expect((await use(page, [`${CODE}${second('')}`, ...typed])).reached).toEqual(['2', '23'])
})

test(
  'typing continues in its own field while a person writes to the agent',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    const chat = second('').replace(/div/g, 'offstage-chat')
    const field = CODE.replace('maxlength=1', 'id=a')
    const call = ['type_text', { ref: 'A', text: '123' }] as const
    const { said, reached } = await use(page, [`${field}${chat}`, ...call])
    expect(said).toContain('Typed in textbox "A"')
    expect(await property(page, '#a', 'value')).toBe('123')
    expect(reached).toEqual([])
  },
)

test(
  'a space presses no focused element once its own button is gone',
  MORE,
  async ({ openPage }) => {
    const page = await openHost(openPage)
    const body = `<button onkeydown="document.querySelector('#pay').focus(); this.remove()">First</button><button id=pay ${MARK} onclick="reach(1)">Go</button>`
    const { said, reached } = await use(page, [body, 'press_key', { ref: 'First', key: 'Space' }])
    expect(said).toMatch(/^unconfirmed/)
    expect(reached).toEqual([])
  },
)

test('a call that takes a frame to an allowed origin succeeds', MORE, async ({ openPage }) => {
  const other = await serveSite({ folders: {} })
  other.add('/map.html', { body: 'Map' })
  const page = await openHost(openPage)
  const options = { origins: [new URL(other.url).origin], dialogs: 'accept' }
  const body = `<iframe name=map srcdoc="Start"></iframe><a target=map href="${other.url}/map.html">Show map</a>`
  expect(await use(page, [body, 'wait_for', { text: 'Start' }])).toMatchObject({ reached: [] })
  const { said } = await page.evaluate(
    (how) => (window as unknown as Hosted).use('click', { ref: 'Show map' }, how),
    options,
  )
  expect(said).toContain('Clicked link "Show map"')
  // The frame is of the other origin now, and the next call is none the worse for it.
  await expect
    .poll(() => page.evaluate(() => document.querySelector('iframe')?.contentDocument ?? null))
    .toBe(null)
  const next = await page.evaluate(
    (how) => (window as unknown as Hosted).use('click', { ref: 'Show map' }, how),
    options,
  )
  expect(next.said).toContain('Clicked link "Show map"')
  await other.close()
})

test('a form with fields named like its methods can be sent', MORE, async ({ openPage }) => {
  const page = await openHost(openPage)
  const form = enterForm('<input type=hidden name=elements><input type=hidden name=requestSubmit>')
  const { reached } = await use(page, [form, 'type_text', { ref: 'Words', text: '', enter: true }])
  expect(reached).toContain('sent')
})
