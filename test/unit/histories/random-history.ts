import * as fc from 'fast-check'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from '../../../src/protocol/message.ts'

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'Hello.',
    '',
    ' ',
    '\u2028line',
    '[file: x]',
    'Denied by the person.',
    'Error (failed): x',
    '{"a":1}',
    '<ACTION>{"tool":"x"}</ACTION>',
    'data:image/png;base64,AAAA',
  ),
)

export const json: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: false })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value)))

const object = fc
  .dictionary(fc.string({ maxLength: 6 }), json, { maxKeys: 3 })
  .map((value): { [key: string]: JsonValue } => JSON.parse(JSON.stringify(value)))

const base64 = fc
  .uint8Array({ minLength: 0, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))

const file: fc.Arbitrary<FilePart> = fc
  .record({
    mediaType: fc.oneof(
      fc.constantFrom(
        'image/png',
        'image/svg+xml',
        'image/webp',
        'application/pdf',
        'audio/wav',
        'audio/mpeg',
        'audio/ogg',
        'text/plain;charset=utf-8',
        'text/csv',
        'application/x;base64',
      ),
      fc.string({ maxLength: 8 }),
    ),
    data: base64,
    filename: fc.option(text, { nil: undefined }),
  })
  .map(({ mediaType, data, filename }) => ({
    type: 'file',
    mediaType,
    data,
    ...(filename !== undefined && { filename }),
  }))

const textPart = text.map((value) => ({ type: 'text', text: value }) as const)
const content = fc.array(fc.oneof(textPart, file), { maxLength: 4 })

const output: fc.Arbitrary<ToolOutput> = fc.oneof(
  text.map((value): ToolOutput => ({ type: 'text', value })),
  json.map((value): ToolOutput => ({ type: 'json', value })),
  content.map((value): ToolOutput => ({ type: 'content', value })),
  fc
    .tuple(fc.constantFrom('failed', 'timeout', 'interrupted', 'aborted'), text)
    .map(([code, message]): ToolOutput => ({ type: 'error', code, message })),
  fc
    .option(text, { nil: undefined })
    .map((reason): ToolOutput => ({ type: 'denied', ...(reason !== undefined && { reason }) })),
)

type Input =
  | { readonly input: JsonValue }
  | { readonly error: { readonly code: 'malformed' | 'unknown_tool'; readonly message: string } }

const input: fc.Arbitrary<Input> = fc.oneof(
  { weight: 4, arbitrary: object.map((value) => ({ input: value })) },
  { weight: 1, arbitrary: json.map((value) => ({ input: value })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('malformed', 'unknown_tool'),
        text,
        fc.option(text, { nil: undefined }),
        fc.option(text, { nil: undefined }),
      )
      .map(([code, message, suggestion, rawInput]) => ({
        error: { code, message, ...(suggestion !== undefined && { suggestion }) },
        ...(rawInput !== undefined && { rawInput }),
      })),
  },
)

const call = fc
  .tuple(
    fc.constantFrom('find', 'shop.add', 'x y'),
    input,
    fc.boolean(),
    fc.option(fc.constant('vendor_1'), { nil: undefined }),
  )
  .map(([toolName, given, rescued, providerCallId]) => ({
    type: 'tool-call' as const,
    toolName,
    ...given,
    ...(rescued && { rescued }),
    ...(providerCallId !== undefined && { providerCallId }),
  }))

const answer = fc.record({
  parts: fc.array(
    fc.oneof(
      textPart,
      text.map((value) => ({ type: 'reasoning', text: value }) as const),
      call,
    ),
    { maxLength: 5 },
  ),
  actionText: fc.option(text, { nil: undefined }),
  partial: fc.boolean(),
  metadata: fc.option(fc.dictionary(fc.constantFrom('openai', 'anthropic', 'ollama'), object), {
    nil: undefined,
  }),
  results: fc.array(fc.tuple(fc.boolean(), output, fc.option(text, { nil: undefined })), {
    minLength: 5,
    maxLength: 5,
  }),
})

type Turn = (newId: () => string) => Message[]

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.tuple(content, fc.boolean()).map(([parts, synthetic]): Turn => () => [
    { role: 'user', parts, ...(synthetic && { synthetic }) },
  ]),
  fc.array(textPart, { maxLength: 3 }).map((parts): Turn => () => [{ role: 'system', parts }]),
  answer.map(({ parts, actionText, partial, metadata, results }): Turn => (newId) => {
    const named = parts.map((part): AssistantMessage['parts'][number] =>
      part.type === 'tool-call' ? ({ ...part, toolCallId: newId() } as ToolCallPart) : part,
    )
    const answers = named
      .filter((part) => part.type === 'tool-call')
      .flatMap((part, index): ToolResultPart[] => {
        const [isThere, value, note] = results[index] ?? [false]
        if (!isThere || value === undefined) return []
        const { toolCallId, toolName, providerCallId } = part
        return [
          {
            type: 'tool-result',
            toolCallId,
            toolName,
            ...(providerCallId !== undefined && { providerCallId }),
            output: value,
            ...(note !== undefined && { note }),
          },
        ]
      })
    return [
      {
        role: 'assistant',
        parts: named,
        ...(metadata && { providerMetadata: metadata }),
        ...(actionText !== undefined && { actionText }),
        ...(partial && { partial }),
      },
      ...(answers.length > 0 ? [{ role: 'tool', parts: answers } as const] : []),
    ]
  }),
)

/** A history as a conversation holds it, apart from ids of messages: whatever a model, a tool or a person said. */
export const offstageHistory: fc.Arbitrary<Message[]> = fc
  .array(turn, { maxLength: 6 })
  .map((turns) => {
    let calls = 0
    return turns.flatMap((each) => each(() => `call_${++calls}`))
  })
