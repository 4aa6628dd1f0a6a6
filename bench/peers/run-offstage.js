// Offstage as its package has it. `storage` is 'memory', or a database that keeps every step.
import { createAgent } from '/dist/index.js'
import { TOOL } from '../lib/peer-tool.js'

export async function run({ baseURL, onText, onInput, write, storage }) {
  const { name, description, parameters } = TOOL
  const agent = createAgent({
    model: { provider: 'openai-compatible', model: 'bench', baseURL },
    storage,
    maxSteps: -1,
    tools: [{ name, description, inputSchema: parameters, execute: write }],
  })
  const run = agent.run('Go')
  for await (const event of run) {
    if (event.type === 'text-delta') onText(event.delta)
    else if (event.type === 'tool-input-delta') onInput()
  }
  const { outcome } = await run.result
  await agent.dispose()
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
}
