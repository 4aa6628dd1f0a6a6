import type { Agent, CompositeTool, ScriptScene, Tool } from 'offstage'
import type { OffstageChat } from 'offstage/chat'

/** An app of the playground: the texts of its assistant, and what its agent can do. */
export interface DemoApp {
  readonly id: 'shop' | 'ledger'
  /** Label of the app's view on narrow screens. */
  readonly title: string
  /** Name of the assistant. */
  readonly heading: string
  readonly greeting: string
  readonly instructions: string
  readonly scenes: readonly Scene[]
  readonly tools: readonly (Tool | CompositeTool)[]
  /** State that the model gets with each request. */
  context(): object
  /** Connects the app's cards and buttons to the agent and the chat. */
  connect(agent: Agent, chat: OffstageChat): void
}

/** Steps that are played without a model. Words in the user's message select the scene. */
export interface Scene {
  readonly prompt: string
  /** Suggests the prompt while a conversation is empty. */
  readonly isSuggested?: true
  readonly script: ScriptScene
}
