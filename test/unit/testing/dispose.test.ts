import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { AgentOptions } from '../../../src/client/api/options.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import { OffstageError } from '../../../src/index.ts'
import { inProcessWorker, type TestStorage } from '../../../src/testing/index.ts'
import { HELLO, type FakeWorker, fakeWorkerFactory, sleep, until } from '../client/fake-worker.ts'

const never = () => new Promise<never>(() => {})

/** Everything of the public API that gives a promise. */
const questions: Record<string, (agent: Agent) => Promise<unknown>> = {
  'run().result': (agent) => agent.run('x').result,
  'an iterator': async (agent) => {
    for await (const _ of agent.run('x'));
  },
  'run() that waits in a queue': (agent) =>
    agent.run('x', { conversationId: 'c1', ifBusy: 'queue' }).result,
  resume: (agent) => agent.resume('c1'),
  'resume of the newest': (agent) => agent.resume(),
  approve: (agent) => agent.approve('call'),
  deny: (agent) => agent.deny('call'),
  answer: (agent) => agent.answer({ conversationId: 'c1', toolCallId: 'call' }, 'yes'),
  supplyOutput: (agent) => agent.supplyOutput('call', 'output'),
  resolveInterrupted: (agent) => agent.resolveInterrupted('call', 'happened', 'output'),
  settle: (agent) => agent.settle('call', { output: 'output' }),
  extract: (agent) => agent.extract({ schema: { type: 'object' }, input: 'x' }),
  prepare: (agent) => agent.prepare(),
  'prepare with a signal': (agent) => agent.prepare({ signal: new AbortController().signal }),
  'conversations.list': (agent) => agent.conversations.list(),
  'conversations.get': (agent) => agent.conversations.get('c1'),
  'conversations.rename': (agent) => agent.conversations.rename('c1', 'title'),
  'conversations.delete': (agent) => agent.conversations.delete('c2'),
  'conversations.clearHistory': (agent) => agent.conversations.clearHistory('c1'),
  'conversations.export': (agent) => agent.conversations.export(),
  'conversations.import': (agent) => agent.conversations.import(''),
  'conversations.wipe': (agent) => agent.conversations.wipe(),
}

/** Opens, and never answers. */
const hangingStorage: TestStorage = {
  open: async () => ({
    read: never,
    claim: never,
    append: never,
    keepDraft: never,
    draftOf: never,
    place: never,
    list: never,
    get: never,
    rename: never,
    renameAfter: never,
    mark: never,
    delete: never,
    descendants: never,
    close: () => undefined,
  }),
}

interface State {
  readonly options?: Partial<AgentOptions>
  /** Brings the agent there. */
  readonly before?: (agent: Agent, workers: readonly WorkerLike[]) => Promise<unknown>
  readonly spawn?: () => WorkerLike
}

const look = { name: 'look', description: 'Looks.', execute: never }
const callLook = { steps: [{ toolCalls: [{ toolName: 'look', input: {} }] }] }

const states: Record<string, State> = {
  'whose worker has not started': {},
  'whose worker never answers': { spawn: () => new MessageChannel().port1 },
  'that is idle': { before: (agent) => agent.prepare() },
  'with a run whose tool never ends': {
    options: { tools: [look] },
    before: async (agent) => {
      for await (const { type } of agent.run('x', { conversationId: 'c1' }))
        if (type === 'tool-execution-start') return
    },
  },
  'with a paused run': {
    options: { tools: [{ ...look, needsApproval: true }] },
    before: async (agent) => {
      for await (const { type } of agent.run('x', { conversationId: 'c1' }))
        if (type === 'tool-approval-request') return
    },
  },
  'whose worker is dead, and nobody knows': {
    before: async (agent, workers) => {
      await agent.prepare()
      workers[0]!.terminate!()
    },
  },
  'whose storage never opens': { spawn: inProcessWorker({ storage: { open: never } }) },
  'whose storage never answers': { spawn: inProcessWorker({ storage: hangingStorage }) },
  'whose hooks never settle': {
    options: { tools: [look], context: never, beforeToolCall: never },
  },
}

function start({ options, spawn = inProcessWorker() }: State): {
  readonly agent: Agent
  readonly workers: WorkerLike[]
} {
  const workers: WorkerLike[] = []
  const agent = createAgent({
    model: { provider: 'scripted', model: 's', script: callLook },
    worker: () => {
      const made = spawn()
      workers.push(made)
      return made
    },
    ...options,
  })
  onTestFinished(async () => {
    await agent.dispose()
    for (const worker of workers) worker.terminate?.()
  })
  return { agent, workers }
}

/** The questions by name; what became of each once it settled. */
function askAll(agent: Agent): Map<string, unknown> {
  const outcomes = new Map<string, unknown>()
  for (const [name, question] of Object.entries(questions)) {
    const settle = (outcome: unknown): void => void outcomes.set(name, outcome)
    void question(agent).then(settle, settle)
  }
  return outcomes
}

const names = Object.keys(questions).toSorted()

describe.each(Object.entries(states))('an agent %s', (_, state) => {
  test.each(['at once', 'while the questions are on their way'])(
    'settles every promise when it is disposed of %s',
    async (moment) => {
      const { agent, workers } = start(state)
      await state.before?.(agent, workers)
      const outcomes = askAll(agent)
      if (moment !== 'at once') await sleep(30)
      const disposed = agent.dispose()
      expect(agent.dispose()).toBe(disposed)
      await disposed
      await until(() => outcomes.size === names.length)
      for (const outcome of outcomes.values())
        if (outcome instanceof Error) expect(OffstageError.is(outcome)).toBe(true)
      expect(workers.length).toBeLessThanOrEqual(1)
    },
  )

  test('rejects later calls, and starts no worker for them', async () => {
    const { agent, workers } = start(state)
    await state.before?.(agent, workers)
    await agent.dispose()
    const count = workers.length
    const outcomes = askAll(agent)
    await until(() => outcomes.size === names.length)
    for (const [name, outcome] of outcomes)
      if (name.startsWith('run()'))
        expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'disposed' } })
      else if (!name.includes('iterator')) expect(outcome).toMatchObject({ code: 'disposed' })
    expect(workers.length).toBe(count)
  })
})

test('a worker that is still starting ends with the last agent', async () => {
  const { port1 } = new MessageChannel()
  const terminate = vi.fn(() => port1.close())
  const agent = createAgent({
    model: { provider: 'scripted', model: 's' },
    worker: () => Object.assign(port1, { terminate }),
  })
  const preparing = expect(agent.prepare()).rejects.toMatchObject({ code: 'disposed' })
  const list = agent.conversations.list().catch(() => undefined)
  await sleep(20)
  await agent.dispose()
  await preparing
  await list
  await until(() => terminate.mock.calls.length)
})

test('requests waiting for the worker are not sent once their agent is disposed of', async () => {
  const workers: FakeWorker[] = []
  const started: (() => void)[] = []
  const connect = () => new Promise<typeof HELLO>((resolve) => started.push(() => resolve(HELLO)))
  const worker = fakeWorkerFactory({ connect }, workers)
  const model = { provider: 'scripted', model: 's' }
  const gone = createAgent({ model, worker })
  const stays = createAgent({ model, worker })
  onTestFinished(async () => {
    await stays.dispose()
    for (const each of workers) each.die()
  })
  const ready = stays.prepare()
  const outcomes = askAll(gone)
  await until(() => started.length)
  await sleep(20)
  await gone.dispose()
  await until(() => outcomes.size === names.length)
  started[0]!()
  await ready
  await stays.conversations.list()
  expect(workers.length).toBe(1)
  const methods = workers[0]!.commands.map(({ method }) => method)
  expect(methods.filter((method) => method !== 'ping')).toEqual([
    'connect',
    'prepare',
    'listConversations',
  ])
})

test.each<[string, (agent: Agent) => unknown]>([
  ['run', (agent) => agent.run('x').result],
  ['resume', (agent) => agent.resume('c1')],
  ['steer', (agent) => agent.conversation('c1').steer('x')],
])(
  'an agent that is disposed of while its code loads for %s keeps no worker alive',
  async (_name, ask) => {
    const workers: FakeWorker[] = []
    const spawn = fakeWorkerFactory({}, workers)
    const terminated = vi.fn()
    const worker = (): WorkerLike => {
      const port = spawn() as MessagePort
      return Object.assign(port, { terminate: terminated })
    }
    const model = { provider: 'scripted', model: 's' }
    const first = createAgent({ model, worker })
    const asked = ask(first)
    await Promise.allSettled([first.dispose(), asked])
    const second = createAgent({ model, worker })
    onTestFinished(() => {
      for (const each of workers) each.die()
    })
    await second.prepare()
    expect(workers.length).toBe(1)
    await second.dispose()
    expect(terminated).toHaveBeenCalledTimes(1)
  },
)
