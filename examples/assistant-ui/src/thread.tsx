import {
  AuiIf,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from '@assistant-ui/react'
import { suggestions } from './agent'

export function Thread() {
  return (
    <ThreadPrimitive.Root className="thread" role="region" aria-label="Task helper">
      <ThreadPrimitive.Viewport className="messages">
        <AuiIf condition={({ thread }) => thread.isEmpty}>
          <p className="summary">Ask for a change to the list.</p>
          {suggestions.map((text) => (
            <ThreadPrimitive.Suggestion key={text} className="suggestion" prompt={text} send>
              {text}
            </ThreadPrimitive.Suggestion>
          ))}
        </AuiIf>
        <ThreadPrimitive.Messages>
          {({ message }) => <Message role={message.role} />}
        </ThreadPrimitive.Messages>
      </ThreadPrimitive.Viewport>
      <ComposerPrimitive.Root className="composer">
        <ComposerPrimitive.Input aria-label="Message" placeholder="Write a message" rows={1} />
        <AuiIf condition={({ thread }) => !thread.isRunning}>
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </AuiIf>
        <AuiIf condition={({ thread }) => thread.isRunning}>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </AuiIf>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  )
}

function Message({ role }: { role: string }) {
  return (
    <MessagePrimitive.Root className={`message ${role}`}>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  )
}

function ToolCall({ respondToApproval, ...call }: ToolCallMessagePartProps) {
  const state = stateOf(call)
  const answer = (approved: boolean): void => void respondToApproval({ approved })
  return (
    <section className="call" aria-label={`${call.toolName}: ${state}`}>
      <p className="call-head">
        <b>{call.toolName}</b> <span className="summary">{state}</span>
      </p>
      {call.argsText !== '{}' && <code>{call.argsText}</code>}
      {call.result !== undefined && <code>{textOf(call.result)}</code>}
      {state === 'Waits for you' && (
        <p className="answers">
          <button onClick={() => answer(true)}>Approve</button>
          <button className="quiet" onClick={() => answer(false)}>
            Deny
          </button>
        </p>
      )}
    </section>
  )
}

type Call = Pick<ToolCallMessagePartProps, 'approval' | 'isError' | 'result'>

function stateOf({ approval, isError, result }: Call): string {
  if (result === undefined) return approval ? 'Waits for you' : 'Running'
  if (isError) return 'Failed'
  return isDenied(result) ? 'Denied' : 'Done'
}

/** Whether a result is the one that Offstage stores for a denied call. */
function isDenied(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'type' in result && result.type === 'denied'
  )
}

function isError(result: unknown): result is { message: string } {
  return typeof result === 'object' && result !== null && 'code' in result && 'message' in result
}

function textOf(result: unknown): string {
  if (isDenied(result)) return 'You denied this call.'
  if (isError(result)) return result.message
  return typeof result === 'string' ? result : JSON.stringify(result)
}
