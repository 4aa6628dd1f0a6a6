import { parentPort, workerData } from 'node:worker_threads'
import { createTestAgent } from '../../dist/testing.js'
import { httpStore } from '../../dist/http-store.js'

// One device of a trial: a page and a worker of its own, as the package was built, told what to do by messages.

const { url, tenant, name, seed } = workerData
const STEPS = [
  { toolCalls: [{ toolName: 'pay', input: { n: 1 } }] },
  { text: 'Once more.', toolCalls: [{ toolName: 'pay', input: { n: 2 } }] },
  { text: 'Done.' },
]
const open = new Set()
let random = seed

const agent = createTestAgent({
  script: { steps: STEPS, paceMs: 1 },
  storage: { type: 'http', name },
  // What is read is the server's, always.
  stores: [httpStore({ url, copy: false, headers: () => ({ 'x-tenant': tenant }) })],
  tools: [
    {
      name: 'pay',
      description: 'Pays.',
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
      execute: async (_input, { toolCallId }) => {
        parentPort.postMessage({ effect: toolCallId })
        random = (random * 48_271) % 2_147_483_647
        await sleep(random % 60)
        return 'paid'
      },
    },
  ],
})
const view = agent.conversation('shared')
view.subscribe(() => undefined)

function follow(run) {
  if (run === null) return
  open.add(run)
  void run.result.then(() => open.delete(run))
}

const acts = {
  run: () => follow(agent.run('Go', { conversationId: 'shared' })),
  replace: () => follow(agent.run('Go', { conversationId: 'shared', ifBusy: 'replace' })),
  resume: async () => follow(await agent.resume('shared')),
  abort: () => [...open].at(-1)?.abort(),
  rename: () => agent.conversations.rename('shared', `Named by ${name}`),
  isIdle: () => open.size === 0,
  snapshot: () => {
    const { messages, title } = view.getSnapshot()
    return JSON.parse(JSON.stringify({ messages, title }))
  },
  next: async () => {
    const { outcome, error } = await agent.run('Go', { conversationId: 'shared' }).result
    return error ? `${outcome}: ${error.code}` : outcome
  },
  dispose: () => agent.dispose(),
}

parentPort.on('message', (asked) => void answer(asked))

async function answer({ id, act }) {
  try {
    parentPort.postMessage({ id, value: await acts[act]() })
  } catch (error) {
    parentPort.postMessage({ id, refused: String(error.code ?? error) })
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
