// Offstage as its package has it. `storage` is 'memory', or a database that keeps every step. An app creates its agent
// once, so agents stay, and share a worker.
import { createAgent } from '/dist/index.js'
import { TOOL } from '../lib/peer-tool.js'

const agents = new Map()
let write

export async function run({ baseURL, onText, onInput, storage, ...callbacks }) {
  ;({ write } = callbacks)
  if (!agents.has(baseURL)) agents.set(baseURL, createBenchAgent(baseURL, storage))
  const agent = agents.get(baseURL)
  const run = agent.run('Go', { conversationId: crypto.randomUUID() })
  for await (const event of run) {
    if (event.type === 'text-delta') onText(event.delta)
    else if (event.type === 'tool-input-delta') onInput()
  }
  const { outcome } = await run.result
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
}

function createBenchAgent(baseURL, storage) {
  const { name, description, parameters } = TOOL
  return createAgent({
    model: { provider: 'openai-compatible', model: 'bench', baseURL },
    storage,
    maxSteps: -1,
    tools: [{ name, description, inputSchema: parameters, execute: (input) => write(input) }],
  })
}
