import type { JsonValue } from '../../../../../src/protocol/json.ts'
import type { StreamPart } from '../../../../../src/protocol/message.ts'
import type { Provider } from '../../../../../src/providers/provider.ts'
import type { Process } from '../../ownership/world/process.ts'

export interface Turn {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly { readonly tool: string; readonly input: JsonValue }[]
}

const PIECE = 3
const PACE_MS = 30

/** Plays turns by position, a few characters at a time, on the clock of its tab. */
export function slowModel(tab: Process, turns: () => readonly Turn[]): Provider {
  const batches: Provider['batches'] = async function* ({ messages }, { signal } = {}) {
    const since = messages.findLastIndex((m) => m.role === 'user' && !m.synthetic)
    const at = messages.slice(since).filter((m) => m.role === 'assistant').length
    const asked = messages.filter((m) => m.role === 'user' && !m.synthetic).length
    for (const part of parts(turns()[at] ?? { text: 'done' }, `c${asked}-${at}`)) {
      await tab.sleep(PACE_MS, signal)
      signal?.throwIfAborted()
      yield [part]
    }
  }
  return {
    id: 'slow',
    batches,
    stream: async function* (request, options) {
      for await (const batch of batches(request, options)) yield* batch
    },
  }
}

function parts({ reasoning = '', text = '', calls = [] }: Turn, id: string): StreamPart[] {
  return [
    ...pieces(reasoning).map((delta): StreamPart => ({ type: 'reasoning-delta', delta })),
    ...pieces(text).map((delta): StreamPart => ({ type: 'text-delta', delta })),
    ...calls.flatMap(({ tool: toolName, input }, index): StreamPart[] => {
      const toolCallId = `${id}-${index}`
      return [
        { type: 'tool-input-start', toolCallId, toolName },
        ...pieces(JSON.stringify(input)).map((delta): StreamPart => ({
          type: 'tool-input-delta',
          toolCallId,
          delta,
        })),
      ]
    }),
    ...calls.map(({ tool: toolName, input }, index): StreamPart => ({
      type: 'tool-call',
      toolCallId: `${id}-${index}`,
      toolName,
      input,
    })),
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } },
    { type: 'finish', finishReason: calls.length > 0 ? 'tool-calls' : 'stop' },
  ]
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? []
}
