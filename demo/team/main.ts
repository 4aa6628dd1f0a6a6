import 'offstage/chat'
import 'offstage/inspector'
import type { ConversationSnapshot } from 'offstage'
import { blackboard } from 'offstage/memory'
import { agentFromConfig } from 'offstage/tools-from'
import { byId, el, setText } from '../lib/dom.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import { catalogueTool } from '../shop/shop-tools.ts'
import { createDemoWorker } from '../worker/demo-worker.ts'
import config from './team.json'

const agent = agentFromConfig(config, {
  worker: createDemoWorker().make,
  tools: [catalogueTool()],
  memories: { blackboard },
  functions: {
    async findGifts(input, { call }) {
      const { words } = input as { words: readonly string[] }
      return Promise.all(words.map((query) => call('search_products', { query })))
    },
  },
})

const chat = byId('chat', HTMLElement) as HTMLElementTagNameMap['offstage-chat']
const inspector = byId('inspector', HTMLElement) as HTMLElementTagNameMap['offstage-inspector']
const members = byId('members', HTMLUListElement)
inspector.agent = agent
chat.suggestions = ['A gift for someone who loves tea']
byId('config', HTMLElement).textContent = JSON.stringify(config, null, 2)

interface Member {
  readonly name: string
  readonly conversationId: string
  readonly state: string
}

/** A press on a member shows its conversation in the inspector. */
const showRows = createKeyedList<Member>(members, {
  key: ({ conversationId }) => conversationId,
  create({ conversationId }) {
    const onclick = (): void => void (inspector.conversationId = conversationId)
    const button = el('button', { type: 'button', onclick })
    return {
      element: el('li', {}, button),
      update: ({ name, state }) => setText(button, `${name}: ${state}`),
    }
  },
})

/** Shows the planner, and each member that a call has asked. */
function showMembers({ conversationId, messages, status }: ConversationSnapshot): void {
  const calledMembers = messages.flatMap(({ calls = [] }) =>
    calls.flatMap(({ child, title, toolName, status: state }) =>
      child ? [{ name: title ?? toolName, conversationId: child.conversationId, state }] : [],
    ),
  )
  showRows([{ name: 'Planner', conversationId, state: status }, ...calledMembers])
}

let stopFollowing = (): void => {}
chat.addEventListener('offstage-view', (event) => {
  if (!(event instanceof CustomEvent)) return
  const { conversationId }: { conversationId: string } = event.detail
  const conversation = agent.conversation(conversationId)
  const show = (): void => showMembers(conversation.getSnapshot())
  stopFollowing()
  stopFollowing = conversation.subscribe(show)
  inspector.conversationId = conversationId
  show()
})
chat.agent = agent
