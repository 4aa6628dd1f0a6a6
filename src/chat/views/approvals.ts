import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import type { PendingCall } from '../../index.ts'
import { problemKey } from '../problem-key.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { refOf } from '../parts/call-ref.ts'
import { approvalView, isBeingEdited, isSeen } from './approval.ts'
import { sourceView, titleOf } from './call.ts'
import { problemView } from './problem.ts'

const KEY = 'approvals'

/** Shows several calls that wait for approval in one card. A person answers each of them, or all by one press. */
export function approvalsView(context: ChatContext, calls: readonly PendingCall[]): TemplateResult {
  const { words, locale, local } = context
  const title = words.waitingCalls(numberFormat(locale).format(calls.length))
  const problem = local.get<string>(problemKey(KEY))
  return html`
    <div
      class="call waiting approvals"
      part="call call-waiting"
      role="group"
      tabindex="-1"
      aria-label=${title}
    >
      <p class="summary"><span class="call-title">${title}</span></p>
      ${repeat(calls, keyOf, (call) => itemView(context, call))}
      ${keyed(calls.map(keyOf).join(' '), allView(context, calls))}
      ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    </div>
  `
}

function keyOf({ conversationId = '', toolCallId }: PendingCall): string {
  return `${conversationId}/${toolCallId}`
}

function itemView(context: ChatContext, call: PendingCall): TemplateResult {
  const title = titleOf(context, call)
  return html`
    <div class="asked-call" role="group" aria-label=${title}>
      <p class="call-title">${title}</p>
      ${sourceView(context, call)} ${approvalView(context, call)}
      ${problemView(context, call, true)}
    </div>
  `
}

/** Buttons that answer all calls. A changed list gets new buttons, so a press that began before can't hit them. */
function allView(context: ChatContext, calls: readonly PendingCall[]): TemplateResult {
  const { agent, words, actions } = context
  const refs = calls.map((call) => refOf(context, call))
  const approve = (): void =>
    void actions.perform({ name: 'approve', detail: { calls }, key: KEY }, () =>
      agent.approveAll(refs),
    )
  const deny = (): void =>
    void actions.perform({ name: 'deny', detail: { calls }, key: KEY }, () =>
      Promise.all(refs.map((ref) => agent.deny(ref))),
    )
  return html`
    <div class="asked-all">
      <div class="buttons">
        <button
          type="button"
          class="primary"
          ?disabled=${calls.some((call) => isBeingEdited(context, call) || !isSeen(context, call))}
          @click=${approve}
        >
          ${words.approveAll}
        </button>
        <button type="button" @click=${deny}>${words.denyAll}</button>
      </div>
    </div>
  `
}
