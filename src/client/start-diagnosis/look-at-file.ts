import { watchPolicy } from '../../protocol/policy.ts'
import { untilAborted } from '../until-aborted.ts'

/** What a worker's address answers, as the page may see it. */
export type FileLook =
  | {
      readonly type: 'answer'
      readonly status: number
      readonly contentType: string
      /** Where redirects led to. */
      readonly finalUrl: string
      readonly hasEmbedderPolicy: boolean
      /** What the answer holds, when that was asked for; '' where it can't be read. */
      readonly text: string
    }
  /** It redirects, and that can't be followed: to another origin, most likely. */
  | { readonly type: 'redirect' }
  /** There was no answer. */
  | { readonly type: 'none'; readonly offline: boolean }
  /** It may not be asked from here, or the time was over. */
  | { readonly type: 'unknown' }

/**
 * Asks a worker's address what it answers. Only on the page's own origin, which a redirect can't leave
 * either: nothing is sent elsewhere. Never rejects.
 */
export async function lookAtFile(
  url: URL | undefined,
  signal: AbortSignal,
  cache: RequestCache = 'default',
): Promise<FileLook> {
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== globalThis.origin)
    return { type: 'unknown' }
  const watch = watchPolicy(url.href)
  try {
    // Other code may have replaced fetch by one that drops the signal.
    return await untilAborted(() => ask(url, signal, cache), signal)
  } catch {
    if (signal.aborted) return { type: 'unknown' }
    // Refused by connect-src, it says nothing about the file.
    if ((await watch.refusedBy()) !== undefined) return { type: 'unknown' }
    return { type: 'none', offline: globalThis.navigator?.onLine === false }
  } finally {
    watch.stop()
  }
}

async function ask(url: URL, signal: AbortSignal, cache: RequestCache): Promise<FileLook> {
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

/** Whether a Cross-Origin-Embedder-Policy is in force on the page; a page can't see its own headers else. */
export async function hasPageEmbedderPolicy(signal: AbortSignal): Promise<boolean> {
  if (globalThis.crossOriginIsolated) return true
  try {
    const url = globalThis.location.href
    const asking = () => fetch(url, { method: 'HEAD', mode: 'same-origin', signal })
    const { headers } = await untilAborted(asking, signal)
    return hasEmbedderPolicy(headers)
  } catch {
    return false
  }
}

function hasEmbedderPolicy(headers: Headers): boolean {
  return /require-corp|credentialless/.test(headers.get('cross-origin-embedder-policy') ?? '')
}
