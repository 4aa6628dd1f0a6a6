// What the apps of the bindings have in common: agents with a scripted model in a real worker, and tools that a test ends.
import { createAgent } from '/dist/index.js'

/** What a test asks about. */
export const seen = {
  created: 0,
  disposed: 0,
  executed: 0,
  agents: [],
  /** And errors. */
  warnings: [],
  renders: { whole: 0, count: 0, pair: 0 },
  /** Of calls, as cards have shown them. */
  inputTexts: [],
  /** Texts of the chat's `offstage-send` events. */
  sent: [],
}

for (const name of ['warn', 'error'])
  console[name] = (...texts) => seen.warnings.push(texts.map(String).join(' '))

/** Calls of a tool that have begun: each waits until the test ends it. */
const open = []

const calls = {
  begun: () => open.length,
  finish: (value) => open.splice(0).forEach(({ resolve }) => resolve(value)),
  progress: (value) => open.forEach(({ context }) => context.progress(value)),
}

/** A function of a tool that waits for the test. */
export function held(_input, context) {
  seen.executed += 1
  return new Promise((resolve) => open.push({ resolve, context }))
}

const STEPS = {
  order: [
    { toolCalls: [{ toolName: 'order', input: { sku: 'mug', note: 'a long one '.repeat(8) } }] },
    { text: 'Ordered.' },
  ],
  story: [{ text: 'Once upon a time there was a mug that nobody had ordered.' }],
}

export function makeAgent(options = {}) {
  seen.created += 1
  const agent = createAgent({
    model: {
      provider: 'scripted',
      model: 'scripted',
      script: {
        scenes: [
          { match: ['order'], steps: STEPS.order },
          { match: ['story'], steps: STEPS.story },
        ],
        paceMs: 15,
      },
    },
    worker: () => new Worker('/dist/worker.js', { type: 'module' }),
    ...options,
  })
  seen.agents.push(agent)
  const dispose = agent.dispose
  agent.dispose = () => {
    seen.disposed += 1
    return dispose()
  }
  return agent
}

export const ORDER = {
  name: 'order',
  description: 'Orders.',
  inputSchema: {
    type: 'object',
    properties: { sku: { type: 'string' }, note: { type: 'string' } },
    required: ['sku'],
  },
}

export function textsOf({ messages }) {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])))
}

export function callsOf({ messages }) {
  return messages.flatMap(({ calls = [] }) => calls)
}

/** `mount(scene, { isStrict, model })` returns what unmounts it. */
export function expose({ mount, hydrate }) {
  window.app = {
    seen,
    calls,
    hydrate,
    mount(name, { isStrict, baseURL }) {
      const model = baseURL && { provider: 'openai-compatible', model: 'mock', baseURL }
      this.unmount = mount(name, { isStrict, model })
    },
  }
}
