import { onTestFinished } from 'vitest'
import { type ActionTarget, createActions } from '../../../src/ui/chat/actions.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import type { Agent, Tool } from '../../../src/index.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
  type TestStorage,
} from '../../../src/testing/index.ts'

const pay: Tool = {
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
}

export const payCall = { toolCalls: [{ toolName: 'pay', input: {} }] } as const

/** An agent that ends with its test. */
export function agentFor(
  script: TestAgentOptions['script'] & object,
  testStorage: TestStorage = createTestStorage(),
  options: Partial<TestAgentOptions> = {},
): Agent {
  const agent = createTestAgent({ script, tools: [pay], testStorage, ...options })
  onTestFinished(() => agent.dispose())
  return agent
}

/** State and actions of a chat element for a conversation, without rendering. */
export function showChat(
  agent: Agent,
  conversationId = 'c1',
  forgetEdit: ActionTarget['forgetEdit'] = () => {},
  keepSending: ActionTarget['keepSending'] = () => {},
) {
  const conversation = agent.conversation(conversationId)
  conversation.subscribe(() => {})
  const local = createLocalState(() => {})
  const actions = createActions({
    element: new EventTarget() as HTMLElement,
    local,
    agent: () => agent,
    conversation: () => conversation,
    view: () => {},
    words: () => en,
    scrollToLatest: () => {},
    forgetEdit,
    keepSending,
    setOpen: () => {},
  })
  return { conversation, local, actions, draft: () => local.get<string>('draft') }
}
