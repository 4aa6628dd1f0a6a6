import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { CallState } from '../../protocol/state.ts'

export function errorOutput(error: CallError): ToolOutput {
  return { type: 'error', code: error.code, message: error.message }
}

/** The error that the model gets for a call that could not be read. */
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

/** For calls beside an invalid one in one-shot mode. The model must correct it before the page gets any of them. */
export const BESIDE_INVALID: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'Another call beside this one is invalid, so it did not run.',
})

/** For a call that was running when the run ended. Its tool is safe to repeat. */
export const CUT_OFF: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run was stopped. The tool was running; it may or may not have taken effect.',
})

/** For a suspended call: its tool had returned, and the outcome was to come later. */
export const WAITED: ToolOutput = errorOutput({
  code: 'aborted',
  message:
    'The run did not wait any longer for the outcome of this call. What it began may or may not take effect.',
})

/** For a call whose secret value was never stored, and is no longer in memory. */
export const NOT_KEPT: ToolOutput = errorOutput({
  code: 'not-kept',
  message:
    'A secret value of this call was sealed and not kept, so it did not run. Call again with the value; if you do not know it, ask the person.',
})

/** For a suspended call whose outcome didn't come by the tool's deadline `until`, in milliseconds since 1970. */
export function overdue(until: number): ToolOutput {
  const time = new Date(until)
  const when = Number.isNaN(time.getTime()) ? '' : ` by ${time.toISOString()}`
  return errorOutput({
    code: 'timeout',
    message: `The outcome of this call has not come${when}. What it began may or may not take effect.`,
  })
}

/** `isElsewhere`: whether another open tab has registered the tool. */
export function notRegistered(toolName: string, isElsewhere: boolean): ToolOutput {
  const where = isElsewhere
    ? `not available in this tab, but in another one that is open: the person can let the conversation go on there. The call did not run.`
    : `no longer available on this page, so the call did not run.`
  return errorOutput({ code: 'failed', message: `The tool '${toolName}' is ${where}` })
}

/** For a call that started before this page was loaded, and whose tool is gone. */
export function goneMeanwhile(toolName: string): ToolOutput {
  return errorOutput({
    code: 'interrupted',
    message: `The call was interrupted, and the tool '${toolName}' is no longer available on this page: it may or may not have happened.`,
  })
}

/** For a call whose tool changed its definition before every start. */
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

/** For a call of a composite tool whose code or definition has changed since the call began. */
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
