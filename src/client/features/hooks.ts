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

// Loaded on demand: few tools and agents have these hooks.

const MAX_ROUNDS = 2
const TIMEOUT_MS = 60_000

/** The parts of an agent that the verifier needs. */
export interface VerifierParts {
  readonly options: AgentOptions
  /** Emits a warning of the agent. */
  warn(code: string, message: string): void
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
}

interface Verification {
  readonly verdict: Promise<string | null>
  readonly stop: AbortController
  isOver: boolean
}

/** Calls the app's `verify` once for each answer, even if the question is repeated. */
export class Verifier {
  readonly #agent: VerifierParts
  /** Checks by message id. */
  readonly #verifications = new Map<string, Verification>()

  constructor(agent: VerifierParts) {
    this.#agent = agent
  }

  /** Returns feedback for a wrong answer, or null. If the hook fails, the answer is accepted. */
  verify(answer: VerifyQuery): Promise<string | null> {
    if (answer.round > (this.#agent.options.verifyRounds ?? MAX_ROUNDS))
      return Promise.resolve(null)
    const existing = this.#verifications.get(answer.messageId)
    if (existing) return existing.verdict
    for (const [id, { isOver }] of this.#verifications) if (isOver) this.#verifications.delete(id)
    const stop = new AbortController()
    const verification: Verification = { stop, isOver: false, verdict: this.#check(answer, stop) }
    this.#verifications.set(answer.messageId, verification)
    void verification.verdict.then(() => (verification.isOver = true))
    return verification.verdict
  }

  /** Stops a check whose verdict isn't needed any more. Another `verify()` starts a new check. */
  stop(messageId: string): void {
    this.#verifications.get(messageId)?.stop.abort()
    this.#verifications.delete(messageId)
  }

  async #check(answer: VerifyQuery, { signal: stopped }: AbortController): Promise<string | null> {
    const { options, signal: agentSignal, warn } = this.#agent
    const { verifyTimeoutMs = TIMEOUT_MS } = options
    const { runId, conversationId, text, toolCalls } = answer
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), Math.min(verifyTimeoutMs, 2 ** 31 - 1))
    const signal = AbortSignal.any([timeout.signal, stopped, agentSignal])
    try {
      const proposal = { runId, conversationId, text, toolCalls, signal }
      const verdict: unknown = await retryWhenLeaving(() =>
        untilAborted(async () => options.verify?.(proposal), signal),
      )
      return feedbackOf(verdict)
    } catch (thrown) {
      if (stopped.aborted || agentSignal.aborted) return null
      const reason = signal.aborted
        ? `it took longer than ${verifyTimeoutMs} ms`
        : describeThrown(thrown)
      warn('hook-failed', `verify has failed, and the answer stands: ${reason}`)
      return null
    } finally {
      // A timeout after the check could abort work that the hook shares with later checks.
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
 * `redact-failed`. The original error may hold the data to redact, so only the page gets it.
 */
export function redactFacts(
  redactors: readonly Redactor[],
  facts: readonly Fact[],
): readonly unknown[] {
  if (redactors.length === 0) throw redactError('no redact function was found on the page.')
  const distinct = [...new Map(redactors.map((each) => [each.redact, each])).values()]
  return facts.map((fact) =>
    distinct.reduce((redacted, { redact, warn }) => {
      try {
        // Cloning throws for results that can't be posted, such as a promise, while the responsible function is still
        // known.
        return structuredClone(redact(redacted))
      } catch (thrown) {
        warn(`redact has failed, and nothing was stored: ${describeThrown(thrown)}`)
        throw redactError(`redact threw for a ${fact.type} fact.`)
      }
    }, fact),
  )
}

function redactError(reason: string): OffstageError {
  return new OffstageError('redact-failed', `Nothing was stored: ${reason}`)
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
    const answer: unknown = await retryWhenLeaving(async () => tool.commits?.(call.input, context))
    return answer !== false
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
  /** Tools that had a warning. */
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
    hookedCall: HookedCall,
  ): Promise<boolean> {
    const { toolApproval = 'destructive' } = this.#policy.options
    const { toolName } = call
    const needs = entry?.tool.needsApproval
    try {
      const toolAnswer: unknown =
        entry && typeof needs === 'function'
          ? await needs.call(entry.tool, call.input, hookedCall)
          : (needs ?? 'default')
      if (typeof toolAnswer !== 'boolean' && toolAnswer !== 'default')
        return this.#warnUnclear(toolName, 'needsApproval', toolAnswer)
      if (toolAnswer === true) return true
      if (typeof toolApproval !== 'function')
        return toolAnswer === 'default' && byAnnotations(entry?.tool.annotations, toolApproval)
      const policyAnswer: unknown = await toolApproval(hookedCall)
      if (typeof policyAnswer !== 'boolean')
        return this.#warnUnclear(toolName, 'toolApproval', policyAnswer)
      if (!policyAnswer && toolAnswer === 'default') this.#warnUnapproved(entry)
      return policyAnswer
    } catch {
      return true
    }
  }

  /** Warns of destructive tools that never need approval. */
  warnOfUnapprovedTools(entries: readonly PreparedTool[]): void {
    if (this.#policy.options.toolApproval === 'never')
      for (const entry of entries) this.#warnUnapproved(entry)
  }

  /** Warns if only the agent's `toolApproval` lets a destructive tool run without approval. */
  #warnUnapproved(entry: PreparedTool | undefined): void {
    if (entry?.tool.annotations?.destructive !== true || entry.tool.needsApproval !== undefined)
      return
    this.#warn(
      entry.name,
      `The tool ${entry.name} is destructive, but toolApproval asks nobody. If that is right, set needsApproval: false.`,
    )
  }

  #warnUnclear(toolName: string, name: string, answer: unknown): true {
    const expected = name === 'toolApproval' ? 'true or false' : "true, false or 'default'"
    this.#warn(
      toolName,
      `${name} of the tool ${toolName} returned ${typeof answer}, not ${expected}: approval is requested.`,
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
  hookedCall: HookedCall,
): Promise<ReconcileVerdict> {
  const context = { ...hookedCall, idempotencyKey, fence }
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
  // Null, because the tool that declared `secretsIn` is no longer registered.
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
