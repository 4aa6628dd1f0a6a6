import { el, setText } from '../lib/dom.ts'
import type { View } from '../lib/keyed-list.ts'
import type { CallAnswers } from './call-answers.ts'
import type { CallItem } from './call-status.ts'
import { inputText, outputText, statusOf } from './call-status.ts'
import { createDecision } from './decision.ts'

/** A tool call: what it is called, how it stands, what went in and what came out. */
export function createCallCard(title: string, answers: CallAnswers): View<CallItem> {
  const status = el('span', { class: 'call-status' })
  const name = el('code', { class: 'call-name' })
  const input = el('pre', { tabindex: 0, 'aria-label': 'Input' })
  const output = el('pre', { tabindex: 0, 'aria-label': 'Output' })
  const outputLabel = el('p', { class: 'call-label' }, 'Output')
  const details = el(
    'details',
    {},
    el('summary', {}, el('span', { class: 'call-title' }, title), name, status),
    el('p', { class: 'call-label' }, 'Input'),
    input,
    outputLabel,
    output,
  )
  const decision = el('div', { class: 'decision' })
  const element = el('div', { class: 'call' }, details, decision)
  let shown: CallItem | undefined
  let kind = ''

  return {
    element,
    update(item) {
      const { label, kind: newKind } = statusOf(item)
      setText(status, label)
      // Opened once, when there is something to see; afterwards it is the reader's.
      const isShown = newKind === 'waiting' || newKind === 'problem'
      // A question is asked below, in its own words.
      if (newKind !== kind && isShown && item.pending?.kind !== 'answer') details.open = true
      if (newKind !== kind && newKind === 'done') details.open = false
      kind = element.dataset.kind = newKind
      if (item.call !== shown?.call) {
        setText(name, item.call.toolName)
        setText(input, inputText(item.call))
      }
      if (!shown || item.result !== shown.result) {
        setText(output, item.result ? outputText(item.result.output) : '')
        output.hidden = outputLabel.hidden = item.result === undefined
      }
      if (item.pending?.kind !== shown?.pending?.kind)
        decision.replaceChildren(...(item.pending ? [createDecision(item.pending, answers)] : []))
      shown = item
    },
  }
}
