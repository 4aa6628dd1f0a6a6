import { html, type TemplateResult } from 'lit'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { refOf } from '../parts/call-ref.ts'

/** A call was cut off while it ran: what became of it. */
export function interruptedView(context: ChatContext, call: PendingCall): TemplateResult {
  const { agent, words, actions } = context
  const resolve = (verdict: 'happened' | 'did-not-happen' | 'run-again') => (): void =>
    void actions.perform({ name: 'resolve', detail: { call, verdict }, key: call.toolCallId }, () =>
      agent.resolveInterrupted(refOf(context, call), verdict),
    )
  return html`
    <p>${words.interruptedWords}</p>
    <div class="buttons">
      <button type="button" @click=${resolve('happened')}>${words.happened}</button>
      <button type="button" @click=${resolve('did-not-happen')}>${words.didNotHappen}</button>
      <button type="button" @click=${resolve('run-again')}>${words.runAgain}</button>
    </div>
  `
}
