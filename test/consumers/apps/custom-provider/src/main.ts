// An app whose provider runs in a worker of the app's own. `my-provider.ts` comes from the guide.
import { createAgent, defineTool } from 'offstage'

const addItem = defineTool({
  name: 'add_item',
  description: 'Adds an item to the list on the page.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  },
  execute({ name }) {
    const item = document.createElement('li')
    item.textContent = name
    document.querySelector('#items')?.append(item)
    return { added: name }
  },
})

const agent = createAgent({
  model: {
    provider: 'mine',
    model: 'small',
    baseURL: new URLSearchParams(location.search).get('model') ?? '',
    apiKey: () => 'key-of-the-app',
    retry: { baseDelayMs: 10 },
  },
  worker: () => new Worker(new URL('./my-worker.ts', import.meta.url), { type: 'module' }),
  tools: [addItem],
})

const run = agent.run('Add a blue mug, please')
const events: string[] = []
for await (const event of run) events.push(event.type)
const result = await run.result
const output = document.querySelector('#result')
if (output) output.textContent = JSON.stringify({ ...result, events })
