import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { StreamOptions } from '../provider.ts'

export interface AskOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: StreamOptions['fetch']
  readonly signal?: AbortSignal
  readonly timeoutMs: number
}

/** An answer with its body, or the reason why no answer was received. */
export type Outcome =
  | {
      readonly type: 'answer'
      /** 0 for an opaque answer. */
      readonly status: number
      /** The server redirects the request. */
      readonly redirected: boolean
      readonly contentType: string
      readonly headers: Headers
      readonly body: string
    }
  /** The script received no answer. Browsers hide the reason. */
  | { readonly type: 'unreachable'; readonly cause: string }
  | { readonly type: 'timeout' }

/**
 * Sends one small diagnostic request. Redirects are reported, not followed. Rejects with `aborted` when the caller's
 * signal is aborted, and never otherwise.
 */
export async function sendDiagnosticRequest(
  url: URL,
  init: RequestInit,
  options: AskOptions,
): Promise<Outcome> {
  const { signal, timeoutMs } = options
  const send = fetchOf(options)
  throwIfAborted(signal)
  const controller = new AbortController()
  const onAbort = (): void => controller.abort()
  signal?.addEventListener('abort', onAbort)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<Outcome>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve({ type: 'timeout' }))
    timer = setTimeout(() => controller.abort(), timeoutMs)
  })
  const request: RequestInit = {
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
    ...init,
    signal: controller.signal,
  }
  const answer = exchange(() => send(url.href, request))
  const outcome = await Promise.race([answer, timeout])
  clearTimeout(timer)
  signal?.removeEventListener('abort', onAbort)
  throwIfAborted(signal)
  return outcome
}

export function fetchOf({ fetch }: Pick<AskOptions, 'fetch'>): typeof globalThis.fetch {
  return fetch ?? globalThis.fetch
}

async function exchange(send: () => Promise<Response>): Promise<Outcome> {
  try {
    const response = await send()
    const { status, headers, type } = response
    return {
      type: 'answer',
      status,
      redirected: type === 'opaqueredirect' || (status >= 300 && status < 400),
      contentType: headers.get('content-type') ?? '',
      headers,
      body: await response.text(),
    }
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return { type: 'unreachable', cause: describeThrown(cause === undefined ? error : cause) }
  }
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OffstageError('aborted', 'The check was aborted.')
}
