// Code of a user of the package, checked by the compiler of the user's app.
import {
  createAgent,
  defineTool,
  OffstageError,
  type Agent,
  type AgentOptions,
  type ConversationSnapshot,
  type Run,
  type RunEvent,
  type RunResult,
} from 'offstage'
import { pageTools } from 'offstage/page-tools'
import { createTestAgent } from 'offstage/testing'

const lines: { readonly sku: string; readonly quantity: number }[] = []

const addToCart = defineTool({
  name: 'add_to_cart',
  description: 'Puts an item into the cart.',
  inputSchema: {
    type: 'object',
    properties: { sku: { type: 'string' }, quantity: { type: 'integer' } },
    required: ['sku'],
  },
  execute({ sku, quantity = 1 }, { signal }) {
    const name: string = sku
    const count: number = quantity
    signal.throwIfAborted()
    return lines.push({ sku: name, quantity: count })
  },
})

const wrong = defineTool({
  name: 'wrong',
  description: 'Its input is known to be no number.',
  inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
  execute({ sku }) {
    // @ts-expect-error -- sku is a string
    const quantity: number = sku
    return quantity
  },
})

const options: AgentOptions = {
  model: { provider: 'openai-compatible', baseURL: 'http://localhost:8000/v1', model: 'qwen3' },
  tools: [addToCart, wrong, ...pageTools()],
}
const agent: Agent = createAgent(options)

function show({ messages, status }: ConversationSnapshot): void {
  document.title = `${status}: ${messages.length}`
}

export async function order(): Promise<string> {
  const run: Run = agent.run('A blue mug, please')
  for await (const event of run) {
    const known: RunEvent = event
    if (known.type === 'run-start') show(agent.conversation(run.conversationId).getSnapshot())
    if (event.type === 'text-delta') document.title += event.delta
    // @ts-expect-error -- there is no such event
    if (event.type === 'text-gamma') break
  }
  const result: RunResult = await run.result
  if (result.outcome === 'failed') return result.error.message
  return result.text
}

export async function extract(): Promise<string> {
  try {
    const data = await agent.extract({
      input: 'A blue mug',
      schema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    })
    return data.sku
  } catch (error) {
    return error instanceof OffstageError ? error.code : 'unknown'
  }
}

export const tested: Agent = createTestAgent({ tools: [addToCart], script: { steps: [] } })
