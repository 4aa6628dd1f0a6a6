import { expect, test, vi } from 'vitest'
import type { ArgumentOf, CodesOf } from '../../../src/protocol/call.ts'
import { type ErrorCode, OffstageError } from '../../../src/protocol/error.ts'
import { FORMAT, type Row, type RowOf } from '../../../src/protocol/fact.ts'
import type { WorkerCalls } from '../../../src/protocol/worker-calls.ts'
import type { Locks } from '../../../src/worker/ownership/locks.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import {
  createWorld,
  SCOPE,
  startCommand,
  startLife,
  type LiveHost,
  type World,
} from './simulation.ts'
import { eachNth } from '../more.ts'

/** The commands that may reject, but for those whose codes an engine chooses. */
type Rejecting = {
  [Name in keyof WorkerCalls]: ErrorCode extends CodesOf<WorkerCalls[Name]>
    ? never
    : [CodesOf<WorkerCalls[Name]>] extends [never]
      ? never
      : Name
}[keyof WorkerCalls]
/** No app's call leads to those left out. `olderMessages` reads the storage, and never rejects. */
type Public = Exclude<Rejecting, 'connect' | 'confirmLease'> | 'olderMessages'

const STORED = {
  'storage-failed': true,
  'storage-full': true,
  'storage-blocked': true,
  'storage-newer': true,
  'storage-offline': true,
} as const
const UNREDACTED = { 'redact-failed': true } as const
const DRIVEN = { ...STORED, 'conversation-broken': true } as const
const GONE = { 'conversation-not-found': true } as const
const LOST = { 'ownership-lost': true } as const
const BUSY = { ...DRIVEN, 'conversation-busy': true } as const
const OWNED = { ...BUSY, ...UNREDACTED, ...GONE, ...LOST } as const

/** The table's codes at run time. Doesn't compile unless they are the same. */
const named: { readonly [Name in Public]: Readonly<Record<CodesOf<WorkerCalls[Name]>, true>> } = {
  resumeRun: DRIVEN,
  takeOver: DRIVEN,
  abortRun: BUSY,
  answerCall: { ...BUSY, ...UNREDACTED, 'invalid-input': true, 'ambiguous-call': true },
  revokeConsent: OWNED,
  supplyOutput: { ...BUSY, ...UNREDACTED, ...GONE, ...LOST, 'ambiguous-call': true },
  join: STORED,
  olderMessages: {},
  switchBranch: OWNED,
  sendMessage: { ...BUSY, ...UNREDACTED },
  withdrawMessage: { ...BUSY, ...UNREDACTED },
  announceChild: { ...STORED, ...UNREDACTED, ...LOST, 'invalid-input': true },
  undoCall: { ...OWNED, 'call-failed': true },
  forkConversation: { ...BUSY, ...UNREDACTED, ...LOST, 'calls-pending': true },
  wipeConversations: STORED,
  retainConversations: STORED,
  exportRows: STORED,
  importRows: { ...DRIVEN, ...UNREDACTED, ...LOST },
  dropImport: STORED,
  listConversations: STORED,
  getConversation: STORED,
  renameConversation: { ...STORED, ...UNREDACTED, 'invalid-input': true },
  deleteConversation: STORED,
  clearHistory: { ...BUSY, ...UNREDACTED, ...GONE, ...LOST },
}
const commands = Object.keys(named) as Public[]

const asks = { ...SCOPE, conversationId: 'asks' } as const
const waits = { ...SCOPE, conversationId: 'waits' } as const
const done = { ...SCOPE, conversationId: 'done' } as const
/** The calls of both have the same id. */
const SOMEWHERE = { agentId: SCOPE.agentId, storage: SCOPE.storage } as const
const MORE = { id: 'more', parts: [{ type: 'text', text: 'More.' }] } as const
const IMPORT = {
  ...SCOPE,
  conversationId: 'imported',
  importId: 'i',
  createdAt: 1,
  updatedAt: 1,
  after: 0,
  rows: [{ type: 'renamed', title: 'T', format: FORMAT, seq: 1, runId: null, at: 1 }],
  isLast: true,
} as const
const RESUME = { interrupted: 'tell-model', waitForToolsMs: 20 } as const

interface Scene {
  readonly live: LiveHost
  /** The waiting call of the run in `asks`, which needs approval. */
  readonly asked: string
  /** The message that contains this call. */
  readonly asking: string
  /** The call of the run in `waits`, which waits for its output. */
  readonly open: string
  /** The succeeded call of the run in `done`, which can be undone. */
  readonly paid: string
  /** The consent of the run in `done`. */
  readonly consent: string
}

/** Commands that only the worker that drives the run accepts, even before any trouble. */
const DRIVING: ReadonlySet<Public> = new Set(['announceChild'])

/** Breaks something for the worker that gets the command. */
type Trouble = (world: World) => void

/** Rows that another worker stored before the scene, and the calls in them. */
interface Stored extends Omit<Scene, 'live'> {
  readonly writes: readonly ((to: Store) => Promise<unknown>)[]
  /** How many ids were made. */
  readonly ids: number
}

function createSceneWorld(): World {
  const turns = [{ calls: [{ tool: 'pay', input: {} }] }, { text: 'done' }]
  const world = createWorld(turns, {
    pay: {
      descriptor: { needsApproval: true, hasUndo: true },
      run: () => ({ status: 'succeeded', output: { type: 'text', value: 'ok' } }),
    },
  })
  world.store = createMemoryStore('sim')
  return world
}

async function playStored(): Promise<Stored> {
  const world = createSceneWorld()
  const { store } = world
  const writes: ((to: Store) => Promise<unknown>)[] = []
  world.store = {
    ...store,
    claim: (...args) => {
      writes.push((to) => to.claim(...args))
      return store.claim(...args)
    },
    append: (append) => {
      writes.push((to) => to.append(append))
      return store.append(append)
    },
  }
  const before = startLife(world)
  const callOf = async (id: string) => (await store.get(id))?.openCalls[0] ?? ''
  const begin = async (id: string, runId: string, how = {}): Promise<string> => {
    const command = { ...startCommand(runId, 'go'), conversationId: id, ...how }
    void before.host.startRun(command)
    await vi.waitUntil(async () => (await callOf(id)) !== '', { interval: 1 })
    return callOf(id)
  }
  const paid = await begin('done', 'd')
  const answer = { type: 'approve', remember: 'conversation' } as const
  const approval = { ...done, toolCallId: paid, answer }
  await vi.waitUntil(() => before.host.commands.answerCall(approval), { interval: 1 })
  await before.ended()
  const given = (await store.read('done')).rows.find(
    (row) => (row as Row).type === 'consent-given',
  ) as RowOf<'consent-given'>
  const consent = given.consentId
  const asked = await begin('asks', 'a')
  const queued = {
    ...asks,
    runId: 'a',
    message: { ...MORE, id: 'queued' },
    when: 'next-step',
  } as const
  await before.host.commands.sendMessage(queued)
  const { rows } = await store.read('asks')
  const output = rows.find((row) => (row as Row).type === 'model-output') as RowOf<'model-output'>
  const asking = output.message.id
  const open = await begin('waits', 'w', { limits: { maxSteps: 0, retries: 0 } })
  await vi.waitUntil(async () => (await store.get('waits'))?.openRunId === null, { interval: 1 })
  before.life.dead = true
  return { asked, asking, open, paid, consent, writes: [...writes], ids: world.ids }
}

let stored: Promise<Stored> | undefined

/** Creates a worker other than the one that started the stored runs, which are played once and copied. */
async function scene(trouble: Trouble, isDriven: boolean): Promise<Scene> {
  stored ??= playStored()
  const { writes, ids, ...calls } = await stored
  const world = createSceneWorld()
  world.ids = ids
  for (const write of writes) await write(world.store)
  if (!isDriven) trouble(world)
  const live = startLife(world)
  if (isDriven) {
    await live.host.resumeRun({ ...asks, ...RESUME })
    trouble(world)
  }
  return { live, ...calls }
}

/** The code that the worker's answer to a command is an error with; undefined: it has a result, or waits for the storage. */
async function codeOf<Name extends Public>(
  { live }: Scene,
  name: Name,
  argument: ArgumentOf<WorkerCalls[Name]>,
): Promise<ErrorCode | undefined> {
  const part = live.host.handlers.find((each) => name in each) as unknown as Record<
    Name,
    (argument: unknown) => Promise<unknown>
  >
  const answer = part[name](argument).then(
    () => undefined,
    (thrown: unknown) => (OffstageError.is(thrown) ? thrown.code : 'internal'),
  )
  return Promise.race([answer, live.until('run-paused').then(() => undefined)])
}

type Arguments = { readonly [Name in Public]: readonly ArgumentOf<WorkerCalls[Name]>[] }

const argumentsFor = ({ asked, asking, open, paid, consent }: Omit<Scene, 'live'>): Arguments => ({
  resumeRun: [
    { ...asks, ...RESUME },
    { ...waits, ...RESUME },
    { ...SCOPE, ...RESUME },
  ],
  takeOver: [{ ...asks, ...RESUME }],
  abortRun: [{ ...asks, runId: 'a', reason: 'x' }],
  answerCall: [
    { ...asks, toolCallId: asked, answer: { type: 'approve' } },
    { ...asks, toolCallId: asked, answer: { type: 'approve', input: 5 } },
    { ...asks, toolCallId: 'unknown', answer: { type: 'deny' } },
    { ...SOMEWHERE, toolCallId: asked, answer: { type: 'deny' } },
  ],
  supplyOutput: [
    {
      ...waits,
      toolCallId: open,
      output: { type: 'text', value: 'x' },
      nextRunId: 'n',
      limits: { maxSteps: 1, retries: 0 },
    },
    {
      ...SOMEWHERE,
      toolCallId: open,
      output: { type: 'text', value: 'x' },
      nextRunId: 'n',
      limits: { maxSteps: 1, retries: 0 },
    },
  ],
  join: [asks, waits],
  olderMessages: [{ ...waits, before: 'w:user', count: 1 }],
  switchBranch: [
    { ...waits, messageId: 'w:user' },
    { ...asks, messageId: 'a:user' },
  ],
  sendMessage: [{ ...asks, runId: 'a', message: MORE, when: 'next-step' }],
  revokeConsent: [{ ...done, consentId: consent }],
  withdrawMessage: [{ ...asks, runId: 'a', messageId: 'queued' }],
  announceChild: [
    { ...asks, runId: 'a', toolCallId: asked, childConversationId: 'c', childRunId: 'c' },
    { ...waits, runId: 'w', toolCallId: open, childConversationId: 'c', childRunId: 'c' },
  ],
  undoCall: [
    { ...done, toolCallId: paid },
    { ...asks, toolCallId: asked },
  ],
  forkConversation: [
    { ...done, forkId: 'fork' },
    { ...asks, forkId: 'fork', lastMessageId: asking },
  ],
  wipeConversations: [SCOPE],
  retainConversations: [{ ...SCOPE, retention: { conversations: 1 } }],
  exportRows: [{ ...done, after: 0, count: 9 }],
  dropImport: [{ ...IMPORT, importId: 'unknown' }],
  importRows: [
    IMPORT,
    { ...IMPORT, isLast: false },
    { ...IMPORT, after: 1, rows: [{ ...IMPORT.rows[0], seq: 2 }] },
    { ...IMPORT, rows: [5] },
  ],
  listConversations: [SCOPE],
  getConversation: [asks, waits],
  renameConversation: [
    { ...waits, title: 't' },
    { ...waits, title: '' },
    { ...waits, title: 5 as unknown as string },
  ],
  deleteConversation: [waits],
  clearHistory: [waits, asks],
})

const methods = [
  'claim',
  'append',
  'place',
  'read',
  'list',
  'get',
  'rename',
  'descendants',
  'delete',
] as const

const refusing =
  (code: string, refused: readonly (keyof Store)[]): Trouble =>
  ({ store }) => {
    const refuse = () => Promise.reject(new OffstageError(code as ErrorCode, 'No.'))
    Object.assign(store, Object.fromEntries(refused.map((method) => [method, refuse])))
  }

const none: Trouble = () => undefined

const codes = Object.keys(STORED)
const refusals: readonly Trouble[] = [
  ...codes.map((code) => refusing(code, methods)),
  ...eachNth(
    23,
    codes.flatMap((code) => methods.map((method) => refusing(code, [method]))),
  ),
]

const missesRow: Trouble = ({ store }) => {
  const { read } = store
  store.read = async (id, range) => {
    const { record, rows } = await read(id, range)
    return { record, rows: rows.filter((row) => (row as Row).seq !== 2) }
  }
}

const deletedMeanwhile: Trouble = ({ store }) => {
  const { claim } = store
  store.claim = async (id, ...how) => {
    await store.delete(id)
    return claim(id, ...how)
  }
}

const takenOverMeanwhile: Trouble = ({ store }) => {
  const { append } = store
  store.append = async (command) => {
    await store.claim(command.conversationId, 0)
    return append(command)
  }
}

/** The lease can't be stolen either. */
const ownedElsewhere: Trouble = (world) => {
  const request: Locks['request'] = (_name, options) =>
    new Promise((_, reject) => {
      const refuse = (): void => reject(new DOMException('Not granted.', 'AbortError'))
      if ('steal' in options || options.signal.aborted) refuse()
      else options.signal.addEventListener('abort', refuse)
    })
  world.locks = { request } as unknown as LockManager
}

const troubles = [
  none,
  ...refusals,
  refusing('redact-failed', ['append', 'place', 'rename']),
  missesRow,
  deletedMeanwhile,
  takenOverMeanwhile,
  ownedElsewhere,
]

test.each(commands)(
  '%s rejects with the codes documented in the table, and no others',
  async (name) => {
    const seen = new Set<ErrorCode>()
    for (const trouble of troubles) {
      const { length } = argumentsFor({ asked: '', asking: '', open: '', paid: '', consent: '' })[
        name
      ]
      for (let at = 0; at < length; at++) {
        const set = await scene(trouble, DRIVING.has(name))
        const argument = argumentsFor(set)[name][at] as ArgumentOf<WorkerCalls[Public]>
        const code = await codeOf(set, name, argument as never)
        if (code !== undefined) seen.add(code)
        set.live.life.dead = true
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(named[name]).sort())
  },
)
