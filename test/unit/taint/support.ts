import { expect, onTestFinished } from 'vitest'
import type { Agent, AgentOptions, PendingCall, Script, Tool } from '../../../src/index.ts'
import { createTestAgent, type TestStorage } from '../../../src/testing/index.ts'

export const LONG = { timeout: 30_000 }

type Steps = NonNullable<Script['steps']>

/** Tools that ran, in order. */
export const ran: string[] = []

export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    title: `The tool ${name}`,
    description: name,
    execute: () => {
      ran.push(name)
      return `${name} is done`
    },
    ...more,
  }
}

export const readReviews = tool('read_reviews', {
  title: 'Read reviews',
  annotations: { readOnly: true, untrustedContent: true },
})

export function call(...names: readonly string[]): Steps[number] {
  return { toolCalls: names.map((toolName) => ({ toolName, input: {} })) }
}

/** Once a review was read, the model makes these calls, one in each step. */
export function afterReading(...names: readonly string[]): Script {
  return { steps: [call('read_reviews'), ...names.map((name) => call(name)), { text: 'done' }] }
}

export interface TalkOptions extends Partial<Omit<AgentOptions, 'model'>> {
  readonly script: Script
  readonly testStorage?: TestStorage
}

/** An agent with these tools, and what it warned of. */
export function agentWith(
  tools: NonNullable<AgentOptions['tools']>,
  options: TalkOptions,
): { readonly agent: Agent; readonly warnings: string[] } {
  ran.length = 0
  const agent = createTestAgent({ tools: [readReviews, ...tools], ...options })
  const warnings: string[] = []
  agent.on('warning', ({ code }) => warnings.push(code))
  onTestFinished(() => agent.dispose())
  return { agent, warnings }
}

/** Runs to the end, and approves all that is asked. Returns what was asked. */
export async function approving(
  agent: Agent,
  input = 'go',
  conversationId = 'c',
): Promise<readonly PendingCall[]> {
  const run = agent.run(input, { conversationId })
  const asked: PendingCall[] = []
  const talk = agent.conversation(conversationId)
  const answer = (): void => {
    for (const pending of talk.getSnapshot().pending) {
      const isNew = !asked.some(({ toolCallId }) => toolCallId === pending.toolCallId)
      if (pending.kind !== 'approval' || !isNew) continue
      asked.push(pending)
      void talk.approve(pending)
    }
  }
  const leave = talk.subscribe(answer)
  await run.result
  leave()
  return asked
}

/** Pending calls of the conversation, as soon as there are any. */
export async function pendingOf(agent: Agent, conversationId = 'c'): Promise<PendingCall[]> {
  const talk = agent.conversation(conversationId)
  const leave = talk.subscribe(() => undefined)
  await expect.poll(() => talk.getSnapshot().pending.length, LONG).toBeGreaterThan(0)
  leave()
  return [...talk.getSnapshot().pending]
}

/** Origins of the untrusted content in the conversation, as a page that shows it sees them. */
export async function originsOf(agent: Agent, conversationId = 'c'): Promise<readonly string[]> {
  const talk = agent.conversation(conversationId)
  const leave = talk.subscribe(() => undefined)
  await expect.poll(() => talk.getSnapshot().status, LONG).not.toBe('loading')
  leave()
  return talk.getSnapshot().taint.map(({ origin }) => origin)
}
