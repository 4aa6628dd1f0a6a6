import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { CallState } from '../../protocol/state.ts'

export function errorOutput(error: CallError): ToolOutput {
  return { type: 'error', code: error.code, message: error.message }
}

/** What the model is told of a call that could not be read. */
export function unreadable(call: CallState & { readonly error: CallError }): CallError {
  const { code, message } = call.error
  if (code === 'invalid-json')
    return {
      code,
      message: `The arguments of ${call.toolName} are not valid JSON, so it did not run. ${message}`,
    }
  if (code !== 'truncated') return call.error
  return {
    code,
    message: `The call of ${call.toolName} was cut off before it was complete, so it did not run. ${message} Send it again, with shorter arguments if they were long.`,
  }
}

export const INTERRUPTED: ToolOutput = errorOutput({
  code: 'interrupted',
  message:
    'The call was interrupted and its outcome is unknown: it may or may not have happened. Check before you do it again.',
})

export const ABORTED: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run was stopped before this call ran.',
})

/** One-shot mode: the model mends an answer before the page gets its calls. */
export const BESIDE_INVALID: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'Another call beside this one is invalid, so it did not run.',
})

/** Of one that had been started, by a tool that may be asked again. */
export const CUT_OFF: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run was stopped. The tool was running; it may or may not have taken effect.',
})

/** Of one whose tool had returned, and whose outcome was to come later. */
export const WAITED: ToolOutput = errorOutput({
  code: 'aborted',
  message:
    'The run did not wait any longer for the outcome of this call. What it began may or may not take effect.',
})

/** Of a call with a secret value that isn't stored, and that nobody here remembers. */
export const NOT_KEPT: ToolOutput = errorOutput({
  code: 'not-kept',
  message:
    'A secret value of this call was sealed and not kept, so it did not run. Call again with the value; if you do not know it, ask the person.',
})

/** The same, whose outcome had not come when the tool had said that it would have. Milliseconds since 1970. */
export function overdue(until: number): ToolOutput {
  const time = new Date(until)
  const when = Number.isNaN(time.getTime()) ? '' : ` by ${time.toISOString()}`
  return errorOutput({
    code: 'timeout',
    message: `The outcome of this call has not come${when}. What it began may or may not take effect.`,
  })
}

/** `isElsewhere`: another tab has it. */
export function notRegistered(toolName: string, isElsewhere: boolean): ToolOutput {
  const where = isElsewhere
    ? `not available in this tab, but in another one that is open: the person can let the conversation go on there. The call did not run.`
    : `no longer available on this page, so the call did not run.`
  return errorOutput({ code: 'failed', message: `The tool '${toolName}' is ${where}` })
}

/** Of a call that had been started before this page was loaded. */
export function goneMeanwhile(toolName: string): ToolOutput {
  return errorOutput({
    code: 'interrupted',
    message: `The call was interrupted, and the tool '${toolName}' is no longer available on this page: it may or may not have happened.`,
  })
}

/** Its definition was another one each time it was to start. */
export function everChanging(toolName: string): ToolOutput {
  return errorOutput({
    code: 'failed',
    message: `The tool '${toolName}' kept changing, so the call did not run.`,
  })
}

export const TOO_LATE: ToolOutput = errorOutput({
  code: 'timeout',
  message: 'The page was too busy to start the tool in time, so it did not run.',
})

/** Of a composite tool whose code, or definition, is not what it was. */
export const WORKFLOW_CHANGED: ToolOutput = errorOutput({
  code: 'workflow-changed',
  message:
    'The tool has changed since this call began, so the call stopped. What it had done until then stays done. Check before you do it again.',
})

export function nestedTooDeep(toolName: string): CallError {
  return {
    code: 'failed',
    message: `The tool '${toolName}' was called by tools that call each other too deeply, so it did not run.`,
  }
}

export function notForTools(toolName: string): CallError {
  return { code: 'failed', message: `Only the model can call '${toolName}'.` }
}
