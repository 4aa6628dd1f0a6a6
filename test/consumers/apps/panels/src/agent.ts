import { createAgent, defineTool } from 'offstage'

/** Items that the tool has added. */
const items = document.createElement('ul')
document.body.append(items)

// The guide's agent, with the model from the page's address.
export const agent = createAgent({
  model: {
    provider: 'openai-compatible',
    model: 'mock',
    baseURL: new URLSearchParams(location.search).get('model') ?? '',
  },
  controlTools: ['ask_user'],
  tools: [
    defineTool({
      name: 'add_item',
      title: 'Add an item',
      description: 'Adds an item to the list.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      needsApproval: true,
      execute({ name }) {
        items.append(Object.assign(document.createElement('li'), { textContent: name }))
      },
    }),
  ],
})

let count = 0
const conversation = agent.conversation.bind(agent)
const known = new Map<string, ReturnType<typeof conversation>>()
// The same object for the same id, whose listeners are counted.
agent.conversation = (id) => {
  const made = known.get(id) ?? counted(conversation(id))
  known.set(id, made)
  return made
}

function counted(conversation: ReturnType<typeof agent.conversation>) {
  return {
    ...conversation,
    subscribe(listener: () => void) {
      const unsubscribe = conversation.subscribe(listener)
      count += 1
      return () => {
        count -= 1
        unsubscribe()
      }
    },
  }
}

/** How many listeners there are now. */
export const listeners = (): number => count
