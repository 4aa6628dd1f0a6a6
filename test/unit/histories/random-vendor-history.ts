import * as fc from 'fast-check'
import type { HistoryMessage } from '../../../src/protocol/message.ts'
import { json } from './random-history.ts'

const text = fc.string({ maxLength: 12 })
const words = fc.string({ minLength: 1, maxLength: 12 })
const data = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
const object = fc
  .dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 3 })
  .map((value): { [key: string]: unknown } => JSON.parse(JSON.stringify(value)))

/** Fields that are there or not. */
function some(fields: { readonly [name: string]: fc.Arbitrary<unknown> }): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] })
}

/** Content as the formats have it most briefly: one text that has nothing else to it is written as it is. */
function brief<Part extends object>(part: fc.Arbitrary<Part>, min = 0) {
  const list = fc
    .array(part, { minLength: min, maxLength: 3 })
    .filter(([first, second]) => !first || !!second || Object.keys(first).length > 2)
  return fc.oneof(text, list)
}

const breakpoint = some({ prompt_cache_breakpoint: fc.constant({ mode: 'explicit' as const }) })
const chatText = fc
  .tuple(text, breakpoint)
  .map(([value, more]) => ({ type: 'text' as const, text: value, ...more }))
const chatPart = fc.oneof(
  chatText,
  fc
    .tuple(
      fc.constantFrom('image/png', 'image/svg+xml', 'application/pdf'),
      data,
      some({ detail: fc.constantFrom('auto' as const, 'low' as const) }),
      breakpoint,
    )
    .map(([type, value, detail, more]) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${type};base64,${value}`, ...detail },
      ...more,
    })),
  fc.tuple(data, fc.constantFrom('wav' as const, 'mp3' as const)).map(([value, format]) => ({
    type: 'input_audio' as const,
    input_audio: { data: value, format },
  })),
  fc
    .tuple(
      fc.constantFrom('application/pdf', 'image/png', 'text/plain;charset=utf-8', 'audio/mpeg'),
      data,
      some({ filename: text }),
    )
    .map(([type, value, name]) => ({
      type: 'file' as const,
      file: { file_data: `data:${type};base64,${value}`, ...name },
    })),
)

const args = fc.oneof(
  object.map((value) => JSON.stringify(value)),
  object.map((value) => JSON.stringify(value, null, 2)),
  fc.constantFrom('', ' ', '{', 'null', '[1]', '"x"'),
)

/** Messages of Chat Completions, with fields that its API or an app may have added. */
export const openaiHistory: fc.Arbitrary<readonly HistoryMessage[]> = fc
  .array(
    fc.oneof(
      fc
        .tuple(
          fc.constantFrom('system' as const, 'developer' as const),
          brief(chatText),
          some({ name: words }),
        )
        .map(([role, content, more]) => [{ role, content, ...more }]),
      fc
        .tuple(brief(chatPart), some({ name: words, created_at: fc.integer() }))
        .map(([content, more]) => [{ role: 'user' as const, content, ...more }]),
      fc
        .record({
          content: fc.oneof(fc.constant(null), brief(chatText, 1)),
          more: some({
            name: words,
            reasoning_content: words,
            annotations: fc.constant([]),
            refusal: fc.constantFrom(null, 'No.'),
          }),
          calls: fc.array(
            fc.tuple(words, args, brief(chatText), some({ index: fc.nat() }), fc.boolean()),
            { maxLength: 3 },
          ),
        })
        .map(({ content, more, calls }) => (newId: () => string) => {
          const given = calls.map(([name, value, result, extra, isAnswered]) => ({
            id: newId(),
            name,
            value,
            result,
            extra,
            isAnswered,
          }))
          return [
            {
              role: 'assistant' as const,
              content,
              ...more,
              ...(given.length > 0 && {
                tool_calls: given.map(({ id, name, value, extra }) => ({
                  id,
                  type: 'function' as const,
                  function: { name, arguments: value },
                  ...extra,
                })),
              }),
            },
            ...given
              .filter(({ isAnswered }) => isAnswered)
              .map(({ id, result }) => ({
                role: 'tool' as const,
                tool_call_id: id,
                content: result,
              })),
          ]
        }),
    ),
    { maxLength: 5 },
  )
  .map(named)

type ChatTurn = readonly HistoryMessage[] | ((newId: () => string) => readonly HistoryMessage[])

function named(turns: readonly ChatTurn[]): readonly HistoryMessage[] {
  let calls = 0
  return turns.flatMap((turn) =>
    typeof turn === 'function' ? turn(() => `call_${++calls}`) : turn,
  )
}

const cache = some({ cache_control: fc.constant({ type: 'ephemeral' as const }) })
const citations = some({ citations: fc.constant(null) })
const block = fc.tuple(text, cache, citations).map(([value, ...more]) => ({
  type: 'text' as const,
  text: value,
  ...Object.assign({}, ...more),
}))
const turnBlock = fc.oneof(
  block,
  fc
    .tuple(fc.constantFrom('image/png' as const, 'image/webp' as const), data, cache)
    .map(([media_type, value, more]) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type, data: value },
      ...more,
    })),
  fc.tuple(data, some({ title: words, context: words }), cache).map(([value, about, more]) => ({
    type: 'document' as const,
    source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: value },
    ...about,
    ...more,
  })),
  fc.tuple(words, some({ title: words })).map(([value, about]) => ({
    type: 'document' as const,
    source: { type: 'text' as const, media_type: 'text/plain' as const, data: value },
    ...about,
  })),
)

const answerBlock = fc.oneof(
  block,
  fc.tuple(text, words).map(([thinking, signature]) => ({
    type: 'thinking' as const,
    thinking,
    signature,
  })),
  words.map((value) => ({ type: 'redacted_thinking' as const, data: value })),
  fc.constant({
    type: 'server_tool_use' as const,
    id: 'srvtoolu_1',
    name: 'web_search' as const,
    input: { query: 'mugs' },
  }),
)

/** Messages of Anthropic's, each user's with the results of the answer before it, as far as there are any. */
export const anthropicHistory: fc.Arbitrary<readonly HistoryMessage[]> = fc
  .array(
    fc.record({
      question: brief(turnBlock),
      blocks: fc.array(answerBlock, { maxLength: 3 }),
      answer: text,
      calls: fc.array(
        fc.record({
          name: words,
          input: object,
          result: brief(turnBlock),
          isAnswered: fc.boolean(),
          more: some({
            is_error: fc.boolean(),
            cache_control: fc.constant({ type: 'ephemeral' }),
          }),
          caller: some({ caller: fc.constant({ type: 'direct' as const }) }),
        }),
        { maxLength: 3 },
      ),
      next: fc.array(turnBlock, { maxLength: 2 }),
    }),
    { maxLength: 4 },
  )
  .map((rounds) => {
    let count = 0
    return rounds.flatMap(({ question, blocks, answer, calls, next }): HistoryMessage[] => {
      const given = calls.map((call) => ({ ...call, id: `toolu_${++count}` }))
      const results = given
        .filter(({ isAnswered }) => isAnswered)
        .map(({ id, result, more }) => ({
          type: 'tool_result' as const,
          tool_use_id: id,
          content: result,
          ...more,
        }))
      const uses = given.map(({ id, name, input, caller }) => ({
        type: 'tool_use' as const,
        id,
        name,
        input,
        ...caller,
      }))
      const content = [...blocks, ...uses]
      return [
        // A message of a person right behind results shares theirs.
        { role: 'user', content: question },
        { role: 'assistant', content: content.length > 0 ? unlessBare(content) : answer },
        ...(results.length > 0 ? [{ role: 'user' as const, content: [...results, ...next] }] : []),
        ...(results.length > 0 ? [{ role: 'assistant' as const, content: answer }] : []),
      ]
    })
  })

function unlessBare<Block extends { type: string; text?: unknown }>(blocks: Block[]) {
  const [first] = blocks
  const isBare = blocks.length === 1 && first?.type === 'text' && Object.keys(first).length === 2
  return isBare ? String(first.text) : blocks
}

const inputPart = fc.oneof(
  fc.tuple(text, breakpoint).map(([value, more]) => ({ type: 'input_text', text: value, ...more })),
  fc.tuple(data, fc.constantFrom('auto', 'low')).map(([value, detail]) => ({
    type: 'input_image',
    detail,
    image_url: `data:image/png;base64,${value}`,
  })),
  fc.tuple(data, some({ filename: text })).map(([value, name]) => ({
    type: 'input_file',
    file_data: `data:application/pdf;base64,${value}`,
    ...name,
  })),
)
const stored = some({ id: words, status: fc.constant('completed') })
const inputItem = fc
  .tuple(
    fc.constantFrom('user', 'system', 'developer'),
    fc.array(inputPart, { minLength: 1, maxLength: 3 }),
    stored,
  )
  .map(([role, content, more]) => ({
    type: 'message',
    role,
    content:
      role === 'user' ? content : content.map(() => ({ type: 'input_text', text: 'Be brief.' })),
    ...more,
  }))
const thought = fc.tuple(words, text).map(([id, value]) => ({
  id,
  type: 'reasoning',
  encrypted_content: 'gAAAA',
  summary: [{ type: 'summary_text', text: value }],
}))
const reply = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.tuple(text, some({ annotations: fc.constant([]) })).map(([value, more]) => ({
          type: 'output_text',
          text: value,
          ...more,
        })),
        text.map((refusal) => ({ type: 'refusal', refusal })),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    some({ id: words, phase: fc.constant('commentary') }),
  )
  .map(([content, more]) => ({ type: 'message', role: 'assistant', content, ...more }))
const search = words.map((id) => ({ id, type: 'web_search_call', status: 'completed' }))
const answer = fc
  .tuple(
    fc.array(fc.oneof(thought, reply, search), { maxLength: 3 }),
    fc.array(
      fc.tuple(
        words,
        fc.oneof(
          object.map((value) => JSON.stringify(value, null, 1)),
          text,
        ),
        stored,
      ),
      { maxLength: 3 },
    ),
    fc.array(inputPart, { minLength: 2, maxLength: 3 }),
  )
  .filter(([before, calls]) => before.length + calls.length > 0)
  .map(([before, calls, output]) => ({ before, calls, output }))

/** Items of the Responses API: input, and answers with the outputs of their calls. */
export const responsesHistory: fc.Arbitrary<readonly object[]> = fc
  .array(fc.oneof(inputItem, answer), { maxLength: 5 })
  .map((turns) =>
    turns.flatMap((turn, at): object[] =>
      'before' in turn
        ? [
            ...turn.before,
            ...turn.calls.map(([name, args, more], call) => ({
              type: 'function_call',
              call_id: `call_${at}_${call}`,
              name,
              arguments: args,
              ...more,
            })),
            ...turn.calls.map((_, call) => ({
              type: 'function_call_output',
              call_id: `call_${at}_${call}`,
              output: call === 0 ? turn.output : 'done',
            })),
          ]
        : [turn],
    ),
  )
