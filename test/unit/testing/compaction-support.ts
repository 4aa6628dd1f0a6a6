import { onTestFinished } from 'vitest'
import { defineTool, type Run } from '../../../src/index.ts'
import type { ErrorData } from '../../../src/protocol/error.ts'
import type { FinishReason, Message, StreamPart } from '../../../src/protocol/message.ts'
import { chatProvider } from '../../../src/providers/openai/define-chat.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, type TestAgentOptions } from '../../../src/testing/index.ts'

const ASKS_FOR_SUMMARY = /^Room has to be made/
export const OVERFLOW: ErrorData = {
  code: 'context-overflow',
  message: 'The prompt is too long.',
  retryable: false,
}

/** Words with a number, so that none repeats another. */
export const words = (length: number, seed: number): string =>
  Array.from({ length }, (_, at) => `harbour${(seed * 7919 + at) % 9973}`).join(' ')

/** A page as page tools show it. */
export const outline = (seed: number): string =>
  Array.from(
    { length: 130 },
    (_, at) => `- listitem "Product ${seed}-${at}" [ref=e${at}]: ${(seed * at) % 89} €`,
  ).join('\n')

export type Turn = (request: ModelRequest, asked: number) => readonly StreamPart[]

export const say = (text: string, finishReason: FinishReason = 'stop'): readonly StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'finish', finishReason },
]
export const call = (toolName: string, id: number): readonly StreamPart[] => [
  { type: 'tool-call', toolCallId: `call_${id}`, toolName, input: { at: id } },
  { type: 'finish', finishReason: 'tool-calls' },
]
export const refuse = (error: ErrorData): readonly StreamPart[] => [{ type: 'error', error }]

export const textOf = (message: Message | undefined): string =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
const isSummaryRequest = ({ messages }: ModelRequest): boolean =>
  ASKS_FOR_SUMMARY.test(textOf(messages.at(-1)))

const chat = chatProvider('openai-compatible')

/** The body that a server would get. */
export function bodyOf(request: ModelRequest): string {
  const config = { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:1/v1' }
  return JSON.stringify(chat?.toRequest(request, config, new Set()).body)
}

/** No result without its call, and no call without its result, but for those of the last message. */
export function orphans({ messages }: ModelRequest): string[] {
  const open = new Set<string>()
  const found: string[] = []
  for (const [at, message] of messages.entries()) {
    for (const part of message.parts) {
      if (part.type === 'tool-call') open.add(part.toolCallId)
      else if (part.type === 'tool-result' && !open.delete(part.toolCallId))
        found.push(part.toolCallId)
    }
    if (message.role !== 'assistant' && at < messages.length - 1) found.push(...open)
    if (message.role !== 'assistant') open.clear()
  }
  return found
}

const summary = (count: number): readonly StreamPart[] => [
  { type: 'usage', usage: { inputTokens: 100, outputTokens: 10 } },
  ...say(`Summary ${count}: a blue mug is wanted.`),
]

type Summing =
  | readonly StreamPart[]
  | Promise<readonly StreamPart[]>
  | AsyncIterable<readonly StreamPart[]>

interface TalkOptions extends Partial<TestAgentOptions> {
  readonly providerId?: string
  readonly sumUp?: (count: number, signal?: AbortSignal) => Summing
}

export function talk(
  turn: Turn,
  { sumUp = summary, providerId = 'listed', ...options }: TalkOptions = {},
) {
  const sent: ModelRequest[] = []
  /** `after`: how many of the others came before. */
  const summaries: (ModelRequest & { readonly after: number })[] = []
  const provider: StreamProviderDefinition = {
    id: providerId,
    async *stream(request, _config, { signal }) {
      if (isSummaryRequest(request)) {
        summaries.push({ ...request, after: sent.length })
        const summing = sumUp(summaries.length, signal)
        if (Symbol.asyncIterator in summing) yield* summing
        else yield await summing
        return
      }
      sent.push(request)
      yield turn(request, sent.length)
    },
  }
  const agent = createTestAgent({
    model: { provider: providerId, model: 'm', apiKey: 'k' },
    providers: [provider],
    instructions: 'You keep shop. Never sell the last mug.',
    tools: [
      defineTool({
        name: 'read',
        description: 'Reads.',
        inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
        execute: ({ at }) => words(165, Number(at)),
      }),
      defineTool({
        name: 'page',
        description: 'Shows the page.',
        inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
        execute: ({ at }) => outline(Number(at)),
      }),
    ],
    maxSteps: -1,
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return { agent, sent, summaries }
}

/** How a run ends, and how often it was warned of. */
export async function finish(run: Run) {
  let compactions = 0
  for await (const event of run)
    if (event.type === 'warning' && event.code === 'context-compacted') compactions++
  return { ...(await run.result), compactions }
}

export const texts = (request: ModelRequest | undefined): string =>
  request?.messages.map(textOf).join('\n') ?? ''
export const results = (request: ModelRequest | undefined): string =>
  JSON.stringify(request?.messages.filter(({ role }) => role === 'tool'))
export const reads =
  (steps: number): Turn =>
  (_, asked) =>
    asked < steps ? call('read', asked) : say('Done.')
