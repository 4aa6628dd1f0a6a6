import type { createProvider } from 'offstage/providers'
import { recordHit, isOn } from './active-faults.ts'

/** Milliseconds that a slow network takes for each piece. */
const SLOW_MS = 120
/** Pieces of an answer that arrive before its stream is cut. */
const PIECES_BEFORE_CUT = 5

type Batches = ReturnType<ReturnType<typeof createProvider>['batches']>
type StreamPart = Batches extends AsyncIterable<readonly (infer Part)[]> ? Part : never
type Request = Parameters<ReturnType<typeof createProvider>['batches']>[0]

const NO_TOOLS = 'This model does not support tools.'

/** Gives the worker a network that the page can break. */
export function breakNetwork(): void {
  const originalFetch = fetch
  globalThis.fetch = async (...request) => {
    if (isOn('offline')) throw new TypeError('The network is cut.')
    if (isOn('refuse-tools') && offersTools(request[1]?.body)) {
      recordHit('refuse-tools')
      const error = { message: NO_TOOLS, type: 'invalid_request_error' }
      return Response.json({ error }, { status: 400 })
    }
    const response = await originalFetch(...request)
    const isAnswer = request[1]?.method === 'POST' && response.body !== null
    if (!isAnswer || !STREAM_FAULTS.some(isOn)) return response
    return new Response(response.body?.pipeThrough(brokenBytes()), response)
  }
}

const STREAM_FAULTS = ['slow', 'cut-stream', 'malformed-call'] as const

function offersTools(body: unknown): boolean {
  if (typeof body !== 'string') return false
  try {
    return 'tools' in JSON.parse(body)
  } catch {
    return false
  }
}

/** Breaks the parts of a script as the network would break a model's answer. */
export async function* breakScript(
  { toolMode, tools }: Pick<Request, 'toolMode' | 'tools'>,
  batches: AsyncIterable<readonly StreamPart[]>,
): AsyncGenerator<readonly StreamPart[]> {
  if (isOn('refuse-tools') && toolMode !== 'action' && tools.length > 0) {
    recordHit('refuse-tools')
    const error = { code: 'tools-unsupported', message: NO_TOOLS, retryable: false } as const
    yield [{ type: 'error', error }]
    return
  }
  let count = 0
  for await (const batch of batches) {
    count += 1
    if (isOn('slow')) await delay(SLOW_MS)
    const isLast = batch.some(({ type }) => type === 'finish')
    if (isOn('cut-stream') && (count > PIECES_BEFORE_CUT || isLast)) {
      recordHit('cut-stream')
      const message = 'The stream was cut.'
      yield [{ type: 'error', error: { code: 'stream-incomplete', message, retryable: true } }]
      return
    }
    yield batch.map(breakCall)
  }
}

/** Cuts the last character off the arguments of a call. */
function breakCall(part: StreamPart): StreamPart {
  if (part.type !== 'tool-call' || !isOn('malformed-call')) return part
  recordHit('malformed-call')
  const { input, ...call } = part
  const message = 'The arguments are no JSON: they end early.'
  return {
    ...call,
    rawInput: JSON.stringify(input).slice(0, -1),
    error: { code: 'invalid-json', message },
  }
}

/** Arguments of a call as OpenAI's and Anthropic's streams begin them: JSON inside a JSON text. */
const ARGUMENTS = /("(?:arguments|partial_json)":\s*"\{)(?=\\")/

type Bytes = Uint8Array<ArrayBuffer>

function brokenBytes(): TransformStream<Bytes, Bytes> {
  let count = 0
  let secondHalf: Bytes | undefined
  const cutStream = (controller: TransformStreamDefaultController<Bytes>): void => {
    recordHit('cut-stream')
    controller.error(new TypeError('The stream was cut.'))
  }
  return new TransformStream<Bytes, Bytes>({
    async transform(piece, controller) {
      count += 1
      if (isOn('slow')) await delay(SLOW_MS)
      if (secondHalf) controller.enqueue(secondHalf)
      secondHalf = undefined
      const bytes = withBrokenCall(piece)
      if (!isOn('cut-stream')) return controller.enqueue(bytes)
      if (count > PIECES_BEFORE_CUT) return cutStream(controller)
      // An answer may come as one piece: its second half waits, and is lost at the end.
      const half = Math.ceil(bytes.length / 2)
      controller.enqueue(bytes.slice(0, half))
      secondHalf = bytes.slice(half)
    },
    flush(controller) {
      if (!secondHalf) return
      if (isOn('cut-stream')) cutStream(controller)
      else controller.enqueue(secondHalf)
    },
  })
}

function withBrokenCall(bytes: Bytes): Bytes {
  const text = isOn('malformed-call') ? textOf(bytes) : ''
  if (!ARGUMENTS.test(text)) return bytes
  recordHit('malformed-call')
  return new TextEncoder().encode(text.replace(ARGUMENTS, '$1{'))
}

/** Text of a piece. Empty if the piece ends inside of a character. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return ''
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
