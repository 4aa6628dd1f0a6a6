import { readText } from '../lib/read-text.ts'
import { checkBody } from './check-body.ts'
import { fileCharacters } from './file-characters.ts'
import { UserLimits, type SettleTokens } from './limits.ts'
import { bytesOf, Meter, type Ending } from './meter.ts'
import type { RelayCall, RelaySettings } from './options.ts'
import { badRequest, RelayError } from './relay-error.ts'
import { passAnswer, passError, sendUpstream } from './upstream.ts'
import type { Body, WireFormat } from './wire-format.ts'

/** Enough for a body of `maxBodyBytes` over a slow line. */
const BODY_MS = 60_000

export interface CallContext {
  readonly user: string
  readonly format: WireFormat
  readonly settings: RelaySettings
}

/** Passes one call on. Throws a `RelayError` for what the relay refuses. */
export async function callModel(request: Request, context: CallContext): Promise<Response> {
  const { user, format, settings } = context
  const { counter, onUsage, rules } = settings
  const amounts =
    typeof settings.limits === 'function' ? await settings.limits(user) : settings.limits
  const limits = new UserLimits(user, amounts, counter)
  // Before the body is read: refused bodies count.
  await limits.takeRequest()
  const checked = checkBody(await readJson(request, settings.maxBodyBytes), format, rules)
  const call: RelayCall = { user, api: format.api, model: String(checked['model']) }
  const isMetered = limits.countsTokens || onUsage !== undefined
  const body = toJson({
    ...checked,
    ...(isMetered && usageRequest(checked, format)),
    ...settings.extraBody?.(call),
  })
  const meter = isMetered
    ? new Meter(bytesOf(body) - fileCharacters(checked), rules.maxOutputTokens)
    : null
  const settle = await limits.reserveTokens(meter?.reserved ?? 0)
  const left = new AbortController()
  const leave = (): void => left.abort()
  const timer = setTimeout(leave, settings.timeoutMs)
  const finish = finisher(meter, { settle, settings, call, timer })
  const signal = AbortSignal.any([request.signal, left.signal])
  // Some servers abort the request without cancelling the response.
  signal.addEventListener('abort', () => void finish('cut'))
  try {
    const { response, redactor } = await sendUpstream(request, { format, settings, body, signal })
    if (response.ok) return await passAnswer(response, { redactor, meter, finish, leave })
    const refusal = await passError(response, redactor)
    await finish('failed')
    return refusal
  } catch (error) {
    // After an abort the vendor bills what it wrote until then.
    await finish(signal.aborted ? 'cut' : 'failed')
    throw error
  }
}

interface Account {
  readonly settle: SettleTokens
  readonly settings: RelaySettings
  readonly call: RelayCall
  readonly timer: ReturnType<typeof setTimeout>
}

/** Counts what an answer used. An answer may end in several ways, of which the first counts. */
function finisher(
  meter: Meter | null,
  { settle, settings, call, timer }: Account,
): (ending: Ending) => Promise<void> {
  let isOpen = true
  return async (ending) => {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    try {
      const usage = ending === 'failed' ? null : meter?.end(ending === 'whole')
      await settle(usage ? usage.inputTokens + usage.outputTokens : 0)
      if (usage) await settings.onUsage?.({ ...call, ...usage })
    } catch (error) {
      settings.onError?.(error)
    }
  }
}

/** Chat Completions reports usage in a stream only where it was asked to. */
function usageRequest({ stream, stream_options: options }: Body, { api }: WireFormat): Body {
  if (api !== 'chat-completions' || stream !== true) return {}
  return { stream_options: { ...(options as object | null), include_usage: true } }
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const count = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new RelayError(
        'request_too_large',
        `The relay takes bodies of up to ${maxBytes} bytes.`,
      )
  }
  count(Number(request.headers.get('content-length')))
  const notJson = (): RelayError => badRequest('The body is no JSON.')
  const slow = AbortSignal.timeout(BODY_MS)
  const signal = AbortSignal.any([request.signal, slow])
  try {
    const text = await readText(request.body, { count, notUtf8: notJson, signal })
    return JSON.parse(text)
  } catch (error) {
    if (slow.aborted) throw badRequest('The body took too long.', { status: 408 })
    throw error instanceof SyntaxError ? notJson() : error
  }
}

function toJson(body: Body): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    // The call stack ends.
    if (error instanceof RangeError) throw badRequest('The body is nested too deeply.')
    throw error
  }
}
