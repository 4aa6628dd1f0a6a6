import {
  type BytesNotice,
  type BytesWish,
  FETCH_WINDOW,
  type ModelFetch,
  type ModelFetchHead,
  type ModelFetchRefusal,
} from '../../protocol/page-calls.ts'
import { describeThrown } from '../../protocol/error.ts'
import { watchCsp } from '../../protocol/csp.ts'

/**
 * Makes a model request for the worker (`transport: 'page'`). `workerLost` aborts when no worker reads the response
 * any more: the worker has died, or the page no longer needs it.
 */
export async function fetchModel(
  request: ModelFetch,
  workerLost: AbortSignal,
): Promise<ModelFetchHead | ModelFetchRefusal> {
  const { url, headers, body, credentials, bytes } = request
  const cancelled = new AbortController()
  const signal = AbortSignal.any([workerLost, cancelled.signal])
  const window = openWindow(bytes, signal, () => cancelled.abort())
  const watch = watchCsp(url)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: headers.map(([name, value]) => [name, value]),
      body,
      credentials,
      redirect: 'error',
      signal,
    })
    const { body: answer, status } = response
    if (answer) void sendBytes(answer, bytes, window)
    return { status, headers: [...response.headers], hasBody: answer !== null }
  } catch (thrown) {
    const refusedBy = signal.aborted ? undefined : await watch.refusedBy()
    if (refusedBy === undefined) throw thrown
    return { refusedBy }
  } finally {
    watch.stop()
  }
}

interface SendWindow {
  /** Resolves when a chunk may be sent, or after an abort. */
  acquire(): Promise<void>
}

/** Counts the chunks that the worker is ready to take. Calls `cancel` when the worker cancels the request. */
function openWindow(port: MessagePort, signal: AbortSignal, cancel: () => void): SendWindow {
  let room = FETCH_WINDOW
  let wake: (() => void) | undefined
  const widen = (pieces: number): void => {
    room += pieces
    wake?.()
  }
  signal.addEventListener('abort', () => widen(Infinity))
  port.onmessage = ({ data }) => {
    const request = data as BytesWish
    if (request.type === 'cancel') cancel()
    else widen(request.pieces)
  }
  return {
    async acquire() {
      if (room === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      room -= 1
    },
  }
}

/**
 * Never rejects: an error in the body is posted as `broken`. Leaves closing the port to the worker, since closing it
 * here could lose the last message.
 */
async function sendBytes(
  body: ReadableStream<Uint8Array>,
  port: MessagePort,
  window: SendWindow,
): Promise<void> {
  const post = (notice: BytesNotice, transfer: Transferable[] = []): void =>
    port.postMessage(notice, transfer)
  try {
    const reader = body.getReader()
    for (;;) {
      await window.acquire()
      const { done, value } = await reader.read()
      if (done) break
      post(value, [value.buffer])
    }
    post({ type: 'end' })
  } catch (thrown) {
    post({ type: 'broken', message: describeThrown(thrown) })
  }
}
