import { onTestFinished } from 'vitest'
import type { ShownMessage } from '../../../src/conversation/snapshot.ts'
import {
  defineTool,
  type AgentOptions,
  type Conversation,
  type RunEvent,
} from '../../../src/index.ts'
import type { Message, StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const textOf = ({ parts }: Message): string =>
  parts
    .map((part) =>
      part.type === 'text' ? part.text : part.type === 'tool-result' ? `[${part.output.type}]` : '',
    )
    .join('')

export const answer = (text: string): StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'finish', finishReason: 'stop' },
]

export const call = (toolName: string): StreamPart[] => [
  { type: 'tool-call', toolCallId: `${toolName}-${Math.random()}`, toolName, input: {} },
  { type: 'finish', finishReason: 'tool-calls' },
]

/** A part that is held back until the test lets it go. */
export type Turn = readonly (StreamPart | Promise<unknown>)[]

export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

/** The model of a test, whose turns are given; `sent` is what it was sent. */
export function talk(
  turns: readonly Turn[],
  testStorage: ReturnType<typeof createTestStorage> = createTestStorage(),
  options: Partial<AgentOptions> = {},
) {
  const sent: string[][] = []
  const left = [...turns]
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }, _config, { signal }) {
      sent.push(messages.map(textOf))
      for (const part of left.shift() ?? answer('Nothing left.')) {
        if (part instanceof Promise)
          await Promise.race([
            part,
            new Promise((resolve) => signal?.addEventListener('abort', resolve)),
          ])
        else yield [part]
        if (signal?.aborted) return
      }
    },
  }
  const work = gate()
  let stopped = 0
  const tools = [
    defineTool({
      name: 'work',
      description: 'Works.',
      execute: async (_input, { signal }) => {
        signal.addEventListener('abort', () => stopped++)
        await work.opened
        return 'worked'
      },
    }),
    defineTool({ name: 'quick', description: 'Is quick.', execute: () => 'done' }),
    defineTool({
      name: 'buy',
      description: 'Buys.',
      needsApproval: true,
      execute: () => 'bought',
    }),
  ]
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm' },
    providers: [provider],
    testStorage,
    tools,
    controlTools: ['ask_user'],
    ...options,
  })
  onTestFinished(() => agent.dispose())
  const chat = agent.conversation('talk')
  chat.subscribe(() => undefined)
  return { agent, chat, sent, work, testStorage, stops: () => stopped }
}

export const statusOf = (chat: Conversation, toolName: string): string | undefined =>
  chat
    .getSnapshot()
    .messages.flatMap(({ calls = [] }) => calls)
    .find((each) => each.toolName === toolName)?.status

export const said = (chat: Conversation): string[] =>
  chat
    .getSnapshot()
    .messages.filter(({ role }: ShownMessage) => role !== 'tool')
    .map(textOf)

export async function typesOf(run: AsyncIterable<RunEvent>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of run) types.push(type)
  return types.filter((type) => type.startsWith('message-') || type === 'step-start')
}

/** A storage that holds the first append with a row of a type back, until it is let go. */
export function heldStorage(type: string) {
  const inner = createTestStorage()
  const [reached, release] = [gate(), gate()]
  const testStorage = {
    open: async (name: string) => {
      const store = await inner.open(name)
      return {
        ...store,
        append: async (...args: Parameters<typeof store.append>) => {
          if (args[0].rows.some((row) => row.type === type)) {
            reached.open()
            await release.opened
          }
          return store.append(...args)
        },
      }
    },
  }
  return { testStorage, reached: reached.opened, release: release.open }
}
