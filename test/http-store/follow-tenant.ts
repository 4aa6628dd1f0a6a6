import type { StoreHandler } from '../../src/http-store/server/index.ts'

export interface FollowedTenant {
  readonly status: number
  readonly headers: Headers
  /** All that the stream has sent. */
  text(): string
  readonly hasEnded: boolean
  close(): Promise<void>
}

/** A stream of changes, read as it comes, without a network. */
export async function followTenant(
  handler: StoreHandler,
  headers: Readonly<Record<string, string>> = {},
): Promise<FollowedTenant> {
  const {
    status,
    headers: answered,
    body,
  } = await handler(new Request('http://localhost/history', { headers }))
  const reader = body?.getReader()
  let text = ''
  let hasEnded = false
  const read = async (): Promise<void> => {
    for (;;) {
      const next = await reader?.read()
      if (!next || next.done) break
      text += new TextDecoder().decode(next.value)
    }
    hasEnded = true
  }
  void read()
  return {
    status,
    headers: answered,
    text: () => text,
    get hasEnded() {
      return hasEnded
    },
    close: async () => reader?.cancel(),
  }
}
