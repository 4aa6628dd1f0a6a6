import { formatAction } from '../../../src/action/index.ts'
import type { ErrorData } from '../../../src/protocol/error.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import type { FinishReason, Message, StreamPart, Usage } from '../../../src/protocol/message.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import type { Life } from './storage.ts'

export interface PlayedCall {
  readonly tool: string
  readonly input?: JsonValue
  /** The provider's id of the call. Default: derived from the call's position. */
  readonly id?: string
  /** Streams the arguments in pieces. */
  readonly streams?: boolean
  /** An error instead of the input. */
  readonly error?: Extract<StreamPart, { type: 'tool-call' }>['error']
}

/** An answer of the model. */
export interface Turn {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly PlayedCall[]
  /** Before all else, as they are. */
  readonly parts?: readonly StreamPart[]
  readonly usage?: Usage
  readonly finish?: FinishReason
  readonly rawFinish?: string
  readonly metadata?: JsonObject
  readonly warning?: string
  /** Milliseconds between two pieces, and before the first. */
  readonly paceMs?: number
  /** How the turn ends in place of a finish: as an error, without any proof, by an exception, or never. */
  readonly ends?: ErrorData | 'cut' | 'throws' | 'silent'
}

/** A turn, or what each attempt at it gives; the last one stands for all later attempts. */
export type Turns = readonly (Turn | readonly Turn[])[]

const PIECE = 6

/**
 * A model that plays the turns of a scenario and keeps its requests. The messages of a request determine which turn
 * comes next.
 */
export class PlayedModel {
  readonly requests: ModelRequest[] = []
  readonly #turns: Turns
  readonly #attempts = new Map<string, number>()

  constructor(turns: Turns) {
    this.#turns = turns
  }

  providerFor(life: Life): StreamProviderDefinition {
    const play = (request: ModelRequest, signal?: AbortSignal) => this.#play(request, life, signal)
    return {
      id: 'played',
      stream: (request, _config, { signal }) => play(request, signal),
    }
  }

  async *#play(
    request: ModelRequest,
    life: Life,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly StreamPart[]> {
    if (life.isOver) await new Promise(() => undefined)
    this.requests.push(request)
    const place = placeOf(request.messages)
    const turn = this.#turnAt(place)
    for (const parts of piecesOf(turn, place, request)) {
      await pause(turn.paceMs ?? 0, signal)
      if (signal?.aborted) return
      yield parts
    }
    if (turn.ends === 'silent') await new Promise(() => undefined)
    if (turn.ends === 'throws') throw new Error('The provider broke.')
    yield endOf(turn, place, request)
  }

  #turnAt({ asked, position }: Place): Turn {
    const turns = this.#turns[position] ?? { text: `Done with ${asked}.` }
    if (!Array.isArray(turns)) return turns as Turn
    const key = `${asked}.${position}`
    const attempt = this.#attempts.get(key) ?? 0
    this.#attempts.set(key, attempt + 1)
    return turns[Math.min(attempt, turns.length - 1)] as Turn
  }
}

interface Place {
  readonly asked: number
  readonly position: number
}

function placeOf(messages: readonly Message[]): Place {
  const isPerson = (message: Message): boolean => message.role === 'user' && !message.synthetic
  const since = messages.slice(messages.findLastIndex(isPerson) + 1)
  return {
    asked: messages.filter(isPerson).length,
    position: since.filter(({ role }) => role === 'assistant').length,
  }
}

function pieces(text = ''): string[] {
  return text.match(new RegExp(`.{1,${PIECE}}`, 'gsu')) ?? []
}

function piecesOf(turn: Turn, place: Place, request: ModelRequest): (readonly StreamPart[])[] {
  const text = request.toolMode === 'action' ? actionText(turn, request) : (turn.text ?? '')
  const { usage, warning, parts = [] } = turn
  return [
    parts,
    warning === undefined ? [] : [{ type: 'warning', code: 'played', message: warning } as const],
    ...pieces(turn.reasoning).map((delta) => [{ type: 'reasoning-delta', delta } as const]),
    ...pieces(text).map((delta) => [{ type: 'text-delta', delta } as const]),
    ...(request.toolMode === 'action' ? [] : inputPieces(turn, place)),
    usage ? [{ type: 'usage', usage } as const] : [],
    request.raw ? [{ type: 'raw', data: { place: { ...place } } } as const] : [],
  ].filter((batch) => batch.length > 0)
}

function actionText({ text = '', calls = [] }: Turn, { tools }: ModelRequest): string {
  if (calls.length === 0) return text
  const written = calls.map(({ tool, input }) => ({
    toolName: tool,
    input: (input ?? {}) as JsonObject,
  }))
  return [text, formatAction(written, tools)].filter((piece) => piece !== '').join('\n')
}

function inputPieces({ calls = [] }: Turn, place: Place): (readonly StreamPart[])[] {
  return calls.flatMap((call, index) => {
    if (!call.streams) return []
    const toolCallId = idOf(call, place, index)
    return [
      [{ type: 'tool-input-start', toolCallId, toolName: call.tool } as const],
      ...pieces(JSON.stringify(call.input ?? {})).map((delta) => [
        { type: 'tool-input-delta', toolCallId, delta } as const,
      ]),
    ]
  })
}

function idOf({ id }: PlayedCall, { asked, position }: Place, index: number): string {
  return id ?? `c${asked}.${position}.${index + 1}`
}

function endOf(turn: Turn, place: Place, { toolMode }: ModelRequest): readonly StreamPart[] {
  const { ends, calls = [], finish, rawFinish, metadata } = turn
  if (ends === 'cut') return []
  if (typeof ends === 'object') return [{ type: 'error', error: ends }]
  const native = toolMode === 'action' ? [] : calls
  return [
    ...native.map((call, index): StreamPart => {
      const ref = { type: 'tool-call', toolCallId: idOf(call, place, index), toolName: call.tool }
      return (
        call.error ? { ...ref, error: call.error } : { ...ref, input: call.input ?? {} }
      ) as StreamPart
    }),
    {
      type: 'finish',
      finishReason: finish ?? (native.length > 0 ? 'tool-calls' : 'stop'),
      ...(rawFinish !== undefined && { rawFinishReason: rawFinish }),
      ...(metadata && { providerMetadata: { played: metadata } }),
    },
  ]
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0 || signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
