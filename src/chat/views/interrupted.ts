import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { refOf } from '../parts/call-ref.ts'
import { inputView } from './input.ts'

/** Asks the person whether an interrupted call took effect. */
export function interruptedView(context: ChatContext, call: PendingCall): TemplateResult {
  const { agent, words, actions, locale, snapshot } = context
  const shown = snapshot.messages
    .flatMap(({ calls = [] }) => calls)
    .find(({ toolCallId }) => toolCallId === call.toolCallId)
  const resolve = (verdict: 'happened' | 'did-not-happen' | 'run-again') => (): void =>
    void actions.perform({ name: 'resolve', detail: { call, verdict }, key: call.toolCallId }, () =>
      agent.resolveInterrupted(refOf(context, call), verdict),
    )
  return html`
    <p>
      ${words.interruptedWords}
      ${shown?.startedAt === undefined ? nothing : words.beganAt(timeOf(shown.startedAt, locale))}
    </p>
    ${shown?.about ? html`<p class="about">${visibleText(shown.about.text)}</p>` : nothing}
    ${inputView(context, call)}
    <div class="buttons">
      <button type="button" @click=${resolve('happened')}>${words.happened}</button>
      <button type="button" @click=${resolve('did-not-happen')}>${words.didNotHappen}</button>
      <button type="button" @click=${resolve('run-again')}>${words.runAgain}</button>
    </div>
  `
}

function timeOf(at: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' }).format(at)
}
