import { html, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { DirectiveResult } from 'lit/directive.js'
import type { ShownCall, ShownMessage } from '../../index.ts'
import type { ChatContext, MessageContext } from '../context.ts'
import { dayFormat, todayFormat } from '../formats.ts'
import { stateIn } from '../parts/call-state.ts'
import type { ChatRow } from '../parts/rows.ts'
import { STATES } from '../parts/states.ts'
import { approvalsView } from './approvals.ts'
import { callView } from './call.ts'
import { callsView, isCallsOpen } from './calls.ts'
import { messageView } from './message.ts'
import { failureView } from './notices.ts'

/** Renders a row. Messages and finished calls render again only when their inputs change: a long conversation has many. */
export function rowView(context: ChatContext, row: ChatRow): TemplateResult | DirectiveResult {
  const { words, locale, local, snapshot } = context
  switch (row.type) {
    case 'day': {
      const isToday = row.at >= new Date().setHours(0, 0, 0, 0)
      return guard(
        [row.at, locale, isToday],
        () =>
          html`<p class="day" part="day">
            ${isToday ? todayFormat(locale).format(0, 'day') : dayFormat(locale).format(row.at)}
          </p>`,
      )
    }
    case 'message':
      return guard(madeOf(context, row.message), () => messageView(context, row.message))
    case 'call':
      return isOver(context, row.call)
        ? guard(callMadeOf(context, row.call), () => callView(context, row.call))
        : callView(context, row.call)
    case 'calls':
      // An open group renders its calls, so it depends on everything that they depend on.
      return isCallsOpen(local, row.key)
        ? callsView(context, row.key, row.calls)
        : guard([...row.calls, words, locale], () => callsView(context, row.key, row.calls))
    case 'approvals':
      return approvalsView(context, row.calls)
    case 'failure': {
      const isNewest = row.failure.runId === snapshot.ended?.runId && snapshot.runId === undefined
      return failureView(context, row.failure.error, isNewest ? STATES.failed.offers : undefined)
    }
    case 'compaction':
      return html`<p class="note">${words.compacted}</p>`
  }
}

function madeOf(context: MessageContext, message: ShownMessage): unknown[] {
  const { conversation, words, locale, local, markdown, answers, snapshot } = context
  const branch = snapshot.branches[message.id]
  return [
    message,
    conversation,
    words,
    locale,
    markdown,
    answers,
    snapshot.runId,
    branch?.index,
    branch?.ids,
    local.changesOf(message.id),
  ]
}

/** Whether the call has ended and waits for no answer. */
function isOver({ snapshot }: ChatContext, call: ShownCall): boolean {
  const { kind } = stateIn(snapshot, call)
  const isSettled = kind === 'done' || kind === 'problem'
  return isSettled && !snapshot.pending.some(({ toolCallId }) => toolCallId === call.toolCallId)
}

function callMadeOf(context: ChatContext, call: ShownCall): unknown[] {
  const { conversation, words, locale, local, renderers, snapshot } = context
  return [
    call,
    conversation,
    words,
    locale,
    renderers,
    context.answersItself(call),
    snapshot.runId,
    local.changesOf(call.toolCallId),
  ]
}
