// The page of the soak: one agent at a time, which lives through everything.
import './count.js'
import { createAgent } from '/dist/index.js'

const workers = new Set()
const errors = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) =>
  errors.push(String(reason?.stack ?? reason?.message ?? reason)),
)

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const untilAborted = (signal) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )

let agent
let helper
/** Resolves when a tool of the run that is under way has begun. */
let begun
let isHeld = false
/** What is under way, for whoever asks why it doesn't end. */
let now = { at: 'nothing' }

function tool(name, execute, more = {}) {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    async execute(input, context) {
      begun?.()
      return execute(input, context)
    },
    ...more,
  }
}

function spawn() {
  const worker = new Worker(`/soak/worker.js?skipped=${clock.skipped()}`, { type: 'module' })
  const terminate = worker.terminate.bind(worker)
  worker.terminate = () => {
    workers.delete(worker)
    terminate()
  }
  workers.add(worker)
  return worker
}

function mount(baseURL) {
  const model = {
    provider: 'openai-compatible',
    model: 'soak',
    baseURL,
    timeouts: { idleMs: 300, firstChunkMs: 20_000 },
    retry: { baseDelayMs: 20 },
  }
  const common = { model, worker: spawn, heartbeatMs: 1000 }
  helper = createAgent({ ...common, instructions: 'You help.' })
  agent = createAgent({
    ...common,
    tools: [
      tool('work', async ({ n }) => {
        while (isHeld) await sleep(5)
        return `worked on ${n}`
      }),
      tool('look', () => 'looked', { annotations: { readOnly: true } }),
      tool('fail', () => {
        throw new Error('It failed.')
      }),
      tool('hang', (_, { signal }) => untilAborted(signal), { timeoutMs: 50 }),
      tool('wait', (_, { signal }) => untilAborted(signal)),
      tool('pay', () => 'paid', { needsApproval: true }),
      {
        name: 'arrange',
        description: 'Arranges by other tools.',
        version: '1',
        inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
        run: async ({ n }, { call, step }) => [
          await step('note', () => n),
          await call('look', { n }),
        ],
      },
      helper.asTool({ name: 'ask_helper', description: 'Helps.' }),
    ],
  })
}

async function unmount() {
  await Promise.all([agent?.dispose(), helper?.dispose()])
}

/** Waits for a condition of the page; whoever waits for the page gives up. */
async function until(isSo) {
  while (!isSo()) await sleep(3)
}

async function play({ n, kind, conversationId }) {
  const started = new Promise((resolve) => (begun = resolve))
  isHeld = kind === 'worker dies while a tool runs'
  const talk = agent.conversation(conversationId)
  const stop = talk.subscribe(() => undefined)
  const run = agent.run(`#${n}: ${kind}.`, { conversationId })
  now = { at: 'began', talk }
  void run.result.then(({ outcome }) => (now.outcome = outcome))
  const events = (async () => {
    for await (const event of run) if (kind === 'left by its reader') return event
  })()
  const isWriting = () =>
    JSON.stringify(talk.getSnapshot().messages.at(-1) ?? '').includes('another')
  const waits = () => talk.getSnapshot().pending.length > 0
  switch (kind) {
    case 'approved':
    case 'denied':
    case 'aborted while a person is asked':
      await until(waits)
      if (kind === 'approved') await talk.approve(talk.getSnapshot().pending[0])
      else if (kind === 'denied') await talk.deny(talk.getSnapshot().pending[0])
      else run.abort('enough')
      break
    case 'steered':
      await started
      await run.send('More.').outcome
      break
    case 'aborted while it writes':
      await until(isWriting)
      run.abort('enough')
      break
    case 'aborted while a tool runs':
      await started
      run.abort('enough')
      break
    case 'worker dies while it writes':
      await until(isWriting)
      for (const worker of workers) worker.terminate()
      break
    case 'worker dies while a tool runs':
      await started
      for (const worker of workers) worker.terminate()
      await until(() => workers.size > 0)
      isHeld = false
      break
    default:
      break
  }
  now.at = 'acted'
  const { outcome, error } = await run.result
  now.at = 'ended'
  await events
  now.at = 'read'
  await until(() => talk.getSnapshot().status !== 'loading')
  stop()
  return error && outcome !== 'failed' ? `${outcome}: ${error.code}` : outcome
}

window.soak = {
  mount,
  unmount,
  play,
  async usePart() {
    try {
      await new Response(await agent.conversations.export()).text()
      return 'ok'
    } catch (error) {
      return error.code ?? String(error)
    }
  },
  async untilShown(conversationId) {
    const talk = agent.conversation(conversationId)
    const stop = talk.subscribe(() => undefined)
    const isDone = () => {
      const { messages, status } = talk.getSnapshot()
      return status === 'idle' && JSON.stringify(messages).includes('worked on')
    }
    await until(isDone)
    stop()
    return true
  },
  forget: (conversationId) => agent.conversations.delete(conversationId),
  explain() {
    const { messages, ...shown } = now.talk?.getSnapshot() ?? {}
    return JSON.stringify({
      at: now.at,
      outcome: now.outcome,
      errors,
      shown,
      last: messages?.slice(-2),
    })
  },
  async counts() {
    const { held = [], pending = [] } = await navigator.locks.query()
    return {
      ...window.counted(),
      workers: workers.size,
      locks: held.length + pending.length,
      errors,
    }
  },
}
document.documentElement.dataset.ready = ''
