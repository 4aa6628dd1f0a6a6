import { describeThrown } from '../../protocol/error.ts'
import type { BeforeModelQuery, VerifyQuery } from '../../protocol/page-calls.ts'
import { truncate } from '../execution/format-output.ts'
import type { AgentOptions } from '../api/options.ts'
import type { AgentPage } from '../page-life/page-api.ts'
import { retryWhenLeaving } from '../page-life/page-leaving.ts'
import { untilAborted } from '../runs/until-aborted.ts'

const ROUNDS = 2
const TIMEOUT_MS = 60_000

/** The parts of an agent that the verifier needs. */
export interface VerifierParts {
  readonly options: AgentOptions
  /** Emits a warning of the agent. */
  warn(code: string, message: string): void
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
}

interface Asked {
  readonly verdict: Promise<string | null>
  readonly stop: AbortController
  isOver: boolean
}

/** Calls the app's `verify` for answers: once for each, whoever asks. */
export class Verifier {
  readonly #agent: VerifierParts
  /** Checks by message. */
  readonly #asked = new Map<string, Asked>()

  constructor(agent: VerifierParts) {
    this.#agent = agent
  }

  /** Returns feedback for an answer that is wrong, else null. If the hook fails, the answer is accepted. */
  verify(answer: VerifyQuery): Promise<string | null> {
    if (answer.round > (this.#agent.options.verifyRounds ?? ROUNDS)) return Promise.resolve(null)
    const known = this.#asked.get(answer.messageId)
    if (known) return known.verdict
    for (const [id, { isOver }] of this.#asked) if (isOver) this.#asked.delete(id)
    const stop = new AbortController()
    const asked: Asked = { stop, isOver: false, verdict: this.#check(answer, stop) }
    this.#asked.set(answer.messageId, asked)
    void asked.verdict.then(() => (asked.isOver = true))
    return asked.verdict
  }

  /** Stops a check that nobody waits for any more. Asking again starts a new one. */
  stop(messageId: string): void {
    this.#asked.get(messageId)?.stop.abort()
    this.#asked.delete(messageId)
  }

  async #check(answer: VerifyQuery, stop: AbortController): Promise<string | null> {
    const { options, signal: life } = this.#agent
    const { verifyTimeoutMs = TIMEOUT_MS } = options
    const { runId, conversationId, text, toolCalls } = answer
    const { signal } = stop
    const abort = (): void => stop.abort()
    let isLate = false
    life.addEventListener('abort', abort)
    const timer = setTimeout(() => {
      isLate = true
      stop.abort()
    }, verifyTimeoutMs)
    try {
      const asked = { runId, conversationId, text, toolCalls, signal }
      const verdict: unknown = await retryWhenLeaving(() =>
        untilAborted(async () => options.verify?.(asked), signal),
      )
      return feedbackOf(verdict)
    } catch (thrown) {
      if (signal.aborted && !isLate) return null
      const why = isLate ? `it took longer than ${verifyTimeoutMs} ms` : describeThrown(thrown)
      const message = `verify has failed, and the answer stands: ${why}`
      this.#agent.warn('hook-failed', message)
      return null
    } finally {
      clearTimeout(timer)
      life.removeEventListener('abort', abort)
    }
  }
}

function feedbackOf(verdict: unknown): string | null {
  const { ok, feedback } = (verdict ?? {}) as { ok?: unknown; feedback?: unknown }
  if (typeof feedback === 'string' && feedback.trim() !== '') return truncate(feedback)
  if (ok === true) return null
  throw new TypeError('return { ok: true } or { feedback }.')
}

/** Calls `beforeModel`. If it throws or returns anything else, nothing changes. */
export async function beforeModel(
  { options, warn }: VerifierParts,
  { agentId: _agent, ...request }: BeforeModelQuery,
): ReturnType<AgentPage['beforeModel']> {
  try {
    const change = (await retryWhenLeaving(async () => options.beforeModel?.(request))) ?? {}
    const { appendToLastUser: appended, rewriteLastUser: rewritten } = change
    for (const text of [appended, rewritten])
      if (text && typeof text !== 'string') throw new TypeError('return texts.')
    return {
      ...(appended && { appended: truncate(appended) }),
      ...(rewritten && { rewritten: truncate(rewritten) }),
    }
  } catch (thrown) {
    warn('hook-failed', `beforeModel has failed, and changes nothing: ${describeThrown(thrown)}`)
    return {}
  }
}
