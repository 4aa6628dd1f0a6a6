import { nestedIn, topLevelCalls, isCallWaiting } from '../../conversation/nested.ts'
import { endOf, isSettled } from '../../conversation/pending.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { isDecidedByPage } from './approval/judge-approval.ts'
import { BESIDE_INVALID, settleCalls, type Settlement } from './settle.ts'
import { type CallsContext, isParallelSafe } from './run-context.ts'
import {
  executeCalls,
  MAX_PARALLEL,
  nestedId,
  nestedPosition,
  runStarts,
  nextGroup,
  type Start,
} from './execute-calls.ts'
import { prepareCalls } from './prepare-calls.ts'
import { availableTool, recoverCall, runAgain, unavailable } from './recover-call.ts'
import { skillRefusal } from './skill-calls.ts'
import type {
  KeepAnswer,
  KeepOutcomes,
  KeptOutcome,
  NestedAnswer,
  NestedCall,
} from '../../protocol/composite.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { sealedValues } from '../../protocol/sealed.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { hideInputSecrets } from './hide-secrets.ts'

interface Waiter {
  readonly isParallel: boolean
  start(): void
}

/** Runs calls in the order of their arrival. Parallel calls may run at the same time, any other call runs alone. */
class TurnQueue {
  readonly #waiting: Waiter[] = []
  #running = 0
  #isExclusive = false

  /** `hasWaited`: whether the call had to wait for others to run first. */
  async run<T>(isParallel: boolean, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    let hasWaited = false
    await new Promise<void>((start) => {
      this.#waiting.push({ isParallel, start })
      this.#startNext()
      hasWaited = this.#waiting.some((waiter) => waiter.start === start)
    })
    try {
      return await work(hasWaited)
    } finally {
      this.#running -= 1
      this.#isExclusive = false
      this.#startNext()
    }
  }

  #startNext(): void {
    for (;;) {
      const first = this.#waiting[0]
      if (!first || this.#isExclusive || this.#running >= (first.isParallel ? MAX_PARALLEL : 1))
        return
      this.#waiting.shift()
      this.#running += 1
      this.#isExclusive = !first.isParallel
      first.start()
    }
  }
}

/**
 * Runs the calls that functions of composite tools make. Like a model's call, each proceeds from proposed to settled,
 * or until it waits for somebody.
 */
export class NestedCalls {
  readonly #context: CallsContext
  readonly #turns = new TurnQueue()
  /** Prepares one call at a time, so that hooks don't run concurrently. */
  readonly #enqueue = createSerialQueue()
  /** Nested calls in progress. None of these promises rejects. */
  readonly #answers = new Set<Promise<NestedAnswer>>()
  /** The error of a nested call, with which the run fails. */
  #failure: { readonly thrown: unknown } | null = null

  constructor(context: CallsContext) {
    this.#context = context
  }

  /** Throws the error of a nested call, if one has failed the run. */
  throwFailure(): void {
    const failure = this.#failure
    this.#failure = null
    if (failure) throw failure.thrown
  }

  /** Resolves once no nested call is in progress. Await this before the step is cut or ended. */
  async whenIdle(): Promise<void> {
    while (this.#answers.size > 0) await Promise.all(this.#answers)
  }

  /** Runs one nested call. Null if the composite tool's function must suspend. */
  async call(request: NestedCall): Promise<NestedAnswer> {
    const answer = this.#answer(request)
    this.#answers.add(answer)
    try {
      return await answer
    } finally {
      this.#answers.delete(answer)
    }
  }

  async #answer(request: NestedCall): Promise<NestedAnswer> {
    try {
      const toolCallId = await this.#propose(request)
      return toolCallId === null ? null : await this.#runToEnd(toolCallId)
    } catch (thrown) {
      // An error that a stop causes is ignored: the run ends with the stop's own outcome.
      if (!this.#context.signal.aborted) this.#failure ??= { thrown }
      return null
    }
  }

  async storeOutcomes({ executionId, kept: outcomes }: KeepOutcomes): Promise<KeepAnswer> {
    const { conversation } = this.#context
    let isRunning = false
    // Also stores the start of a step that must not run twice (`markKey`). This mark must be on disk before the step's
    // work begins.
    await conversation.append(
      (run) => {
        const parent = this.#runningCall(run, executionId)
        isRunning = parent !== null
        const facts = parent ? outcomeFacts(parent, outcomes) : []
        return facts.length > 0 ? facts : null
      },
      { strict: true },
    )
    const parent = this.#runningCall(conversation.run, executionId)
    if (!isRunning || parent === null) return null
    return { place: parent.ended.indexOf(outcomes.at(-1)?.key ?? '') }
  }

  /** Stores the call, unless it is stored already. Returns its id. */
  async #propose(request: NestedCall): Promise<string | null> {
    const { conversation, tools } = this.#context
    const { executionId, position, toolName } = request
    const input = await this.#storedInput(request)
    let toolCallId: string | null = null
    await conversation.append((run) => {
      const parent = this.#runningCall(run, executionId)
      toolCallId = null
      if (run === null || parent === null) return null
      const existing = nestedCallAt(run, parent, position)
      toolCallId = existing?.toolCallId ?? this.#nestedId(parent, position)
      if (existing) return null
      const { title, remote } = tools.get(toolName) ?? {}
      const path = [...parent.path, toolCallId]
      const toolFields = {
        toolName,
        ...(title !== undefined && { title }),
        ...(remote && { source: remote.source }),
      }
      return [{ type: 'call-proposed', path, ...toolFields, input }]
    })
    return toolCallId
  }

  /** The input with placeholders for its secrets. Each time the function runs again, it passes the secrets again. */
  async #storedInput({ executionId, position, toolName, input }: NestedCall): Promise<JsonValue> {
    const { conversation, page, agentId, tools } = this.#context
    if (!tools.isLoaded) tools.set(await page.currentTools({ agentId }))
    const { run, secrets } = conversation
    const parent = this.#runningCall(run, executionId)
    if (run === null || parent === null) return input
    const existing = nestedCallAt(run, parent, position)
    if (existing) {
      secrets.keep(existing.toolCallId, sealedValues(existing.modelInput, input))
      // `secretsIn` must run again for a call that isn't judged yet: only memory records a failure of `secretsIn`.
      if (existing.status !== 'proposed') return input
    }
    const toolCallId = existing?.toolCallId ?? this.#nestedId(parent, position)
    const stored = await hideInputSecrets(
      this.#context,
      { toolCallId, toolName },
      { tool: tools.get(toolName), input },
    )
    return secrets.hideRepeats(toolCallId, stored, parent)
  }

  #nestedId(parent: CallState, position: number): string {
    return nestedId(parent, position, (id) => this.#context.conversation.hasCallId(id))
  }

  /** The composite call that this execution runs. Null if it is no longer running. */
  #runningCall(run: RunState | null, executionId: string): CallState | null {
    const { runId, signal } = this.#context
    if (signal.aborted || run?.runId !== runId || run.end !== null) return null
    const isRunning = (call: CallState): boolean =>
      call.status === 'executing' && call.executionId === executionId
    return run.calls.find(isRunning) ?? null
  }

  async #runToEnd(toolCallId: string): Promise<NestedAnswer> {
    const context = this.#context
    const { conversation } = context
    for (;;) {
      const calls = conversation.run?.calls ?? []
      const call = calls.find((each) => each.toolCallId === toolCallId)
      if (context.signal.aborted || call === undefined) return null
      if (isSettled(call)) return nestedAnswer(call, calls)
      if (isCallWaiting(call, calls)) return null
      await this.#step(call)
    }
  }

  /** Does the next action for a call that isn't waiting. */
  async #step(call: CallState): Promise<void> {
    const context = this.#context
    switch (call.status) {
      case 'executing':
        return recoverCall(context, call)
      case 'suspended':
        return runAgain(context, call)
      case 'proposed':
        if (!context.ready.has(call.toolCallId))
          return this.#enqueue(() => prepareCalls(context, [call]))
        return this.#execute(call)
      default:
        return this.#execute(call)
    }
  }

  async #execute(call: CallState): Promise<void> {
    const context = this.#context
    const { ready } = context
    const tool = await availableTool(context, call)
    if (context.signal.aborted) return
    if (!tool) return settleCalls(context, [await unavailable(context, call)])
    // A composite call isn't queued: it would block its own nested calls.
    if (tool.composite) return executeCalls(context, [call])
    await this.#turns.run(isParallelSafe(tool), async (hasWaited) => {
      // Other calls have run since the decision, so hooks and policies must decide again.
      const mustRecheck = context.tools.hasBeforeToolCall || isDecidedByPage(tool)
      if (hasWaited && mustRecheck && ready.delete(call.toolCallId)) return
      await executeCalls(context, [call])
    })
  }
}

/** The call that the function made at this position when it ran before. */
function nestedCallAt(run: RunState, parent: CallState, position: number): CallState | undefined {
  return nestedIn(run.calls, parent).find((nested) => nestedPosition(parent, nested) === position)
}

/** Facts for the outcomes that aren't stored yet. */
function outcomeFacts(
  { path, outcomes }: CallState,
  reported: readonly KeptOutcome[],
): FactDraft[] {
  return reported.flatMap(({ key, value }) =>
    Object.hasOwn(outcomes, key) ? [] : [{ type: 'step-outcome' as const, path, key, value }],
  )
}

function nestedAnswer(call: CallState, calls: readonly CallState[]): NestedAnswer {
  const parent = calls.find(({ toolCallId }) => toolCallId === call.path.at(-2))
  const end = endOf(call)
  const { toolCallId } = call
  return parent && end ? { ...end, toolCallId, place: parent.ended.indexOf(toolCallId) } : null
}

/** Runs the calls of a step, from proposed to settled or until they wait for somebody. */
export class StepCalls {
  readonly #context: CallsContext
  /** Calls whose start was committed with their output. The page hasn't been asked to run them yet. */
  #started: readonly Start[] = []

  constructor(context: CallsContext) {
    this.#context = context
  }

  setStarted(starts: readonly Start[]): void {
    this.#started = starts
  }

  /** Does the next action for the calls of the step. */
  async run(run: RunState): Promise<void> {
    const context = this.#context
    const started = this.#started
    this.#started = []
    if (started.length > 0) return runStarts(context, started)
    if (!context.tools.isLoaded)
      context.tools.set(await context.page.currentTools({ agentId: context.agentId }))
    const executing = run.calls.filter((call) => call.status === 'executing')
    if (executing.length > 0) return this.#recover(executing)
    const open = topLevelCalls(run.calls).filter((call) => !isSettled(call))
    const [first] = open
    if (first?.status === 'suspended') return runAgain(context, first)
    const undecided = open.filter(
      (call) => call.status === 'proposed' && !context.ready.has(call.toolCallId),
    )
    if (undecided.length > 0) {
      await prepareCalls(context, undecided)
      return this.#requestOutputs(context.conversation.run ?? run)
    }
    await this.#execute(nextGroup(open))
  }

  /** Recovers nested calls first. The composite tool's function then runs again with their outcomes. */
  async #recover(executing: readonly CallState[]): Promise<void> {
    const simple = executing.filter((call) => !call.decidedBy?.composite)
    const calls = simple.length > 0 ? simple : topLevelCalls(executing)
    await Promise.all(calls.map((call) => recoverCall(this.#context, call)))
  }

  async #execute(group: readonly CallState[]): Promise<void> {
    const context = this.#context
    const runnable: CallState[] = []
    for (const call of group) {
      const tool = await availableTool(context, call)
      const refusal = tool && skillRefusal(context, call)
      if (refusal) await settleCalls(context, [refusal])
      else if (tool) runnable.push(call)
      else await settleCalls(context, [await unavailable(context, call)])
      if (context.signal.aborted) return
    }
    if (runnable.length === 0) return
    await executeCalls(context, runnable)
    this.dropDecisions()
  }

  /**
   * Drops decisions of hooks and policies about calls that haven't run yet. Call this after other calls have run or the
   * run has waited: hooks and policies must then decide again.
   */
  dropDecisions(): void {
    const { ready, tools } = this.#context
    for (const [toolCallId, { toolName }] of ready)
      if (tools.hasBeforeToolCall || isDecidedByPage(tools.get(toolName))) ready.delete(toolCallId)
  }

  /** Requests from the page the outputs of the calls that may run. Only in one-shot mode. */
  async #requestOutputs(run: RunState): Promise<void> {
    if (run.limits.maxSteps !== 0 || this.#context.signal.aborted) return
    const proposed = run.calls.filter((call) => call.status === 'proposed')
    const isInvalid = run.calls.some((call) => call.status === 'invalid')
    const refusals = proposed.flatMap((call): Settlement[] | Settlement =>
      isInvalid
        ? { call, status: 'aborted', output: BESIDE_INVALID }
        : (skillRefusal(this.#context, call) ?? []),
    )
    await settleCalls(this.#context, refusals)
    const requested = proposed.filter(
      (call) => !refusals.some((settlement) => settlement.call === call),
    )
    if (requested.length === 0) return
    await this.#context.conversation.append(
      requested.map((call) => {
        const ready = this.#context.ready.get(call.toolCallId)
        const untrusted = ready?.by.untrusted
        return {
          type: 'output-requested',
          path: call.path,
          input: ready?.input ?? call.input,
          asks: ready?.requiresApproval ?? call.quoted,
          ...(untrusted !== undefined && { untrusted }),
        }
      }),
    )
  }
}
