import { onTestFinished } from 'vitest'
import {
  type Agent,
  type AgentOptions,
  type CompositeTool,
  type Conversation,
  defineTool,
  type ShownCall,
  type Tool,
} from '../../../src/index.ts'
import {
  createTestAgent,
  createTestStorage,
  type Script,
  simulateReload,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

export const AT = { conversationId: 'talk' } as const

/** A page and its successors, which share a store; `ran` is what tools did, in order. */
export class Pages {
  readonly ran: string[] = []
  readonly testStorage: TestStorage
  readonly #script: Script
  readonly #options: Partial<AgentOptions>

  constructor(toolName: string, options: Partial<AgentOptions> = {}) {
    this.testStorage = createTestStorage()
    this.#options = options
    this.#script = {
      scenes: [{ match: ['never mind'], steps: [{ text: 'Fine.' }] }],
      fallback: [{ toolCalls: [{ toolName, input: {} }] }, { text: 'Done.' }],
    }
  }

  open(tools: readonly (Tool | CompositeTool)[]): Agent {
    const { testStorage } = this
    const agent = createTestAgent({ tools, testStorage, script: this.#script, ...this.#options })
    onTestFinished(() => agent.dispose())
    return agent
  }

  /** The page is left and loaded again. */
  async reload(agent: Agent, tools: readonly (Tool | CompositeTool)[]): Promise<Agent> {
    await agent.dispose()
    simulateReload()
    return this.open(tools)
  }

  /** Notes that it ran, and returns its input. */
  tool(name: string, more: Partial<Tool> = {}): Tool {
    return {
      name,
      description: name,
      inputSchema: { type: 'object' },
      execute: (input) => {
        this.ran.push(name)
        return { [name]: input }
      },
      ...more,
    }
  }
}

export function composite(run: CompositeTool['run'], more: Partial<CompositeTool> = {}) {
  return defineTool({ name: 'work', description: 'Works.', run, ...more })
}

export function shown(agent: Agent): Conversation {
  const talk = agent.conversation('talk')
  onTestFinished(talk.subscribe(() => undefined))
  return talk
}

export function callsOf(talk: Conversation): readonly ShownCall[] {
  return talk.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
}

/** Until something waits for a person. */
export async function asked(talk: Conversation, count = 1): Promise<readonly string[]> {
  await until(() => talk.getSnapshot().pending.length === count && rests(talk))
  return talk.getSnapshot().pending.map(({ toolCallId }) => toolCallId)
}

function rests(talk: Conversation): boolean {
  return callsOf(talk).every(({ status }) => status !== 'executing')
}

export async function ended(talk: Conversation): Promise<void> {
  await until(() => talk.getSnapshot().ended !== undefined)
}
