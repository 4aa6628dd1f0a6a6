import { createAgent, defineTool, type UserContent } from 'offstage'

/** What the tool added. */
const items = document.createElement('ul')
document.body.append(items)

// As in the guide, but with the model that the page's address names.
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

export const textOf = (unsent?: UserContent): string =>
  unsent?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''

export const tell = (answered: Promise<unknown>): void =>
  void answered.catch(({ message }: Error) => alert(message))

let count = 0
const conversation = agent.conversation.bind(agent)
const known = new Map<string, ReturnType<typeof conversation>>()
// The same object for the same id, whose listeners are counted.
agent.conversation = (id) => {
  const made = known.get(id) ?? counted(conversation(id))
  known.set(id, made)
  return made
}

/** Why approvals are refused from now on. */
let reason = ''
export const refuse = (message: string): void => void (reason = message)
const approve = agent.approve.bind(agent)
agent.approve = async (...call) => {
  if (reason) throw new Error(reason)
  return approve(...call)
}

function counted(conversation: ReturnType<typeof agent.conversation>) {
  return {
    ...conversation,
    approve: (...call: Parameters<typeof approve>) => agent.approve(...call),
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
