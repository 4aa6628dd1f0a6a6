import type { MockPiece, MockResponse } from './mock-openai.ts'

export interface AnswerOptions {
  /** Milliseconds between pieces. Default 0. */
  readonly paceMs?: number
  /** Characters per piece. Default 8. */
  readonly pieceLength?: number
  /** Prompt tokens that the server reports. Default 10. */
  readonly promptTokens?: number
  /** Why the answer ends. Default `stop`. */
  readonly finish?: string
}

/** A text answer, streamed in pieces. */
export function say(text: string, options: AnswerOptions = {}): MockResponse {
  const deltas = cut(text, options.pieceLength ?? 8).map((content) => delta({ content }))
  return { pieces: [...paced(deltas, options.paceMs), finish(options.finish ?? 'stop', options)] }
}

/** An answer that calls tools, after some text if there is any. Arguments are streamed in pieces. */
export function callTools(
  calls: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[],
  options: AnswerOptions & { readonly text?: string } = {},
): MockResponse {
  const length = options.pieceLength ?? 8
  const text = cut(options.text ?? '', length).map((content) => delta({ content }))
  const parts = calls.flatMap(({ id, name, input }, index) => [
    callDelta({
      index,
      id: id ?? `call_${index}`,
      type: 'function',
      function: { name, arguments: '' },
    }),
    ...cut(JSON.stringify(input), length).map((piece) =>
      callDelta({ index, function: { arguments: piece } }),
    ),
  ])
  return { pieces: [...paced([...text, ...parts], options.paceMs), finish('tool_calls', options)] }
}

function delta(value: object): MockPiece {
  return chunk([{ index: 0, delta: value, finish_reason: null }])
}

function callDelta(call: object): MockPiece {
  return delta({ tool_calls: [call] })
}

function finish(reason: string, { promptTokens = 10 }: AnswerOptions): MockPiece {
  return chunk([{ index: 0, delta: {}, finish_reason: reason }], {
    usage: { prompt_tokens: promptTokens, completion_tokens: 5, total_tokens: promptTokens + 5 },
  })
}

function chunk(choices: readonly object[], more: object = {}): MockPiece {
  const head = { id: 'chatcmpl-mock', object: 'chat.completion.chunk', created: 0, model: 'mock' }
  return { data: { ...head, choices, ...more } }
}

function cut(text: string, length: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? []
}

function paced(pieces: readonly MockPiece[], waitMs = 0): MockPiece[] {
  return waitMs === 0 ? [...pieces] : pieces.flatMap((piece) => [piece, { waitMs }])
}
