import { nestedIn, waits } from '../../conversation/nested.ts'
import { endOf, isSettled } from '../../conversation/pending.ts'
import type {
  KeepAnswer,
  KeepOutcomes,
  KeptOutcome,
  NestedAnswer,
  NestedCall,
} from '../../protocol/composite.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { sealedValues } from '../../protocol/sealed.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { oneByOne } from '../../lib/one-by-one.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { isDecidedByPage } from './approval/is-asked.ts'
import { executeCalls } from './execute-calls.ts'
import { prepareCalls } from './prepare-calls.ts'
import { recoverCall, runAgain } from './recover-call.ts'
import { nestedId, nestedPosition } from './remembered.ts'
import type { RunContext } from './run-context.ts'
import { sealInput } from './seal-input.ts'
import { settle } from './settle.ts'
import { Turns } from './turns.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/**
 * What the functions of composite tools do within their calls, while they run: their calls are taken from
 * proposed to settled, or to where they wait for somebody, as a model's are.
 */
export class NestedCalls {
  readonly #context: RunContext
  readonly #turns = new Turns()
  /** Hooks are asked about one call after the other. */
  readonly #inOrder = oneByOne()
  /** None of them rejects. */
  readonly #underWay = new Set<Promise<NestedAnswer>>()
  /** What the run fails of. */
  #failure: { readonly thrown: unknown } | null = null

  constructor(context: RunContext) {
    this.#context = context
  }

  /** Throws what a call within one that was run has met, and what the run fails of. */
  throwFailure(): void {
    const failure = this.#failure
    this.#failure = null
    if (failure) throw failure.thrown
  }

  /** Resolves once none is under way: they work on the step that is about to be cut or ended. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Null: the function is to be suspended. */
  async call(asked: NestedCall): Promise<NestedAnswer> {
    const answer = this.#answer(asked)
    this.#underWay.add(answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(answer)
    }
  }

  async #answer(asked: NestedCall): Promise<NestedAnswer> {
    try {
      const toolCallId = await this.#propose(asked)
      return toolCallId === null ? null : await this.#advance(toolCallId)
    } catch (thrown) {
      // What a stop breaks off ends with the stop's own outcome.
      if (!this.#context.signal.aborted) this.#failure ??= { thrown }
      return null
    }
  }

  async keep({ executionId, kept }: KeepOutcomes): Promise<KeepAnswer> {
    const { conversation } = this.#context
    let isLive = false
    // Of what isn't done again, that it began must be on the disk before it does.
    await conversation.append(
      (run) => {
        const parent = this.#running(run, executionId)
        isLive = parent !== null
        const facts = parent ? keptFacts(parent, kept) : []
        return facts.length > 0 ? facts : null
      },
      { strict: true },
    )
    const parent = this.#running(conversation.run, executionId)
    if (!isLive || parent === null) return null
    return { place: parent.ended.indexOf(kept.at(-1)?.key ?? '') }
  }

  /** Stores that the call is made, unless it was before. Returns its id. */
  async #propose(asked: NestedCall): Promise<string | null> {
    const { conversation, tools } = this.#context
    const { executionId, position, toolName } = asked
    const input = await this.#storedInput(asked)
    let toolCallId: string | null = null
    await conversation.append((run) => {
      const parent = this.#running(run, executionId)
      toolCallId = null
      if (run === null || parent === null) return null
      const known = knownAt(run, parent, position)
      toolCallId = known?.toolCallId ?? this.#idOf(parent, position)
      if (known) return null
      const { title, remote } = tools.get(toolName) ?? {}
      const path = [...parent.path, toolCallId]
      const named = {
        toolName,
        ...(title !== undefined && { title }),
        ...(remote && { source: remote.source }),
      }
      return [{ type: 'call-proposed', path, ...named, input }]
    })
    return toolCallId
  }

  /** With seals in place of secrets, which the function names anew each time that it is run. */
  async #storedInput({ executionId, position, toolName, input }: NestedCall): Promise<JsonValue> {
    const { conversation, page, agentId, tools } = this.#context
    if (!tools.isLoaded) tools.set(await page.currentTools({ agentId }))
    const { run, sealed } = conversation
    const parent = this.#running(run, executionId)
    if (run === null || parent === null) return input
    const known = knownAt(run, parent, position)
    if (known) {
      sealed.keep(known.toolCallId, sealedValues(known.modelInput, input))
      return input
    }
    const toolCallId = this.#idOf(parent, position)
    return sealInput(this.#context, { toolCallId, toolName }, { tool: tools.get(toolName), input })
  }

  #idOf(parent: CallState, position: number): string {
    return nestedId(parent, position, (id) => this.#context.conversation.hasCallId(id))
  }

  /** The call whose function runs by this execution. */
  #running(run: RunState | null, executionId: string): CallState | null {
    const { runId, signal } = this.#context
    if (signal.aborted || run?.runId !== runId || run.end !== null) return null
    const isRunning = (call: CallState): boolean =>
      call.status === 'executing' && call.executionId === executionId
    return run.calls.find(isRunning) ?? null
  }

  async #advance(toolCallId: string): Promise<NestedAnswer> {
    const context = this.#context
    const { conversation } = context
    for (;;) {
      const calls = conversation.run?.calls ?? []
      const call = calls.find((each) => each.toolCallId === toolCallId)
      if (context.signal.aborted || call === undefined) return null
      if (isSettled(call)) return answerOf(call, calls)
      if (waits(call, calls)) return null
      await this.#step(call)
    }
  }

  /** The next thing to do about a call that waits for nobody. */
  async #step(call: CallState): Promise<void> {
    const context = this.#context
    switch (call.status) {
      case 'executing':
        return recoverCall(context, call)
      case 'suspended':
        return runAgain(context, call)
      case 'proposed':
        if (!context.ready.has(call.toolCallId))
          return this.#inOrder(() => prepareCalls(context, [call]))
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
    if (!tool) return settle(context, [await unavailable(context, call)])
    // One that makes calls itself must not keep them from running.
    if (tool.composite) return executeCalls(context, [call])
    await this.#turns.take(mayRunBeside(tool), async (hasWaited) => {
      // What hooks and policies said before others ran may not hold any more.
      const isAsked = context.tools.hasBeforeToolCall || isDecidedByPage(tool)
      if (hasWaited && isAsked && ready.delete(call.toolCallId)) return
      await executeCalls(context, [call])
    })
  }
}

/** What the function asked for at this position, in a life before. */
function knownAt(run: RunState, parent: CallState, position: number): CallState | undefined {
  return nestedIn(run.calls, parent).find((nested) => nestedPosition(parent, nested) === position)
}

function mayRunBeside({ annotations, parallelSafe, sequential }: ToolDescriptor): boolean {
  return !sequential && (annotations.readOnly === true || parallelSafe)
}

/** What isn't stored yet. */
function keptFacts({ path, outcomes }: CallState, kept: readonly KeptOutcome[]): FactDraft[] {
  return kept.flatMap(({ key, value }) =>
    Object.hasOwn(outcomes, key) ? [] : [{ type: 'step-outcome' as const, path, key, value }],
  )
}

function answerOf(call: CallState, calls: readonly CallState[]): NestedAnswer {
  const parent = calls.find(({ toolCallId }) => toolCallId === call.path.at(-2))
  const end = endOf(call)
  const { toolCallId } = call
  return parent && end ? { ...end, toolCallId, place: parent.ended.indexOf(toolCallId) } : null
}
