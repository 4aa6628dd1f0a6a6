import { storageKey } from '../protocol/conversation.ts'
import { describeThrown } from '../protocol/error.ts'
import type { RunUsage, ToolOutput } from '../protocol/message.ts'
import type { RunOutcome } from '../protocol/run.ts'
import { errorOutput, formatOutput } from './format-output.ts'
import type { ChildCall } from './joiners.ts'
import type { SubAgent } from './sub-agent-parts.ts'
import { isWordless } from './wordless-schema.ts'

interface Ended {
  readonly runId: string
  readonly signal: AbortSignal
  /** Called with the usage of converting the agent's text to data. */
  onUsage(usage: RunUsage): void
}

/** Returns the output of the call, which the calling model gets. */
export async function outputOf(
  sub: SubAgent,
  { childId }: ChildCall,
  { runId, signal, onUsage, ...outcome }: RunOutcome & Ended,
): Promise<ToolOutput> {
  const ref = { runId, conversationId: childId, storage: storageKey(sub.core.scope().storage) }
  const result = sub.core.link().feeds.resultOf(ref, outcome)
  const text = result?.text.trim() ?? ''
  const wrong = failure(outcome, text)
  if (wrong) return wrong
  if (text === '') return failed('empty', 'The agent gave no answer.', false)
  const { output: schema } = sub.options
  if (schema === undefined) return formatOutput({ ok: true, status: 'completed', text })
  try {
    const input = `Give the outcome of this work as data:\n\n${text}`
    const data = await sub.agent.extract({ schema, input, signal, onUsage })
    return await formatOutput({ ok: true, status: 'completed', output: data })
  } catch (thrown) {
    return failed('invalid-output', describeThrown(thrown), true)
  }
}

/**
 * Whether the output may carry untrusted content from the child conversation. Safe is only JSON of numbers, booleans
 * and values named by the schema, from an agent without tools.
 */
export function mayPassWords(
  { agent, core, options }: SubAgent,
  { childId }: ChildCall,
  output: ToolOutput,
): boolean {
  if (agent.conversation(childId).getSnapshot().taint.length === 0) return false
  const isClosed = options.output !== undefined && isWordless(options.output)
  return !(isClosed && output.type === 'json' && core.registry.all().length === 0)
}

/** Returns the error output for a run that didn't succeed; null if it did. */
function failure(outcome: RunOutcome, text: string): ToolOutput | null {
  switch (outcome.outcome) {
    case 'completed': {
      const { finishReason } = outcome
      if (finishReason === undefined || text === '') return null
      return failed(finishReason, `Its answer is cut off: ${text}`, false)
    }
    case 'failed':
      return failed('failed', outcome.error.message, outcome.error.retryable)
    case 'aborted':
      return failed('aborted', `It was stopped: ${outcome.reason}`, false)
    case 'max-steps':
    case 'limit':
      return failed(outcome.outcome, `It came to its limit. Its last words: ${text}`, false)
    case 'waiting':
      return failed('waiting', 'It handed its calls to the page.', false)
    default:
      return outcome satisfies never
  }
}

function failed(status: string, error: string, retryable: boolean): ToolOutput {
  return errorOutput('failed', JSON.stringify({ ok: false, status, error, retryable }))
}
