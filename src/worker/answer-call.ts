import type { CallAnswer } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { JournalBody } from '../protocol/journal.ts'
import type { ToolOutput } from '../protocol/message.ts'
import type { SettledStatus } from '../protocol/tool.ts'
import { emitResult, type Drive } from './drive.ts'
import type { CallState } from './state.ts'
import { checkInput } from './validation/check-input.ts'
import { availableTool } from './wait-for-tool.ts'

type Answer = CallAnswer['answer']

/**
 * Journals a person's word on a call; false when the call doesn't wait for it. An edited input that
 * doesn't fit the tool's schema is refused with `invalid-input`, and the call waits on.
 */
export async function answerCall(
  drive: Drive,
  toolCallId: string,
  answer: Answer,
): Promise<boolean> {
  const run = drive.conversation.run
  const call = run?.end === null && run.calls.find((open) => open.toolCallId === toolCallId)
  if (!call || call.status !== WAITS_AS[answer.type]) return false
  switch (answer.type) {
    case 'approve':
      return approve(drive, call, answer)
    case 'deny':
      return deny(drive, call, answer)
    case 'answer':
      return settleWith(drive, call, {
        before: [{ type: 'question-answered', toolCallId, answer: answer.text }],
        status: 'succeeded',
        output: { type: 'text', value: answer.text },
      })
    case 'resolve':
      return resolveInterrupted(drive, call, answer)
    default:
      return answer satisfies never
  }
}

const WAITS_AS = {
  approve: 'awaiting-approval',
  deny: 'awaiting-approval',
  answer: 'awaiting-answer',
  resolve: 'awaiting-decision',
} as const

async function approve(
  drive: Drive,
  call: CallState,
  { input }: Extract<Answer, { type: 'approve' }>,
): Promise<boolean> {
  const { toolCallId } = call
  const edited = input === undefined ? {} : { input }
  if (input !== undefined) {
    const tool = await availableTool(drive, call)
    const problem = tool && checkInput(drive.validator, tool, input)
    if (problem) throw new OffstageError('invalid-input', problem.message)
  }
  await drive.conversation.append([
    { type: 'approval-answered', toolCallId, approved: true, ...edited },
  ])
  drive.events.push({ type: 'tool-approval-response', toolCallId, approved: true, ...edited })
  return true
}

async function deny(
  drive: Drive,
  call: CallState,
  { reason }: Extract<Answer, { type: 'deny' }>,
): Promise<boolean> {
  const { toolCallId } = call
  const why = reason === undefined ? {} : { reason }
  const answered = { toolCallId, approved: false, ...why }
  return settleWith(drive, call, {
    before: [{ type: 'approval-answered', ...answered }],
    told: { type: 'tool-approval-response', ...answered },
    status: 'denied',
    output: { type: 'denied', ...why },
  })
}

async function resolveInterrupted(
  drive: Drive,
  call: CallState,
  { verdict, output }: Extract<Answer, { type: 'resolve' }>,
): Promise<boolean> {
  const { toolCallId } = call
  switch (verdict) {
    case 'run-again':
      await drive.conversation.append([{ type: 'approval-answered', toolCallId, approved: true }])
      return true
    case 'happened':
      return settleWith(drive, call, {
        before: [],
        status: 'succeeded',
        output: output ?? { type: 'text', value: 'A person confirmed that this call happened.' },
      })
    case 'did-not-happen':
      return settleWith(drive, call, {
        before: [],
        status: 'failed',
        output: {
          type: 'error',
          code: 'failed',
          message: 'A person confirmed that this call did not happen.',
        },
      })
    default:
      return verdict satisfies never
  }
}

async function settleWith(
  drive: Drive,
  call: CallState,
  end: {
    readonly before: readonly JournalBody[]
    readonly status: SettledStatus
    readonly output: ToolOutput
    readonly told?: RunEventBody
  },
): Promise<boolean> {
  const { toolCallId } = call
  const { status, output } = end
  await drive.conversation.append([
    ...end.before,
    { type: 'call-settled', toolCallId, status, output },
  ])
  if (end.told) drive.events.push(end.told)
  emitResult(drive, { call, status, output })
  return true
}
