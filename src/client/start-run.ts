import type { BranchPoint, StartRun } from '../protocol/commands.ts'
import type { UserContent } from '../protocol/fact.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { AgentConfig } from './agent-config.ts'
import type { AgentRuns } from './agent-runs.ts'
import { checkPrices, hasContent, wrongLimit } from './check-options.ts'
import { checkNames } from './check-names.ts'
import { toOffstageError } from './failures.ts'
import { fillInput } from './fill-values.ts'
import { randomId } from '../lib/random-id.ts'
import type { AgentOptions, PromptValues, RunInput, RunOptions } from './options.ts'
import type { Run, SendOptions } from './run.ts'
import { limitsOf } from './run-limits.ts'

/** Input of a new run. `input` is null for a run that regenerates an answer. */
export interface RunBeginning {
  readonly input: RunInput | null
  readonly branch?: BranchPoint
  /** The call that this run is a child of. */
  readonly parent?: StartRun['parent']
  /** The model request behind that call contained untrusted content. */
  readonly tainted?: boolean | undefined
  /** Default: a new one. */
  readonly runId?: string
}

export type RunStarter = (beginning: RunBeginning, options?: RunOptions) => Run

/** Creates the function that begins runs at once. Errors are the run's outcome. */
export function runStarter(
  { config, runs }: { readonly config: AgentConfig; readonly runs: AgentRuns },
  agent: AgentOptions,
): RunStarter {
  return ({ input, branch, parent, tainted, runId = randomId() }, options) => {
    const {
      conversationId = randomId(),
      signal,
      ifBusy = 'refuse',
      history,
      values,
    } = options ?? {}
    const ref = { runId, conversationId }
    try {
      checkNames(options ?? {}, 'run')
      const limits = limitsOf(agent, options ?? {})
      const wrong = wrongLimit(limits)
      if (wrong) throw new OffstageError('invalid-input', wrong)
      checkPrices(limits, { ...agent, model: config.model })
      const filledWith = values === false ? {} : { ...config.values, ...values }
      const message =
        branch?.type === 'regenerate'
          ? null
          : { ...messageOf(input, filledWith), ...(tainted && { untrusted: tainted }) }
      const command = {
        ...ref,
        message,
        branch,
        parent,
        limits,
        ifBusy,
        ...(history && { history: plainHistory(history) }),
      }
      return runs.start(command, signal).run
    } catch (thrown) {
      return runs.refuse(ref, toOffstageError(thrown), typedIn(input)).run
    }
  }
}

/**
 * Makes a message for an open run: text that a person typed, or a template if there are values. Throws as `Run.send`
 * does.
 */
export function sentMessage(
  { values }: Pick<AgentConfig, 'values'>,
  input: RunInput,
  options: SendOptions,
): UserContent {
  checkNames(options, 'send')
  return messageOf(input, options.values ? { ...values, ...options.values } : {})
}

/** Returns the refused message, to be put back into a text field. */
function typedIn(input: RunInput | null): UserContent | null {
  return input === null || !hasContent(input)
    ? null
    : { id: randomId(), parts: fillInput(input, {}) }
}

/** Makes a person's message from a template, or from typed text if there are no values. Throws `invalid-input`. */
function messageOf(input: RunInput | null, values: PromptValues): UserContent {
  if (input === null || !hasContent(input))
    throw new OffstageError('invalid-input', 'The message is empty. Pass text or parts.')
  return { id: randomId(), parts: fillInput(input, values) }
}

/** Copies a history as JSON, so that it can cross to the worker, which checks it. */
function plainHistory(history: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(history))
  } catch (cause) {
    throw new OffstageError('invalid-history', `history: ${describeThrown(cause)}`)
  }
}
