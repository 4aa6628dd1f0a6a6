import type { Browser, Locator, Page } from '@playwright/test'
import type { OffstageChat } from '../../../src/ui/chat/index.ts'
import {
  type ChatEnvironment,
  type StateName,
  STATES,
  statesOf,
  textIn,
} from '../../../src/ui/chat/parts/states.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import type { EngineContext } from '../../../src/engines/index.ts'
import type { ConversationSnapshot } from '../../../src/index.ts'
import { openSqlite } from '../../http-store/databases.ts'
import { serveStore } from '../../http-store/serve-store.ts'
import {
  begin,
  type ChatOptions,
  damage,
  expect,
  type OpenedChat,
  order,
  press,
  unfinished,
  write,
} from './chat-page.ts'
import { callTools, say } from './mock-answers.ts'
import type { MockOpenAI, MockResponse } from './mock-openai.ts'
import type { Site } from './site.ts'

/** The tools for a scene: the chat element, a scripted model server, and the page's site. */
export interface Stage {
  readonly open: (options?: ChatOptions) => Promise<OpenedChat>
  readonly model: MockOpenAI
  readonly site: Site
  readonly browser: Browser
  /** Calls a function once the test is over. */
  readonly onEnd: (act: () => Promise<unknown>) => void
}

export interface Scene {
  /** Brings a chat into a state. */
  readonly play: (stage: Stage) => Promise<Page>
  /** Surroundings that the element knows then. Default: none. */
  readonly around?: (snapshot: ConversationSnapshot) => ChatEnvironment
}

const QUESTION = 'Which mugs do you have, and when can one be here?'
const ANSWER = `Three mugs are **in stock**, as [the catalogue](https://mugs.example/all) says:

| Mug | Colour | Price |
| --- | --- | --- |
| Small | Blue | 9.50 |
| Large | Red | 12.50 |
| Travel | Steel | 24.00 |

- Orders before noon leave *the same day*.
- The courier takes \`2\` to \`3\` days.

\`\`\`js
const order = { sku: 'mug-large-red', count: 2, note: 'Please leave it with the neighbours' }
await shop.order(order)
\`\`\`
`
const SILENT: MockResponse = { pieces: [], end: 'hang' }
const NEVER = new Promise<never>(() => {})

/** A chat in which a person has asked one question. */
async function asked(
  { open, model }: Stage,
  answers: readonly MockResponse[],
  options?: ChatOptions,
): Promise<OpenedChat> {
  model.enqueue(...answers)
  const chat = await open(options)
  await chat.send(QUESTION)
  return chat
}

/** The chat once it shows a text. */
async function shown({ page }: { readonly page: Page }, text: string): Promise<Page> {
  await expect(textOf(page, text).first()).toBeVisible()
  return page
}

/** Messages and notices; not the announcements, which have the same words. */
function textOf(page: Page, text: string): Locator {
  return page.locator('offstage-chat :is(.log, .notices)').getByText(text)
}

/** The chat whose run ends in one way. */
const ending =
  (text: string, answers: readonly MockResponse[], options?: ChatOptions): Scene['play'] =>
  async (stage) =>
    shown(await asked(stage, answers, options), text)

/** A model of the page's own, which loads without end, or interrupts its turns. */
async function showEngine(page: Page, kind: 'loads' | 'pauses'): Promise<void> {
  await page.evaluate(async (kind) => {
    const { pageEngine } = await import('/dist/engines.js' as string)
    const engine = pageEngine({
      id: 'engine:tiny',
      async *stream(_request: unknown, _config: unknown, context: EngineContext) {
        if (kind === 'loads') {
          context.progress({ loaded: 3e6, total: 12e6, text: 'weights' })
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
        }
        yield [
          { type: 'text-delta', delta: 'Looking further. ' },
          { type: 'finish', finishReason: 'pause' },
        ]
      },
    })
    const chat = document.querySelector('offstage-chat')
    if (chat)
      chat.agent = window.offstage.createAgent({
        model: { provider: 'engine:tiny', model: 'tiny-1' },
        engines: [engine],
        // More than pauses of one turn.
        maxSteps: 20,
        worker: () => new Worker('/dist/worker.js', { type: 'module' }),
      })
  }, kind)
}

/** The agent's worker with a database that fails: at once with `open`, or with `put` as soon as the page says so. */
function faultyWorker({ site }: Stage, open = ''): ChatOptions {
  site.add('/faults.js', {
    body: `
      import { OffstageError } from '/dist/index.js'
      let fault = ''
      const fail = (name) => {
        if (name.startsWith('storage-')) throw new OffstageError(name, 'Refused', { retryable: true })
        if (name) throw new DOMException('Refused', name)
      }
      const wrap = (prototype, method, nameOf) => {
        const real = prototype[method]
        prototype[method] = function (...given) {
          fail(nameOf())
          return real.apply(this, given)
        }
      }
      new BroadcastChannel('faults').onmessage = ({ data }) => (fault = data)
      wrap(IDBFactory.prototype, 'open', () => '${open}')
      for (const method of ['add', 'put']) wrap(IDBObjectStore.prototype, method, () => fault)`,
  })
  site.add('/faulty-worker.js', { body: `import '/faults.js'; import '/dist/worker.js'` })
  return { worker: '/faulty-worker.js' }
}

/** A run whose storage fails while the model writes. */
const paused =
  (fault: string): Scene['play'] =>
  async (stage) => {
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    const pieces = [{ until: held }, ...(say('Three mugs are in stock.').pieces ?? [])]
    const { page } = await asked(stage, [{ pieces }], faultyWorker(stage))
    await shown({ page }, en.reasoningUnderWay)
    await page.evaluate((name) => {
      new BroadcastChannel('faults').postMessage(name)
    }, fault)
    answer()
    return shown({ page }, 'Paused')
  }

/** A conversation of which a stored row can't be read after a reload. */
const withDamage =
  (row: Parameters<typeof damage>[0], text: string): Scene['play'] =>
  async (stage) => {
    const answers = [say('Three mugs are in stock.'), say('Two bowls are, too.')]
    const { page, send, again } = await asked(stage, answers)
    await shown({ page }, 'Three mugs')
    await send('And bowls?')
    await shown({ page }, 'Two bowls')
    await again()
    await page.evaluate(damage, row)
    await again()
    return shown({ page }, text)
  }

/** The conversation of a page in another one. */
async function alsoIn(
  other: Page,
  page: Page,
  model: MockOpenAI,
  options?: ChatOptions,
): Promise<Page> {
  const id = await page.evaluate(() => document.querySelector('offstage-chat')?.conversationId)
  await other.goto(page.url())
  await other.locator('html[data-ready]').waitFor({ state: 'attached' })
  await other
    .locator('offstage-chat')
    .evaluate((chat, value) => chat.setAttribute('conversation-id', value), id ?? '')
  await begin(other, model, options)
  return other
}

const stockAnswer: Scene = { play: ending('Three mugs', [say(ANSWER)]) }

const tool = (name: string, body: string): string =>
  `document.querySelector('offstage-chat').agent.registerTool(window.offstage.defineTool({
    name: '${name}', title: 'Ask the courier', description: 'Asks.',
    inputSchema: { type: 'object', properties: { sku: { type: 'string' }, count: { type: 'integer' }, giftNote: { type: 'string' } } }, ${body} }))`

/** A scene for each state of the table. The picture has the state's name. */
const SCENES: Readonly<Record<StateName, Scene>> = {
  loading: {
    async play({ open, site }) {
      site.add('/never.js', { body: '', until: NEVER })
      const { page, send } = await open({ worker: '/never.js' })
      await send(QUESTION)
      return shown({ page }, en.loading)
    },
  },
  idle: {
    async play({ open }) {
      const { page } = await open()
      await page.evaluate(() => {
        const chat = document.querySelector<OffstageChat>('offstage-chat')
        if (chat) chat.suggestions = ['Show me mugs', 'Where is my order?', 'Compare two bowls']
      })
      return shown({ page }, 'Show me mugs')
    },
  },
  waiting: {
    async play(stage) {
      const input = { sku: 'mug-large-red', count: 2, giftNote: 'Happy birthday, and see you soon' }
      stage.model.enqueue(callTools([{ name: 'courier', input }], { text: 'I order two.' }))
      const { page, send } = await stage.open()
      await page.evaluate(tool('courier', "needsApproval: true, execute: () => 'Asked.'"))
      await send(QUESTION)
      await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
      return page
    },
  },
  gone: {
    async play(stage) {
      const { page } = await asked(stage, [say('Three mugs are in stock.')])
      await shown({ page }, 'Three mugs')
      const other = await alsoIn(await page.context().newPage(), page, stage.model)
      await other.evaluate(() =>
        document.querySelector('offstage-chat')?.agent?.conversations.wipe(),
      )
      return shown({ page }, en.gone)
    },
    around: () => ({ isDeleted: true }),
  },
  'let-go': {
    async play(stage) {
      const { page } = await asked(stage, [unfinished('Three mugs are in stock, and more')])
      await shown({ page }, 'Three mugs')
      await page.evaluate(() => document.querySelector('offstage-chat')?.agent?.dispose())
      return shown({ page }, en.letGo)
    },
  },
  queued: {
    async play(stage) {
      const { page, send } = await asked(stage, [order('mug-large-red')])
      await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
      await send('In blue, please')
      await expect(page.getByRole('list', { name: 'Queued' })).toContainText('In blue')
      return page
    },
  },
  unsent: {
    async play(stage) {
      const { page, send } = await asked(stage, [SILENT])
      await shown({ page }, en.reasoningUnderWay)
      await send('In blue, please')
      await expect(page.getByRole('list', { name: 'Queued' })).toContainText('In blue')
      await page.getByRole('textbox', { name: 'Message' }).fill('And a bowl')
      await press(page, 'Stop')
      return shown({ page }, en.unsent)
    },
    around: () => ({ unsent: 'In blue, please' }),
  },
  running: {
    async play(stage) {
      const input = { sku: 'mug-large-red' }
      stage.model.enqueue(callTools([{ name: 'courier', input }], { text: 'I ask the courier.' }))
      const { page, send } = await stage.open()
      await page.evaluate(
        tool(
          'courier',
          'execute: (_input, { progress }) => { progress(0.4); return new Promise(() => {}) }',
        ),
      )
      await send(QUESTION)
      await expect(page.getByRole('progressbar')).toBeVisible()
      return page
    },
  },
  thinking: { play: ending(en.reasoningUnderWay, [SILENT]) },
  resumed: {
    async play(stage) {
      const { page, again } = await asked(stage, [
        unfinished('Three mugs are in'),
        unfinished('Three mugs are in stock, and more'),
      ])
      await shown({ page }, 'Three mugs')
      await again()
      return shown({ page }, en.resumed)
    },
    around: ({ runId }) => ({ resumedRunId: runId }),
  },
  'engine-loading': {
    async play({ open }) {
      const { page } = await open()
      await showEngine(page, 'loads')
      await write(page, QUESTION)
      return shown({ page }, '25%')
    },
    around: () => ({ loading: { model: 'tiny-1' } }),
  },
  completed: {
    async play({ open, model }) {
      model.enqueue(
        callTools([
          { name: 'missing', input: {} },
          { name: 'courier', input: { sku: 'mug-large-red', count: 2 } },
          { name: 'courier', input: { sku: 'bowl-small-blue', count: 1 } },
          { name: 'courier', input: { sku: 'teapot', count: 1 } },
        ]),
        // Untrusted content, after which the courier would need an approval.
        callTools([1, 2, 3].map(() => ({ name: 'read_reviews', input: {} }))),
        say('Ordered, and on its way.'),
      )
      const { page, send } = await open()
      await page.evaluate(
        tool(
          'courier',
          `execute: ({ sku }) => ({
            'mug-large-red': 'Here by six.',
            'bowl-small-blue': { sent: false, reason: 'The courier does not carry bowls of this size.' },
          })[sku] ?? { number: 7 }`,
        ),
      )
      await send(QUESTION)
      return shown({ page }, 'Ordered, and on its way.')
    },
  },
  pause: {
    async play({ open }) {
      const { page } = await open()
      await showEngine(page, 'pauses')
      await write(page, QUESTION)
      return shown({ page }, en.announceStopped)
    },
  },
  length: { play: ending('Cut off', [say(ANSWER, { finish: 'length' })]) },
  'content-filter': {
    play: ending('refused to continue', [say('Three mugs are in', { finish: 'content_filter' })]),
  },
  empty: {
    play: ending('without a reply', [
      callTools([{ name: 'read_reviews', input: {} }]),
      ...Array.from({ length: 4 }, () => say('')),
    ]),
  },
  'max-steps': {
    play: ending('step limit reached', [callTools([{ name: 'read_reviews', input: {} }])], {
      agent: { maxSteps: 1 },
    }),
  },
  limit: {
    play: ending(
      'step limit reached',
      [callTools([{ name: 'read_reviews', input: {} }]), say('So far: three mugs are in stock.')],
      { agent: { limits: { steps: 1 } } },
    ),
  },
  aborted: {
    async play(stage) {
      const { page } = await asked(stage, [SILENT])
      await shown({ page }, en.reasoningUnderWay)
      await press(page, 'Stop')
      return shown({ page }, en.announceStopped)
    },
  },
  failed: {
    play: ending('model was not found', [
      { status: 404, body: { error: { message: 'The model `mock` does not exist' } } },
    ]),
  },
  'not-begun': {
    play: withDamage({ type: 'run-started', change: { format: 99 } }, 'This chat can’t be read.'),
  },
  'not-kept': {
    async play(stage) {
      return shown(
        await asked(stage, [say('Three mugs are in stock.')], faultyWorker(stage, 'SecurityError')),
        en.inMemory,
      )
    },
    around: () => ({ isPersisted: false }),
  },
  'set-aside': { play: withDamage({ type: 'run-ended' }, en.setAside) },
  'crash-loop': {
    async play(stage) {
      const { page, again } = await asked(
        stage,
        Array.from({ length: 3 }, () => SILENT),
      )
      // A page that is left in an orderly way notes this for the next one. A crashed page can't, so the note is
      // removed.
      await page.addInitScript(() => sessionStorage.removeItem('offstage.left'))
      for (let requests = 1; requests <= 3; requests++) {
        await expect.poll(() => stage.model.requests.length).toBe(requests)
        await again()
      }
      return shown({ page }, en.paused['crash-loop'])
    },
  },
  'storage-full': { play: paused('QuotaExceededError') },
  'storage-blocked': { play: paused('storage-blocked') },
  'storage-newer': { play: paused('VersionError') },
  'storage-offline': { play: paused('storage-offline') },
  'storage-failed': { play: paused('UnknownError') },
  'part-unavailable': {
    async play({ open, model }) {
      const { page, send } = await open()
      await page.context().route('**/worker-action.js*', (route) => route.abort())
      model.enqueue(say('<tool_call>\n{"name":"order","arguments":{}}\n</tool_call>'))
      await send('A mug, please')
      return shown({ page }, en.paused['part-unavailable'])
    },
  },
  online: stockAnswer,
  offline: {
    async play(stage) {
      const { page } = await asked(stage, [say('Three mugs are in stock.')])
      await shown({ page }, 'Three mugs')
      await page.context().setOffline(true)
      return shown({ page }, en.offline)
    },
    around: () => ({ isOffline: true }),
  },
  none: stockAnswer,
  'this-tab': { play: ending('Three mugs', [unfinished(`${ANSWER}And there is`)]) },
  'other-tab': {
    async play(stage) {
      const { page } = await asked(stage, [unfinished('Three mugs are in stock, and more')])
      await shown({ page }, 'Three mugs')
      const other = await alsoIn(await page.context().newPage(), page, stage.model)
      return shown({ page: other }, en.otherTab)
    },
  },
  'other-device': {
    async play(stage) {
      const { database, close } = await openSqlite()
      const server = await serveStore(database)
      stage.onEnd(() => server.close().then(close))
      stage.site.add('/http-worker.js', {
        body: `
          import { startWorker } from '/dist/start-worker.js'
          import { httpStore } from '/dist/http-store.js'
          startWorker({ stores: [httpStore({ url: '${server.url}', headers: () => ({ 'x-tenant': 'shop' }) })] })`,
      })
      const options: ChatOptions = {
        worker: '/http-worker.js',
        agent: { storage: { type: 'http', team: 'shop' } },
      }
      const { page } = await asked(
        stage,
        [unfinished('Three mugs are in stock, and more')],
        options,
      )
      await shown({ page }, 'Three mugs')
      const context = await stage.browser.newContext()
      stage.onEnd(() => context.close())
      const there = await alsoIn(await context.newPage(), page, stage.model, options)
      return shown({ page: there }, en.otherDevice)
    },
  },
  retrying: {
    play: ending('Retrying in', [
      { status: 503, headers: { 'retry-after': '30' }, body: { error: { message: 'Overloaded' } } },
    ]),
  },
}

/** Brings a chat into a state, and checks that it is in that state and shows the table's text for it. */
export async function play(name: StateName, stage: Stage): Promise<Page> {
  const scene = SCENES[name] as Scene | undefined
  if (!scene) throw new Error(`The state ${name} has no scene.`)
  const page = await scene.play(stage)
  const snapshot = await page.evaluate(() => {
    const chat = document.querySelector('offstage-chat')
    return chat?.agent?.conversation(chat.conversationId ?? '').getSnapshot()
  })
  if (!snapshot) throw new Error('The chat shows no conversation.')
  const around = scene.around?.(snapshot) ?? {}
  expect(statesOf(snapshot, around)).toContain(name)
  const { place, text } = STATES[name]
  const line = textIn({ snapshot, words: en, around }, text)
  if (place === 'notice' || place === 'log')
    // The seconds until a retry count down.
    for (const part of line.split(/\d+/)) await shown({ page }, part)
  return page
}

/** Folder of the pictures that `npm run screenshots` takes. Undefined: none are. */
export const SCREENSHOTS: string | undefined = process.env['OFFSTAGE_SCREENSHOTS']

interface View {
  readonly width?: number
  readonly theme?: 'dark'
  readonly placement?: 'inline'
  readonly dir?: 'rtl'
  readonly forcedColors?: 'active'
}

const VIEWS: Readonly<Record<string, View>> = {
  light: {},
  dark: { theme: 'dark' },
  phone: { width: 390 },
}
const WIDE_VIEWS: Readonly<Record<string, View>> = { inline: { placement: 'inline' }, ...VIEWS }
/** Views of one state only. */
const WAITING_VIEWS: Readonly<Record<string, View>> = {
  inline: { placement: 'inline' },
  'right-to-left': { dir: 'rtl' },
  'forced-colours': { forcedColors: 'active' },
  ...VIEWS,
  'zoom-400': { width: 320 },
}

export async function takePictures(page: Page, name: StateName): Promise<void> {
  const chat = page.locator('offstage-chat')
  const touch = await page.context().newCDPSession(page)
  const views =
    name === 'waiting' ? WAITING_VIEWS : name === 'none' || name === 'idle' ? WIDE_VIEWS : VIEWS
  for (const [view, given] of Object.entries(views)) {
    const { width = 1280, forcedColors = 'none' } = given
    await page.setViewportSize({ width, height: 800 })
    // Once it is on, pages hover no more: narrow views come last.
    if (width < 480) await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    await page.emulateMedia({ forcedColors })
    await chat.evaluate((element, { theme = 'light', placement = 'panel', dir = 'ltr' }) => {
      Object.assign(element, { theme, placement })
      document.documentElement.dir = dir
    }, given)
    await chat.screenshot({
      path: `${SCREENSHOTS}/${name}-${view}.png`,
      animations: 'disabled',
    })
  }
}
