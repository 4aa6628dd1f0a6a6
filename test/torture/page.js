// The page of a trial: agents in slots, tools whose effects a server counts, and what a trial does to them.
import { createAgent } from '/dist/index.js'

const workers = []
window.Worker = class extends Worker {
  constructor(...options) {
    super(...options)
    workers.push(this)
  }
}

const slots = new Map()
const handles = []
const errors = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) =>
  errors.push(String(reason?.message ?? reason)),
)

const inputSchema = {
  type: 'object',
  properties: { n: { type: 'string' }, delayMs: { type: 'number' } },
  required: ['n', 'delayMs'],
}

function toolsFor({ effects }) {
  const effect = async (tool, input, key) => {
    // Text: no preflight stands between the call and its effect.
    const body = JSON.stringify({ ...input, tool, key })
    const response = await fetch(`${effects}/effect`, { method: 'POST', body })
    return response.text()
  }
  const tool = (name, more = {}) => ({
    name,
    description: `Does ${name}.`,
    inputSchema,
    execute: (input, { idempotencyKey }) => effect(name, input, idempotencyKey),
    ...more,
  })
  return [
    tool('write'),
    tool('put', { annotations: { idempotent: true } }),
    tool('read', { annotations: { readOnly: true } }),
    tool('destroy', { annotations: { destructive: true } }),
    tool('book', {
      async reconcile(_input, { idempotencyKey }) {
        const response = await fetch(
          `${effects}/happened?key=${encodeURIComponent(idempotencyKey)}`,
        )
        return (await response.json())
          ? { happened: true, result: 'booked before' }
          : { happened: false }
      },
    }),
  ]
}

function follow(slot, run) {
  if (!run || handles.some((handle) => handle.run === run)) return
  const handle = { slot, run, events: 0, isOpen: true }
  handles.push(handle)
  void (async () => {
    for await (const _event of run) handle.events += 1
  })()
  void run.result.then(() => (handle.isOpen = false))
}

/** What a disposed agent rejects with is no news. */
const tolerate = (promise) => promise.catch(() => null)

const torture = {
  mount(slot, spec) {
    const agent = createAgent({
      model: { provider: 'scripted', model: 'torture', script: spec.script },
      tools: toolsFor(spec),
      maxSteps: 30,
    })
    slots.set(slot, { agent, spec })
  },
  run(slot, text) {
    const { agent, spec } = slots.get(slot)
    const run = agent.run(text, { conversationId: spec.conversationId })
    follow(slot, run)
    return run
  },
  async resume(slot) {
    const { agent, spec } = slots.get(slot)
    const run = await tolerate(agent.resume(spec.conversationId))
    follow(slot, run)
    return run
  },
  /** As an effect's cleanup in a framework does: nobody waits for it. */
  dispose(slot) {
    void tolerate(slots.get(slot).agent.dispose())
  },
  killWorkers() {
    for (const worker of workers.splice(0)) worker.terminate()
  },
  async pending(slot) {
    const { agent, spec } = slots.get(slot)
    const stored = await tolerate(agent.conversations.get(spec.conversationId))
    return stored ? stored.pending.map(({ toolCallId }) => toolCallId) : []
  },
  /** Says to a run that waits for a person what it waits for. */
  async answer(slot, verdict) {
    const { agent, spec } = slots.get(slot)
    const { conversationId } = spec
    const stored = await tolerate(agent.conversations.get(conversationId))
    if (stored?.paused) follow(slot, await tolerate(agent.continue(conversationId)))
    for (const toolCallId of await torture.pending(slot))
      await tolerate(agent[verdict]({ conversationId, toolCallId }))
  },
  /** Ends the conversation's open run, whoever began it. True when there is none left. */
  async finish(slot) {
    const run = await torture.resume(slot)
    if (!run) return true
    const ended = run.result.then(() => true)
    const answering = torture
      .answer(slot, 'approve')
      .then(() => new Promise((resolve) => setTimeout(resolve, 50, false)))
    await Promise.race([ended, answering])
    return false
  },
  async next(slot) {
    const { outcome, error } = await torture.run(slot, 'Next').result
    return error ? `${outcome}: ${error.code}` : outcome
  },
  async stored(slot) {
    const { agent, spec } = slots.get(slot)
    return agent.conversations.get(spec.conversationId)
  },
  state() {
    return {
      errors,
      handles: handles.map(({ slot, isOpen, events }) => ({ slot, isOpen, events })),
    }
  },
  /** The rows, as they lie in the store. */
  async rows(conversationId) {
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
    return found.filter((row) => row.type && row.conversationId === conversationId)
  },
}

window.torture = torture
document.documentElement.dataset.ready = ''
