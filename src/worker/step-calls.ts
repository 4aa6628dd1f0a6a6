import { isSettled } from '../conversation/pending.ts'
import type { CallState, RunState } from '../protocol/state.ts'
import { settle, type Drive } from './drive.ts'
import { executeCalls, nextGroup, runStarts, type Start } from './execute-calls.ts'
import { prepareCalls } from './prepare-calls.ts'
import { recoverCall } from './recover-call.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/** Takes the calls of a step from proposed to settled, or to where they wait for somebody. */
export class StepCalls {
  readonly #drive: Drive
  /** Calls that started with the commit of their output, and are to be handed to the page. */
  #started: readonly Start[] = []

  constructor(drive: Drive) {
    this.#drive = drive
  }

  /** The start of these is committed already. */
  begin(starts: readonly Start[]): void {
    this.#started = starts
  }

  /** The next thing to do about the calls of the step. */
  async run(run: RunState): Promise<void> {
    const drive = this.#drive
    const started = this.#started
    this.#started = []
    if (started.length > 0) return runStarts(drive, started)
    if (!drive.tools.isLoaded)
      drive.tools.set(await drive.page.currentTools({ agentId: drive.agentId }))
    const open = run.calls.filter((call) => !isSettled(call))
    const executing = open.filter((call) => call.status === 'executing')
    if (executing.length > 0) {
      await Promise.all(executing.map((call) => recoverCall(drive, call)))
      return
    }
    const fresh = open.filter(
      (call) => call.status === 'proposed' && !drive.ready.has(call.toolCallId),
    )
    if (fresh.length > 0) {
      await prepareCalls(drive, fresh)
      return this.#requestOutputs(drive.conversation.run ?? run)
    }
    await this.#execute(nextGroup(open))
  }

  async #execute(group: readonly CallState[]): Promise<void> {
    const drive = this.#drive
    const runnable: CallState[] = []
    for (const call of group) {
      if (await availableTool(drive, call)) runnable.push(call)
      else await settle(drive, [await unavailable(drive, call)])
      if (drive.signal.aborted) return
    }
    if (runnable.length === 0) return
    await executeCalls(drive, runnable)
    this.askAgain()
  }

  /**
   * Something happened since the calls were decided: what hooks and policies said of those that did not
   * run yet may not hold any more.
   */
  askAgain(): void {
    const { ready, tools } = this.#drive
    for (const [toolCallId, { toolName }] of ready)
      if (tools.hasBeforeToolCall || tools.get(toolName)?.needsApproval === 'ask')
        ready.delete(toolCallId)
  }

  /** One-shot mode: what may run is handed to the page. */
  async #requestOutputs(run: RunState): Promise<void> {
    if (run.limits.maxSteps !== 0 || this.#drive.signal.aborted) return
    const handed = run.calls.filter((call) => call.status === 'proposed')
    if (handed.length === 0) return
    await this.#drive.conversation.append(
      handed.map((call) => ({
        type: 'output-requested',
        path: call.path,
        input: this.#drive.ready.get(call.toolCallId)?.input ?? call.input,
        asks: this.#drive.ready.get(call.toolCallId)?.misleads ?? call.quoted,
      })),
    )
  }
}
