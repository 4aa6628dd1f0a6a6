import type {
  BeforeModelQuery,
  CallContext,
  CallDescription,
  DescribeCall,
  ReconcileTool,
  ReconcileVerdict,
  VerifyQuery,
} from '../../protocol/page-calls.ts'
import type { Fact } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { AgentOptions, HookedCall } from '../api/options.ts'
import { infoOf } from '../execution/execution.ts'
import { errorOutput, formatOutput, stringify, truncate } from '../execution/format-output.ts'
import type { AgentPage, Redactor } from '../page-life/page-api.ts'
import { retryWhenLeaving } from '../page-life/page-leaving.ts'
import { untilAborted } from '../runs/until-aborted.ts'
import { byAnnotations } from '../tools/describe-tools.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'

// Callers of the hooks that few tools and agents have.

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

  async #check(answer: VerifyQuery, { signal: stopped }: AbortController): Promise<string | null> {
    const { options, signal: life, warn } = this.#agent
    const { verifyTimeoutMs = TIMEOUT_MS } = options
    const { runId, conversationId, text, toolCalls } = answer
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), Math.min(verifyTimeoutMs, 2 ** 31 - 1))
    const signal = AbortSignal.any([late.signal, stopped, life])
    try {
      const asked = { runId, conversationId, text, toolCalls, signal }
      const verdict: unknown = await retryWhenLeaving(() =>
        untilAborted(async () => options.verify?.(asked), signal),
      )
      return feedbackOf(verdict)
    } catch (thrown) {
      if (stopped.aborted || life.aborted) return null
      const why = signal.aborted
        ? `it took longer than ${verifyTimeoutMs} ms`
        : describeThrown(thrown)
      warn('hook-failed', `verify has failed, and the answer stands: ${why}`)
      return null
    } finally {
      // Later, the signal could abort what the hook shares between checks.
      clearTimeout(timer)
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

/**
 * Passes each fact through the redact functions in turn. A function that several agents share runs once. Throws
 * `redact-failed`. Only the page gets the original error: it may hold the data to redact.
 */
export function redactFacts(
  redactors: readonly Redactor[],
  facts: readonly Fact[],
): readonly unknown[] {
  if (redactors.length === 0) throw failed('no redact function was found on the page.')
  const known = [...new Map(redactors.map((each) => [each.redact, each])).values()]
  return facts.map((fact) =>
    known.reduce((redacted, { redact, warn }) => {
      try {
        // Cloning throws for results that can't be posted, such as a promise. Here the responsible function is known.
        return structuredClone(redact(redacted))
      } catch (thrown) {
        warn(`redact has failed, and nothing was stored: ${describeThrown(thrown)}`)
        throw failed(`redact threw for a ${fact.type} fact.`)
      }
    }, fact),
  )
}

function failed(why: string): OffstageError {
  return new OffstageError('redact-failed', `Nothing was stored: ${why}`)
}

/** Calls the tool's `commits`. Throwing, or returning anything but false, counts as true. */
export async function commits(
  entry: PreparedTool | undefined,
  call: CallContext,
): Promise<boolean> {
  if (!entry?.tool.commits) return true
  const { tool } = entry
  const context = { ...infoOf(call), tainted: true }
  try {
    const says: unknown = await retryWhenLeaving(async () => tool.commits?.(call.input, context))
    return says !== false
  } catch {
    return true
  }
}

/** Returns null if the tool's `consentKey` throws or returns no text. */
export function consentKey(entry: PreparedTool | undefined, call: CallContext): string | null {
  try {
    const key: unknown = entry?.tool.consentKey?.(call.input)
    return typeof key === 'string' && key !== '' ? key : null
  } catch {
    return null
  }
}

interface Policy {
  readonly options: Pick<AgentOptions, 'toolApproval'>
  /** Emits a warning of the agent. */
  warn(code: string, message: string): void
}

/** Calls the functions of tools and of the agent that decide whether a call needs approval. */
export class ApprovalFunctions {
  readonly #policy: Policy
  /** Tools that have been warned about. */
  readonly #warned = new Set<string>()

  constructor(policy: Policy) {
    this.#policy = policy
  }

  /**
   * Whether the call needs approval. Each function can require it. If one throws, or returns an unclear value, approval
   * is needed.
   */
  async needsApproval(
    entry: PreparedTool | undefined,
    call: CallContext,
    asked: HookedCall,
  ): Promise<boolean> {
    const { toolApproval = 'destructive' } = this.#policy.options
    const { toolName } = call
    const needs = entry?.tool.needsApproval
    try {
      const own: unknown =
        entry && typeof needs === 'function'
          ? await needs.call(entry.tool, call.input, asked)
          : (needs ?? 'default')
      if (typeof own !== 'boolean' && own !== 'default')
        return this.#unclear(toolName, 'needsApproval', own)
      if (own === true) return true
      if (typeof toolApproval !== 'function')
        return own === 'default' && byAnnotations(entry?.tool.annotations, toolApproval)
      const asks: unknown = await toolApproval(asked)
      if (typeof asks !== 'boolean') return this.#unclear(toolName, 'toolApproval', asks)
      if (!asks && own === 'default') this.#frees(entry)
      return asks
    } catch {
      return true
    }
  }

  /** Warns of destructive tools that never need approval. */
  warnOfUnapprovedTools(entries: readonly PreparedTool[]): void {
    if (this.#policy.options.toolApproval === 'never')
      for (const entry of entries) this.#frees(entry)
  }

  /** Warns if only the agent's `toolApproval` lets a destructive tool run without approval. */
  #frees(entry: PreparedTool | undefined): void {
    if (entry?.tool.annotations?.destructive !== true || entry.tool.needsApproval !== undefined)
      return
    this.#warn(
      entry.name,
      `The tool ${entry.name} is destructive, but toolApproval lets it run without approval. If that is right, set needsApproval: false.`,
    )
  }

  #unclear(toolName: string, name: string, answer: unknown): true {
    const wanted = name === 'toolApproval' ? 'true or false' : "true, false or 'default'"
    this.#warn(
      toolName,
      `${name} of the tool ${toolName} returned ${typeof answer}, not ${wanted}: approval is requested.`,
    )
    return true
  }

  #warn(toolName: string, message: string): void {
    if (this.#warned.has(toolName)) return
    this.#warned.add(toolName)
    this.#policy.warn('approval-policy', message)
  }
}

/** Calls the tool's `reconcile`. If it throws, the outcome is unknown. */
export async function reconcile(
  entry: PreparedTool | undefined,
  { idempotencyKey, epoch: fence, input }: ReconcileTool,
  asked: HookedCall,
): Promise<ReconcileVerdict> {
  const context = { ...asked, idempotencyKey, fence }
  try {
    const verdict = await retryWhenLeaving(async () =>
      entry && 'reconcile' in entry.tool ? entry.tool.reconcile?.(input, context) : undefined,
    )
    if (!verdict) return { type: 'unknown' }
    return verdict.happened
      ? { type: 'happened', output: await formatOutput(verdict.result) }
      : { type: 'did-not-happen' }
  } catch {
    return { type: 'unknown' }
  }
}

/** Asks a tool to describe what a call is about to act on. Never rejects: if `describe` throws, the call fails. */
export async function describeCall(
  entry: PreparedTool | undefined,
  call: DescribeCall,
): Promise<CallDescription> {
  if (!entry?.tool.describe) return { type: 'nothing' }
  const { input, previous } = call
  const context = { ...infoOf(call), ...(previous !== undefined && { previous }) }
  try {
    const about = await entry.tool.describe(input, context)
    if (!about) return { type: 'nothing' }
    if (typeof about.text !== 'string') throw new TypeError('describe() must return a text.')
    const data = stringify(about.data)
    return {
      type: 'described',
      about: {
        text: truncate(about.text),
        ...(data !== undefined && { data: JSON.parse(data) as JsonValue }),
        ...(about.onPage && { onPage: true }),
      },
    }
  } catch (thrown) {
    return { type: 'failed', output: errorOutput('failed', describeThrown(thrown)) }
  }
}

/** Asks a tool which values of an input are secret, as JSON pointers. Null if the tool can't say. Never rejects. */
export async function secretsIn(
  entry: PreparedTool | undefined,
  call: CallContext,
  warn: (message: string) => void,
): Promise<readonly string[] | null> {
  // The tool that declared `secretsIn` is no longer registered.
  if (!entry?.tool.secretsIn) return null
  try {
    const pointers: unknown = await entry.tool.secretsIn(call.input, infoOf(call))
    if (!Array.isArray(pointers) || !pointers.every(isPointer))
      throw new TypeError('secretsIn() must return JSON pointers.')
    return pointers
  } catch {
    // The warning leaves out the thrown error, which may hold the secret.
    warn(
      `secretsIn of ${call.toolName} failed: its whole input is kept secret, and needs approval.`,
    )
    return null
  }
}

function isPointer(value: unknown): value is string {
  return typeof value === 'string' && (value === '' || value.startsWith('/'))
}
