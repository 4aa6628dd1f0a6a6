import { watchCsp } from '../../protocol/csp.ts'
import { untilAborted } from '../runs/until-aborted.ts'

/** Response of the server to a worker's address, as far as the page may read it. */
export type FileProbe =
  | {
      readonly type: 'answer'
      readonly status: number
      readonly contentType: string
      /** Address after all redirects. */
      readonly finalUrl: string
      readonly hasEmbedderPolicy: boolean
      /** Text of a JavaScript response. Empty for another type, or if the text can't be read. */
      readonly text: string
    }
  /** A redirect that can't be followed, most likely to another origin. */
  | { readonly type: 'redirect' }
  /** There was no answer. */
  | { readonly type: 'none'; readonly offline: boolean }
  /** The page isn't allowed to request the file, or the request timed out. */
  | { readonly type: 'unknown' }

/**
 * Requests a worker's address if it is on the page's own origin. Redirects to other origins aren't followed, so nothing
 * is sent elsewhere. Never rejects.
 */
export async function probeFile(
  url: URL | undefined,
  signal: AbortSignal,
  cache: RequestCache = 'default',
): Promise<FileProbe> {
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== globalThis.origin)
    return { type: 'unknown' }
  const watch = watchCsp(url.href)
  try {
    // Other code may have replaced `fetch` with one that ignores the signal.
    return await untilAborted(() => requestFile(url, signal, cache), signal)
  } catch {
    if (signal.aborted) return { type: 'unknown' }
    // If `connect-src` refused the request, the result says nothing about the file.
    if ((await watch.refusedBy()) !== undefined) return { type: 'unknown' }
    return { type: 'none', offline: globalThis.navigator?.onLine === false }
  } finally {
    watch.stop()
  }
}

async function requestFile(url: URL, signal: AbortSignal, cache: RequestCache): Promise<FileProbe> {
  const options = { credentials: 'same-origin', signal, cache } as const
  const response = await fetch(url, { ...options, mode: 'same-origin' }).catch(async (thrown) => {
    const { type } = await fetch(url, { ...options, redirect: 'manual' })
    if (type === 'opaqueredirect') return null
    throw thrown
  })
  if (!response) return { type: 'redirect' }
  const { status, headers } = response
  const contentType = headers.get('content-type') ?? ''
  const text = response.ok && isJavaScript(contentType) ? await response.text() : ''
  if (!text) await response.body?.cancel()
  return {
    type: 'answer',
    status,
    contentType,
    finalUrl: response.url,
    hasEmbedderPolicy: hasEmbedderPolicy(headers),
    text,
  }
}

export function isJavaScript(contentType: string): boolean {
  return /^\s*(text|application)\/(x-)?(java|ecma|j|live)script(1\.\d)?\s*(;|$)/i.test(contentType)
}

/**
 * Whether the page has a Cross-Origin-Embedder-Policy. Requests the page again, because scripts can't read the headers
 * of their own page.
 */
export async function hasPageEmbedderPolicy(signal: AbortSignal): Promise<boolean> {
  if (globalThis.crossOriginIsolated) return true
  try {
    const url = globalThis.location.href
    const requestPage = () => fetch(url, { method: 'HEAD', mode: 'same-origin', signal })
    const { headers } = await untilAborted(requestPage, signal)
    return hasEmbedderPolicy(headers)
  } catch {
    return false
  }
}

function hasEmbedderPolicy(headers: Headers): boolean {
  return /require-corp|credentialless/.test(headers.get('cross-origin-embedder-policy') ?? '')
}
