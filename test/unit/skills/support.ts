import { onTestFinished } from 'vitest'
import type { JsonObject, Skill } from '../../../src/index.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

type Options = Parameters<typeof createTestAgent>[0]

/** A turn of the model: what it says, or what it calls. */
export type Turn = string | readonly (readonly [toolName: string, input: JsonObject])[]

/** A model that says its turns one after the other; an endless one is asked for nothing more. */
export function listedModel(turns: readonly Turn[]) {
  const sent: ModelRequest[] = []
  const left = [...turns]
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(request) {
      sent.push(request)
      const turn = left.shift() ?? 'Nothing left.'
      if (typeof turn === 'string')
        yield [
          { type: 'text-delta', delta: turn },
          { type: 'finish', finishReason: 'stop', usage: {} },
        ]
      else
        yield [
          ...turn.map(([toolName, input], at): StreamPart => ({
            type: 'tool-call',
            toolCallId: `call_${sent.length}_${at}`,
            toolName,
            input,
          })),
          { type: 'finish', finishReason: 'tool-calls', usage: {} },
        ]
    },
  }
  return { provider, sent }
}

/** An agent of a page, with a model that says these turns. */
export function pageWith(
  skills: readonly Skill[],
  turns: readonly Turn[],
  { toolMode, ...options }: Partial<Options> & { readonly toolMode?: 'native' | 'action' } = {},
) {
  const { provider, sent } = listedModel(turns)
  const testStorage = options.testStorage ?? createTestStorage()
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm', ...(toolMode && { toolMode }) },
    providers: [provider],
    skills,
    ...options,
    testStorage,
  })
  onTestFinished(() => agent.dispose())
  return { agent, sent, testStorage }
}

export const activate = (name: string): Turn => [['activate_skill', { name }]]

/** How often a text stands in a request, wherever. */
export const countIn = (request: ModelRequest | undefined, text: string): number =>
  JSON.stringify(request ?? null).split(JSON.stringify(text).slice(1, -1)).length - 1

export const toolNames = (request: ModelRequest | undefined): string[] =>
  (request?.tools ?? []).map(({ name }) => name)
