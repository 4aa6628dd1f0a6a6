// The page of a batch: an agent for each trial, whose tools' effects its own server counts.
import { createAgent, pending } from '/dist/index.js'

const workers = []
window.Worker = class extends Worker {
  constructor(...options) {
    super(...options)
    workers.push(this)
  }
}

const errors = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) =>
  errors.push(String(reason?.message ?? reason)),
)

const trials = new Map()
const handles = []
const TEXT = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] }

function toolsOf({ url, target, asks }) {
  const at = (point, signal) =>
    fetch(`${url}/at?point=${point}`, signal ? { signal } : {}).catch(() => null)
  const effect = async (tool, n, key) => {
    // Text: no preflight stands between the call and its effect.
    const body = JSON.stringify({ tool, n, key })
    return (await fetch(`${url}/effect`, { method: 'POST', body })).text()
  }
  const tool = (name, more = {}) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: TEXT,
    async execute({ n }, { idempotencyKey }) {
      if (n === target) await at('starting')
      return effect(name, n, idempotencyKey)
    },
    ...more,
    ...(name === asks && { needsApproval: true }),
  })
  return [
    tool('write'),
    tool('put', { annotations: { idempotent: true } }),
    tool('read', { annotations: { readOnly: true } }),
    tool('destroy', { annotations: { destructive: true } }),
    tool('book', {
      async reconcile(_input, { idempotencyKey }) {
        const response = await fetch(`${url}/happened?key=${encodeURIComponent(idempotencyKey)}`)
        return (await response.json())
          ? { happened: true, result: 'booked before' }
          : { happened: false }
      },
    }),
    tool('order', {
      async execute({ n }, { idempotencyKey }) {
        await effect('order', n, idempotencyKey)
        return pending({ resumeToken: n })
      },
    }),
    {
      name: 'arrange',
      description: 'Arranges by other tools.',
      version: '1',
      inputSchema: TEXT,
      run: ({ n }, { call }) => call('write', { n }),
      ...(asks === 'arrange' && { needsApproval: true }),
    },
  ]
}

function follow(label, run) {
  if (!run || handles.some((handle) => handle.run === run)) return run
  const handle = { label, run, events: 0, isOpen: true, end: null }
  handles.push(handle)
  void (async () => {
    for await (const _event of run) handle.events += 1
  })()
  void run.result.then((result) => {
    handle.isOpen = false
    handle.end = result.outcome === 'aborted' ? result.reason : result.outcome
    if (result.error) handle.end += `: ${result.error.code}: ${result.error.message}`
  })
  return run
}

/** What a disposed agent, or a worker that died, rejects with is no news. */
const tolerate = (promise) => promise.catch(() => null)

const ANSWERS = {
  approval: (talk, call) => talk.approve(call),
  answer: (talk, call) => talk.answer(call, 'This one.'),
  settlement: (talk, call) => talk.settle(call, { output: 'settled' }),
  decision: (talk, call) => talk.resolveInterrupted(call, 'happened'),
}

const cells = {
  mount(specs) {
    for (const spec of specs) {
      const { url, label } = spec
      const modelAt = (place) => ({
        provider: 'openai-compatible',
        model: 'strict',
        baseURL: `${url}${place}/v1`,
      })
      const base = toolsOf(spec)
      const helper = createAgent({
        model: modelAt('/helper'),
        instructions: 'You help.',
        tools: base.slice(0, 1),
      })
      const asked = helper.asTool({
        name: 'ask_helper',
        description: 'Helps.',
        needsApproval: spec.asks === 'ask_helper',
      })
      const agent = createAgent({
        model: modelAt(''),
        retries: 5,
        maxSteps: 30,
        controlTools: ['ask_user'],
        tools: [...base, asked],
        async beforeToolCall({ input }) {
          if (input?.n === '0.0' || input?.prompt)
            await fetch(`${url}/at?point=hook`).catch(() => null)
        },
      })
      const talk = agent.conversation(label)
      let told = ''
      talk.subscribe(() => {
        const shown = talk.getSnapshot()
        const now = shown.pending.length ? 'pending' : shown.queued.length ? 'queued' : ''
        if (now && now !== told) void fetch(`${url}/at?point=${now}`).catch(() => null)
        told = now
      })
      trials.set(label, { agent, helper, talk, spec })
    }
  },
  run(label, text = 'Go') {
    return follow(label, trials.get(label).agent.run(text, { conversationId: label }))
  },
  async resume(label) {
    return follow(label, await tolerate(trials.get(label).agent.resume(label)))
  },
  async takeOver(label) {
    return follow(label, await tolerate(trials.get(label).talk.takeOver()))
  },
  /** By the handle, which is done at once, and by the conversation, which says what came of it. */
  abort(label) {
    const { talk, spec } = trials.get(label)
    const tell = (point) => fetch(`${spec.url}/at?point=${point}`).catch(() => null)
    const open = handles.filter((handle) => handle.label === label && handle.isOpen)
    if (open.length === 0) return
    for (const { run } of open) run.abort('enough')
    void tell('abort asked')
    void tolerate(talk.abort('enough')).then((isDone) => isDone && tell('abort confirmed'))
  },
  steer(label) {
    for (const handle of handles)
      if (handle.label === label) void handle.run.send('Also').outcome.catch(() => null)
  },
  async dispose(labels) {
    await Promise.all(
      labels.flatMap((label) => {
        const { agent, helper } = trials.get(label)
        return [tolerate(agent.dispose()), tolerate(helper.dispose())]
      }),
    )
  },
  killWorkers() {
    for (const worker of workers.splice(0)) worker.terminate()
  },
  /** Answers what waits, and lets go on what is paused, in all trials that are given. */
  async answer(labels) {
    for (const label of labels) {
      const { agent, talk } = trials.get(label)
      const shown = talk.getSnapshot()
      if (shown.paused) follow(label, await tolerate(agent.continue(label)))
      for (const call of shown.pending) await tolerate(ANSWERS[call.kind](talk, call))
    }
  },
  async stored(label) {
    return trials.get(label).agent.conversations.get(label)
  },
  shown(label) {
    const { ownership: _ownership, spent: _spent, ...shown } = trials.get(label).talk.getSnapshot()
    return JSON.parse(JSON.stringify(shown))
  },
  state() {
    return {
      errors,
      handles: handles.map(({ label, isOpen, events, end }) => ({ label, isOpen, events, end })),
    }
  },
  async next(label) {
    const { outcome, error } = await cells.run(label, 'Next').result
    return error ? `${outcome}: ${error.code}: ${error.message}` : outcome
  },
  /** What there is to know of a run that doesn't end. */
  async explain(label) {
    const rows = (await cells.rows()).filter(({ conversationId }) => conversationId === label)
    const { status, paused, pending, ownership } = trials.get(label).talk.getSnapshot()
    const { held = [], pending: asked = [] } = await navigator.locks.query()
    return JSON.stringify({
      snapshot: { status, paused, pending: pending.length, ownership },
      handles: cells.state().handles.filter((handle) => handle.label === label),
      rows: rows.map(({ type, at }) => `${type} ${at}`).slice(-8),
      held: held.map(({ name }) => name).filter((name) => name.includes(label)),
      asked: asked.map(({ name }) => name).filter((name) => name.includes(label)),
    })
  },
  locks: async () => {
    const { held = [] } = await navigator.locks.query()
    return held.map(({ name }) => name)
  },
  /** The rows of all conversations, as they lie in the store. */
  async rows() {
    const wait = (request) =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error))
      })
    const found = []
    for (const { name } of await indexedDB.databases()) {
      const database = await wait(indexedDB.open(name))
      for (const store of database.objectStoreNames)
        found.push(...(await wait(database.transaction(store).objectStore(store).getAll())))
      database.close()
    }
    return found.filter((row) => row.type && row.conversationId)
  },
}

window.cells = cells
document.documentElement.dataset.ready = ''
