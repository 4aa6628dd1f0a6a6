import { transfer } from 'comlink'
import {
  type BytesNotice,
  type BytesWish,
  FETCH_WINDOW,
  type PageApi,
} from '../../protocol/page-calls.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import { policyError } from '../../providers/core/policy-error.ts'
import type { StreamOptions } from '../../providers/provider.ts'

type FetchPage = Pick<PageApi, 'fetchModel'>

/** A `fetch` through the page for models with `transport: 'page'`. Undefined: the worker's own `fetch` is used. */
export function modelFetch(page: FetchPage, model: ModelConfigData): StreamOptions['fetch'] {
  return model.transport === 'page' ? createPageFetch(page) : undefined
}

/**
 * A `fetch` through the page, limited to what model calls need: a POST with a text body. The response's bytes come
 * over their own port, so that neither Comlink nor the page's agents handle them.
 */
function createPageFetch(page: FetchPage): NonNullable<StreamOptions['fetch']> {
  return async (url, init = {}) => {
    const { port1: port, port2: bytes } = new MessageChannel()
    const post = (wish: BytesWish): void => port.postMessage(wish)
    init.signal?.addEventListener('abort', () => post({ type: 'cancel' }), { once: true })
    const request = {
      url: String(url),
      headers: [...new Headers(init.headers)],
      body: String(init.body),
      credentials: init.credentials === 'same-origin' ? ('same-origin' as const) : 'omit',
      bytes,
    } as const
    const body = readBytes(port, post)
    const head = await page.fetchModel(transfer(request, [bytes])).catch((error) => {
      port.close()
      throw error
    })
    if ('refusedBy' in head) {
      port.close()
      const refusal = { url: new URL(request.url), policy: head.refusedBy, scope: 'page' } as const
      throw OffstageError.fromData(policyError(refusal))
    }
    if (!head.hasBody) port.close()
    return new Response(head.hasBody ? body : null, {
      status: head.status,
      headers: head.headers.map(([name, value]) => [name, value]),
    })
  }
}

/** Streams the bytes as they arrive, and requests more from the page as they are read. */
function readBytes(
  port: MessagePort,
  post: (wish: BytesWish) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const inbox: BytesNotice[] = []
  let wake: (() => void) | undefined
  let readCount = 0
  port.onmessage = ({ data }) => {
    inbox.push(data as BytesNotice)
    wake?.()
  }
  const nextNotice = async (): Promise<BytesNotice> => {
    for (;;) {
      const notice = inbox.shift()
      if (notice) return notice
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return new ReadableStream(
    {
      async pull(controller) {
        const notice = await nextNotice()
        if (notice instanceof Uint8Array) {
          readCount += 1
          if (readCount % (FETCH_WINDOW / 2) === 0) post({ type: 'more', pieces: FETCH_WINDOW / 2 })
          return controller.enqueue(notice as Uint8Array<ArrayBuffer>)
        }
        port.close()
        if (notice.type === 'end') controller.close()
        else controller.error(new TypeError(notice.message))
      },
      cancel() {
        post({ type: 'cancel' })
        port.close()
      },
    },
    { highWaterMark: 0 },
  )
}
