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

/** Makes a model request for the worker (`transport: 'page'`). `gone` aborts when nobody reads the answer any more. */
export async function fetchModel(
  request: ModelFetch,
  gone: AbortSignal,
): Promise<ModelFetchHead | ModelFetchRefusal> {
  const { url, headers, body, credentials, bytes } = request
  const controller = new AbortController()
  const { signal } = controller
  const abort = (): void => controller.abort()
  gone.addEventListener('abort', abort)
  if (gone.aborted) abort()
  const window = openWindow(bytes, controller)
  const watch = watchCsp(url)
  let sending: Promise<void> | undefined
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: headers.map(([name, value]) => [name, value]),
      body,
      credentials,
      redirect: 'error',
      signal,
    })
    if (response.body) sending = sendBytes(response.body, bytes, window)
    const { status } = response
    return { status, headers: [...response.headers], hasBody: sending !== undefined }
  } catch (thrown) {
    const refusedBy = signal.aborted ? undefined : await watch.refusedBy()
    if (refusedBy === undefined) throw thrown
    return { refusedBy }
  } finally {
    watch.stop()
    // The worker closes the port. Closing it here could lose the last message.
    void Promise.resolve(sending).then(() => gone.removeEventListener('abort', abort))
  }
}

interface SendWindow {
  /** Resolves when a chunk may be sent, or after an abort. */
  take(): Promise<void>
}

/** Counts the chunks that the worker is ready to take. Aborts the request when the worker cancels. */
function openWindow(port: MessagePort, controller: AbortController): SendWindow {
  let room = FETCH_WINDOW
  let wake: (() => void) | undefined
  const widen = (pieces: number): void => {
    room += pieces
    wake?.()
  }
  controller.signal.addEventListener('abort', () => widen(Infinity))
  port.onmessage = ({ data }) => {
    const wish = data as BytesWish
    if (wish.type === 'cancel') controller.abort()
    else widen(wish.pieces)
  }
  return {
    async take() {
      if (room === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      room -= 1
    },
  }
}

/** Never rejects: an error in the body is posted as `broken`. */
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
      await window.take()
      const { done, value } = await reader.read()
      if (done) break
      post(value, [value.buffer])
    }
    post({ type: 'end' })
  } catch (thrown) {
    post({ type: 'broken', message: describeThrown(thrown) })
  }
}
