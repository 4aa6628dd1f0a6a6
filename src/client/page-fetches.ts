import {
  FETCH_WINDOW,
  type BytesNotice,
  type BytesWish,
  type ModelFetch,
  type ModelFetchHead,
  type ModelFetchRefusal,
} from '../protocol/model-fetch.ts'
import { describeThrown } from '../protocol/error.ts'
import { watchPolicy } from '../protocol/policy.ts'

/** The model requests that this page makes for its worker (`transport: 'page'`). */
export class PageFetches {
  readonly #open = new Set<AbortController>()

  /** The worker is gone: nobody reads any more. */
  abortAll(): void {
    for (const controller of this.#open) controller.abort()
  }

  async fetchModel(request: ModelFetch): Promise<ModelFetchHead | ModelFetchRefusal> {
    const { url, headers, body, credentials, bytes } = request
    const controller = new AbortController()
    const { signal } = controller
    const window = openWindow(bytes, controller)
    const watch = watchPolicy(url)
    this.#open.add(controller)
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
      const refusedBy = await watch.refusedBy()
      if (refusedBy === undefined) throw thrown
      return { refusedBy }
    } finally {
      watch.stop()
      // The worker closes the port: what was posted last must not be lost on the way.
      void Promise.resolve(sending).then(() => this.#open.delete(controller))
    }
  }
}

interface SendWindow {
  /** Resolves when a piece may be sent, or when it doesn't matter any more. */
  take(): Promise<void>
}

/** Counts what the worker is ready to take, and aborts when it cancels. */
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

/** Never rejects: a body that breaks is told as such. */
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
