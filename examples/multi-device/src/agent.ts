import { createAgent, defineTool, type Agent, type ModelConfig, type Script } from 'offstage'
import { describeDevice, lightUp } from './device'

const script: Script = {
  paceMs: 20,
  scenes: [
    {
      match: ['device', 'where'],
      steps: [
        { toolCalls: [{ toolName: 'describe_device', input: {} }] },
        { text: 'I called `describe_device`; its result is above. This answer is scripted.' },
      ],
    },
    {
      match: ['light'],
      steps: [
        { toolCalls: [{ toolName: 'light_up', input: { color: 'green' } }] },
        { text: 'You decided about `light_up`. This answer is scripted.' },
      ],
    },
  ],
  fallback: [
    {
      text: 'I am a script, not a model. Write “device” or “light”, and I call a tool of this page. To connect a model, change `model` in `src/agent.ts`.',
    },
  ],
}

// Connect a model here: replace this line by one of those below.
const model: ModelConfig = { provider: 'scripted', model: 'script', script }
// const model: ModelConfig = { provider: 'ollama', model: 'qwen3:4b' }
// Hosted: see examples/relay, which keeps the key on a server.
// const model: ModelConfig = { provider: 'openai', model: 'gpt-4.1-mini', baseURL: '/ai/v1', credentials: 'same-origin' }

const tools = [
  defineTool({
    name: 'describe_device',
    title: 'Describe this device',
    description: 'Describes the browser in which the call runs.',
    annotations: { readOnly: true },
    execute: describeDevice,
  }),
  defineTool({
    name: 'light_up',
    title: 'Light up the page',
    description: 'Colors the page for three seconds, in the browser in which the call runs.',
    inputSchema: {
      type: 'object',
      properties: { color: { enum: ['amber', 'green', 'blue'], title: 'Color' } },
      required: ['color'],
    },
    needsApproval: true, // so that another device can answer
    execute: ({ color }) => {
      lightUp(color)
      return `The page in ${describeDevice().browser} is ${color}.`
    },
  }),
]

export const suggestions = ['Which device is this?', 'Light up']

/** Creates the agent of a user. Its conversations are on the server. */
export function createDeviceAgent(user: string): Agent {
  return createAgent({
    model,
    tools,
    storage: { type: 'http', user },
    worker: () => new Worker(new URL('./agent-worker.ts', import.meta.url), { type: 'module' }),
    instructions: 'You help a person who uses several devices. Answer in one or two sentences.',
  })
}
