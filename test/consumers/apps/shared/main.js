// What a user of the package writes: an agent with one tool, one run, its outcome on the page.
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
    document.querySelector('#items').append(item)
    return { added: name }
  },
})

const agent = createAgent({
  model: {
    provider: 'scripted',
    model: 'script',
    script: {
      steps: [
        { text: 'I add it.', toolCalls: [{ toolName: 'add_item', input: { name: 'blue mug' } }] },
        { text: 'The mug is in the list.' },
      ],
    },
  },
  tools: [addItem],
})

const run = agent.run('Add a blue mug, please')
const events = []
for await (const event of run) events.push(event.type)
const { outcome, text, error } = await run.result
document.querySelector('#result').textContent = JSON.stringify({ outcome, text, error, events })
