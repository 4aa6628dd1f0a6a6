import type { createProvider } from 'offstage/providers'
import { faultIn, type Fault, type FaultMessage } from './messages.ts'

/** Milliseconds that a slow network takes for each piece. */
const SLOW_MS = 120
/** Pieces of an answer that arrive before its stream is cut. */
const PIECES_BEFORE_CUT = 5

type Batches = ReturnType<ReturnType<typeof createProvider>['batches']>
type StreamPart = Batches extends AsyncIterable<readonly (infer Part)[]> ? Part : never

const on = new Set<Fault>()

/** Listens to the page, and gives the worker a network that the page can break. */
export function breakNetwork(): void {
  addEventListener('message', ({ data }) => {
    const started = faultIn(data, 'on')
    const ended = faultIn(data, 'off')
    if (started) on.add(started)
    if (ended) on.delete(ended)
  })
  const send = fetch
  globalThis.fetch = async (...request) => {
    if (on.has('offline')) throw new TypeError('The network is cut.')
    const response = await send(...request)
    const isAnswer = request[1]?.method === 'POST' && response.body !== null
    if (!isAnswer || on.size === 0) return response
    return new Response(response.body?.pipeThrough(brokenBytes()), response)
  }
}

/** Breaks the parts of a script as the network would break a model's answer. */
export async function* breakScript(
  batches: AsyncIterable<readonly StreamPart[]>,
): AsyncGenerator<readonly StreamPart[]> {
  let count = 0
  for await (const batch of batches) {
    count += 1
    if (on.has('slow')) await delay(SLOW_MS)
    const isLast = batch.some(({ type }) => type === 'finish')
    if (on.has('cut-stream') && (count > PIECES_BEFORE_CUT || isLast)) {
      hit('cut-stream')
      const message = 'The stream was cut.'
      yield [{ type: 'error', error: { code: 'stream-incomplete', message, retryable: true } }]
      return
    }
    yield batch.map(breakCall)
  }
}

/** Cuts the last character off the arguments of a call. */
function breakCall(part: StreamPart): StreamPart {
  if (part.type !== 'tool-call' || !on.has('malformed-call')) return part
  hit('malformed-call')
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
  let held: Bytes | undefined
  const cut = (controller: TransformStreamDefaultController<Bytes>): void => {
    hit('cut-stream')
    controller.error(new TypeError('The stream was cut.'))
  }
  return new TransformStream<Bytes, Bytes>({
    async transform(piece, controller) {
      count += 1
      if (on.has('slow')) await delay(SLOW_MS)
      if (held) controller.enqueue(held)
      held = undefined
      const bytes = withBrokenCall(piece)
      if (!on.has('cut-stream')) return controller.enqueue(bytes)
      if (count > PIECES_BEFORE_CUT) return cut(controller)
      // An answer may come as one piece: its second half waits, and is lost at the end.
      const half = Math.ceil(bytes.length / 2)
      controller.enqueue(bytes.slice(0, half))
      held = bytes.slice(half)
    },
    flush(controller) {
      if (!held) return
      if (on.has('cut-stream')) cut(controller)
      else controller.enqueue(held)
    },
  })
}

function withBrokenCall(bytes: Bytes): Bytes {
  const text = on.has('malformed-call') ? textOf(bytes) : ''
  if (!ARGUMENTS.test(text)) return bytes
  hit('malformed-call')
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

function hit(fault: Fault): void {
  on.delete(fault)
  postMessage(`${fault} hit` satisfies FaultMessage)
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
