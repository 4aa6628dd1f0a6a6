import fc from 'fast-check'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { defineResponses } from '../../../src/providers/openai-responses/define-responses.ts'
import { replay } from './support/replay.ts'
import { readTurn } from './support/streams.ts'
import { cuts, responsesStream, turns } from './support/well-formed.ts'

const encoder = new TextEncoder()
const openai = defineResponses('openai', chatPresets.openai)

type Output = OpenAI.Responses.ResponseOutputItem

function ofType<Type extends Output['type']>(output: readonly Output[], type: Type) {
  return output.filter((item): item is Extract<Output, { type: Type }> => item.type === type)
}

test('the openai client reads the same text, thoughts, calls, items and usage', async () => {
  await fc.assert(
    fc.asyncProperty(
      turns,
      cuts,
      fc.constantFrom(0, 1, 7, 64),
      async (turn, lengths, pieceSize) => {
        const stream = responsesStream(turn, lengths)
        const ours = await readTurn(openai, encoder.encode(stream), pieceSize)
        const client = new OpenAI({
          apiKey: 'x',
          baseURL: 'http://oracle/v1',
          fetch: replay(stream, { pieceSize }),
          maxRetries: 0,
        })
        const theirs = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
        expect(ours.error).toBeUndefined()
        expect(ours.text).toBe(theirs.output_text)
        const thoughts = ofType(theirs.output, 'reasoning').flatMap(({ summary }) => summary)
        expect(ours.reasoning).toBe(
          thoughts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
        )
        const calls = ofType(theirs.output, 'function_call')
        expect(ours.toolCalls).toEqual(
          calls.map(({ call_id: toolCallId, name: toolName, arguments: json }) => ({
            toolCallId,
            toolName,
            input: JSON.parse(json),
          })),
        )
        expect(ours.finishReason).toBe(
          theirs.status === 'incomplete' ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop',
        )
        expect(ours.usage).toEqual({
          inputTokens: theirs.usage?.input_tokens,
          outputTokens: theirs.usage?.output_tokens,
          cachedInputTokens: theirs.usage?.input_tokens_details.cached_tokens,
          reasoningTokens: theirs.usage?.output_tokens_details.reasoning_tokens,
        })
        const items = ours.providerMetadata?.['openai']?.['items'] ?? []
        const isKept = theirs.output.at(-1)?.type !== 'reasoning'
        expect(JSON.stringify(items)).toBe(JSON.stringify(isKept ? plain(theirs.output) : []))
      },
    ),
  )
})

/** Without what the client adds. */
function plain(output: readonly Output[]): unknown {
  return JSON.parse(JSON.stringify(output), (name, value: unknown) =>
    name === 'parsed' || name === 'parsed_arguments' ? undefined : value,
  )
}
