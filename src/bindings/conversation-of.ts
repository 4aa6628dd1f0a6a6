import { emptySnapshot } from '../conversation/index.ts'
import type { Agent, Conversation, ConversationSnapshot } from '../index.ts'
import { noAgent } from './no-agent.ts'

/** What a person does in a conversation. */
export interface ConversationActions {
  readonly send: Conversation['send']
  /** Ends the open run. */
  readonly stop: Conversation['abort']
  readonly approve: Conversation['approve']
  readonly deny: Conversation['deny']
  readonly answer: Conversation['answer']
  readonly regenerate: Conversation['regenerate']
  readonly edit: Conversation['edit']
}

/** A conversation for a component, also before there is an agent. */
export interface FollowedConversation {
  readonly conversation: Conversation | null
  readonly actions: ConversationActions
  /** What is shown where no agent is: on a server, and until the page has made it. */
  readonly empty: ConversationSnapshot
  subscribe(listener: () => void): () => void
  getSnapshot(): ConversationSnapshot
}

type Acting = Omit<ConversationActions, 'stop'> & Pick<Conversation, 'abort'>

export function conversationOf(
  agent: Agent | null,
  id: string | null | undefined,
): FollowedConversation {
  const conversation = agent && agent.conversation(id ?? ownConversation(agent))
  const empty = emptySnapshot(id ?? '', 'loading')
  return {
    conversation,
    actions: actionsOf(conversation ?? NOT_MADE),
    empty,
    subscribe: (listener) => conversation?.subscribe(listener) ?? (() => {}),
    getSnapshot: () => conversation?.getSnapshot() ?? empty,
  }
}

function actionsOf(conversation: Acting): ConversationActions {
  const { abort: stop, send, approve, deny, answer, regenerate, edit } = conversation
  return { send, stop, approve, deny, answer, regenerate, edit }
}

/** Those of what is followed now, as functions that stay the same. */
export function lateActions(now: () => FollowedConversation): ConversationActions {
  type Action = (...args: unknown[]) => unknown
  const names = Object.keys(now().actions) as (keyof ConversationActions)[]
  const late = names.map((name): [string, Action] => [
    name,
    (...args) => (now().actions[name] as Action)(...args),
  ])
  return Object.fromEntries(late) as unknown as ConversationActions
}

/** What a person does before there is an agent says so. */
const NOT_MADE = new Proxy({} as Acting, {
  get: () => () => noAgent('The agent is not made yet.'),
})

const own = new WeakMap<Agent, string>()

/** The one of components that name none: a new one on each page. */
function ownConversation(agent: Agent): string {
  const id = own.get(agent) ?? agent.newConversationId()
  own.set(agent, id)
  return id
}
