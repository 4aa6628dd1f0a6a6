import { ownCalls } from '../../conversation/nested.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { isDecidedByPage } from './approval/is-asked.ts'
import { settle } from './settle.ts'
import { type RunContext } from './run-context.ts'
import { executeCalls, runStarts } from './execute-calls.ts'
import { nextGroup, type Start } from './starts.ts'
import { prepareCalls } from './prepare-calls.ts'
import { recoverCall, runAgain } from './recover-call.ts'
import { forbidden } from './skill-rules.ts'
import type { Settlement } from './settlement.ts'
import { BESIDE_INVALID } from './tool-errors.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/** Takes the calls of a step from proposed to settled, or until they wait for somebody. */
export class StepCalls {
  readonly #context: RunContext
  /** Calls whose start was committed with their output. The page hasn't been asked to run them yet. */
  #started: readonly Start[] = []

  constructor(context: RunContext) {
    this.#context = context
  }

  /** Sets the calls whose start is already committed. */
  begin(starts: readonly Start[]): void {
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
    const open = ownCalls(run.calls).filter((call) => !isSettled(call))
    const [first] = open
    if (first?.status === 'suspended') return runAgain(context, first)
    const fresh = open.filter(
      (call) => call.status === 'proposed' && !context.ready.has(call.toolCallId),
    )
    if (fresh.length > 0) {
      await prepareCalls(context, fresh)
      return this.#requestOutputs(context.conversation.run ?? run)
    }
    await this.#execute(nextGroup(open))
  }

  /** Recovers nested calls first. Their composite tool's function then runs again with their outcomes. */
  async #recover(executing: readonly CallState[]): Promise<void> {
    const plain = executing.filter((call) => !call.decidedBy?.composite)
    const calls = plain.length > 0 ? plain : ownCalls(executing)
    await Promise.all(calls.map((call) => recoverCall(this.#context, call)))
  }

  async #execute(group: readonly CallState[]): Promise<void> {
    const context = this.#context
    const runnable: CallState[] = []
    for (const call of group) {
      const tool = await availableTool(context, call)
      const refused = tool && forbidden(context, call)
      if (refused) await settle(context, [refused])
      else if (tool) runnable.push(call)
      else await settle(context, [await unavailable(context, call)])
      if (context.signal.aborted) return
    }
    if (runnable.length === 0) return
    await executeCalls(context, runnable)
    this.askAgain()
  }

  /**
   * Drops decisions of hooks and policies about calls that haven't run yet, after something else has happened. They
   * decide again.
   */
  askAgain(): void {
    const { ready, tools } = this.#context
    for (const [toolCallId, { toolName }] of ready)
      if (tools.hasBeforeToolCall || isDecidedByPage(tools.get(toolName))) ready.delete(toolCallId)
  }

  /** Requests from the page the outputs of the calls that may run. Only in one-shot mode. */
  async #requestOutputs(run: RunState): Promise<void> {
    if (run.limits.maxSteps !== 0 || this.#context.signal.aborted) return
    const proposed = run.calls.filter((call) => call.status === 'proposed')
    const isInvalid = run.calls.some((call) => call.status === 'invalid')
    const refused = proposed.flatMap((call): Settlement[] | Settlement =>
      isInvalid
        ? { call, status: 'aborted', output: BESIDE_INVALID }
        : (forbidden(this.#context, call) ?? []),
    )
    await settle(this.#context, refused)
    const handed = proposed.filter((call) => !refused.some((end) => end.call === call))
    if (handed.length === 0) return
    await this.#context.conversation.append(
      handed.map((call) => {
        const ready = this.#context.ready.get(call.toolCallId)
        const untrusted = ready?.by.untrusted
        return {
          type: 'output-requested',
          path: call.path,
          input: ready?.input ?? call.input,
          asks: ready?.asks ?? call.quoted,
          ...(untrusted !== undefined && { untrusted }),
        }
      }),
    )
  }
}
