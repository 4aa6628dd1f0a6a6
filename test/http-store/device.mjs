import { parentPort } from 'node:worker_threads'
import { createTestAgent, createTestStorage, simulateReload } from '../../dist/testing.js'
import { httpStore } from '../../dist/http-store.js'
import { shiftClock } from './shifted-clock.mjs'

// A device runs a page and a worker of its own from `dist`. Messages tell it what to do, in one trial after another.

const CONVERSATION = 'shared'
const N = { type: 'object', properties: { n: { type: 'integer' } } }
const SCRIPT = {
  scenes: [
    {
      match: ['Go'],
      steps: [
        { toolCalls: [{ toolName: 'pay', input: { n: 1 } }] },
        { text: 'Once more.', toolCalls: [{ toolName: 'pay', input: { n: 2 } }] },
        { text: 'Done.' },
      ],
    },
    {
      match: ['Long'],
      steps: [
        ...[4, 5, 6, 7].map((n) => ({ toolCalls: [{ toolName: 'pay', input: { n } }] })),
        { text: 'Done.' },
      ],
    },
    {
      match: ['Transfer'],
      steps: [{ toolCalls: [{ toolName: 'transfer', input: { n: 3 } }] }, { text: 'Done.' }],
    },
  ],
  fallback: [{ text: 'Done.' }],
  paceMs: 1,
}
const open = new Set()
const stores = new Set()
/** The url, tenant, name and number of the trial, and the part of IndexedDB that outlives a reload. */
let trial = null
let agent = null
let talk = null
let random = 1

const toolOf = (number, name, more = {}) => ({
  name,
  description: 'Moves money.',
  inputSchema: N,
  execute: async (_input, { toolCallId }) => {
    parentPort.postMessage({ trial: number, effect: toolCallId })
    random = (random * 48_271) % 2_147_483_647
    await sleep(random % 60)
    return 'moved'
  },
  ...more,
})

function storeOf({ url, tenant }) {
  // Everything that is read comes from the server.
  const { type, open: openStore } = httpStore({
    url,
    copy: false,
    timeoutMs: 1500,
    headers: () => ({ 'x-tenant': tenant }),
  })
  return {
    type,
    async open(...opening) {
      const store = await openStore(...opening)
      stores.add(store)
      return store
    },
  }
}

function load() {
  const { name, number, testStorage } = trial
  agent = createTestAgent({
    script: SCRIPT,
    testStorage,
    storage: { type: 'http', name },
    stores: [storeOf(trial)],
    tools: [toolOf(number, 'pay'), toolOf(number, 'transfer', { needsApproval: true })],
  })
  talk = agent.conversation(CONVERSATION)
  talk.subscribe(() => undefined)
}

function unload() {
  simulateReload()
  for (const store of stores) store.close()
  stores.clear()
  open.clear()
}

/** A run that a page gets after its reload is nobody's: in this process, its code goes on. */
function follow(page, run, text) {
  if (run === null || page !== agent) return
  const { number } = trial
  open.add(run)
  void run.result.then(({ outcome }) => {
    open.delete(run)
    if (text !== undefined) parentPort.postMessage({ trial: number, ended: text, outcome })
  })
}

const run = (text, ifBusy) =>
  follow(agent, agent.run(text, { conversationId: CONVERSATION, ...(ifBusy && { ifBusy }) }), text)

const acts = {
  mount: (data) => {
    trial = { ...data, testStorage: createTestStorage() }
    random = data.seed + 1
    shiftClock(data.clockMs)
    load()
  },
  unmount: unload,
  run: (text) => run(text),
  replace: (text) => run(text, 'replace'),
  queue: (text) => run(text, 'queue'),
  resume: async () => follow(agent, await agent.resume(CONVERSATION)),
  takeOver: async () => follow(agent, await talk.takeOver()),
  abort: () => [...open].at(-1)?.abort(),
  steer: (text) => void [...open].at(-1)?.send(text),
  rename: (title) => agent.conversations.rename(CONVERSATION, title),
  answer: async () => {
    for (const call of talk.getSnapshot().pending) await talk.approve(call)
  },
  reload: () => {
    unload()
    load()
    return acts.resume()
  },
  state: () => {
    const { status, ownership, paused, pending } = talk.getSnapshot()
    return { open: open.size, status, ownership, paused: paused ?? null, pending: pending.length }
  },
  shown: () => {
    const { ownership: _ownership, spent: _spent, ...shown } = talk.getSnapshot()
    return JSON.parse(JSON.stringify(shown))
  },
  next: async (text) => {
    const { outcome, error } = await agent.run(text, { conversationId: CONVERSATION }).result
    return error ? `${outcome}: ${error.message}` : outcome
  },
}

parentPort.on('message', (asked) => void answer(asked))

async function answer({ id, act, value }) {
  try {
    parentPort.postMessage({ id, value: await acts[act](value) })
  } catch (error) {
    parentPort.postMessage({ id, refused: String(error.code ?? error) })
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
